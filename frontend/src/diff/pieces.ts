// Differences of texts: the changed middle of two texts, and the mapping of a range from one text to
// another.

import type { Change } from '@codemirror/merge'

/** The smallest single replacement that makes one text the other; null when they are the same. */
export function middle(before: string, after: string): { from: number; to: number; insert: string } | null {
  if (before === after) return null
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++
  let end = 0
  while (end < most - start && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)) end++
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) }
}

export interface Range {
  readonly from: number
  readonly to: number
}

/** Maps a range of A to B, given the changes from A to B. A range that touches a change covers all of it. */
export function mapped(range: Range, changes: readonly Change[]): Range {
  let shift = 0
  let from = NaN
  let to = NaN
  for (const c of changes) {
    if (Number.isNaN(from) && range.from < c.fromA) from = range.from + shift
    if (Number.isNaN(from) && range.from <= c.toA) from = Math.min(c.fromB, range.from + shift)
    if (Number.isNaN(to) && range.to < c.fromA) to = range.to + shift
    if (Number.isNaN(to) && range.to <= c.toA) to = Math.max(c.toB, from)
    shift = c.toB - c.toA
  }
  if (Number.isNaN(from)) from = range.from + shift
  if (Number.isNaN(to)) to = range.to + shift
  return { from, to: Math.max(from, to) }
}

/** Whether two ranges overlap; an empty one counts at its place. */
export function touch(a: Range, b: Range): boolean {
  return a.from <= b.to && b.from <= a.to
}
