import { describe, expect, it } from 'vitest'
import type { Conversation, PastTurn, Timing } from '../../protocol'
import { costText, figures, lastFigures, lineOf, msText, rateText, seriesOf, todayText } from './figures'

const timing: Timing = { queue_ms: 1, connect_ms: 0, context_ms: 4, prefill_ms: 5, ttft_ms: 10, decode_ms: 60, apply_ms: 20, total_ms: 100, tokens: 80, tokens_per_s: 1000 }
const past = (turn: number, t: Timing | null): PastTurn => ({ turn, request: '', model: '', status: 'completed', message: '', parts: [], nearest: [], prose: '', steers: [], files: [], edits: [], timing: t, started: 0, ended: 0 })
const talk = (...turns: PastTurn[]): Conversation => ({ session: 1, title: '', turns })

describe('figures', () => {
  it('add up to the total and paint', () => {
    const f = figures(1, timing, { last: 12, worst: 30, frames: 9 }, 44)
    expect(f.sum).toBe(112)
    expect(f.parts.find((p) => p.name === 'Rest')?.ms).toBe(10)
    expect(f.parts.reduce((n, p) => n + p.share, 0)).toBeCloseTo(1)
    expect(f).toMatchObject({ firstToken: 10, firstPaint: 44, worstFrame: 30, perSecond: 1000 })
  })
  it('have no value where nobody measured', () => {
    const { connect_ms: _c, queue_ms: _q, ...kept } = timing // as the history keeps it
    const f = figures(1, { ...kept, tokens: 0, tokens_per_s: 0 } as Timing, null, 0)
    expect(f.parts.filter((p) => p.ms === null).map((p) => p.name)).toEqual(['Queue', 'Connect', 'Paint'])
    expect(f).toMatchObject({ perSecond: null, firstToken: null, firstPaint: null, worstFrame: null })
    expect(msText(null)).toBe('–')
    expect(rateText(null)).toBe('–')
  })
  it('are of the last turn that has any', () => {
    expect(lastFigures(null, talk(past(1, timing), past(2, timing), past(3, null)))?.turn).toBe(2)
    expect(lastFigures(null, talk(past(1, timing), past(2, { ...timing, tokens: 0 })))?.turn).toBe(1) // the model said nothing in the second
    expect(lastFigures(null, talk(past(2, { ...timing, tokens: 0 })))?.turn).toBe(2)
    expect(lastFigures(null, talk(past(1, timing), { ...past(2, { ...timing, tokens: 0 }), edits: [7] }))?.turn).toBe(2) // the built-in model edits without tokens
    expect(lastFigures(null, talk())).toBeNull()
  })
  it('have tokens of language models only', () => {
    const words = (f: ReturnType<typeof figures>): string => lineOf(f).map((l) => [l.before, l.value, l.after].filter((w) => w !== '').join(' ')).join(', ')
    expect(words(figures(1, timing, null, 44))).toBe('1,000 tok/s, first token 10 ms')
    expect(words(figures(1, { ...timing, tokens_per_s: 0 }, null, 44))).toBe('first token 10 ms') // it came at once
    const spark = { ...timing, tokens: 0, tokens_per_s: 0, total_ms: 36 }
    expect(words(figures(1, spark, null, 113))).toBe('36 ms, on screen after 113 ms')
    expect(words(figures(1, spark, null, 0))).toBe('36 ms')
    expect(lineOf(null)).toEqual([])
  })
  it('have tokens, cached share and cost of a language model; its edits are applied while it writes', () => {
    const usage = { input: 60_000, cached: 55_200, output: 800 } as Timing['usage'] & object
    const f = figures(1, { ...timing, rounds: 2, tools_ms: 15, usage, cost: 0.0123 }, null, 0)
    expect(lineOf(f).map((l) => l.value)).toEqual(['1,000', '10 ms', '92 %', '$0.012'])
    expect(f.parts.map((p) => p.name)).toEqual(['Queue', 'Connect', 'Context', 'Prefill', 'Decode', 'Apply', 'Tools', 'Rest', 'Paint'])
    expect(f.parts.find((p) => p.name === 'Apply')).toMatchObject({ ms: 20, share: 0 })
    expect(f.sum).toBe(100)
    expect(f.parts.find((p) => p.name === 'Rest')?.ms).toBe(15)
    expect([0, 0.00003, 0.0005, 0.05, 0.1, 12.345].map(costText)).toEqual(['$0', '< $0.0001', '$0.0005', '$0.05', '$0.10', '$12.35'])
  })
  it('say how much of the daily budget is spent', () => {
    expect(todayText(0.5, 2)).toBe('$0.50 of $2.00 today')
    expect(todayText(0.5, 0)).toBe('$0.50')
  })
  it('make a row over the session', () => {
    expect(seriesOf(null, talk(past(1, timing), past(2, null), past(4, { ...timing, tokens_per_s: 0 })))).toEqual({ turns: [1, 4], perSecond: [1000, null], total: [100, 100] })
  })
  it('are told in a few letters', () => {
    expect([0, 0.04, 3.26, 48.4, 1234, 65_000].map(msText)).toEqual(['0 ms', '< 0.1 ms', '3.3 ms', '48 ms', '1,234 ms', '65.0 s'])
  })
})
