// Sends typing to Go: one push at a time per document, the next one when Go confirmed the last. It also
// reports which files are waiting for that.

import type { ChangeSet } from '@codemirror/state'
import { CallError, type Backend } from '../backend'
import type { Store } from '../state/store.svelte'
import type { LiveDoc } from './live'

const unsentAfter = 400 // ms without a confirmation until it is shown
const otherHalfWithin = 50 // ms until half a character is sent as it is

export interface PusherEvents {
  /** Go has another document at this path. */
  stale(path: string): void
  /** Typing was given up: nothing waits for it any more. */
  dropped(): void
}

export class Pusher {
  private looking: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly store: Store,
    private readonly backend: Backend,
    private readonly docs: ReadonlyMap<string, LiveDoc>,
    private readonly events: PusherEvents,
  ) {}

  send(live: LiveDoc, late = false): void {
    if (live.client.halved && !late) {
      setTimeout(() => { this.send(live, true) }, otherHalfWithin)
      return
    }
    const push = live.client.push()
    this.lookForUnsent()
    if (push === null) return
    live.pushedAt = performance.now()
    const { path, doc } = live
    const sent = tooLarge(push.changes)
      ? Promise.reject(new CallError('usage', 'it is more than 16 MB at once.'))
      : this.backend.call('push', { path, doc, base: push.base, changes: push.changes.toJSON() as never })
    sent.then(() => { live.accepted = true }, (error: unknown) => { this.notSent(live, error) })
  }

  /** Reports the files with unconfirmed typing. */
  private lookForUnsent(): void {
    this.looking ??= setTimeout(() => {
      this.looking = undefined
      const paths = [...this.docs.values()].filter((d) => d.waited() >= unsentAfter).map((d) => d.path)
      if (paths.join('\n') !== this.store.state.unsent.join('\n')) this.store.dispatch({ type: 'unsent', paths })
      if ([...this.docs.values()].some((d) => !d.client.settled)) this.lookForUnsent()
    }, unsentAfter)
  }

  private notSent(live: LiveDoc, error: unknown): void {
    const code = error instanceof CallError ? error.code : 'failed'
    if (code === 'lost') return // reconnected() finds out whether it arrived
    if (code === 'stale') {
      live.client.returned()
      this.events.stale(live.path)
      return
    }
    const back = live.client.refused()
    if (back !== null) live.follow(back)
    const why = error instanceof Error ? error.message : String(error)
    this.store.dispatch({ type: 'notice', level: 'error', text: `What was typed in ${live.path} could not be kept: ${why}` })
    this.events.dropped()
    this.send(live) // what was typed since
  }
}

/** Go ends a connection that sends more than 16 MB at once. */
const largestPush = 15 << 20

function tooLarge(changes: ChangeSet): boolean {
  if (changes.newLength < largestPush / 6) return false // however it is encoded
  return new TextEncoder().encode(JSON.stringify(changes)).length > largestPush
}
