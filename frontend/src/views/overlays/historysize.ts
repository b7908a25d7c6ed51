// Texts about the size of a history and its limit.

import type { HistorySize } from '../../protocol'

export interface CapChoice {
  readonly bytes: number // 0: no limit
  readonly label: string
}

const usual = [0, 100e6, 250e6, 500e6, 1e9, 2e9, 5e9] as const

/** The limits to choose from, including the current one, in order. */
export function capChoices(cap: number): readonly CapChoice[] {
  const all = [...new Set([...usual, cap])].sort((a, b) => a - b)
  return all.map((bytes) => ({ bytes, label: bytes === 0 ? 'no limit' : bytesWords(bytes) }))
}

export function bytesWords(n: number): string {
  if (n >= 1e9) return `${round(n / 1e9)} GB`
  if (n >= 1e6) return `${round(n / 1e6)} MB`
  return `${round(n / 1e3)} KB`
}

function round(n: number): string {
  return n >= 10 ? String(Math.round(n)) : String(Math.round(n * 10) / 10)
}

/** The size of the history, the space already freed, and what is dropped first. */
export function sizeWords(s: HistorySize): string {
  const takes = s.cap === 0
    ? `It takes ${bytesWords(s.total)} on disk.`
    : `It takes ${bytesWords(s.counted)} of that${s.counted > s.cap ? '; what can go is given up in the background' : ''}.`
  const gone = s.reclaimed > 0 ? ` The content of ${String(s.reclaimed)} of ${String(s.edits)} edits was given up.` : ''
  return `${takes}${gone} Above a limit, older backups go first, then the content of the oldest edits; never what waits for review.`
}
