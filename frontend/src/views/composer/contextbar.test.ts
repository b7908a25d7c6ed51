import { describe, expect, it } from 'vitest'
import type { ContextInfo, ContextPart } from '../../protocol'
import { amount, segments, tight } from './contextbar'

const part = (kind: ContextPart['kind'], name: string, tokens: number): ContextPart => ({ kind, name, tokens })
const info: ContextInfo = {
  parts: [part('instructions', 'instructions', 800), part('file', 'a.go', 300), part('file', 'b.go', 500), part('place', 'place', 20), part('request', 'request', 30)],
  out: [], tokens: 1650, limit: 10_000, reserve: 2500, text: '',
}

describe('the context bar', () => {
  it('adds parts up by kind, in the order of a prompt, and shows none that is empty', () => {
    expect(segments(info).map((s) => [s.name, s.tokens, s.share])).toEqual([['Instructions', 800, 0.08], ['Files', 800, 0.08], ['Request', 50, 0.005]])
    expect(segments({ ...info, limit: 0 }).every((s) => s.share === 0)).toBe(true)
  })
  it('says how much, and when it is nearly full', () => {
    expect(amount(info)).toBe('1.7k of 10k tokens')
    expect([1650, 6700, 6800].map((tokens) => tight({ ...info, tokens }))).toEqual([false, false, true])
  })
})
