import { ChangeSet, Text } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { forSeeds, type Random } from '../testing/random'
import { replacements } from './lines'

function lines(r: Random, most: number): string[] {
  return Array.from({ length: 1 + r.below(most) }, () => r.pick(['', 'a', 'b', 'c', 'aa', '𝒳', '𝒴', 'é\r', `unique ${String(r.below(30))}`]))
}

/** Some lines are moved, dropped, changed, or new. */
function other(r: Random, of: readonly string[]): string[] {
  const out = [...of]
  for (let n = r.below(5); n > 0; n--) out.splice(r.below(out.length + 1), r.below(3), ...lines(r, 2).slice(r.below(2)))
  return out.length === 0 ? [''] : out
}

describe('the replacements between two texts', () => {
  it('make one the other, in order', () => {
    forSeeds(3000, (r) => {
      const a = lines(r, 12)
      const b = r.below(5) === 0 ? lines(r, 12) : other(r, a)
      const [before, after] = [Text.of(a), Text.of(b)]
      const list = replacements(before, after)
      expect(ChangeSet.of([...list], before.length).apply(before).toString()).toBe(b.join('\n'))
      let end = -1
      for (const { from, to, insert } of list) {
        expect(from).toBeGreaterThanOrEqual(end)
        expect(to - from + insert.length).toBeGreaterThan(0)
        expect(/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(insert.toString())).toBe(false)
        end = to
      }
    })
  })

  it('leave alone what lies between two changes', () => {
    const a = Array.from({ length: 100 }, (_, i) => `line ${String(i)}`)
    const b = a.map((line, i) => (i === 3 || i === 90 ? `${line}, changed` : line))
    b.splice(50, 0, 'a new line')
    expect(replacements(Text.of(a), Text.of(b)).map((r) => r.insert.toString())).toEqual([', changed', 'a new line\n', ', changed'])
  })
})
