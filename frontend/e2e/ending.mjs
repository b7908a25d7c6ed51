// Clean-up of a test in reverse order: the page before its server, the server before its
// folder. node:test itself would run the functions in the order of their registration.

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
