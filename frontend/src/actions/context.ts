// The places of a request, as chips. A chip is one of two things:
//
//   look   the place that the request is about; at most one
//   only   a fence: edits elsewhere are held for approval; as many as wanted
//
// A fence around a file or a selection is also the place that the request is about, if there
// is no other. Folders and globs can only be fences.

import type { App } from '../app'
import type { Chip, ContextQuery, Request, UIState } from '../protocol'
import type { State } from '../state/state'

export function addChip(app: App, chip: Chip): void {
  setChips(app, withChip(app.state.ui.scope, chip))
}

export function removeChip(app: App, index: number): void {
  setChips(app, app.state.ui.scope.filter((_, i) => i !== index))
}

/** Turns a place into a fence, or back. */
export function toggleOnly(app: App, index: number): void {
  const chip = app.state.ui.scope[index]
  if (!chip || !canLook(chip)) return
  const rest = app.state.ui.scope.filter((_, i) => i !== index)
  setChips(app, withChip(rest, fenced(chip, chip.only !== true)))
}

/** Adds the selection in the editor; without one, the file in it. */
export function addSelection(app: App): void {
  const selected = app.docs.selection()
  if (selected !== null && selected.text !== '') {
    addChip(app, { kind: 'selection', path: selected.path, from: selected.from, to: selected.to })
  } else if (app.state.ui.active !== '') {
    addChip(app, { kind: 'file', path: app.state.ui.active, from: 0, to: 0 })
  }
}

function setChips(app: App, scope: readonly Chip[]): void {
  app.store.dispatch({ type: 'ui', ui: { scope } })
}

export function canLook(chip: Chip): boolean {
  return chip.kind === 'file' || chip.kind === 'selection'
}

export function fenced(chip: Chip, on: boolean): Chip {
  const { only: _only, ...rest } = chip
  return on || !canLook(chip) ? { ...rest, only: true } : rest
}

/** At most one place to look at: a new one replaces the old one, and so does the same place again. */
export function withChip(chips: readonly Chip[], chip: Chip): readonly Chip[] {
  const next = fenced(chip, chip.only === true)
  const look = next.only !== true
  const kept = chips.filter((c) => !samePlace(c, next) && !(look && c.only !== true))
  return look ? [next, ...kept] : [...kept, next]
}

function samePlace(a: Chip, b: Chip): boolean {
  return a.kind === b.kind && a.path === b.path && a.from === b.from && a.to === b.to
}

export function scopeGlob(chip: Chip): string {
  return chip.kind === 'folder' ? `${chip.path.replace(/\/+$/, '')}/**` : chip.path
}

/** The request in Go's form. */
export function requestFor(text: string, model: string, chips: readonly Chip[], mode: 'edit' | 'ask' = 'edit'): Request {
  const target = chips.find((c) => c.only !== true) ?? chips.find(canLook)
  return {
    text,
    model,
    ...(mode === 'ask' ? { mode } : {}),
    file: target?.path ?? '',
    from: target?.kind === 'selection' ? target.from : 0,
    to: target?.kind === 'selection' ? target.to : 0,
    scope: chips.filter((c) => c.only === true).map(scopeGlob),
  }
}

/** What the next request would send. */
export function contextQuery({ ui, project }: State): ContextQuery {
  const { scope: _scope, ...request } = withParts(requestFor(ui.draft.trim(), ui.model, ui.scope, ui.mode), ui)
  return { ...request, session: project?.session ?? 0 }
}

/** A request with the files that are pinned and the parts that were taken out. */
export function withParts(request: Request, ui: UIState): Request {
  return { ...request, ...(ui.pins.length > 0 ? { pins: ui.pins } : {}), ...(ui.without.length > 0 ? { without: ui.without } : {}) }
}

/** Pins a file: it is in the prompt in any case. */
export function pinPart(app: App, path: string, on: boolean): void {
  const { pins, without } = app.state.ui
  app.store.dispatch({ type: 'ui', ui: { pins: withName(pins, path, on), ...(on ? { without: withName(without, path, false) } : {}) } })
}

/** Takes a part out of the prompt, or back in. */
export function withoutPart(app: App, name: string, out: boolean): void {
  const { pins, without } = app.state.ui
  app.store.dispatch({ type: 'ui', ui: { without: withName(without, name, out), ...(out ? { pins: withName(pins, name, false) } : {}) } })
}

/** Takes the summary of the session's oldest turns back: prompts have the turns themselves again. */
export async function dropSummary(app: App): Promise<void> {
  await app.backend.call('dropSummary', { session: app.state.project?.session ?? 0 })
}

/** A list with a name in it, or without it. */
function withName(list: readonly string[], name: string, on: boolean): readonly string[] {
  return on ? [...list.filter((n) => n !== name), name] : list.filter((n) => n !== name)
}

/** The chips for the next request: fences stay, but without lines, which have moved. */
export function chipsAfter(chips: readonly Chip[]): readonly Chip[] {
  return chips.filter((c) => c.only === true).map((c) => (c.kind === 'selection' ? { kind: 'file', path: c.path, from: 0, to: 0, only: true } : c))
}

/** A chip's label, and its explanation. */
export function chipLabel(chip: Chip): string {
  if (chip.kind === 'selection') return `${chip.path}:${chip.from === chip.to ? String(chip.from) : `${String(chip.from)}–${String(chip.to)}`}`
  return chip.kind === 'folder' ? `${chip.path.replace(/\/+$/, '')}/` : chip.path
}

export function chipMeaning(chip: Chip): string {
  if (chip.only !== true) return 'The request is about this place. Edits elsewhere are made too.'
  const where = chip.kind === 'folder' ? 'in this folder' : chip.kind === 'glob' ? 'in files that match' : 'in this file'
  return `Only edits ${where} are made; others are held until you approve them.`
}
