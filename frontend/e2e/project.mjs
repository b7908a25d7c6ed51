// A separate project for each test: a temporary folder with the test's files, an empty home,
// and models that replay what the test wrote.

import { execFileSync } from 'node:child_process'
import { closeSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atEnd } from './ending.mjs'

/** The repository. */
export const repository = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/** The program under test; the second is built so that a WebDriver can drive its window. */
export const binary = process.env['WAFERPAIR_BIN'] ?? join(repository, 'bin/waferpair')
export const windowBinary = process.env['WAFERPAIR_WINDOW_BIN'] ?? join(repository, '.cache/e2e/waferpair')

/**
 * @typedef {object} Project
 * @property {string} root the project folder
 * @property {string} home an empty home folder
 * @property {NodeJS.ProcessEnv} env for programs: this home, and nothing of the user's
 * @property {(path: string, text: string) => void} write
 * @property {(path: string) => string} read
 * @property {(path: string) => boolean} has
 * @property {(path: string) => number} mtime
 * @property {() => Installed} install puts the programs into a separate folder, as packages do
 * @property {(lines: readonly ScriptLine[]) => string} script writes a model script and returns the model's name
 * @property {() => Spoken} spoken a model that says what the test sends it, when the test sends it
 */

/**
 * @typedef {object} Installed
 * @property {string} binary the command line
 * @property {string} window the program that it becomes to open the window; a WebDriver can drive it
 */

/**
 * @typedef {object} Spoken
 * @property {string} name the model's name
 * @property {(lines: readonly ScriptLine[]) => void} say sends more lines; less than 64 KB at a time
 * @property {() => void} end completes the answer
 */

/** @typedef {{ after_ms?: number, text?: string, error?: string, steer?: true }} ScriptLine */

/**
 * Makes a project, and removes it after the test.
 * @param {{ after(f: () => Promise<unknown>): void }} t
 * @param {Readonly<Record<string, string>> | 'config-service'} files contents by path, or the name of an example
 * @returns {Project}
 */
export function makeProject(t, files = {}) {
  const base = mkdtempSync(join(tmpdir(), 'waferpair-e2e-'))
  // a compiler that the killed program started may still write
  atEnd(t, () => rmSync(base, { recursive: true, force: true, maxRetries: 15, retryDelay: 100 }))
  const root = join(base, 'shop')
  const home = join(base, 'home')
  mkdirSync(root)
  mkdirSync(home)
  const at = (path) => join(root, path)
  const write = (path, text) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }
  if (typeof files === 'string') cpSync(join(repository, 'examples', files), root, { recursive: true })
  else for (const [path, text] of Object.entries(files)) write(path, text)
  let scripts = 0
  const scriptFile = () => join(base, `model-${++scripts}.jsonl`)
  return {
    root,
    home,
    env: environment(home),
    write,
    read: (path) => readFileSync(at(path), 'utf8'),
    has: (path) => existsSync(at(path)),
    mtime: (path) => statSync(at(path)).mtimeMs,
    install() {
      const installed = { binary: join(base, 'usr/bin/waferpair'), window: join(base, 'usr/lib/waferpair/waferpair-window') }
      const copy = (/** @type {string} */ from, /** @type {string} */ to) => {
        mkdirSync(dirname(to), { recursive: true })
        copyFileSync(from, to)
      }
      copy(binary, installed.binary)
      copy(windowBinary, installed.window)
      return installed
    },
    script(lines) {
      const file = scriptFile()
      writeFileSync(file, jsonLines(lines))
      return `script:${file}`
    },
    spoken() {
      const file = scriptFile()
      execFileSync('mkfifo', [file])
      const pipe = openSync(file, 'r+') // for reading and writing, so that neither end waits for the other
      let over = false
      const end = () => {
        if (!over) closeSync(pipe)
        over = true
      }
      atEnd(t, end)
      return { name: `script:${file}`, say: (lines) => { writeSync(pipe, jsonLines(lines)) }, end }
    },
  }
}

const jsonLines = (lines) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

function environment(home) {
  const keep = ['PATH', 'LANG', 'LC_ALL', 'TMPDIR', 'GOROOT', 'GOFLAGS', 'GOTOOLCHAIN', 'GOMODCACHE', 'GOCACHE', 'GOPROXY']
  const env = Object.fromEntries(keep.filter((name) => process.env[name] !== undefined).map((name) => [name, process.env[name]]))
  const folder = (name) => {
    const path = join(home, name)
    mkdirSync(path, { recursive: true })
    return path
  }
  return {
    ...env,
    HOME: home,
    XDG_DATA_HOME: folder('data'),
    XDG_CONFIG_HOME: folder('config'),
    XDG_STATE_HOME: folder('state'),
    XDG_CACHE_HOME: folder('cache'),
    XDG_RUNTIME_DIR: folder('run'),
  }
}

/**
 * Returns a script that says text in pieces of about a token (four bytes), perSecond of them
 * a second. Several tokens share a line if a token takes less than 1 ms.
 * @param {string} text
 * @param {number} perSecond
 * @returns {ScriptLine[]}
 */
export function atRate(text, perSecond) {
  const tokens = text.match(/[^]{1,4}/gu) ?? []
  const together = Math.max(1, Math.ceil(perSecond / 1000))
  const lines = []
  for (let i = 0; i < tokens.length; i += together) {
    lines.push({ after_ms: (together * 1000) / perSecond, text: tokens.slice(i, i + together).join('') })
  }
  return lines
}

/**
 * The last line of a script whose turn only the user can end.
 * @type {ScriptLine}
 */
export const forever = { after_ms: 3_600_000 }

/**
 * Returns a patch (V4A) that adds lines after the line `after` of the file at path.
 * @param {string} path
 * @param {string} after
 * @param {readonly string[]} lines
 */
export function insertion(path, after, lines) {
  return `*** Begin Patch\n*** Update File: ${path}\n@@\n ${after}\n${lines.map((l) => `+${l}\n`).join('')}*** End Patch\n`
}

/**
 * Returns a patch (V4A) that creates a file.
 * @param {string} path
 * @param {readonly string[]} lines
 */
export function creation(path, lines) {
  return `*** Begin Patch\n*** Add File: ${path}\n${lines.map((l) => `+${l}\n`).join('')}*** End Patch\n`
}
