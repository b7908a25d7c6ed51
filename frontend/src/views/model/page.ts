// What the page of a model file shows, as figures and words. Pure.

import type { ModelFacts, ModelMemory, ModelSpeed, ModelState, PlacedModel, WaferStep } from '../../protocol'
import { count, counted } from '../../visible'
import { tokensText } from '../composer/models'
import { msText } from '../hud/figures'
import { bytesWords } from '../overlays/historysize'
import { cyclesText } from './beside'

export interface Fact {
  readonly name: string
  readonly value: string
  readonly help?: string
}

export function factsOf(f: ModelFacts): readonly Fact[] {
  const context = f.trained > f.context ? `${tokensText(f.context)} of ${tokensText(f.trained)}` : tokensText(f.context)
  const [most, ...others] = f.types
  return [
    { name: 'Family', value: f.family },
    { name: 'Parameters', value: largeText(f.parameters) },
    { name: 'File', value: bytesWords(f.bytes) },
    { name: 'Types', value: most === undefined ? '–' : others.length === 0 ? most.type : `${most.type} + ${String(others.length)}`, help: f.types.map((t) => `${count(t.matrices)} × ${t.type}`).join(', ') },
    { name: 'Layers', value: `${count(f.layers)} × ${count(f.width)}`, help: `${counted(f.layers, 'layer')}, ${count(f.width)} numbers wide` },
    { name: 'Context', value: context, help: f.trained > f.context ? 'tokens: what this computer has room for, of what the model was trained for' : 'tokens of prompt and answer together' },
    { name: 'KV a token', value: smallBytes(f.kvBytes), help: 'memory for the keys and values of each token' },
  ]
}

/** 494 M, 1.5 B */
export function largeText(n: number): string {
  if (n >= 1e9) return `${(n / 1e9).toFixed(1)} B`
  if (n >= 1e6) return `${String(Math.round(n / 1e6))} M`
  return n >= 1e4 ? `${String(Math.round(n / 1e3))} k` : count(n)
}

/** Bytes that may be few: 128 B, 12 KiB. */
export function smallBytes(n: number): string {
  return n < 1024 ? `${String(n)} B` : `${String(Math.round(n / 102.4) / 10)} KiB`
}

/** A row of the speeds: bars are parts of the row's largest figure. */
export interface Row {
  readonly name: string
  readonly unit: string
  readonly measured: Bar
  readonly estimate: Bar | null // null: the model has no place on the wafer
  readonly low: number // the band of the estimate, as parts of the row; 0 and 0 without one
  readonly high: number
  readonly band: string
}

export interface Bar {
  readonly text: string
  readonly part: number // 0 to 1
}

export function rowsOf(s: ModelState): readonly Row[] {
  const prompt = s.prompt > 0 ? ` of ${counted(s.prompt, 'token')}` : ''
  return [
    rowOf(s, 'Writing', 'tok/s', (of) => of.decode, rate),
    rowOf(s, `Reading a prompt${prompt}`, 'tok/s', (of) => of.prompt, rate),
    rowOf(s, 'First token', '', (of) => of.firstMs, (n) => msText(n)),
  ]
}

function rowOf(s: ModelState, name: string, unit: string, of: (speed: ModelSpeed) => number, text: (n: number) => string): Row {
  const measured = of(s.measured)
  const estimate = s.estimate === null ? 0 : of(s.estimate)
  const ends = s.low === null || s.high === null ? [] : [of(s.low), of(s.high)]
  const most = Math.max(measured, estimate, ...ends, Number.MIN_VALUE)
  const [low = 0, high = 0] = [...ends].sort((a, b) => a - b)
  return {
    name, unit,
    measured: { text: measured > 0 ? text(measured) : '', part: measured / most },
    estimate: s.estimate === null ? null : { text: `≈ ${text(estimate)}`, part: estimate / most },
    low: low / most, high: high / most,
    band: ends.length === 0 ? '' : `${text(low)} to ${text(high)}`,
  }
}

function rate(n: number): string {
  return n < 10 ? n.toFixed(1) : count(Math.round(n))
}

/** Over what was measured, and at which depth it was estimated. */
export function basisText(s: ModelState): string {
  const tested = s.answers === 0 && s.measured.decode > 0
  const measured = tested ? "Measured by 'waferpair models test'; its answers will tell more." : s.answers > 0 ? `Measured: ${s.answers === 1 ? 'its answer' : `the medians of its last ${count(s.answers)} answers`} in this project.` : 'Nothing was measured here yet: its first answer does.'
  return s.estimate === null ? measured : `${measured} Estimated with ${counted(s.depth, 'position')} in the cache.`
}

export interface Memory {
  readonly state: string // in a few words
  readonly loaded: boolean
  readonly loading: number // 0 to 1 while it is loaded; otherwise 0
  readonly weights: string
  readonly weightsPart: number
  readonly kv: string
  readonly kvPart: number
}

export function memoryOf(m: ModelMemory): Memory {
  const loading = !m.loaded && m.total > 0
  const sequences = m.answering + m.kept
  return {
    state: m.loaded ? (m.answering > 0 ? 'In memory, answering' : 'In memory') : loading ? `Loading, ${String(Math.floor((100 * m.done) / m.total))} %` : 'Not loaded: its next answer loads it',
    loaded: m.loaded,
    loading: loading ? m.done / m.total : 0,
    weights: m.loaded ? `${bytesWords(m.weights)} of ${bytesWords(m.mostWeights)} for all models` : '–',
    weightsPart: m.loaded ? m.weights / m.mostWeights : 0,
    kv: m.loaded ? `${bytesWords(m.kv)} in ${counted(sequences, 'sequence')}, ${bytesWords(m.mostKV)} may be kept` : '–',
    kvPart: m.loaded ? Math.min(1, m.kv / m.mostKV) : 0,
  }
}

/** The step that a token is in after so many cycles. */
export function stepAt(steps: readonly WaferStep[], cycles: number): number {
  let before = 0
  for (const [i, step] of steps.entries()) {
    before += step.cycles
    if (cycles < before) return i
  }
  return steps.length - 1
}

const words: Readonly<Record<WaferStep['what'], string>> = {
  embedding: 'the token is looked up', layer: '', head: 'the next token is chosen', 'between regions': 'to the next region', 'between wafers': 'to the next wafer',
}

export function stepText(step: WaferStep, layers: number): string {
  const what = step.what === 'layer' ? `layer ${String(step.layer + 1)} of ${String(layers)}` : words[step.what]
  return `${what}, ${cyclesText(step.cycles)} cycles`
}

/** How long one decode step is shown, in ms. */
export const shownFor = 6000

/** "one token takes 52 µs there; shown 115,000 times slower" */
export function slowText(w: Pick<PlacedModel, 'cyclesPerToken' | 'clockGHz'>): string {
  const ms = w.cyclesPerToken / (w.clockGHz * 1e6)
  const took = ms < 1 ? `${String(Math.round(ms * 1000))} µs` : msText(ms)
  return `One token would take ${took}; shown ${count(Number((shownFor / ms).toPrecision(2)))} times slower.`
}
