// Plays the history: a clock that runs through the edits as they were made, but waits at most a second between
// two of them, and long enough to see each.

import type { Shown } from './buckets'
import type { Edits } from './edits'

export const longestWait = 1000 // ms between two edits, at speed 1
export const leastWait = 20
export const speeds = [0.5, 1, 2, 4, 8, 16, 32, 64] as const

export interface Playing {
  readonly place: number
  readonly waited: number // elapsed ms of the wait for the next edit
}

/** The time from the edit at a place to the next shown one; null at the end. */
function wait(edits: Edits, shown: Shown, place: number): { next: number; ms: number } | null {
  let next = place + 1
  while (next < edits.count && shown !== null && shown[next] === 0) next++
  if (next >= edits.count) return null
  if (place < 0) return { next, ms: 0 }
  return { next, ms: Math.min(longestWait, Math.max(leastWait, edits.times[next]! - edits.times[place]!)) }
}

/** The state after some time of playing; null at the end. */
export function play(edits: Edits, shown: Shown, from: Playing, elapsed: number, speed: number): Playing | null {
  let { place, waited } = from
  waited += elapsed * speed
  for (;;) {
    const ahead = wait(edits, shown, place)
    if (ahead === null) return null
    if (waited < ahead.ms) return { place, waited }
    waited -= ahead.ms
    place = ahead.next
  }
}
