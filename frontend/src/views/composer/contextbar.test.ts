import { describe, expect, it } from 'vitest'
import type { ContextInfo, ContextPart } from '../../protocol'
import { alone, amount, labelOf, segments, tight } from './contextbar'

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
  it('names a part once: what is alone of its kind has no row of its own', () => {
    expect(segments(info).map((s) => alone(s)?.name ?? '')).toEqual(['instructions', '', ''])
    expect(segments({ ...info, parts: [part('conversation', 'turn 1', 5)] }).map(alone)).toEqual([null])
    expect(segments({ ...info, parts: [{ ...part('file', 'a.go', 5), path: 'a.go' }] }).map(alone)).toEqual([null])
    expect(segments({ ...info, parts: [part('summary', 'turns 1 to 4', 5)] }).map((s) => [s.name, alone(s), s.parts.map(labelOf)])).toEqual([['Conversation', null, ['Summary of turns 1 to 4']]])
    expect([part('place', 'place', 1), { ...part('file', 'a.go', 5), path: 'a.go' }].map(labelOf)).toEqual(['Place', 'a.go'])
  })
  it('says how much, and when it is nearly full', () => {
    expect(amount(info)).toBe('1.7k of 10k tokens')
    expect([1650, 6700, 6800].map((tokens) => tight({ ...info, tokens }))).toEqual([false, false, true])
  })
})
