// Runs a test with a time limit. As node's --test-timeout it would also limit each file with
// all of its tests, which takes longer on a slow machine.

import { test as nodeTest } from 'node:test'

const limit = 300_000 // ms

/**
 * @param {string} name
 * @param {(t: import('node:test').TestContext) => Promise<void>} body
 */
export function test(name, body) {
  void nodeTest(name, { timeout: limit }, body)
}
