import { diff } from '@codemirror/merge'
import { describe, expect, it } from 'vitest'
import type { ReviewHunk } from '../protocol'
import { forSeeds, type Random } from '../testing/random'
import { editsOf } from './hunks'
import { mapped, middle } from './pieces'

function words(r: Random, n: number): string {
  return Array.from({ length: n }, () => r.pick(['a', 'bb', 'c\n', ' ', 'func'])).join('')
}

describe('two texts', () => {
  it('differ in the smallest middle', () => {
    forSeeds(200, (r) => {
      const before = words(r, r.below(20))
      const after = r.below(4) === 0 ? before : words(r, r.below(20))
      const m = middle(before, after)
      if (m === null) {
        expect(after).toBe(before)
        return
      }
      expect(before.slice(0, m.from) + m.insert + before.slice(m.to)).toBe(after)
      const gone = before.slice(m.from, m.to)
      if (gone !== '' && m.insert !== '') {
        expect(gone[0]).not.toBe(m.insert[0])
        expect(gone.at(-1)).not.toBe(m.insert.at(-1))
      }
    })
  })

  it('keep the places of what did not change', () => {
    forSeeds(200, (r) => {
      const before = words(r, 30)
      const at = r.below(before.length)
      const after = before.slice(0, at) + words(r, 3) + before.slice(Math.min(before.length, at + r.below(5)))
      const changes = diff(before, after)
      const from = r.below(before.length)
      const to = from + r.below(before.length - from)
      const got = mapped({ from, to }, changes)
      const clear = changes.every((c) => c.toA < from || c.fromA > to)
      if (clear) expect(after.slice(got.from, got.to)).toBe(before.slice(from, to))
      expect(got.from).toBeLessThanOrEqual(got.to)
      expect(got.to).toBeLessThanOrEqual(after.length)
    })
  })
})

describe('the edits of a change', () => {
  const hunk = (edit: number, from: number, to: number): ReviewHunk => ({ edits: [edit], turns: [1], place: 0, path: 'a', from, to, removed: '', partial: false, time: 0 })

  it('are those at its place, also after somebody typed above it', () => {
    const shown = 'one\ntwo\nthree\nfour\n'
    const live = `// typed since\n${shown}`
    const shift = live.length - shown.length
    const hunks = [hunk(7, shift + 4, shift + 8), hunk(9, shift + 14, shift + 14)]
    const ranges = [{ from: 4, to: 8 }, { from: 13, to: 14 }, { from: 0, to: 2 }]
    expect(editsOf(ranges, shown, live, hunks)).toEqual([[7], [9], []])
    expect(editsOf([{ from: 4, to: 8 }], shown, shown, [hunk(7, 4, 8)])).toEqual([[7]])
  })
})
