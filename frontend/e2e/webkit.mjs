// A small WebDriver client (W3C, by fetch) for the real window. WebKitWebDriver starts the
// program, which must be built with the tag e2e, and drives its view.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { WindowComposer, WindowFigures, WindowPane, WindowTree, WindowTurns } from './driver/window.mjs'
import { start } from './process.mjs'
import { windowBinary } from './project.mjs'
import { patience, until } from './wait.mjs'

/** Keys as WebDriver names them. */
export const Key = {
  Escape: '\uE00C',
  Enter: '\uE007',
  Tab: '\uE004',
  Backspace: '\uE003',
  Delete: '\uE017',
  Left: '\uE012',
  Up: '\uE013',
  Right: '\uE014',
  Down: '\uE015',
  Home: '\uE011',
  End: '\uE010',
  PageUp: '\uE00E',
  PageDown: '\uE00F',
  Control: '\uE009',
  Shift: '\uE008',
  Alt: '\uE00A',
}

const elementKey = 'element-6066-11e4-a52e-4f735466cecf'

/**
 * Opens the window on a project, and closes it after the test.
 * @param {{ after(f: () => Promise<unknown>): void }} t
 * @param {import('./project.mjs').Project} project
 * @param {NodeJS.ProcessEnv} display of makeDisplay
 * @param {{ args?: readonly string[], env?: NodeJS.ProcessEnv, binary?: string }} [options] args replace the project folder
 */
export async function openWindow(t, project, display, options = {}) {
  const port = await freePort()
  const env = { ...project.env, ...display, ...options.env }
  const driver = start(t, 'WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], { env, cwd: project.root })
  const base = `http://127.0.0.1:${port}`
  await until('WebKitWebDriver listens', async () => (await fetch(`${base}/status`)).ok)
  const args = options.args ?? [project.root]
  const browserOptions = { binary: options.binary ?? windowBinary, args }
  const { sessionId } = await request(`${base}/session`, 'POST', { capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': browserOptions } } }, driver)
  const window = new Window(`${base}/session/${sessionId}`, driver)
  await until('the page is there', () => window.execute("return document.readyState === 'complete' && location.href.startsWith('wails://wails')"))
  return window
}

/** The window under test. */
export class Window {
  /**
   * @param {string} url of the session
   * @param {import('./process.mjs').Running} driver
   */
  constructor(url, driver) {
    this.url = url
    this.driver = driver
    this.composer = new WindowComposer(this)
    this.pane = new WindowPane(this)
    this.turns = new WindowTurns(this)
    this.tree = new WindowTree(this)
    this.figures = new WindowFigures(this)
  }

  /** The program's process number; 0 if it has ended. */
  get pid() {
    try {
      return Number(readFileSync(`/proc/${this.driver.pid}/task/${this.driver.pid}/children`, 'utf8').trim().split(' ')[0])
    } catch {
      return 0
    }
  }

  /** The output of the program and the driver. */
  log() {
    return this.driver.log()
  }

  /**
   * Runs the body of a function in the page and returns its result.
   * @param {string} script
   * @param {...unknown} args
   * @returns {Promise<any>}
   */
  execute(script, ...args) {
    return this.send('POST', 'execute/sync', { script, args })
  }

  /**
   * Runs the body of an async function in the page.
   * @param {string} script
   * @param {...unknown} args
   * @returns {Promise<any>}
   */
  async evaluate(script, ...args) {
    const body = `const done = arguments[arguments.length - 1];
      (async (...args) => { ${script} })(...Array.from(arguments).slice(0, -1)).then((value) => done({ value }), (error) => done({ error: String(error) }))`
    const { value, error } = await this.send('POST', 'execute/async', { script: body, args })
    if (error) throw new Error(`in the page: ${error}`)
    return value
  }

  /** Whether these words are on the page. @param {...string} words @returns {Promise<boolean>} */
  says(...words) {
    return this.execute('return arguments[0].every((w) => document.body.innerText.includes(w))', words)
  }

  /**
   * Waits for the element of a CSS selector, and returns it.
   * @param {string} css
   * @returns {Promise<string>}
   */
  async find(css) {
    return until(`${css} is there`, async () => (await this.send('POST', 'element', { using: 'css selector', value: css }))[elementKey])
  }

  /** @param {string} css */
  async text(css) {
    return this.send('GET', `element/${await this.find(css)}/text`)
  }

  /** @param {string} css */
  async click(css) {
    await this.send('POST', `element/${await this.find(css)}/click`, {})
  }

  /**
   * Presses keys one after the other in the focused element. An array is a chord.
   * @param {...(string | readonly string[])} keys
   */
  async keys(...keys) {
    const actions = keys.flatMap((k) => (typeof k === 'string' ? Array.from(k).flatMap((c) => [down(c), up(c)]) : [...k.map(down), ...[...k].reverse().map(up)]))
    await this.send('POST', 'actions', { actions: [{ type: 'key', id: 'keyboard', actions }] })
  }

  /**
   * Returns a picture of the page, as PNG. WebKit takes it when it paints next, which for a
   * page at rest is never, so a dot makes it paint.
   */
  async screenshot() {
    await this.execute(`const dot = document.createElement('i')
      dot.id = 'e2e-dot'
      dot.style.cssText = 'position:fixed;right:0;bottom:0;width:1px;height:1px;z-index:9999'
      document.body.append(dot)
      let n = 0
      const paint = () => { if (dot.isConnected) { dot.style.opacity = n++ % 2 ? '.01' : '.02'; setTimeout(paint, 30) } }
      paint()`)
    try {
      return Buffer.from(await this.send('GET', 'screenshot'), 'base64')
    } finally {
      await this.execute("document.getElementById('e2e-dot')?.remove()")
    }
  }

  /**
   * Ends the program as a user or the desktop would, or kills it.
   * @param {NodeJS.Signals} signal
   */
  async end(signal = 'SIGTERM') {
    const pid = this.pid
    if (pid) process.kill(pid, signal)
    await until('the program has ended', () => !alive(pid))
    await this.driver.stop()
  }

  /**
   * @param {'GET' | 'POST'} method
   * @param {string} path
   * @param {unknown} [body]
   */
  send(method, path, body) {
    return request(`${this.url}/${path}`, method, body, this.driver)
  }
}

const down = (value) => ({ type: 'keyDown', value })
const up = (value) => ({ type: 'keyUp', value })

/** Whether a process runs. A zombie does not. */
function alive(pid) {
  try {
    return pid > 0 && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

async function request(url, method, body, driver) {
  const signal = AbortSignal.timeout(patience + 10_000) // a page that hangs hangs the driver
  const response = await fetch(url, { method, signal, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }).catch((error) => {
    throw new Error(`WebDriver: ${method} ${new URL(url).pathname}: ${error.message}\n${driver.log()}`)
  })
  const { value } = await response.json()
  if (!response.ok) throw new Error(`WebDriver: ${value.error}: ${value.message}\n${driver.log()}`)
  return value
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
      server.close(() => resolve(port))
    })
  })
}
