// A frame's worth of updates as one change of the shown text, with who wrote
// what. Pure.

import { ChangeSet, type Text } from '@codemirror/state'
import type { Author, Update } from '../protocol'
import type { Client } from './rebase'

/** What one author did in a row. */
export interface Written {
  readonly author: Author
  readonly changes: ChangeSet
}

/** Takes updates that lead to a version into the client; the answer leads from the text shown to the next one, step by step. */
export function takeIn(client: Client, updates: readonly Update[], version: number): readonly Written[] {
  const out: Written[] = []
  for (const update of updates) {
    if (update.own) {
      client.own()
      continue
    }
    const changes = client.theirs(update.author, ChangeSet.fromJSON(update.changes ?? []))
    const last = out.at(-1)
    if (last?.author === update.author) out[out.length - 1] = { author: last.author, changes: last.changes.compose(changes) }
    else out.push({ author: update.author, changes })
  }
  client.reached(version)
  return out
}

/** A stretch of text that somebody wrote just now, and what it took the place of. */
export interface Trace {
  readonly author: Author
  readonly from: number
  readonly to: number
  readonly removed: string
}

/** Where the steps wrote, in the text after all of them. */
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
