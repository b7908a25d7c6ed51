// Earlier requests, stepped through with the arrow keys. The draft is kept and comes back after the newest one.

export interface Recall {
  readonly at: number // index into the history
  readonly written: string
}

export interface Step {
  readonly recall: Recall | null
  readonly text: string
}

/** One step; null when there is nothing further that way. */
export function stepBack(recall: Recall | null, history: readonly string[], now: string): Step | null {
  const at = (recall?.at ?? history.length) - 1
  const text = history[at]
  if (text === undefined) return null
  return { recall: { at, written: recall?.written ?? now }, text }
}

export function stepForth(recall: Recall | null, history: readonly string[]): Step | null {
  if (recall === null) return null
  const at = recall.at + 1
  const text = history[at]
  return text === undefined ? { recall: null, text: recall.written } : { recall: { ...recall, at }, text }
}
