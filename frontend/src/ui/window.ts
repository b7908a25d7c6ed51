// Which rows of a long list are drawn. Rows have one height, so it is
// arithmetic: the list may hold a million of them.

export interface Range {
  readonly from: number
  readonly to: number // not drawn any more
}

const extra = 8 // rows drawn beyond each end, so that a scroll does not flash

export function rowsInView(count: number, row: number, top: number, height: number): Range {
  if (row <= 0) return { from: 0, to: 0 }
  const first = Math.floor(Math.max(0, top) / row)
  const last = Math.ceil((Math.max(0, top) + height) / row)
  const from = Math.max(0, Math.min(count, first - extra))
  return { from, to: Math.max(from, Math.min(count, last + extra)) }
}

/** The scroll position that shows the row, as near to the present one as can be. */
export function scrollFor(index: number, row: number, top: number, height: number): number {
  const start = index * row
  if (start < top) return start
  return Math.max(top, start + row - height)
}
