// One page's view of a Go buffer, as in codemirror/collab: the confirmed version, at most one push in
// flight, and what was typed since. Pure: it knows no editor and no connection.
//
//   confirmed --inFlight--> . --pending--> what the editor shows
//       | theirs            |             |
//       v                   v             v     the same change, rebased
//
// Both sides order two insertions at one place in the same way (workspace.Buffer.rebase): the user's text
// comes before another author's, and among pages of the user the first one comes first. So every page ends
// with the buffer's text.

import { ChangeSet, Text } from '@codemirror/state'
import { diff, type Change } from '@codemirror/merge'
import type { Author } from '../protocol'

/** A push: changes, with their base version. */
export interface Push {
  readonly base: number
  readonly changes: ChangeSet
}

export class Client {
  private inFlight: ChangeSet | null = null
  private pending: ChangeSet | null = null
  private confirmed: Text | null = null // kept only while something is unconfirmed

  constructor(private current: number) {}

  /** The version that Go is known to have. */
  get version(): number {
    return this.current
  }

  /** Everything up to this version was applied; there may be any number of changes between two versions. */
  reached(version: number): void {
    this.current = version
  }

  get settled(): boolean {
    return this.inFlight === null && this.pending === null
  }

  /** The text of Go's version, if another one is shown. */
  get confirmedText(): Text | null {
    return this.confirmed
  }

  /** The unconfirmed changes, from the confirmed text to the shown one. */
  get unconfirmed(): ChangeSet | null {
    if (this.inFlight === null || this.pending === null) return this.inFlight ?? this.pending
    return this.inFlight.compose(this.pending)
  }

  /** The user changed the text `before`. */
  typed(changes: ChangeSet, before: Text): void {
    if (this.settled) this.confirmed = before
    this.pending = this.pending?.compose(changes) ?? changes
  }

  /** Half a character was typed last: some input methods write the two halves of a pair one by one. */
  get halved(): boolean {
    return this.inFlight === null && this.pending !== null && insertsHalf(this.pending)
  }

  /** The push to send now; null when there is nothing, or a push is in flight. Go has no half characters. */
  push(): Push | null {
    if (this.inFlight !== null || this.pending === null) return null
    this.inFlight = this.pending
    this.pending = null
    return { base: this.current, changes: this.inFlight }
  }

  /** Go applied the push in flight; returns it in its final form. */
  own(): ChangeSet | null {
    const mine = this.inFlight
    if (mine !== null && this.confirmed !== null) this.confirmed = mine.apply(this.confirmed)
    this.inFlight = null
    this.forget()
    return mine
  }

  /** Go applied somebody else's change; returns the change of the shown text. */
  theirs(author: Author, changes: ChangeSet): ChangeSet {
    return this.over(changes, author !== 'user')
  }

  /** The push in flight did not reach Go. It is sent again with the next one. */
  returned(): void {
    this.pending = this.unconfirmed
    this.inFlight = null
  }

  /** Go refused the push in flight for good; returns the change that removes it from the shown text. */
  refused(): ChangeSet | null {
    if (this.inFlight === null || this.confirmed === null) return null
    let back = this.inFlight.invert(this.confirmed)
    this.inFlight = null
    if (this.pending !== null) {
      const mine = this.pending
      this.pending = mine.map(back, true)
      back = back.map(mine, false)
    }
    this.forget()
    return back
  }

  /**
   * The confirmed text is this one, at this version, in an unknown way. Unconfirmed changes stay.
   * Whether the push in flight arrived, and so is in the text, is known or, after a crash, null: then
   * the better explanation of the text counts, and a missing push is sent again.
   * the text better, and if it is not there it is sent again.
   */
  replaced(text: Text, version: number, shown: Text, arrived: boolean | null): ChangeSet {
    if (arrived === true || arrived === null && this.explains(text, shown)) this.own()
    const out = this.over(difference(this.confirmed ?? shown, text), true)
    if (arrived === null) this.returned()
    this.current = version
    return out
  }

  private explains(text: Text, shown: Text): boolean {
    if (this.inFlight === null) return false
    const before = this.confirmed ?? shown
    return sizeOf(difference(this.inFlight.apply(before), text)) < sizeOf(difference(before, text))
  }

  /** Rebases a change of the confirmed text, and the unconfirmed changes over it. */
  private over(theirs: ChangeSet, mineFirst: boolean): ChangeSet {
    if (this.confirmed !== null) this.confirmed = theirs.apply(this.confirmed)
    for (const which of ['inFlight', 'pending'] as const) {
      const mine = this[which]
      if (mine === null) continue
      this[which] = mine.map(theirs, mineFirst)
      theirs = theirs.map(mine, !mineFirst)
    }
    return theirs
  }

  private forget(): void {
    if (this.settled) this.confirmed = null
  }
}

const scanLimit = 400 // of the exact difference; beyond it a coarser one

/** A small change from one text to another. */
export function difference(before: Text, after: Text): ChangeSet {
  const [a, b] = [before.toString(), after.toString()]
  if (a === b) return ChangeSet.empty(before.length)
  const found = exact(a, b)
  const changes = found?.map((c) => ({ from: c.fromA, to: c.toA, insert: after.slice(c.fromB, c.toB) }))
  return ChangeSet.of(changes ?? span(before, after) ?? [], before.length)
}

/** Null where diff fails: around halves of surrogate pairs it recurses for ever, or returns ranges that run backwards. */
function exact(a: string, b: string): readonly Change[] | null {
  try {
    const found = diff(a, b, { scanLimit })
    return found.every((c) => c.fromA <= c.toA && c.fromB <= c.toB) ? found : null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** One change from the common start to the common end: quick, even for long texts. */
export function span(before: Text, after: Text): { from: number; to: number; insert: Text } | null {
  const [a, b] = [before.toString(), after.toString()]
  if (a === b) return null
  const most = Math.min(a.length, b.length)
  let from = 0
  while (from < most && a.charCodeAt(from) === b.charCodeAt(from)) from++
  if (from > 0 && isHigh(a.charCodeAt(from - 1))) from--
  let end = 0
  while (end < most - from && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)) end++
  if (end > 0 && isLow(a.charCodeAt(a.length - end))) end--
  return { from, to: a.length - end, insert: after.slice(from, b.length - end) }
}

function insertsHalf(changes: ChangeSet): boolean {
  let half = false
  changes.iterChanges((_fromA, _toA, _fromB, _toB, inserted) => {
    const end = inserted.length
    half ||= end > 0 && isHigh(inserted.sliceString(end - 1, end).charCodeAt(0))
  })
  return half
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}

function sizeOf(changes: ChangeSet): number {
  let size = 0
  changes.iterChanges((fromA, toA, fromB, toB) => {
    size += toA - fromA + toB - fromB
  })
  return size
}
