// A minimal workspace.Buffer: the authority that a Client must agree with. It always applies a change by the
// user; it refuses another change that overlaps what was done since its base.

import type { ChangeSet, Text } from '@codemirror/state'
import type { Author } from '../../protocol'

interface Logged {
  readonly author: Author
  readonly origin: string
  readonly changes: ChangeSet
}

export class Buffer {
  readonly log: Logged[] = []
  constructor(private readonly start: Text) {}

  at(version: number): Text {
    return this.log.slice(0, version).reduce((text, one) => one.changes.apply(text), this.start)
  }

  get text(): Text {
    return this.at(this.log.length)
  }

  /** Reports whether it was applied. */
  apply(author: Author, origin: string, base: number, changes: ChangeSet): boolean {
    for (const other of this.log.slice(base)) {
      if (author !== 'user' && author !== other.author && overlaps(changes, other.changes)) return false
      changes = changes.map(other.changes, author === 'user' && other.author !== 'user')
    }
    this.log.push({ author, origin, changes })
    return true
  }
}

function overlaps(a: ChangeSet, b: ChangeSet): boolean {
  let found = false
  a.iterChangedRanges((from, to) => {
    b.iterChangedRanges((from2, to2) => {
      const insert = from === to || from2 === to2
      found ||= insert ? from < to2 && from2 < to && Math.max(from, from2) > Math.min(from, from2) : from < to2 && from2 < to
    })
  })
  return found
}
