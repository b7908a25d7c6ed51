import { Chunk } from '@codemirror/merge'
import { Text } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { cutRemoved } from './cut'

const lines = (name: string, n: number): string[] => Array.from({ length: n }, (_, i) => `${name} ${String(i)}`)
const context = (name: string): string[] => lines(`context ${name}`, 20)

describe('long removed stretches', () => {
  it('are cut to their ends, one by one', () => {
    const before = Text.of([...context('a'), ...lines('gone', 1000), ...context('b'), ...lines('short', 300), ...context('c'), ...lines('lost', 5000), ''])
    const after = Text.of([...context('a'), ...context('b'), ...context('c'), ''])
    const { before: cut, hidden } = cutRemoved(before, after)
    expect(hidden).toBe(600 + 4600)
    const shown = cut.toString().split('\n')
    expect(shown.filter((l) => l.startsWith('gone'))).toHaveLength(400)
    expect(shown.filter((l) => l.startsWith('short'))).toHaveLength(300)
    expect(shown.filter((l) => l.startsWith('⋯'))).toEqual(['⋯ 600 more removed lines', '⋯ 4,600 more removed lines'])
    expect(shown[20 + 200]).toMatch(/^⋯/)
    const [whole, less] = [Chunk.build(before, after), Chunk.build(cut, after)]
    expect(less.map((c) => [c.fromB, c.toB])).toEqual(whole.map((c) => [c.fromB, c.toB]))
  })

  it('are left as they are where they are short, or not removed', () => {
    const before = Text.of([...context('a'), ...lines('gone', 400)])
    expect(cutRemoved(before, Text.of(context('a')))).toEqual({ before, hidden: 0 })
    const long = Text.of(lines('kept', 3000))
    expect(cutRemoved(long, long.replace(0, 0, Text.of(['new', ''])))).toEqual({ before: long, hidden: 0 })
  })
})
