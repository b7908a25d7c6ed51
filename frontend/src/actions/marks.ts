// Marks in the browser's own timeline of what the user was shown first. The
// profiler shows them, and the benchmark of the window reads them.

/** Notes, the first time only, that what was just drawn is on the screen. */
export function markPainted(name: 'shown' | 'tree'): void {
  if (performance.getEntriesByName(name).length > 0) return
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      if (performance.getEntriesByName(name).length === 0) performance.mark(name)
      port1.close()
    }
    port2.postMessage(null) // a task after the frame
  })
}
