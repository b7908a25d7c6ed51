// The positions of the edits along the timeline. They ascend strictly, so that the pointer can reach every
// edit:
//
//   time    milliseconds, but a pause longer than longest is folded to folded,
//           and two edits are never closer than closest: sessions that are days
//           apart lie side by side, a burst of a model does not fall on one spot
//   edits   the number of the edit
//
// Position 0 is the moment before the first edit; length is that of the last.
// Appending an edit moves none of those before it.

import { lowerBound, type Edits } from './edits'

export const longest = 20_000 // ms
export const folded = 2_500
export const closest = 40
const lead = 400 // before the first edit

export interface Axis {
  readonly kind: 'time' | 'edits'
  readonly count: number
  readonly positions: Float64Array
  readonly length: number
  readonly folds: Int32Array // indexes of the edits that come after a folded pause
}

export function axisOf(edits: Edits, kind: Axis['kind']): Axis {
  const positions = new Float64Array(edits.count)
  if (kind === 'edits') {
    for (let i = 0; i < positions.length; i++) positions[i] = i + 1
    return { kind, count: edits.count, positions, length: Math.max(1, edits.count), folds: new Int32Array(0) }
  }
  const folds: number[] = []
  let at = 0
  for (let i = 0; i < positions.length; i++) {
    const pause = i === 0 ? lead : edits.times[i]! - edits.times[i - 1]!
    if (pause > longest) folds.push(i)
    at += pause > longest ? folded : Math.max(closest, pause)
    positions[i] = at
  }
  return { kind, count: edits.count, positions, length: Math.max(1, at), folds: Int32Array.from(folds) }
}

/** The edit nearest to a position; -1 for the moment before the first one. */
export function nearest(axis: Axis, position: number): number {
  const after = lowerBound(axis.positions, axis.count, position)
  if (after === axis.count) return axis.count - 1
  const before = after === 0 ? 0 : axis.positions[after - 1]!
  return position - before <= axis.positions[after]! - position ? after - 1 : after
}

export function positionOf(axis: Axis, index: number): number {
  return index < 0 ? 0 : axis.positions[Math.min(index, axis.count - 1)] ?? axis.length
}

/** The position of a time within the run of edits [first, last]; no pause in it is folded. */
export function positionAtTime(axis: Axis, edits: Edits, first: number, last: number, time: number): number {
  const after = Math.min(last, first + lowerBound(edits.times.subarray(first, last + 1), last - first + 1, time))
  if (after === first) return positionOf(axis, first)
  const t0 = edits.times[after - 1]!
  const t1 = edits.times[after]!
  const p0 = axis.positions[after - 1]!
  return p0 + (axis.positions[after]! - p0) * (t1 === t0 ? 1 : (time - t0) / (t1 - t0))
}
