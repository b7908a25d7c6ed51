// Joins a frame's updates into one change of the shown text, with the author of each part. Pure.

import { ChangeSet, type ChangeDesc, type Text } from '@codemirror/state'
import type { Author, Update } from '../protocol'
import type { Client } from './rebase'

/** Consecutive changes by one author. */
export interface Written {
  readonly author: Author
  readonly changes: ChangeSet
}

export interface Taken {
  readonly steps: readonly Written[] // on the shown text
  readonly confirmed: ChangeDesc | null // on the confirmed text, all together; null: none
}

/** Applies updates up to a version to the client. */
export function takeIn(client: Client, updates: readonly Update[], version: number): Taken {
  const steps: Written[] = []
  let confirmed = null as ChangeDesc | null
  for (const update of updates) {
    const given = update.own ? client.own() : ChangeSet.fromJSON(update.changes ?? [])
    if (given !== null) confirmed = confirmed?.composeDesc(given.desc) ?? given.desc
    if (given === null || update.own) continue
    const changes = client.theirs(update.author, given)
    const last = steps.at(-1)
    if (last?.author === update.author) steps[steps.length - 1] = { author: last.author, changes: last.changes.compose(changes) }
    else steps.push({ author: update.author, changes })
  }
  client.reached(version)
  return { steps, confirmed }
}

/** A stretch of text that somebody has just written, and the text it replaced. */
export interface Trace {
  readonly author: Author
  readonly from: number
  readonly to: number
  readonly removed: string
}

/** The places that the steps wrote, in the text after all of them. */
export function traces(before: Text, steps: readonly Written[]): readonly Trace[] {
  let out: Trace[] = []
  let text = before
  for (const [i, step] of steps.entries()) {
    out = out.map((t) => ({ ...t, from: step.changes.mapPos(t.from, 1), to: Math.max(step.changes.mapPos(t.from, 1), step.changes.mapPos(t.to, -1)) }))
    const old = text
    step.changes.iterChanges((fromA, toA, fromB, toB) => {
      out.push({ author: step.author, from: fromB, to: toB, removed: old.sliceString(fromA, toA) })
    })
    if (i < steps.length - 1) text = step.changes.apply(text)
  }
  return out
}

export function total(steps: readonly Written[], length: number): ChangeSet {
  return steps.reduce((all, step) => all.compose(step.changes), ChangeSet.empty(length))
}
