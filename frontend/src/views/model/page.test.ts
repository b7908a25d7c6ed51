import { describe, expect, it } from 'vitest'
import type { Estimate, ModelMemory, ModelState, WaferStep } from '../../protocol'
import { aboutText, bandText, cyclesText, estimateLine, placeText, sramText } from './beside'
import { basisText, factsOf, memoryOf, rowsOf, slowText, stepAt, stepText } from './page'

const memory: ModelMemory = { loaded: true, replaced: false, done: 0, total: 0, answering: 1, kept: 2, weights: 525e6, kv: 36e6, mostWeights: 9e9, mostKV: 2e9 }
const state: ModelState = {
  memory, answers: 4, prompt: 700, depth: 900, measured: { decode: 62, prompt: 1500, firstMs: 480 },
  estimate: { decode: 3200, prompt: 30_000, firstMs: 23 }, low: { decode: 2000, prompt: 20_000, firstMs: 40 }, high: { decode: 4000, prompt: 60_000, firstMs: 11 },
}

describe('the page of a model', () => {
  it('draws measured and estimated on one scale, with the band in its order', () => {
    const [writing, reading, first] = rowsOf(state)
    expect(writing).toMatchObject({ measured: { text: '62' }, estimate: { text: '≈ 3,200', part: 0.8 }, low: 0.5, high: 1, band: '2,000 to 4,000' })
    expect(writing!.measured.part).toBeCloseTo(62 / 4000)
    expect(reading!.name).toBe('Reading a prompt of 700 tokens')
    expect(first).toMatchObject({ measured: { text: '480 ms', part: 1 }, band: '11 ms to 40 ms' }) // the fast end is the short one
    expect(first!.low).toBeLessThan(first!.estimate!.part)
    expect(first!.high).toBeGreaterThan(first!.estimate!.part)
  })
  it('says what was not measured, and what has no place', () => {
    const none = { decode: 0, prompt: 0, firstMs: 0 }
    const rows = rowsOf({ ...state, measured: none, answers: 0, estimate: null, low: null, high: null })
    expect(rows.map((r) => [r.measured.text, r.measured.part, r.estimate, r.band])).toEqual([['', 0, null, ''], ['', 0, null, ''], ['', 0, null, '']])
    expect(basisText({ ...state, measured: none, answers: 0 })).toContain('Nothing was measured here yet')
    expect(basisText({ ...state, answers: 0 })).toContain('Measured by')
    expect(basisText(state)).toBe('Measured: the medians of its last 4 answers in this project. Estimated with 900 positions in the cache.')
  })
  it('tells what a model takes of the memory', () => {
    expect(memoryOf(memory)).toMatchObject({ state: 'In memory, answering', kv: '36 MB in 3 sequences, 2 GB may be kept' })
    expect(memoryOf({ ...memory, loaded: false, done: 30, total: 120 })).toMatchObject({ state: 'Loading, 25 %', loading: 0.25, weights: '–' })
    expect(memoryOf({ ...memory, loaded: false })).toMatchObject({ loaded: false, loading: 0, weightsPart: 0 })
  })
  it('names the facts', () => {
    const facts = factsOf({ family: 'qwen2', parameters: 494e6, bytes: 531e6, types: [{ type: 'Q8_0', matrices: 169 }, { type: 'F16', matrices: 1 }], layers: 24, width: 896, trained: 131_072, context: 32_768, kvBytes: 12_288 })
    expect(facts.map((f) => f.value)).toEqual(['qwen2', '494 M', '531 MB', 'Q8_0 + 1', '24 × 896', '33k of 131k', '12 KiB'])
  })
  it('finds the step of a cycle, each as long as its cycles', () => {
    const steps: WaferStep[] = [
      { what: 'embedding', layer: 0, regions: [1], cycles: 10 }, { what: 'between regions', layer: 0, regions: [], cycles: 5 },
      { what: 'layer', layer: 0, regions: [0], cycles: 100 }, { what: 'head', layer: 0, regions: [1], cycles: 50 },
    ]
    const seen = Array.from({ length: 165 }, (_, c) => stepAt(steps, c))
    expect(steps.map((_, i) => seen.filter((s) => s === i).length)).toEqual([10, 5, 100, 50])
    expect(stepAt(steps, 1000)).toBe(3)
    expect(steps.map((s) => stepText(s, 1))).toEqual(['the token is looked up, 10 cycles', 'to the next region, 5 cycles', 'layer 1 of 1, 100 cycles', 'the next token is chosen, 50 cycles'])
    expect(slowText({ cyclesPerToken: 44_200, clockGHz: 0.85 })).toBe('One token would take 52 µs; shown 120,000 times slower.')
  })
})

describe('an estimate', () => {
  const of: Estimate = { cycles: 6.1e6, estimated_tok_s: 3229.4, band: { low_decode_tok_s: 2040, high_decode_tok_s: 5075 }, estimated_ms: 7.2, machine: 'wse-3', wafers: 1, regions: 2, mesh: 205, sram_bytes_per_core: 17_408, sram_bytes_of_core: 49_152 }
  it('is told as one, and not at all before the first token or without a place', () => {
    expect(estimateLine(of)).toBe('wafer estimate ≈ 3,229 tok/s')
    expect(estimateLine({ ...of, estimated_tok_s: 0 })).toBe('')
    expect(estimateLine({ ...of, not_placed: 'too large' })).toBe('')
    expect(estimateLine(undefined)).toBe('')
    expect([aboutText(0), bandText(of.band), bandText(null)]).toEqual(['–', '2,040 to 5,075', ''])
    expect(placeText(of)).toBe('WSE-3, 1 wafer, 2 regions, layers on 205 × 205 cores')
    expect(sramText(of)).toBe('17 of 48 KiB')
    expect([512, 44_224.1, 6.14e6, 2.3e9].map(cyclesText)).toEqual(['512', '44,224', '6.1 M', '2.3 G'])
  })
})
