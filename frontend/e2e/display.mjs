// A separate display and session bus for the test, so that windows open where there is no
// screen, and the user's desktop is left alone.

import { start } from './process.mjs'

/**
 * @param {{ after(f: () => Promise<unknown>): void }} t
 * @param {{ width?: number, height?: number }} [size]
 * @returns {Promise<NodeJS.ProcessEnv>} the variables by which programs find both
 */
export async function makeDisplay(t, { width = 1600, height = 1000 } = {}) {
  // Xvfb chooses a free number itself and writes it to file descriptor 3.
  const xvfb = start(t, 'Xvfb', ['-displayfd', '3', '-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp', '-noreset'], { fds: 1 })
  const number = await xvfb.line((l) => /^\d+$/.test(l), "the display's number")
  const bus = start(t, 'dbus-daemon', ['--session', '--nofork', '--nopidfile', '--print-address'])
  const address = await bus.line((l) => l.startsWith('unix:'), "the session bus's address")
  return {
    DISPLAY: `:${number}`,
    DBUS_SESSION_BUS_ADDRESS: address,
    XDG_SESSION_TYPE: 'x11',
    GDK_BACKEND: 'x11',
    NO_AT_BRIDGE: '1', // without the accessibility bus there is one process less
    LIBGL_ALWAYS_SOFTWARE: '1',
  }
}
