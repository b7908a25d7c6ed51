import { expect, it } from 'vitest'
import { pieces } from './pieces'

it('pieces are the whole text, whatever the spans say', () => {
  const text = 'func f() int'
  expect(pieces(text, [[0, 4, 'kw'], [9, 12, 'typ']]).map((p) => [p.text, p.cls])).toEqual([['func', 'kw'], [' f() ', ''], ['int', 'typ']])
  for (const spans of [[], [[3, 2, 'x']], [[0, 99, 'x']], [[0, 4, 'a'], [2, 6, 'b'], [4, 5, 'c']], [[0, 12, 'a']]] as const) {
    expect(pieces(text, spans as never).map((p) => p.text).join('')).toBe(text)
  }
})
