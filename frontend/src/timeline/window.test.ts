import { describe, expect, it } from 'vitest'
import { forSeeds, type Random } from '../testing/random'
import { axisOf, nearest, positionOf, type Axis } from './axis'
import { editsOf } from './edits'
import { sampleEdits, sampleTimeline } from './sample'
import { fromParts, grown, isWhole, leastSpan, pan, reveal, toParts, wholeOf, within, zoom, type Window } from './window'

function check(w: Window, axis: Axis): void {
  expect(w.from).toBeGreaterThanOrEqual(0)
  expect(w.to).toBeLessThanOrEqual(axis.length + 1e-6)
  expect(w.to - w.from).toBeGreaterThanOrEqual(leastSpan(axis) - 1e-6)
}

function anyWindow(r: Random, axis: Axis): Window {
  return within({ from: r.next() * axis.length, to: r.next() * axis.length }, axis)
}

describe('the window on the timeline', () => {
  it('stays on it whatever is done', () => {
    forSeeds(100, (r) => {
      const axis = axisOf(sampleEdits(r, 1 + r.below(100)), r.pick(['time', 'edits']))
      let w = wholeOf(axis)
      for (let n = 0; n < 30; n++) {
        if (r.below(2) === 0) w = zoom(w, axis, r.pick([0.2, 0.8, 1.25, 4]), w.from + r.next() * (w.to - w.from))
        else w = pan(w, axis, (r.next() - 0.5) * axis.length)
        check(w, axis)
      }
    })
  })

  it('keeps what is under the pointer while it zooms in', () => {
    forSeeds(60, (r) => {
      const axis = axisOf(sampleEdits(r, 50 + r.below(50)), 'edits')
      const w = anyWindow(r, axis)
      const around = w.from + r.next() * (w.to - w.from)
      const next = zoom(w, axis, 0.7, around)
      if (next.to - next.from > leastSpan(axis)) {
        expect((around - next.from) / (next.to - next.from)).toBeCloseTo((around - w.from) / (w.to - w.from))
      }
    })
  })

  it('gets from all of a week to one second and back', () => {
    forSeeds(5, (r) => {
      const axis = axisOf(sampleEdits(r, 3000), 'time')
      const target = positionOf(axis, r.below(3000))
      let w = wholeOf(axis)
      for (let n = 0; n < 200; n++) w = zoom(w, axis, 0.8, target)
      expect(w.to - w.from).toBeCloseTo(1000)
      expect(target).toBeGreaterThanOrEqual(w.from - 1e-6)
      expect(target).toBeLessThanOrEqual(w.to + 1e-6)
      for (let n = 0; n < 200; n++) w = zoom(w, axis, 1.3, target)
      expect(isWhole(w, axis)).toBe(true)
    })
  })

  it('brings a position in sight, and does not move for one that is', () => {
    forSeeds(60, (r) => {
      const axis = axisOf(sampleEdits(r, 60), 'edits')
      const w = anyWindow(r, axis)
      const position = positionOf(axis, r.below(60))
      const next = reveal(w, axis, position)
      expect(next.from).toBeLessThanOrEqual(position + 1e-6)
      expect(next.to).toBeGreaterThanOrEqual(position - 1e-6)
      expect(nearest(axis, position)).toBeGreaterThanOrEqual(0)
      if (position >= w.from && position <= w.to) expect(next).toBe(w)
    })
  })

  it('shows the same edits, or still the end, when the history grows', () => {
    forSeeds(60, (r) => {
      const before = axisOf(sampleEdits(r, 40), 'edits')
      const after = axisOf(sampleEdits(r, 40 + r.below(200)), 'edits')
      const w = anyWindow(r, before)
      const next = grown(w, before, after)
      check(next, after)
      if (w.to >= before.length) expect(next.to).toBe(after.length)
      else expect(next).toEqual(w)
      expect(grown(wholeOf(before), before, after)).toEqual(wholeOf(after))
    })
  })

  it('shows the same edits when those before them come to be known', () => {
    forSeeds(60, (r) => {
      const all = sampleTimeline(r, 60)
      const from = 1 + r.below(40)
      const cut = (list: readonly number[]): number[] => list.slice(from)
      const newest = editsOf({
        ...all, ids: cut(all.ids), times: cut(all.times), authors: cut(all.authors), turns: cut(all.turns), paths: cut(all.paths),
        added: cut(all.added), removed: cut(all.removed), flags: cut(all.flags),
      })
      for (const kind of ['time', 'edits'] as const) {
        const [before, after] = [axisOf(newest, kind), axisOf(editsOf(all), kind)]
        const w = within({ from: positionOf(before, r.below(3)), to: positionOf(before, before.count - 2 - r.below(3)) }, before)
        const next = grown(w, before, after, positionOf(after, from) - positionOf(before, 0))
        check(next, after)
        if (w.to < before.length) expect([nearest(after, next.from), nearest(after, next.to)]).toEqual([nearest(before, w.from) + from, nearest(before, w.to) + from])
        else expect(next.to).toBe(after.length)
        expect(grown(wholeOf(before), before, after, 1)).toEqual(wholeOf(after))
      }
    })
  })

  it('comes back from its parts', () => {
    forSeeds(40, (r) => {
      const axis = axisOf(sampleEdits(r, 40 + r.below(100)), r.pick(['time', 'edits']))
      const w = anyWindow(r, axis)
      const back = fromParts(toParts(w, axis), axis)
      expect(back.from).toBeCloseTo(w.from)
      expect(back.to).toBeCloseTo(w.to)
    })
  })
})
