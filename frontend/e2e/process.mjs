// Processes that a test starts and ends. Each leads its own process group, which is ended by
// its number, so that nothing is left behind and nothing else is ended.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { atEnd } from './ending.mjs'
import { patience } from './wait.mjs'

/**
 * @typedef {object} Running
 * @property {number} pid
 * @property {readonly string[]} lines standard output so far
 * @property {() => string} log standard output and error, the last part
 * @property {(test: (line: string) => boolean, what: string) => Promise<string>} line waits for a line of standard output
 * @property {Promise<number | string>} ended exit code or signal
 * @property {(signal?: NodeJS.Signals) => Promise<number | string>} stop asks it to end, and kills it after a while
 */

const mostLog = 20_000

/**
 * Starts a program. It is stopped after the test t.
 * @param {{ after(f: () => Promise<unknown>): void }} t
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, fds?: number }} [options] fds: the number of pipes to read lines from besides the usual three
 * @returns {Running}
 */
export function start(t, command, args, options = {}) {
  const pipes = Array.from({ length: options.fds ?? 0 }, () => /** @type {const} */ ('pipe'))
  const child = spawn(command, args, {
    env: options.env ?? process.env,
    cwd: options.cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...pipes],
  })
  const ended = once(child, 'exit').then(([code, signal]) => /** @type {number | string} */ (code ?? signal))
  const heard = listen(child, command, ended)
  const stop = async (/** @type {NodeJS.Signals} */ signal = 'SIGTERM') => {
    signalGroup(child.pid, signal)
    const kill = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), patience)
    const how = await ended
    clearTimeout(kill)
    signalGroup(child.pid, 'SIGKILL') // its children
    return how
  }
  atEnd(t, () => stop())
  return { pid: child.pid ?? 0, ended, stop, ...heard }
}

function listen(child, command, ended) {
  const lines = []
  const wakers = new Set()
  let log = ''
  let rest = ''
  const hear = (text) => (log = (log + text).slice(-mostLog))
  for (const stream of child.stdio.slice(1)) stream?.setEncoding('utf8')
  for (const stream of child.stdio.slice(1)) {
    stream?.on('data', (text) => {
      hear(text)
      if (stream === child.stderr) return
      const parts = (rest + text).split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts)
      for (const wake of wakers) wake()
    })
  }
  child.on('error', (error) => hear(`${command}: ${error.message}\n`))
  const line = (test, what) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = lines.find(test)
        if (found !== undefined) finish(() => resolve(found))
      }
      const fail = (why) => finish(() => reject(new Error(`${command}: ${what} did not come: ${why}\n${log}`)))
      const timer = setTimeout(() => fail(`${patience / 1000} s have passed`), patience)
      const finish = (f) => {
        clearTimeout(timer)
        wakers.delete(look)
        f()
      }
      wakers.add(look)
      ended.then((how) => fail(`it ended (${how})`), fail)
      child.on('error', (error) => fail(error.message))
      look()
    })
  return { lines, log: () => log, line }
}

/**
 * @param {number | undefined} pid
 * @param {NodeJS.Signals} signal
 */
export function signalGroup(pid, signal) {
  if (!pid) return
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error
  }
}
