// A test with a limit of its own. Given to node as --test-timeout, the limit is
// also one for each file with all of its tests, which a slow machine exceeds.

import { test as nodeTest } from 'node:test'

const limit = 300_000 // ms

/**
 * @param {string} name
 * @param {(t: import('node:test').TestContext) => Promise<void>} body
 */
export function test(name, body) {
  void nodeTest(name, { timeout: limit }, body)
}
