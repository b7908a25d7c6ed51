// Computes which rows of a long list to draw. Rows have one height, so this is arithmetic: the list may have a
// million of them.

export interface Range {
  readonly from: number
  readonly to: number // exclusive
}

const extra = 8 // rows drawn beyond each end, so that a scroll does not flash

export function rowsInView(count: number, row: number, top: number, height: number): Range {
  if (row <= 0) return { from: 0, to: 0 }
  const first = Math.floor(Math.max(0, top) / row)
  const last = Math.ceil((Math.max(0, top) + height) / row)
  const from = Math.max(0, Math.min(count, first - extra))
  return { from, to: Math.max(from, Math.min(count, last + extra)) }
}

/** The scroll position that shows the row with the least movement. */
export function scrollFor(index: number, row: number, top: number, height: number): number {
  const start = index * row
  if (start < top) return start
  return Math.max(top, start + row - height)
}
