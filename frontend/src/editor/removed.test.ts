import { describe, expect, it } from 'vitest'
import { joined } from './hunks'
import { excerpt } from './removed'

describe('removed text', () => {
  it('is shown whole when it is short', () => {
    expect(excerpt('a\nb\n')).toEqual({ shown: 'a\nb', rest: '' })
    expect(excerpt('word')).toEqual({ shown: 'word', rest: '' })
  })
  it('says how many lines more there are', () => {
    const { shown, rest } = excerpt(Array.from({ length: 50 }, (_, i) => `line ${String(i)}`).join('\n') + '\n')
    expect(shown.split('\n')).toHaveLength(12)
    expect(rest).toBe('… 38 more lines')
  })
  it('is cut in a long line, and in no character', () => {
    const { shown, rest } = excerpt('x' + '😀'.repeat(5000))
    expect(shown).toHaveLength(1999)
    expect(shown.at(-1)).toBe('\ude00')
    expect(rest).toBe('… 8,002 more characters')
  })
  it('of one place in a row is one stretch', () => {
    const gone = joined(joined([], [{ at: 5, text: 'a\n' }]), [{ at: 5, text: 'b\n' }, { at: 2, text: 'c' }])
    expect(gone).toEqual([{ at: 2, text: 'c' }, { at: 5, text: 'a\nb\n' }])
  })
})
