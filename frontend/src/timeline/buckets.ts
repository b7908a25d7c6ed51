// Gathers the visible edits into columns of equal width: the lines that each author changed in each. Reverted
// lines count separately, and are drawn faintly.

import type { Axis } from './axis'
import { lowerBound, reverted, type Edits } from './edits'
import type { Window } from './window'

export interface Buckets {
  readonly n: number
  readonly authors: number
  /** Lines changed, at least 1 an edit: [bucket * authors + author]. */
  readonly lines: Float64Array
  /** Of these, lines of reverted edits. */
  readonly undone: Float64Array
  readonly most: number // lines of one author in one bucket
}

/** Which edits are shown; null is all of them. */
export type Shown = Uint8Array | null

export function bucketsOf(edits: Edits, axis: Axis, w: Window, n: number, shown: Shown): Buckets {
  const authors = Math.max(1, edits.authorNames.length)
  const lines = new Float64Array(n * authors)
  const undone = new Float64Array(n * authors)
  const scale = n / (w.to - w.from)
  const end = lowerBound(axis.positions, axis.count, w.to + 1e-9)
  let most = 0
  for (let i = lowerBound(axis.positions, axis.count, w.from); i < end; i++) {
    if (shown !== null && shown[i] === 0) continue
    const bucket = Math.min(n - 1, Math.floor((axis.positions[i]! - w.from) * scale))
    const at = bucket * authors + edits.authors[i]!
    const size = Math.max(1, edits.added[i]! + edits.removed[i]!)
    lines[at]! += size
    if ((edits.flags[i]! & reverted) !== 0) undone[at]! += size
    if (lines[at]! > most) most = lines[at]!
  }
  return { n, authors, lines, undone, most }
}

/** The height of a bar relative to the highest: logarithmic, so that one line is visible. */
export function barHeight(lines: number, most: number): number {
  return lines <= 0 ? 0 : Math.max(0.12, Math.log2(1 + lines) / Math.log2(1 + Math.max(most, 15)))
}
