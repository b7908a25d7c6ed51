import { describe, expect, it } from 'vitest'
import type { GrepMatch } from '../../protocol'
import { countText, globsOf, lineParts, nextMatch, rowsOf } from './grep'

const match = (path: string, line: number): GrepMatch => ({ path, line, column: 4, length: 3, text: '    foo bar', offset: 0 })

describe('search results', () => {
  const rows = rowsOf([match('a.go', 1), match('a.go', 9), match('b.go', 2)])
  it('have one heading for each file', () => {
    expect(rows.map((r) => (r.kind === 'file' ? `${r.path} ${String(r.count)}` : r.match.line))).toEqual(['a.go 2', 1, 9, 'b.go 1', 2])
  })
  it('are gone through by the keys, without the headings', () => {
    expect(nextMatch(rows, -1, 1)).toBe(1)
    expect(nextMatch(rows, 2, 1)).toBe(4)
    expect(nextMatch(rows, 4, 1)).toBe(4)
    expect(nextMatch(rows, 4, -1)).toBe(2)
    expect(nextMatch(rows, 1, -1)).toBe(1)
  })
  it('show the match, also in a part of a long line', () => {
    expect(lineParts(match('a.go', 1))).toEqual(['', 'foo', ' bar'])
    expect(lineParts({ ...match('a.go', 1), column: 1004, offset: 1000, text: 'ab, foo bar' })).toEqual(['…ab, ', 'foo', ' bar'])
  })
  it('are counted in words', () => {
    expect(countText(1, 1, false)).toBe('1 match in 1 file')
    expect(countText(1000, 12, true)).toBe('First 1,000 matches in 12 files')
  })
  it('may be kept to some files', () => {
    expect(globsOf(' *.go, !vendor/** ')).toEqual(['*.go', '!vendor/**'])
    expect(globsOf('')).toEqual([])
  })
})
