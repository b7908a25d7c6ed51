// Work for the next painted frame. An unmapped window paints no frames (WebKitGTK stops
// requestAnimationFrame then), so a timer runs the work, too.

const latest = 24 // ms

/** Runs it once: before the next paint, or after a time without one. */
export function inNextFrame(run: () => void): void {
  let done = false
  const once = (): void => {
    if (done) return
    done = true
    clearTimeout(timer)
    cancelAnimationFrame(frame)
    run()
  }
  const frame = requestAnimationFrame(once)
  const timer = setTimeout(once, latest)
}

/** Resolves in the next frame. */
export function nextFrame(): Promise<void> {
  return new Promise((resolve) => { inNextFrame(resolve) })
}
