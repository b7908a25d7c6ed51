// Runs a test with a time limit. As node's --test-timeout it would also limit each file with
// all of its tests, which takes longer on a slow machine.

import { test as nodeTest } from 'node:test'

const limit = 300_000 // ms

/** @type {WeakMap<object, (() => Promise<string>)[]>} */
const witnesses = new WeakMap()

/**
 * If the test fails, its report says what a page showed then.
 * @param {object} t
 * @param {() => Promise<string>} shown
 */
export function witness(t, shown) {
  witnesses.set(t, [...(witnesses.get(t) ?? []), shown])
}

/**
 * @param {string} name
 * @param {(t: import('node:test').TestContext) => Promise<void>} body
 */
export function test(name, body) {
  void nodeTest(name, { timeout: limit }, async (t) => {
    try {
      await body(t)
    } catch (error) {
      for (const shown of witnesses.get(t) ?? []) t.diagnostic(await shown().catch((/** @type {unknown} */ e) => String(e)))
      throw error
    }
  })
}
