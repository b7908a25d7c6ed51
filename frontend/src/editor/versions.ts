// Maps positions of a version that Go answered for to the shown text. A read takes a while; meanwhile the
// document changes.

import type { ChangeDesc } from '@codemirror/state'
import type { Client } from './rebase'

const most = 400 // steps to keep; an answer is rarely older than a second

interface Step {
  readonly from: number
  readonly to: number // version
  readonly changes: ChangeDesc | null
}

export class Versions {
  private steps: Step[] = []

  took(from: number, to: number, changes: ChangeDesc | null): void {
    if (from === to) return
    this.steps.push({ from, to, changes })
    if (this.steps.length > most) this.steps.splice(0, most / 2)
  }

  forget(): void {
    this.steps = []
  }

  /**
   * Leads from a version to the shown text; 'later' when Go is ahead of the page, null when the version is
   * too old. A version inside a step counts as its end.
   */
  lead(version: number, client: Client): readonly ChangeDesc[] | 'later' | null {
    if (version > client.version) return 'later'
    const first = this.steps.findIndex((s) => s.to > version)
    const oldest = this.steps[0]?.from ?? client.version
    if (version < oldest) return null
    const rest = first < 0 ? [] : this.steps.slice(first).filter((s) => s.from >= version)
    const mine = client.unconfirmed
    return [...rest.map((s) => s.changes), mine?.desc].filter((c) => c != null)
  }
}

/** Maps a position through a list of changes. */
export function along(at: number, changes: readonly ChangeDesc[], assoc: number): number {
  return changes.reduce((pos, change) => change.mapPos(Math.min(pos, change.length), assoc), at)
}
