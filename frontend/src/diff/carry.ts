// A conflict's file changed while the user resolved it. The user's result is carried over that
// change, line by line: where both changed the same lines, the user's stay, as a clash to be
// answered. Nothing is lost: each version is in the text, or offered by a clash.

import { ChangeSet } from '@codemirror/state'
import type { ThreeWay } from '../protocol'
import type { ClashRange } from './clashes'
import { merge3, type Region } from './merge3'

/** The initial result. */
export interface Beginning {
  readonly text: string
  readonly clashes: readonly ClashRange[]
  readonly anchors: readonly number[] // where each region of the three texts begins in it
}

/**
 * result is the user's result for `old`, with its clashes; the answer is the one for `fresh`. A
 * region's theirs is the user's text, its mine the current one.
 */
export function carry(old: ThreeWay, fresh: ThreeWay, result: string, answered: readonly ClashRange[]): Beginning {
  const regions = merge3(old.mine, result, fresh.mine)
  const text = regions.map(kept).join('')
  const change = changeOf(regions, (r) => r.theirs)
  const inNew = newClashes(regions)
  const carried = answered.map((c) => moved(c, change, text)).filter((c) => !inNew.some((n) => overlap(c, n)))
  const clashes = [...inNew, ...carried].sort((a, b) => a.from - b.from || a.to - b.to).map((c, id) => ({ ...c, id }))
  return { text, clashes, anchors: anchorsOf(fresh, changeOf(regions, (r) => r.mine)) }
}

/** The user's text, unless only somebody else changed it. */
function kept(r: Region): string {
  return r.kind === 'mine' ? r.mine : r.theirs
}

/** From one of the texts to the one carried over. */
function changeOf(regions: readonly Region[], side: (r: Region) => string): ChangeSet {
  let at = 0
  const changes = regions.flatMap((r) => {
    const from = at
    at += side(r).length
    return side(r) === kept(r) ? [] : [{ from, to: at, insert: kept(r) }]
  })
  return ChangeSet.of(changes, at, '\n')
}

function newClashes(regions: readonly Region[]): ClashRange[] {
  const out: ClashRange[] = []
  let at = 0
  for (const r of regions) {
    const to = at + kept(r).length
    if (r.kind === 'clash') out.push({ id: 0, from: at, to, choice: 'open', about: 'answer', theirs: r.theirs, mine: r.mine })
    at = to
  }
  return out
}

/** An answer stays valid until somebody changes the text it is about. */
function moved(c: ClashRange, change: ChangeSet, text: string): ClashRange {
  if (!touches(change, c)) {
    const from = change.mapPos(c.from, 1)
    return { ...c, from, to: Math.max(from, change.mapPos(c.to, -1)) }
  }
  const from = change.mapPos(c.from, -1)
  const to = Math.max(from, change.mapPos(c.to, 1))
  return { ...c, from, to, choice: 'open', mine: text.slice(from, to) }
}

/** Whether something inside changed; changes beside it do not count. */
function touches(change: ChangeSet, c: ClashRange): boolean {
  let found = false
  change.iterChangedRanges((from, to) => { found ||= from < c.to && to > c.from })
  return found
}

function overlap(a: ClashRange, b: ClashRange): boolean {
  return a.from < b.to && b.from < a.to || a.from === b.from && a.to === b.to
}

function anchorsOf(fresh: ThreeWay, change: ChangeSet): number[] {
  let at = 0
  return merge3(fresh.base, fresh.theirs, fresh.mine).map((r) => {
    const from = at
    at += r.mine.length
    return change.mapPos(from, -1)
  })
}
