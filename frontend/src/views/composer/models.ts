// Names and descriptions of models.

import type { ModelInfo } from '../../protocol'
import { count } from '../../visible'

/** The model that a request goes to: the chosen one, or the default. */
export function chosenModel(models: readonly ModelInfo[], name: string): ModelInfo | null {
  if (name === '') return models.find((m) => m.default) ?? models[0] ?? null
  return models.find((m) => m.name === name) ?? null
}

/** A name for the button: of a script, its file. */
export function shortName(name: string): string {
  const [kind, rest] = [name.slice(0, name.indexOf(':')), name.slice(name.indexOf(':') + 1)]
  return name.includes(':') ? `${kind}: ${rest.slice(rest.lastIndexOf('/') + 1)}` : name
}

export function speedOf(model: ModelInfo): string {
  return model.perSecond > 0 ? `${count(Math.round(model.perSecond))} tok/s here` : 'not measured yet'
}
