import { describe, expect, it } from 'vitest'
import type { Timeline } from '../protocol'
import { forSeeds } from '../testing/random'
import { append, editsOf } from './edits'
import { sampleEdits, sampleTimeline } from './sample'
import { editsOfTurn, momentAt, nearestShown, PathIndex, placeOf, shownBy, step, stepTurn } from './steps'

function part(t: Timeline, from: number, to: number): Timeline {
  const cut = (list: readonly number[]): number[] => list.slice(from, to)
  return { ...t, ids: cut(t.ids), times: cut(t.times), authors: cut(t.authors), turns: cut(t.turns), paths: cut(t.paths), added: cut(t.added), removed: cut(t.removed), flags: cut(t.flags) }
}

describe('stepping', () => {
  it('visits every shown edit once in each direction', () => {
    forSeeds(60, (r) => {
      const edits = sampleEdits(r, r.below(60))
      const shown = shownBy(edits, { path: r.pick(['', 'pkg/f1.go', 'none.go']), author: r.pick(['', 'model'] as const) })
      const all = [...Array(edits.count).keys()].filter((i) => shown === null || shown[i] === 1)
      const forth: number[] = []
      for (let at = -1, next = step(edits, shown, at, 1); next !== at; at = next, next = step(edits, shown, at, 1)) forth.push(next)
      expect(forth).toEqual(all)
      const back: number[] = []
      for (let at = edits.count, next = step(edits, shown, at, -1); next >= 0; at = next, next = step(edits, shown, at, -1)) back.push(next)
      expect(back).toEqual([...all].reverse())
    })
  })

  it('by turns stops where one ends', () => {
    forSeeds(60, (r) => {
      const edits = sampleEdits(r, 1 + r.below(60))
      const ends = [...Array(edits.count).keys()].filter((i) => i === edits.count - 1 || edits.turns[i] !== edits.turns[i + 1])
      for (let place = -1; place < edits.count; place++) {
        expect(stepTurn(edits, place, 1)).toBe(ends.find((e) => e > place) ?? place)
        const run = edits.turns[place]
        let start = place
        while (start >= 0 && edits.turns[start] === run) start--
        expect(stepTurn(edits, place, -1)).toBe(place < 0 ? -1 : start)
      }
    })
  })

  it('takes the nearest shown edit for one that is hidden', () => {
    forSeeds(60, (r) => {
      const edits = sampleEdits(r, 1 + r.below(40))
      const shown = shownBy(edits, { path: 'pkg/f2.go', author: '' })!
      const all = [...Array(edits.count).keys()].filter((i) => shown[i] === 1)
      for (let place = 0; place < edits.count; place++) {
        const got = nearestShown(edits, shown, place)
        if (all.length === 0) expect(got).toBe(-1)
        else if (got >= 0) expect(Math.abs(got - place)).toBe(Math.min(...all.map((i) => Math.abs(i - place))))
        else expect(all.every((i) => i > place)).toBe(true)
      }
    })
  })

  it('goes from a moment to its place and back', () => {
    forSeeds(30, (r) => {
      const edits = sampleEdits(r, 1 + r.below(40))
      for (let place = -1; place < edits.count; place++) expect(placeOf(edits, momentAt(edits, place))).toBe(place)
    })
  })
})

describe('the edits of a file', () => {
  it('are found as by looking at all of them, also while the history grows', () => {
    forSeeds(60, (r) => {
      const index = new PathIndex()
      const line = sampleTimeline(r, 90)
      let edits = editsOf(part(line, 0, 10))
      for (const n of [10, 12, 40, 90]) {
        edits = append(edits, part(line, edits.count, n))
        for (let k = 0; k < 40; k++) {
          const path = r.below(8)
          const place = r.below(n + 1) - 1
          let want = -1
          for (let i = 0; i <= place; i++) if (edits.paths[i] === path) want = i
          expect(index.last(edits, path, place)).toBe(want)
        }
      }
    })
  })

  it('in a turn leave out those that were taken back', () => {
    forSeeds(30, (r) => {
      const edits = sampleEdits(r, 60)
      const path = r.pick(['', 'pkg/f0.go'])
      const want = [...Array(60).keys()].filter((i) => edits.turns[i] === 2 && (edits.flags[i]! & 2) === 0 && (path === '' || edits.pathNames[edits.paths[i]!] === path))
      expect(editsOfTurn(edits, 2, path)).toEqual(want.map((i) => edits.ids[i]))
    })
  })
})
