// Cuts text into runs of one colour.

import type { Span } from '../../protocol'

export interface Piece {
  readonly from: number
  readonly text: string
  readonly cls: string
}

/** The whole text, in order; overlapping or invalid spans are left out. */
export function pieces(text: string, spans: readonly Span[]): readonly Piece[] {
  const out: Piece[] = []
  let at = 0
  const add = (to: number, cls: string): void => {
    if (to > at) out.push({ from: at, text: text.slice(at, to), cls })
    at = Math.max(at, to)
  }
  for (const [from, to, cls] of spans) {
    if (from < at || to <= from || to > text.length) continue
    add(from, '')
    add(to, cls)
  }
  add(text.length, '')
  return out
}
