// Runs `waferpair serve` on a test's project.

import { start } from './process.mjs'
import { binary } from './project.mjs'

/**
 * @typedef {object} Served
 * @property {string} ui the URL with its token
 * @property {string} origin
 * @property {string} token
 * @property {import('./process.mjs').Running} process
 * @property {(what: string, query?: Readonly<Record<string, string | number | boolean>>) => Promise<any>} read reads from /api
 */

/**
 * Starts the server, and stops it after the test.
 * @param {{ after(f: () => Promise<unknown>): void }} t
 * @param {import('./project.mjs').Project} project
 * @param {{ args?: readonly string[] }} [options]
 * @returns {Promise<Served>}
 */
export async function serve(t, project, options = {}) {
  const running = start(t, binary, ['serve', '--json', '-C', project.root, ...(options.args ?? [])], { env: project.env, cwd: project.root })
  const line = await running.line((l) => l.startsWith('{'), 'the line with the URL')
  const { ui, token } = /** @type {{ ui: string, token: string }} */ (JSON.parse(line))
  const origin = new URL(ui).origin
  return { ui, origin, token, process: running, read: (what, query) => read(origin, token, what, query ?? {}) }
}

async function read(origin, token, what, query) {
  const search = new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)]))
  const response = await fetch(`${origin}/api/${what}?${search}`, { headers: { Authorization: `Bearer ${token}` } })
  const body = await response.json()
  if (!response.ok) throw new Error(`GET /api/${what}: ${response.status} ${JSON.stringify(body)}`)
  return body
}
