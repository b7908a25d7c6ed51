// Names, figures and groups of models for the picker. Pure.

import type { ModelInfo, Price } from '../../protocol'
import { fuzzy } from '../../ui/fuzzy'
import { msText, rateText } from '../hud/figures'

/** The model that a request goes to: the chosen one, or the default; null where it is not listed. */
export function chosenModel(models: readonly ModelInfo[], name: string): ModelInfo | null {
  if (name === '') return models.find((m) => m.default) ?? null // a default that is not listed is no other model
  return models.find((m) => m.name === name) ?? null
}

/** The name that the button shows: the chosen one, or the default, also where that cannot be asked. */
export function shownName(models: readonly ModelInfo[], chosen: string, normal: string): string {
  if (chosen !== '') return chosen
  return models.find((m) => m.default)?.name ?? (normal !== '' ? normal : (models[0]?.name ?? 'no model'))
}

/** A name that is no model of a provider: script:FILE, gguf:FILE, agent:NAME. */
const prefixed = /^(script|gguf|agent):/

/** Whether a model writes text, and so can answer questions. One that is not listed may: the turn says so if not. */
export function speaks(models: readonly ModelInfo[], name: string): boolean {
  return chosenModel(models, name)?.language ?? true
}

/** A name for the button: of a provider's model without the provider, of a file its last part. */
export function shortName(name: string): string {
  const kind = prefixed.exec(name)?.[1]
  if (kind !== undefined) return `${kind}: ${name.slice(Math.max(name.indexOf(':'), name.lastIndexOf('/')) + 1)}`
  return name.slice(name.indexOf('/') + 1)
}

export interface Group {
  readonly title: string
  readonly where: string // its models run
  readonly entries: readonly Entry[]
  readonly more: number // models that only a search shows
}

/** model: in the list; named: typed in full; add, manage: what leads to the providers. */
export interface Entry {
  readonly id: string
  readonly kind: 'model' | 'named' | 'add' | 'manage'
  readonly name: string
  readonly label: string
  readonly at: readonly number[] // letters of the label that were typed
  readonly model: ModelInfo | null
}

/** The models that match what is typed, best first; in groups by where they come from if nothing is typed. */
export function groupsOf(models: readonly ModelInfo[], chosen: string, typed: string): readonly Group[] {
  const query = typed.trim()
  const listed = models.filter((m) => !m.name.endsWith(':'))
  const known = new Set(listed.map((m) => m.name))
  const groups = [...grouped(listed)].map(([provider, of]) => groupOf(provider, of, chosen, query)).filter((g) => g.entries.length > 0)
  const named = query === '' ? chosen : query
  const own = named !== '' && !known.has(named) && (query === '' || isName(query)) ? [byName(named)] : []
  const more: Group = { title: '', where: '', entries: providerEntries(listed, query), more: 0 }
  const files: Group = { title: 'By name', where: '', entries: own, more: 0 }
  const ordered = prefixed.test(query) ? [files, ...groups] : [...groups, files]
  return [...ordered, more].filter((g) => g.entries.length > 0)
}

const ofFiles = ':files' // no provider has a colon in its name

function grouped(models: readonly ModelInfo[]): ReadonlyMap<string, readonly ModelInfo[]> {
  const out = new Map<string, ModelInfo[]>()
  for (const m of models) {
    const from = m.kind === 'local' ? ofFiles : m.provider
    out.set(from, [...(out.get(from) ?? []), m])
  }
  return out
}

const titles: Readonly<Record<string, string>> = { '': 'Built in', [ofFiles]: 'Model files' }

const mostUnpicked = 8 // models of a provider of which the user picked none
const mostFound = 50

function groupOf(provider: string, models: readonly ModelInfo[], chosen: string, query: string): Group {
  const here = titles[provider] !== undefined
  const title = titles[provider] ?? provider
  const where = here ? 'this computer' : (models[0]?.where ?? '')
  if (query === '') {
    const picked = models.filter((m) => m.picked || m.name === chosen)
    const shown = here ? models : picked.length > 0 ? picked : models.slice(0, mostUnpicked)
    return { title, where, entries: shown.map((model) => entryOf(model, [])), more: models.length - shown.length }
  }
  const found = models.flatMap((model) => {
    const fit = fuzzy(query, model.name)
    return fit === null ? [] : [{ score: fit.score, entry: entryOf(model, fit.at) }]
  })
  found.sort((a, b) => b.score - a.score)
  return { title, where, entries: found.slice(0, mostFound).map((f) => f.entry), more: Math.max(0, found.length - mostFound) }
}

function entryOf(model: ModelInfo, fit: readonly number[]): Entry {
  const label = shortName(model.name)
  const skipped = model.name.length - label.length
  return { id: model.name, kind: 'model', name: model.name, label, at: fit.filter((i) => i >= skipped).map((i) => i - skipped), model }
}

function byName(name: string): Entry {
  return { id: `named ${name}`, kind: 'named', name, label: name, at: [], model: null }
}

/** What is typed is a whole name, of a file or of a model that its provider does not list. */
function isName(query: string): boolean {
  return prefixed.test(query) || /^[^/\s]+\/\S/.test(query)
}

function providerEntries(models: readonly ModelInfo[], query: string): readonly Entry[] {
  const all: readonly Entry[] = [
    { id: 'add', kind: 'add', name: '', label: 'Add a provider…', at: [], model: null },
    ...(models.some((m) => m.provider !== '') ? [{ id: 'manage', kind: 'manage', name: '', label: 'Change providers…', at: [], model: null } as const] : []),
  ]
  return query === '' ? all : all.filter((e) => e.kind === 'add')
}

/** How fast the model is here, as measured; '' before its first turn. */
export function speedOf(model: ModelInfo): string {
  if (!model.language && model.totalMs > 0 && model.perSecond === 0) return `${msText(model.totalMs)} a request`
  if (!model.language) return ''
  const speed = model.perSecond > 0 ? `${rateText(model.perSecond)} tok/s` : '' // too short an answer has none
  const first = model.ttftMs > 0 ? `first after ${msText(model.ttftMs)}` : ''
  return [speed, first].filter((part) => part !== '').join(', ')
}

/** What is known of a model beside its speed. */
export function factsOf(model: ModelInfo): readonly string[] {
  if (model.kind === 'local') return [...(model.context > 0 ? [`${tokensText(model.context)} context`] : []), model.help]
  if (model.provider === '') return [model.help]
  return [
    ...sizeAndPrice(model),
    ...(speedOf(model) === '' ? ['not measured here yet'] : []),
  ]
}

/** What a provider lists of a model. */
export function sizeAndPrice(model: { readonly context: number; readonly price: Price | null }): readonly string[] {
  return [...(model.context > 0 ? [`${tokensText(model.context)} context`] : []), ...(model.price !== null ? [priceText(model.price)] : [])]
}

/** 128k, 1M: as models are described. */
export function tokensText(tokens: number): string {
  if (tokens >= 1_000_000) return `${String(Math.round(tokens / 100_000) / 10)}M`
  if (tokens >= 10_000) return `${String(Math.round(tokens / 1000))}k`
  return tokens >= 1000 ? `${String(Math.round(tokens / 100) / 10)}k` : String(tokens)
}

export function priceText(price: Price): string {
  if (price.input === 0 && price.output === 0) return 'free'
  return `$${dollars(price.input)} in, $${dollars(price.output)} out per million`
}

function dollars(n: number): string {
  return n >= 1 && Number.isInteger(n) ? String(n) : n.toFixed(2)
}
