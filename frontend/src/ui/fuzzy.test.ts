import { describe, expect, it } from 'vitest'
import { fuzzy, nextTo, worth } from './fuzzy'

/** Tries every way to place the letters. */
function slow(query: string, text: string): number {
  const place = (i: number, after: number): number => {
    if (i === query.length) return 0
    let best = -Infinity
    for (let at = after + 1; at < text.length; at++) {
      if (text[at]?.toLowerCase() !== query[i]) continue
      const beside = i > 0 && at === after + 1 ? nextTo : 0
      best = Math.max(best, worth(text, at) + beside + place(i + 1, at))
    }
    return best
  }
  return place(0, -1)
}

function random(seed: number): () => number {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return seed / 2 ** 32
  }
}

describe('fuzzy', () => {
  it('finds the best of all placements', () => {
    const next = random(7)
    const letters = 'abA b'
    const draw = (n: number): string => Array.from({ length: n }, () => letters[Math.floor(next() * letters.length)]).join('')
    for (let n = 0; n < 2000; n++) {
      const text = draw(Math.floor(next() * 10) + 1)
      const query = draw(Math.floor(next() * 4) + 1).toLowerCase().replaceAll(' ', '')
      if (query === '') continue
      const fit = fuzzy(query, text)
      const best = slow(query, text)
      if (best === -Infinity) expect(fit).toBeNull()
      else expect((fit?.score ?? NaN) + text.length / 1000, `${query} in ${text}`).toBeCloseTo(best)
      if (fit) expect(fit.at.map((i) => text[i]?.toLowerCase()).join('')).toBe(query)
    }
  })
  it('prefers the beginnings of words', () => {
    const titles = ['Toggle the file tree', 'Go to symbol…', 'Larger text']
    const best = (query: string): string | undefined => titles.map((t) => ({ t, s: fuzzy(query, t)?.score ?? -1 })).sort((a, b) => b.s - a.s)[0]?.t
    expect(best('gts')).toBe('Go to symbol…')
    expect(best('lt')).toBe('Larger text')
  })
})
