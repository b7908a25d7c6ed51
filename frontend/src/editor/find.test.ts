import { SearchQuery } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { countMatches } from './find'

function count(doc: string, search: string, selection = { anchor: 0, head: 0 }, regexp = false): string {
  return countMatches(EditorState.create({ doc, selection }), new SearchQuery({ search, regexp }))
}

describe('finding in a file', () => {
  it('counts the matches, and says which one is selected', () => {
    expect(count('one two one two one', 'one')).toBe('3')
    expect(count('one two one two one', 'one', { anchor: 8, head: 11 })).toBe('2 of 3')
    expect(count('one two', 'three')).toBe('none')
    expect(count('one two', '')).toBe('')
  })
  it('says that a pattern is none, and stops counting somewhere', () => {
    expect(count('x', '(', undefined, true)).toBe('not a pattern')
    expect(count('x'.repeat(5000), 'x')).toBe('over 1,000')
  })
})
