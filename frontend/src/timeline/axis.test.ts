import { describe, expect, it } from 'vitest'
import { forSeeds, random } from '../testing/random'
import { axisOf, closest, folded, longest, nearest, positionAtTime, positionOf } from './axis'
import { append, editsOf, noEdits } from './edits'
import { sampleEdits, sampleTimeline } from './sample'

describe('the axis', () => {
  it('ascends strictly, folds long pauses and keeps the others as long as they were', () => {
    forSeeds(40, (r) => {
      const edits = sampleEdits(r, 1 + r.below(150))
      const axis = axisOf(edits, 'time')
      for (let i = 1; i < edits.count; i++) {
        const pause = edits.times[i]! - edits.times[i - 1]!
        const gap = axis.positions[i]! - axis.positions[i - 1]!
        expect(gap).toBe(pause > longest ? folded : Math.max(closest, pause))
        expect(axis.folds.includes(i)).toBe(pause > longest)
      }
      expect(positionOf(axis, edits.count - 1)).toBe(axis.length)
    })
  })

  it('does not move an edit when others come after it', () => {
    forSeeds(20, (r) => {
      const all = sampleTimeline(r, 60)
      const cut = r.below(60)
      const upTo = (n: number) => ({
        ...all, ids: all.ids.slice(0, n), times: all.times.slice(0, n), authors: all.authors.slice(0, n), turns: all.turns.slice(0, n),
        paths: all.paths.slice(0, n), added: all.added.slice(0, n), removed: all.removed.slice(0, n), flags: all.flags.slice(0, n),
      })
      const before = axisOf(append(noEdits(), upTo(cut)), 'time')
      const after = axisOf(editsOf(all), 'time')
      expect([...before.positions]).toEqual([...after.positions.slice(0, cut)])
    })
  })

  it('finds the edit nearest to a position, as looking at all of them does', () => {
    forSeeds(40, (r) => {
      const edits = sampleEdits(r, r.below(80))
      const axis = axisOf(edits, r.pick(['time', 'edits']))
      for (let n = 0; n < 50; n++) {
        const position = r.next() * (axis.length * 1.2) - axis.length * 0.1
        let best = -1
        for (let i = 0; i < edits.count; i++) {
          if (Math.abs(axis.positions[i]! - position) < Math.abs(positionOf(axis, best) - position)) best = i
        }
        expect(nearest(axis, position)).toBe(best)
      }
    })
  })

  it('reaches every edit at its own position', () => {
    const edits = sampleEdits(random(3), 500)
    for (const kind of ['time', 'edits'] as const) {
      const axis = axisOf(edits, kind)
      for (let i = -1; i < edits.count; i++) expect(nearest(axis, positionOf(axis, i))).toBe(i)
    }
  })

  it('puts a time between the edits around it', () => {
    forSeeds(30, (r) => {
      const edits = sampleEdits(r, 2 + r.below(60))
      const axis = axisOf(edits, 'time')
      const starts = [0, ...axis.folds]
      const run = r.below(starts.length)
      const first = starts[run]!
      const last = (starts[run + 1] ?? edits.count) - 1
      const time = edits.times[first]! + r.next() * (edits.times[last]! - edits.times[first]!)
      const at = positionAtTime(axis, edits, first, last, time)
      for (let i = first; i <= last; i++) {
        if (edits.times[i]! < time) expect(positionOf(axis, i)).toBeLessThanOrEqual(at)
        if (edits.times[i]! > time) expect(positionOf(axis, i)).toBeGreaterThanOrEqual(at)
      }
    })
  })
})
