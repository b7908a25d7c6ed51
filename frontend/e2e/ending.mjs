// What a test takes down when it ends, last thing first: the page before its
// server, the server before its folder. node:test itself runs them in the order
// in which they were made.

/** @type {WeakMap<object, (() => unknown)[]>} */
const endings = new WeakMap()

/**
 * @param {{ after(f: () => Promise<unknown>): void }} t
 * @param {() => unknown} end
 */
export function atEnd(t, end) {
  const known = endings.get(t)
  if (known) {
    known.push(end)
    return
  }
  const stack = [end]
  endings.set(t, stack)
  t.after(() => runAll(stack))
}

/** Runs all of them, and fails with the first failure afterwards. */
async function runAll(stack) {
  const failures = []
  for (const end of stack.reverse()) {
    try {
      await end()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
