// Ready requests: texts with a name, about changes, or about the place that the user points at.

import type { App } from '../app'
import type { Chip, ReadyRequest, Request } from '../protocol'
import { busy, type State } from '../state/state'
import { speaks } from '../views/composer/models'
import { canLook, chipLabel, requestFor, withParts } from './context'
import { ask, chooseSpeaker } from './turns'

/** What a ready request would be about: the chips, the selected lines, or the file in front. */
export function placeOf(app: App): readonly Chip[] {
  const { scope, active } = app.state.ui
  if (scope.some(canLook)) return scope
  const selected = app.docs.selection()
  if (selected !== null && selected.text !== '' && selected.path === active) return [{ kind: 'selection', path: selected.path, from: selected.from, to: selected.to }, ...scope]
  return active === '' ? scope : [{ kind: 'file', path: active, from: 0, to: 0 }, ...scope]
}

/** The place in a few words; '' if there is none. */
export function placeLabel(app: App): string {
  const chip = placeOf(app).find(canLook)
  return chip === undefined ? '' : chipLabel(chip)
}

/** Reviews changes, or words a commit message for them: of a turn, or those that are not committed. */
export async function askAbout(app: App, kind: 'review' | 'commit', turn = 0): Promise<void> {
  await send(app, { ...plain(app, [], 'ask'), about: { kind, ...(turn > 0 ? { turn } : {}) } })
}

/** Sends a ready request about the place that the user points at, with the composer's words added. */
export async function askReady(app: App, ready: Pick<ReadyRequest, 'name' | 'title' | 'asks'>): Promise<void> {
  const chips = placeOf(app)
  if (!chips.some(canLook) && words(app.state) === '') {
    app.store.dispatch({ type: 'asking', asking: { error: `${ready.title}: open a file, select lines, or write what it is about.` } })
    return
  }
  await send(app, { ...plain(app, chips, ready.asks ? 'ask' : 'edit'), ready: ready.name })
}

function words(state: State): string {
  return state.ui.draft.trim()
}

function plain(app: App, chips: readonly Chip[], mode: 'ask' | 'edit'): Request {
  const { ui } = app.state
  return withParts(requestFor(words(app.state), ui.model, chips, mode), ui)
}

async function send(app: App, request: Request): Promise<void> {
  if (busy(app.state) || app.state.asking.sending) return
  if (!speaks(app.state.models, app.state.ui.model)) await chooseSpeaker(app)
  else await ask(app, request)
}
