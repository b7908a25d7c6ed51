import { describe, expect, it } from 'vitest'
import { forSeeds, type Random } from '../testing/random'
import { linesOf, merge3, merged } from './merge3'

function text(r: Random, n: number): string {
  return Array.from({ length: r.below(n) }, () => r.pick(['a\n', 'b\n', 'c\r\n', 'd\n', '\n'])).join('') + r.pick(['', 'end'])
}

function changed(r: Random, base: string): string {
  const lines = linesOf(base)
  for (let n = r.below(4); n > 0; n--) lines.splice(r.below(lines.length + 1), r.below(3), ...linesOf(text(r, 3)))
  return lines.join('')
}

describe('merging three texts', () => {
  it('loses nothing: the regions give each text again', () => {
    forSeeds(400, (r) => {
      const base = text(r, 20)
      const theirs = changed(r, base)
      const mine = changed(r, base)
      const regions = merge3(base, theirs, mine)
      expect(regions.map((x) => x.base).join('')).toBe(base)
      expect(regions.map((x) => x.theirs).join('')).toBe(theirs)
      expect(regions.map((x) => x.mine).join('')).toBe(mine)
    })
  })

  it('takes the only change there is', () => {
    forSeeds(200, (r) => {
      const base = text(r, 20)
      const other = changed(r, base)
      const result = (theirs: string, mine: string): string => merge3(base, theirs, mine).map(merged).join('')
      expect(result(other, base)).toBe(other)
      expect(result(base, other)).toBe(other)
      expect(result(other, other)).toBe(other)
    })
  })

  it('says clash only where both changed the same place in different ways', () => {
    forSeeds(200, (r) => {
      const base = text(r, 20)
      for (const x of merge3(base, changed(r, base), changed(r, base))) {
        expect(x.kind === 'clash').toBe(x.theirs !== x.mine && x.theirs !== x.base && x.mine !== x.base)
      }
    })
  })

  it('keeps both of two changes far apart', () => {
    const base = 'one\ntwo\nthree\nfour\nfive\n'
    const regions = merge3(base, 'ONE\ntwo\nthree\nfour\nfive\n', 'one\ntwo\nthree\nfour\nFIVE\n')
    expect(regions.map(merged).join('')).toBe('ONE\ntwo\nthree\nfour\nFIVE\n')
    expect(regions.some((x) => x.kind === 'clash')).toBe(false)
  })

  it('gives what stands beside a change its own place', () => {
    const regions = merge3('one\ntwo\nthree\n', 'one\nthree\n', 'one\nnew\ntwo\nthree\n')
    expect(regions.map(merged).join('')).toBe('one\nnew\nthree\n')
    const twice = merge3('one\ntwo\n', 'one\nthis\ntwo\n', 'one\nthat\ntwo\n')
    expect(twice.filter((x) => x.kind === 'clash')).toEqual([{ kind: 'clash', base: '', theirs: 'this\n', mine: 'that\n' }])
  })

  it('manages more different lines than there are letters', () => {
    const base = Array.from({ length: 70_000 }, (_, i) => `line ${String(i)}\n`)
    const theirs = base.with(100, 'theirs\n').join('')
    const mine = base.with(60_000, 'mine\n').join('')
    const regions = merge3(base.join(''), theirs, mine)
    expect(regions.map((x) => x.mine).join('')).toBe(mine)
    expect(regions.map((x) => x.theirs).join('')).toBe(theirs)
  })
})
