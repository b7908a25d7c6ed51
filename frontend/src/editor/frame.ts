// Work that belongs into the next painted frame. An unmapped window paints no
// frames (WebKitGTK stops requestAnimationFrame then), so a timer runs it too.

const latest = 24 // ms

/** Runs it once: before the next paint, or when that does not come. */
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

/** Kept in the next frame. */
export function nextFrame(): Promise<void> {
  return new Promise((resolve) => { inNextFrame(resolve) })
}
