// The list of models, and the picker.

import { tick } from 'svelte'
import type { App } from '../app'
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
