// Connecting a provider of models. A key goes from the dialog's field to Go, once: the page keeps none.

import type { App } from '../app'
import type { FoundModel, ProviderForm, ProviderInfo, PresetInfo } from '../protocol'
import type { ProvidersView } from '../state/state'
import { counted } from '../visible'
import { readModels } from './models'
import { focusComposer } from './turns'

/** Opens the dialog. */
export function showProviders(app: App, view: ProvidersView): void {
  app.store.dispatch({ type: 'overlay', overlay: { kind: 'providers', view, name: '' } })
}

/** Opens the dialog at one provider: to give it a key, or to change it. */
export function editProvider(app: App, name: string): void {
  app.store.dispatch({ type: 'overlay', overlay: { kind: 'providers', view: 'edit', name } })
}

/** Saves a provider, and chooses the first of its models for the next request. */
export async function saveProvider(app: App, form: ProviderForm): Promise<void> {
  const saved = await app.backend.call('saveProvider', form)
  await readModels(app)
  const first = form.models[0]?.id
  const before = app.state.ui.model
  const keep = form.replaces !== '' && before.startsWith(`${form.name}/`) && form.models.some((m) => `${form.name}/${m.id}` === before)
  if (first !== undefined && !keep) app.store.dispatch({ type: 'ui', ui: { model: `${form.name}/${first}` } })
  const where = saved.key === 'memory' ? ' There is no keyring here: the key is forgotten when Waferpair ends.' : ''
  app.store.dispatch({ type: 'notice', level: 'info', text: `${form.title === '' ? form.name : form.title} is connected, with ${counted(form.models.length, 'model')}.${where}` })
  if (app.state.project !== null) await focusComposer(app)
}

export async function removeProvider(app: App, name: string): Promise<void> {
  await app.backend.call('removeProvider', { name })
  if (app.state.ui.model.startsWith(`${name}/`)) app.store.dispatch({ type: 'ui', ui: { model: '' } })
  await readModels(app)
}

/** An empty form for a preset; null is any other server. The name is one that is still free. */
export function formOf(preset: PresetInfo | null, taken: readonly string[]): ProviderForm {
  const name = preset?.name ?? ''
  return {
    name: name === '' ? '' : free(name, taken), preset: name, title: preset?.title ?? '', baseURL: preset?.baseURL ?? '',
    envKey: preset?.envKey ?? '', wire: preset?.wire ?? '', key: '', models: [], replaces: '',
  }
}

function free(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name
  for (let n = 2; ; n++) if (!taken.includes(`${name}${String(n)}`)) return `${name}${String(n)}`
}

/** The form of a provider that is there. Its key is not in it. */
export function formOfProvider(p: ProviderInfo): ProviderForm {
  return { name: p.name, preset: '', title: p.title, baseURL: p.baseURL, envKey: p.envKey, wire: p.wire, key: '', models: p.models, replaces: p.name }
}

/** A name made of the address: "gpu-box" of http://gpu-box.lan:8000/v1. */
export function nameOf(baseURL: string): string {
  const host = URL.canParse(baseURL) ? new URL(baseURL).hostname : ''
  const words = host.replace(/^(www|api)\./, '').split('.')
  const name = /^[\d.:[\]]+$/.test(host) ? host.replace(/[^\d]+/g, '-').replace(/^-|-$/g, '') : (words[0] ?? '')
  return name.toLowerCase().replace(/[^a-z0-9_-]+/g, '-')
}

/** What is missing in a form; '' when it can be tried. */
export function missing(form: ProviderForm): string {
  if (form.baseURL.trim() === '') return 'Fill in the base URL.'
  if (!URL.canParse(form.baseURL.trim()) || !/^https?:\/\//.test(form.baseURL.trim())) return 'The base URL begins with http:// or https://.'
  if (/[A-Z]{3,}/.test(form.baseURL) && form.preset === 'azure') return 'Put the name of your Azure resource into the base URL.'
  return ''
}

/** The models that are chosen at first: those of before, or all of a few. */
export function chosenAtFirst(found: readonly FoundModel[], before: readonly FoundModel[]): ReadonlySet<string> {
  const known = new Set(found.map((m) => m.id))
  const kept = before.map((m) => m.id).filter((id) => known.has(id))
  if (kept.length > 0) return new Set(kept)
  return new Set(found.length <= 3 ? found.map((m) => m.id) : [])
}
