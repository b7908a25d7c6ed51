// Waits for what happens in another process, by polling with a deadline. No test just
// sleeps.

const step = 20 // ms

/**
 * The longest wait of a test, in ms. On a computer that is busy with thirty other things the
 * page takes over 20 s to load; nothing that works takes this long.
 */
export const patience = 60_000

/**
 * Calls look until it returns something true, and returns that. An error of look means "not
 * yet"; if time runs out, the last error is reported.
 * @template T
 * @param {string} what
 * @param {() => T | Promise<T>} look
 * @param {number} [within] ms
 * @returns {Promise<NonNullable<T>>}
 */
export async function until(what, look, within = patience) {
  const end = performance.now() + within
  let last
  for (;;) {
    try {
      last = await look()
      if (last) return last
    } catch (error) {
      last = error
    }
    if (performance.now() > end) throw new Error(`after ${within} ms still not: ${what} (last seen: ${describe(last)})`)
    await new Promise((resolve) => setTimeout(resolve, step))
  }
}

/**
 * Waits until look returns the expected value. Values are compared as JSON.
 * @template T
 * @param {string} what
 * @param {() => T | Promise<T>} look
 * @param {T} expected
 * @param {number} [within] ms
 */
export async function equals(what, look, expected, within = patience) {
  const want = JSON.stringify(expected)
  let got = ''
  try {
    await until(what, async () => (got = JSON.stringify(await look())) === want, within)
  } catch (error) {
    throw new Error(`${what}: got ${got || describe(error)}, want ${want}`, { cause: error })
  }
}

function describe(value) {
  return value instanceof Error ? value.message : JSON.stringify(value)
}
