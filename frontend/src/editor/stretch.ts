// A file at every moment of a stretch of the history. Go sends the text at the first moment, and the change
// of each edit; versions are built on demand. They share equal lines, so that keeping some of them is cheap.

import { ChangeSet, Text } from '@codemirror/state'
import type { EditID, Past } from '../protocol'

const keepEvery = 16 // distance between kept versions, in changes

export class Stretch {
  readonly from: EditID
  readonly to: EditID
  readonly exists: boolean
  readonly size: number // characters, about
  private readonly edits: readonly EditID[]
  private readonly changes: (ChangeSet | null)[]
  private readonly kept = new Map<number, Text>() // by the number of edits they contain

  constructor(private readonly past: Past) {
    this.from = past.from
    this.to = past.to
    this.exists = past.exists
    this.edits = past.steps.map((s) => s.edit)
    this.changes = past.steps.map(() => null)
    this.kept.set(0, Text.of(past.text.split('\n')))
    this.size = past.text.length + past.steps.reduce((sum, s) => sum + 100 + written(s.changes), 0)
  }

  has(at: EditID): boolean {
    return this.from <= at && at <= this.to
  }

  /** The text at a moment of the stretch. */
  text(at: EditID): Text {
    let n = this.count(at)
    const wanted = n
    while (!this.kept.has(n)) n--
    let text = this.kept.get(n)!
    for (; n < wanted; n++) {
      if (n % keepEvery === 0) this.kept.set(n, text)
      text = this.change(n).apply(text)
    }
    return text
  }

  /** The number of edits up to a moment. */
  private count(at: EditID): number {
    let low = 0
    let high = this.edits.length
    while (low < high) {
      const mid = (low + high) >> 1
      if (this.edits[mid]! <= at) low = mid + 1
      else high = mid
    }
    return low
  }

  private change(n: number): ChangeSet {
    return (this.changes[n] ??= ChangeSet.fromJSON(this.past.steps[n]!.changes))
  }
}

function written(changes: Past['steps'][number]['changes']): number {
  return changes.reduce<number>((sum, part) => sum + (typeof part === 'number' ? 0 : part.reduce<number>((n, p) => n + (typeof p === 'string' ? p.length + 20 : 0), 0)), 0)
}
