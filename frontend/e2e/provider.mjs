// A provider of models that answers what the test has written: engine/responses/fake, in a process of its own.

import { join } from 'node:path'
import { start } from './process.mjs'
import { repository } from './project.mjs'

const program = process.env['WAFERBENCH_BIN'] ?? join(repository, 'bin/waferbench')

/**
 * @typedef {object} Answer
 * @property {readonly { kind?: string, text: string, name?: string }[]} [items] a message is {text}; a patch {kind: 'custom_tool_call', name: 'apply_patch', text}
 * @property {number} [gap_ms] between its chunks
 * @property {number} [die_after] events, then the connection ends
 * @property {{ status: number, code?: string, message?: string, retry_after?: string }} [refuse] instead of the answer
 */

/**
 * @typedef {object} Provider
 * @property {string} url its base URL
 * @property {string} key the one that it takes
 */

/**
 * Starts a provider that gives the answers one after the other, and the last one from then on.
 * @param {{ after(f: () => Promise<unknown>): void }} t
 * @param {readonly Answer[]} answers
 * @returns {Promise<Provider>}
 */
export async function provide(t, answers) {
  const key = 'sk-test-' + 'k'.repeat(20)
  const running = start(t, program, ['provider', JSON.stringify(answers)], { env: { ...process.env, PROVIDER_KEY: key } })
  const line = await running.line((l) => l.startsWith('http'), 'the line with its URL')
  return { url: line.trim(), key }
}
