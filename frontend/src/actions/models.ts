// The list of models, the picker, and the pages of model files.

import { tick } from 'svelte'
import type { App } from '../app'
import type { State } from '../state/state'
import { shownName } from '../views/composer/models'
import { askUser } from './ask'
import { show } from './panels'

/** Reads the models again: a provider came or went, or a turn was measured. */
export async function readModels(app: App): Promise<void> {
  const { models, spent, budget, normal, mistake } = await app.backend.read('models', {})
  app.store.dispatch({ type: 'models', models, spent, budget, normal, mistake })
}

/** Opens the picker. */
export async function chooseModel(app: App): Promise<void> {
  show(app, 'chat', true)
  await tick()
  document.querySelector<HTMLButtonElement>('[data-models]')?.click()
}

/** The model file whose page is meant without a name: the chosen one, or the first; '' without any. */
export function modelFile(s: State): string {
  const name = shownName(s.models, s.ui.model, s.normal)
  const files = s.models.filter((m) => m.kind === 'local')
  if (name.startsWith('gguf:') || files.some((m) => m.name === name)) return name
  return files[0]?.name ?? ''
}

/** Opens the page of a model file. */
export function showModel(app: App, name: string): void {
  app.store.dispatch({ type: 'overlay', overlay: { kind: 'model', name } })
}

/** Makes a model that of the next request. */
export function useModel(app: App, name: string): void {
  const normal = app.state.models.find((m) => m.default)?.name
  app.store.dispatch({ type: 'ui', ui: { model: name === normal ? '' : name } })
}

/** Gives the memory of a model file back. */
export async function unloadModel(app: App, name: string): Promise<void> {
  const { now } = await app.backend.call('unloadModel', { name })
  if (!now) app.store.dispatch({ type: 'notice', level: 'info', text: `${name} is answering: its memory is given back when that has ended.` })
}

/** Removes the name of a model file, if the user says yes. The file stays. */
export async function removeModel(app: App, name: string, file: string): Promise<void> {
  const yes = await askUser(app, {
    title: `Remove ${name}?`, text: `Waferpair forgets this model. Its file stays where it is: ${file}`, input: null, yes: 'Remove', danger: true,
  })
  if (yes === null) {
    showModel(app, name)
    return
  }
  await app.backend.call('removeModel', { name })
  if (app.state.ui.model === name) app.store.dispatch({ type: 'ui', ui: { model: '' } })
  await readModels(app)
}
