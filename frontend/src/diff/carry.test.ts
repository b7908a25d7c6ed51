import { describe, expect, it } from 'vitest'
import type { ThreeWay } from '../protocol'
import { forSeeds, type Random } from '../testing/random'
import { carry } from './carry'
import { beginMerge, type ClashRange } from './clashes'
import { linesOf, merge3 } from './merge3'

const rest = { path: 'a', reason: '', clashes: [], reverts: [1], doc: 1, version: 1 }
const base = 'one\ntwo\nthree\nfour\nfive\nsix\n'
const old: ThreeWay = { ...rest, base, theirs: base.replace('two', 'TWO'), mine: base.replace('two', '2') }

function now(mine: string): ThreeWay {
  return { ...old, mine, version: 2 }
}

/** The user chose to take back. */
const result = old.theirs
const answered: readonly ClashRange[] = beginMerge(merge3(old.base, old.theirs, old.mine)).clashes.map((c) => ({ ...c, to: c.from + 'TWO\n'.length, choice: 'theirs' }))

describe('a result over a change of the file', () => {
  it('keeps the answer, and takes a change elsewhere', () => {
    const { text, clashes } = carry(old, now(`zero\n${old.mine}`), result, answered)
    expect(text).toBe(`zero\n${result}`)
    expect(clashes).toEqual([{ ...answered[0], from: 9, to: 13 }])
  })

  it('keeps the answer where the same lines changed, and asks about them', () => {
    const { text, clashes } = carry(old, now(old.mine.replace('2', '22')), result, answered)
    expect(text).toBe(result)
    expect(clashes).toEqual([{ id: 0, from: 4, to: 8, choice: 'open', about: 'answer', theirs: 'TWO\n', mine: '22\n' }])
  })

  it('asks again where the user kept what there was and it is something else now', () => {
    const kept = answered.map((c) => ({ ...c, to: c.from + 2, choice: 'mine' as const }))
    const { text, clashes } = carry(old, now(old.mine.replace('2', '22')), old.mine, kept)
    expect(text).toBe(old.mine.replace('2', '22'))
    expect(clashes).toEqual([{ ...kept[0], from: 4, to: 7, choice: 'open', mine: '22\n' }])
  })

  it('keeps what the user typed where nothing stands in the way any more', () => {
    const typed = result.replace('six', 'six and more')
    const { text, clashes } = carry(old, now(base), typed, [])
    expect(text).toBe(typed)
    expect(clashes).toMatchObject([{ choice: 'open', about: 'answer', theirs: 'TWO\n', mine: 'two\n' }])
    expect(carry(old, now(old.theirs), typed, [])).toMatchObject({ text: typed, clashes: [] })
  })

  it('begins each region of the texts where it is in the result', () => {
    const fresh = now(`zero\n${old.mine}`)
    const { text, anchors } = carry(old, fresh, result, answered)
    const regions = merge3(fresh.base, fresh.theirs, fresh.mine)
    expect(anchors).toHaveLength(regions.length)
    expect(anchors.map((a) => text.slice(a).split('\n')[0])).toEqual(['zero', 'one', 'TWO', 'three'])
  })
})

function text(r: Random, n: number): string {
  return Array.from({ length: r.below(n) }, () => r.pick(['a\n', 'b\n', 'c\r\n', 'd\n', '\n'])).join('') + r.pick(['', 'end'])
}

function changed(r: Random, from: string): string {
  const lines = linesOf(from)
  for (let n = r.below(4); n > 0; n--) lines.splice(r.below(lines.length + 1), r.below(3), `${String(r.below(1000))}\n`)
  return lines.join('')
}

describe('carrying over, whatever changed', () => {
  it('loses nothing that the user made, and nothing of the change', () => {
    forSeeds(300, (r) => {
      const first = { ...rest, base: text(r, 12), theirs: text(r, 12), mine: text(r, 12) }
      const [made, mine] = [changed(r, first.mine), changed(r, first.mine)]
      const out = carry(first, { ...first, mine }, made, [])
      const has = (wanted: string, lines: string[]): void => {
        for (const line of linesOf(wanted)) if (!first.mine.includes(line)) expect(lines).toContain(line)
      }
      has(made, linesOf(out.text))
      has(mine, [...linesOf(out.text), ...out.clashes.flatMap((c) => linesOf(c.mine))])
      for (const c of out.clashes) expect(out.text.slice(c.from, c.to)).toBe(c.theirs)
    })
  })

  it('is nothing where nothing changed, on either side', () => {
    forSeeds(200, (r) => {
      const first = { ...rest, base: text(r, 12), theirs: text(r, 12), mine: text(r, 12) }
      const other = changed(r, first.mine)
      const { clashes } = beginMerge(merge3(first.base, first.theirs, first.mine))
      const answers = clashes.map((c) => ({ ...c, choice: 'mine' as const }))
      expect(carry(first, first, other, [])).toMatchObject({ text: other, clashes: [] })
      expect(carry(first, { ...first, mine: other }, first.mine, []).text).toBe(other)
      expect(carry(first, first, beginMerge(merge3(first.base, first.theirs, first.mine)).text, answers).clashes).toEqual(answers)
    })
  })
})
