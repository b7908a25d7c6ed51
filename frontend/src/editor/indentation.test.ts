import { Text } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { indentOf } from './indentation'

const of = (text: string, path = 'a.txt'): string => indentOf(Text.of(text.split('\n')), path)

describe('indentation', () => {
  it('is what the file does', () => {
    expect(of('if x {\n\ty\n\tz\n}')).toBe('\t')
    expect(of('a:\n  b:\n    c: 1\n  d: 2')).toBe('  ')
    expect(of('def f():\n    if x:\n        return\n    return 1')).toBe('    ')
  })
  it('is not misled by a comment that is aligned by one space', () => {
    expect(of('/*\n * a\n * b\n */\nfunction f() {\n    x()\n}\nfunction g() {\n    y()\n}')).toBe('    ')
  })
  it('is the habit of the language where the file does not tell', () => {
    expect(of('package a', 'a.go')).toBe('\t')
    expect(of('', 'a.ts')).toBe('  ')
  })
})
