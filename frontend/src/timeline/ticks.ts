// The labels of the time axis: the beginning of each run of edits, and round times within it, as many as fit;
// and marks for folded pauses. A label names the day where it changes.

import { folded, nearest, positionAtTime, positionOf, type Axis } from './axis'
import { lowerBound, type Edits } from './edits'
import type { Window } from './window'
import { clock, dayName, number, pauseWords, sameDay } from './words'

export interface Tick {
  readonly x: number // px
  readonly left: number // px, where the label begins
  readonly label: string
}

export interface Fold {
  readonly x: number // px, its middle
  readonly width: number
  readonly label: string // "" where there is no room
}

export interface Ruler {
  readonly ticks: readonly Tick[]
  readonly folds: readonly Fold[]
}

const space = 14 // px between two labels
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600].map((s) => s * 1000)

type Measure = (label: string) => number // px

export function rulerOf(edits: Edits, axis: Axis, w: Window, width: number, now: number, measure: Measure): Ruler {
  if (axis.count === 0) return { ticks: [], folds: [] }
  if (axis.kind === 'edits') return { ticks: numberTicks(axis, w, width, measure), folds: [] }
  return { ticks: timeTicks(edits, axis, w, width, now, measure), folds: foldMarks(edits, axis, w, width, measure) }
}

function numberTicks(axis: Axis, w: Window, width: number, measure: Measure): Tick[] {
  const scale = width / (w.to - w.from)
  const room = measure(number(axis.count)) + space
  let by = 1
  for (let i = 0; by * scale < room; i++) by *= i % 3 === 1 ? 2.5 : 2
  const ticks: Tick[] = []
  for (let n = Math.max(by, Math.ceil(w.from / by) * by); n <= w.to; n += by) {
    const next = tick((n - w.from) * scale, number(n), width, measure)
    if (next.left >= (ticks.at(-1)?.left ?? -Infinity) + room - space) ticks.push(next)
  }
  return ticks
}

/** A label begins at its mark, or before it if it would not fit. */
function tick(x: number, label: string, width: number, measure: Measure): Tick {
  return { x, left: Math.max(0, Math.min(x, width - measure(label))), label }
}

/** Places labels from left to right and refuses those that would touch the last one. */
class Row {
  readonly ticks: Tick[] = []
  private end = -space
  private day = NaN

  constructor(
    private readonly width: number,
    private readonly now: number,
    private readonly measure: Measure,
  ) {}

  get free(): number {
    return this.end + space
  }

  place(x: number, time: number, seconds: boolean): void {
    const named = Number.isNaN(this.day) ? !sameDay(time, this.now) : !sameDay(time, this.day)
    const label = named ? `${dayName(time, this.now)} ${clock(time, seconds)}` : clock(time, seconds)
    const next = tick(x, label, this.width, this.measure)
    if (next.left < this.free || x > this.width + 1) return
    this.ticks.push(next)
    this.end = next.left + this.measure(label)
    this.day = time
  }
}

function timeTicks(edits: Edits, axis: Axis, w: Window, width: number, now: number, measure: Measure): Tick[] {
  const scale = width / (w.to - w.from)
  const room = measure('00:00:00') + 2 * space
  const by = steps.find((s) => s * scale >= room) ?? steps.at(-1)!
  const row = new Row(width, now, measure)
  const starts = [0, ...axis.folds]
  const places = starts.map((s) => positionOf(axis, s))
  const px = (position: number): number => (position - w.from) * scale
  const runAfter = (position: number): number => lowerBound(places, places.length, position)
  for (let run = Math.max(0, runAfter(w.from) - 1); run < starts.length; ) {
    const first = starts[run]!
    const last = (starts[run + 1] ?? axis.count) - 1
    const x = px(places[run]!)
    if (x > width) break
    if (x >= 0) row.place(x, edits.times[first]!, by < 60_000)
    innerTicks(edits, axis, first, last, by, w, (at, time) => { row.place(px(at), time, by < 60_000) })
    run = Math.max(run + 1, runAfter(w.from + row.free / scale) - 1)
  }
  if (row.ticks.length === 0) row.place(0, edits.times[Math.max(0, nearest(axis, w.from))]!, true) // less than a second is visible
  return row.ticks
}

/** Round local times within a run, from the first visible one. */
function innerTicks(edits: Edits, axis: Axis, first: number, last: number, by: number, w: Window, place: (position: number, time: number) => void): void {
  const zone = new Date(edits.times[first]!).getTimezoneOffset() * 60_000
  const seen = Math.max(first, lowerBound(axis.positions, axis.count, w.from) - 1)
  if (seen > last) return
  for (let time = Math.ceil((edits.times[seen]! - zone) / by) * by + zone; time <= edits.times[last]!; time += by) {
    const at = positionAtTime(axis, edits, first, last, time)
    if (at > w.to) return
    if (at >= w.from) place(at, time)
  }
}

function foldMarks(edits: Edits, axis: Axis, w: Window, width: number, measure: Measure): Fold[] {
  const scale = width / (w.to - w.from)
  const marks: Fold[] = []
  if (folded * scale < 5) return marks // they would be closer together than the edits
  for (const f of axis.folds) {
    const x = (positionOf(axis, f) - folded / 2 - w.from) * scale
    if (x < -folded * scale) continue
    if (x > width + folded * scale) break
    const label = pauseWords(edits.times[f]! - edits.times[f - 1]!)
    marks.push({ x, width: folded * scale, label: measure(label) + 10 <= folded * scale ? label : '' })
  }
  return marks
}
