import { describe, expect, it } from 'vitest'
import { forSeeds } from '../testing/random'
import { axisOf } from './axis'
import { barHeight, bucketsOf, type Shown } from './buckets'
import { reverted, type Edits } from './edits'
import { sampleEdits } from './sample'
import { shownBy } from './steps'
import { within, type Window } from './window'

/** Asks of each bucket which edits lie in it. */
function slowly(edits: Edits, positions: Float64Array, w: Window, n: number, shown: Shown): { lines: number[]; undone: number[] } {
  const lines: number[] = []
  const undone: number[] = []
  const width = (w.to - w.from) / n
  for (let b = 0; b < n; b++) {
    for (let a = 0; a < edits.authorNames.length; a++) {
      let sum = 0
      let gone = 0
      for (let i = 0; i < edits.count; i++) {
        const p = positions[i]!
        const inside = p >= w.from && p <= w.to && Math.min(n - 1, Math.floor((p - w.from) / width)) === b
        if (!inside || edits.authors[i] !== a || shown?.[i] === 0) continue
        const size = Math.max(1, edits.added[i]! + edits.removed[i]!)
        sum += size
        if ((edits.flags[i]! & reverted) !== 0) gone += size
      }
      lines.push(sum)
      undone.push(gone)
    }
  }
  return { lines, undone }
}

describe('the bars', () => {
  it('sum what each author did, as counting edit by edit does', () => {
    forSeeds(60, (r) => {
      const edits = sampleEdits(r, r.below(120))
      const axis = axisOf(edits, 'edits')
      const w = within({ from: Math.floor(r.next() * axis.length), to: Math.floor(r.next() * axis.length) }, axis)
      const n = 2 ** r.below(6)
      const shown = r.below(2) === 0 ? null : shownBy(edits, { path: r.pick(edits.pathNames), author: '' })
      const fast = bucketsOf(edits, axis, w, n, shown)
      const slow = slowly(edits, axis.positions, w, n, shown)
      expect([...fast.lines]).toEqual(slow.lines)
      expect([...fast.undone]).toEqual(slow.undone)
      expect(fast.most).toBe(Math.max(0, ...slow.lines))
    })
  })

  it('show a single line, and grow with more', () => {
    expect(barHeight(0, 100)).toBe(0)
    expect(barHeight(1, 5000)).toBeGreaterThan(0.1)
    expect(barHeight(5000, 5000)).toBe(1)
    expect(barHeight(50, 5000)).toBeGreaterThan(barHeight(20, 5000))
  })
})
