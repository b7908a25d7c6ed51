// What can be done with an edit of the timeline.

import { forkHere, nameMoment, restoreHere, revertEdits, revertTurn, showDiff, showTurnDiff, unnameMoment } from '../../actions/history'
import { authorName } from '../../state/state'
import { reverted } from '../../timeline/edits'
import { editAt } from '../../timeline/steps'
import { requestOf } from '../../timeline/words'
import type { MenuItem } from '../../ui/menu'
import { showEdit } from './hop'
import type { Model } from './model.svelte'

export function menuFor(model: Model, place: number): readonly MenuItem[] {
  const { app, edits } = model
  const id = editAt(edits, place)
  const fixed = app.state.project?.readOnly !== ''
  const run = (doing: string, what: () => Promise<unknown>) => (): void => { app.attempt(doing, what) }
  const moment = edits.moments.find((m) => m.at === id)
  return [
    { heading: place < 0 ? 'Before the first edit' : `Edit ${String(id)} of ${authorName[edits.authorNames[edits.authors[place]!]!]}` },
    ...(place < 0 ? [] : editItems(model, place, fixed)),
    { label: 'Restore all files to here', disabled: fixed, run: run('Restore', () => restoreHere(app, id)) },
    { label: 'Fork from here…', disabled: fixed, run: run('Fork', () => forkHere(app, id)) },
    { label: moment ? 'Rename this moment…' : 'Name this moment…', disabled: fixed, run: run('Name the moment', () => nameMoment(app, id)) },
    ...(moment ? [{ label: 'Remove the name', disabled: fixed, run: run('Remove the name', () => unnameMoment(app, id)) }] : []),
    'line',
    { label: 'Go to this moment', run: () => { model.visit(place) } },
    { label: 'Show changes since', run: () => { showDiff(app, { from: id, to: app.state.head }, `Since edit ${String(id)}`) } },
    ...between(model, place),
  ]
}

function editItems(model: Model, place: number, fixed: boolean): readonly MenuItem[] {
  const { app, edits } = model
  const id = edits.ids[place]!
  const turn = edits.turns[place]!
  const gone = (edits.flags[place]! & reverted) !== 0
  const items: MenuItem[] = [
    { label: 'Show diff', run: () => { showDiff(app, { edit: id }, `Edit ${String(id)} of ${edits.pathNames[edits.paths[place]!]!}`) } },
    { label: 'Show file', run: () => { showEdit(app, edits, place) } },
    { label: gone ? 'Already reverted' : 'Revert this edit', disabled: fixed || gone, run: () => { app.attempt('Revert the edit', () => revertEdits(app, [id])) } },
  ]
  if (turn === 0) return [...items, 'line']
  return [
    ...items,
    'line',
    { heading: shortened(requestOf(edits, turn)) },
    { label: 'Show the diff of this turn', run: () => { showTurnDiff(app, turn) } },
    { label: 'Revert this turn', disabled: fixed, run: () => { app.attempt('Revert the turn', () => revertTurn(app, turn)) } },
    { label: 'Zoom to this turn', run: () => { zoomToTurn(model, turn) } },
    'line',
  ]
}

function between(model: Model, place: number): readonly MenuItem[] {
  const { app, edits } = model
  if (app.state.ui.at === null || place === model.place) return []
  const [from, to] = [Math.min(place, model.place), Math.max(place, model.place)].map((p) => editAt(edits, p))
  const title = `From edit ${String(from)} to edit ${String(to)}`
  return [{ label: 'Show changes from here to the slider', run: () => { showDiff(app, { from: from ?? 0, to: to ?? 0 }, title) } }]
}

export function zoomToTurn(model: Model, turn: number): void {
  const first = model.edits.turns.indexOf(turn)
  if (first >= 0) model.lookAtPlaces(first, model.edits.turns.lastIndexOf(turn))
}

function shortened(text: string): string {
  return text.length > 48 ? `${text.slice(0, 47)}…` : text
}
