// Steps from edit to edit. A place on the timeline is the index of the edit whose moment is shown, -1 before
// the first one. A filter hides edits from stepping and from the bars; it changes no moment. While earlier
// edits are still being read, the place before the first one is the moment at which they end.

import type { Author, EditID } from '../protocol'
import type { Shown } from './buckets'
import { indexAt, lowerBound, type Edits } from './edits'

export interface Filter {
  readonly path: string // "" is all files
  readonly author: Author | '' // "" is all authors
}

export const noFilter: Filter = { path: '', author: '' }

export function shownBy(edits: Edits, filter: Filter): Shown {
  if (filter.path === '' && filter.author === '') return null
  const path = edits.pathNames.indexOf(filter.path)
  const author = edits.authorNames.indexOf(filter.author as Author)
  const shown = new Uint8Array(edits.count)
  for (let i = 0; i < edits.count; i++) {
    const here = (filter.path === '' || edits.paths[i] === path) && (filter.author === '' || edits.authors[i] === author)
    shown[i] = here ? 1 : 0
  }
  return shown
}

/** The place of a moment: that of its edit; now is the last one. */
export function placeOf(edits: Edits, at: EditID | null): number {
  return at === null ? edits.count - 1 : indexAt(edits, at)
}

/** The moment of a place; after the last edit it is now. */
export function momentAt(edits: Edits, place: number): EditID | null {
  if (place >= edits.count - 1) return null
  return editAt(edits, place)
}

/** The edit of a place; 0 is before all of them. */
export function editAt(edits: Edits, place: number): EditID {
  return place < 0 ? edits.earlier : edits.ids[Math.min(place, edits.count - 1)] ?? 0
}

/** The next shown edit, or the place before the first. */
export function step(edits: Edits, shown: Shown, place: number, by: number): number {
  const direction = Math.sign(by)
  let at = place
  for (let left = Math.abs(by); left > 0; left--) {
    const next = nextShown(edits, shown, at, direction)
    if (next === at) return at
    at = next
  }
  return at
}

function nextShown(edits: Edits, shown: Shown, place: number, direction: number): number {
  for (let at = place + direction; at >= 0 && at < edits.count; at += direction) {
    if (shown === null || shown[at] === 1) return at
  }
  return direction < 0 ? -1 : place
}

/** The shown edit nearest to a place. */
export function nearestShown(edits: Edits, shown: Shown, place: number): number {
  if (shown === null || place < 0 || shown[place] === 1) return place
  const before = nextShown(edits, shown, place, -1)
  const after = nextShown(edits, shown, place, 1)
  if (after === place) return before
  return before < 0 || after - place < place - before ? after : before
}

/** The end of the next or previous turn: consecutive edits outside turns count as one. */
export function stepTurn(edits: Edits, place: number, direction: 1 | -1): number {
  if (direction > 0) {
    if (place >= edits.count - 1) return place
    return runEnd(edits, place + 1)
  }
  let at = place
  while (at >= 0 && edits.turns[at] === edits.turns[place]) at--
  return at
}

function runEnd(edits: Edits, from: number): number {
  let at = from
  while (at + 1 < edits.count && edits.turns[at + 1] === edits.turns[from]) at++
  return at
}

/** The edits of each path, ascending. Grows with the columns. */
export class PathIndex {
  private readonly lists = new Map<number, number[]>()
  private ids: Float64Array = new Float64Array(0)
  private count = 0

  /** The last edit of a path at a place or before it; -1: none. */
  last(edits: Edits, path: number, place: number): number {
    this.bringUpTo(edits)
    const list = this.lists.get(path)
    if (list === undefined) return -1
    return list[lowerBound(list, list.length, place + 1) - 1] ?? -1
  }

  /** The first edit of a path after a place; -1: none. */
  next(edits: Edits, path: number, place: number): number {
    this.bringUpTo(edits)
    const list = this.lists.get(path)
    const next = list?.[lowerBound(list, list.length, place + 1)] ?? -1
    return next < edits.count ? next : -1
  }

  private bringUpTo(edits: Edits): void {
    if (edits.ids.buffer !== this.ids.buffer) {
      this.lists.clear()
      this.count = 0
    }
    for (; this.count < edits.count; this.count++) this.add(edits.paths[this.count]!, this.count)
    this.ids = edits.ids
  }

  private add(path: number, index: number): void {
    const list = this.lists.get(path)
    if (list) list.push(index)
    else this.lists.set(path, [index])
  }
}

/** The edits of a turn that are in force, or those in one file; none while some may still be unread. */
export function editsOfTurn(edits: Edits, turn: number, path = ''): EditID[] {
  if (edits.earlier !== 0 && (edits.bands.find((b) => b.turn === turn)?.started ?? 0) < edits.times[0]!) return []
  const number = path === '' ? -1 : edits.pathNames.indexOf(path)
  const out: EditID[] = []
  for (let i = 0; i < edits.count; i++) {
    if (edits.turns[i] === turn && (path === '' || edits.paths[i] === number) && (edits.flags[i]! & 2) === 0) out.push(edits.ids[i]!)
  }
  return out
}
