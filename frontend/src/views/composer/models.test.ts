import { describe, expect, it } from 'vitest'
import type { ModelInfo } from '../../protocol'
import { chosenModel, factsOf, groupsOf, priceText, shortName, speaks, shownName, speedOf, tokensText } from './models'

const blank: ModelInfo = { name: 'spark', kind: 'spark', help: 'exact edits', offline: true, default: false, provider: '', where: '', lacks: '', picked: true, language: false, context: 0, price: null, perSecond: 0, ttftMs: 0, totalMs: 0 }
const spark: ModelInfo = { ...blank, default: true, totalMs: 36 }
const gpt: ModelInfo = { ...blank, name: 'openai/gpt-5.5', kind: 'remote', provider: 'openai', where: 'api.openai.com', language: true, context: 400_000, price: { input: 1.25, cached: 0.125, output: 10 } }
const mini: ModelInfo = { ...gpt, name: 'openai/gpt-5.5-mini', perSecond: 84.2, ttftMs: 420 }
const qwen: ModelInfo = { ...gpt, name: 'ollama/qwen3:30b', provider: 'ollama', where: 'this computer', price: null, context: 32_768 }
const all = [spark, gpt, mini, qwen]

const shown = (typed: string, chosen = ''): string[] => groupsOf(all, chosen, typed).map((g) => `${g.title}: ${g.entries.map((e) => (e.kind === 'model' || e.kind === 'named' ? e.name : e.kind)).join(', ')}`)

describe('the picker', () => {
  it('groups by provider, built in first, and ends with the way to more', () => {
    expect(shown('')).toEqual(['Built in: spark', 'openai: openai/gpt-5.5, openai/gpt-5.5-mini', 'ollama: ollama/qwen3:30b', ': add, manage'])
    expect(groupsOf(all, '', '').map((g) => g.where)).toEqual(['this computer', 'api.openai.com', 'this computer', ''])
  })
  it('has model files in a group of their own', () => {
    const file: ModelInfo = { ...blank, name: 'coder', kind: 'local', language: true, context: 32_768, help: 'coder.gguf, on this computer' }
    const groups = groupsOf([spark, file, gpt], '', '').map((g) => [g.title, g.where, ...g.entries.map((e) => e.name)])
    expect(groups.slice(0, 2)).toEqual([['Built in', 'this computer', 'spark'], ['Model files', 'this computer', 'coder']])
    expect(factsOf(file)).toEqual(['33k context', 'coder.gguf, on this computer'])
  })
  it('shows the picked models of a provider, and the others to a search', () => {
    const many = Array.from({ length: 30 }, (_, i): ModelInfo => ({ ...gpt, name: `openai/m${String(i)}`, picked: i === 20 }))
    const group = (typed: string, of = many, chosen = ''): string => groupsOf(of, chosen, typed).slice(0, 1).map((g) => `${g.entries.map((e) => e.label).join(' ')} +${String(g.more)}`).join('')
    expect(group('')).toBe('m20 +29')
    expect(group('', many, 'openai/m3')).toBe('m3 m20 +28')
    expect(group('', many.map((m) => ({ ...m, picked: false })))).toBe('m0 m1 m2 m3 m4 m5 m6 m7 +22')
    expect(group('m29')).toBe('m29 +0')
  })
  it('shows all models of this program, whichever is chosen', () => {
    const auto = { ...blank, name: 'auto', picked: false }
    expect(groupsOf([{ ...spark, picked: false }, auto, gpt], 'auto', '')[0]).toMatchObject({ title: 'Built in', more: 0, entries: [{ name: 'spark' }, { name: 'auto' }] })
  })
  it('finds by letters of the whole name, and marks those of the label', () => {
    expect(shown('mini')).toEqual(['openai: openai/gpt-5.5-mini', ': add'])
    const entry = groupsOf(all, '', 'oq')[0]?.entries[0]
    expect(entry?.label).toBe('qwen3:30b')
    expect(entry?.at).toEqual([0])
  })
  it('shows a default that is no model as what it is, and not as another one', () => {
    expect(shownName(all, '', 'spark')).toBe('spark')
    expect(shownName([{ ...spark, default: false }, gpt], '', 'opnai/gpt-5.5')).toBe('opnai/gpt-5.5')
    expect(shownName(all, 'openai/gpt-5.5', 'opnai/x')).toBe('openai/gpt-5.5')
    expect(shownName([], '', '')).toBe('no model')
  })
  it('takes a whole name that nobody lists', () => {
    expect(shown('script:/tmp/a.jsonl')[0]).toBe('By name: script:/tmp/a.jsonl')
    expect(shown('openai/o9')).toContain('By name: openai/o9')
    expect(shown('gpt').some((g) => g.startsWith('By name'))).toBe(false)
    expect(shown('openai/gpt-5.5').some((g) => g.startsWith('By name'))).toBe(false)
  })
  it('keeps showing a chosen model that nobody lists', () => {
    expect(shown('', 'gguf:/m/small.gguf')).toContain('By name: gguf:/m/small.gguf')
    expect(shown('', 'openai/gpt-5.5').some((g) => g.startsWith('By name'))).toBe(false)
  })
  it('always has an entry, so that Enter does something', () => {
    expect(shown('zzz')).toEqual([': add'])
    expect(groupsOf([], '', '')).toHaveLength(1)
  })
})

describe('a model', () => {
  it('has a short name', () => {
    expect([spark, gpt, qwen].map((m) => shortName(m.name))).toEqual(['spark', 'gpt-5.5', 'qwen3:30b'])
    expect(shortName('script:/tmp/x/model-1.jsonl')).toBe('script: model-1.jsonl')
    expect(shortName('script:model-1.jsonl')).toBe('script: model-1.jsonl')
    expect(shortName('openrouter/anthropic/claude')).toBe('anthropic/claude')
  })
  it('shows only measured figures', () => {
    expect(all.map(speedOf)).toEqual(['36 ms a request', '', '84 tok/s, first after 420 ms', ''])
    expect(speedOf({ ...mini, perSecond: 0 })).toBe('first after 420 ms') // too short an answer for a speed
    expect(factsOf(gpt)).toEqual(['400k context', '$1.25 in, $10 out per million', 'not measured here yet'])
    expect(factsOf(mini)).toEqual(['400k context', '$1.25 in, $10 out per million'])
    expect(factsOf(qwen)).toEqual(['33k context', 'not measured here yet'])
  })
  it('is the default if none is chosen', () => {
    expect(chosenModel(all, '')?.name).toBe('spark')
    expect(chosenModel(all, 'openai/gone')).toBeNull()
    expect(speaks(all, '')).toBe(false)
    expect(speaks(all, 'openai/gpt-5.5')).toBe(true)
    expect(speaks(all, 'openai/gone')).toBe(true)
  })
  it('has counts and prices in few letters', () => {
    expect([800, 1500, 32_768, 128_000, 1_000_000, 1_050_000].map(tokensText)).toEqual(['800', '1.5k', '33k', '128k', '1M', '1.1M'])
    expect(priceText({ input: 0, cached: 0, output: 0 })).toBe('free')
    expect(priceText({ input: 0.05, cached: 0, output: 0.4 })).toBe('$0.05 in, $0.40 out per million')
  })
})
