// Marks in the browser's performance timeline for what the user sees first. The profiler
// shows them, and the benchmark of the window reads them.

/** Sets a mark, only the first time, once what was just drawn is on the screen. */
export async function markPainted(name: 'shown' | 'tree'): Promise<void> {
  if (performance.getEntriesByName(name).length > 0) return
  await painted()
  if (performance.getEntriesByName(name).length === 0) performance.mark(name)
}

const unseen = 300 // ms: a window that cannot be seen gets no animation frames

/** Resolves once what was just drawn is on the screen. */
function painted(): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, unseen)
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => {
        port1.close()
        clearTimeout(late)
        resolve()
      }
      port2.postMessage(null) // a task after the frame
    })
  })
}
