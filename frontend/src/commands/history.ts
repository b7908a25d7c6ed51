// The history: moments, taking back, forks, review of what the model did.

import { acceptEdits, editsToReview, forkHere, goTo, leaveMoment, nameMoment, restoreHere, revertEdits, revertTurn, showDiff, showReview, showTurnDiff } from '../actions/history'
import type { App } from '../app'
import type { EditID } from '../protocol'
import type { State } from '../state/state'
import type { Edits } from '../timeline/edits'
import { editAt, momentAt, placeOf, step, stepTurn } from '../timeline/steps'
import type { Command } from './command'

const recorded = (s: State): boolean => s.project !== null && (s.timeline?.count ?? 0) > 0
const writable = (s: State): boolean => recorded(s) && s.project?.readOnly === ''
const atMoment = (s: State): boolean => recorded(s) && s.ui.at !== null
const onEdit = (s: State): boolean => writable(s) && placeNow(s) >= 0
const onTurn = (s: State): boolean => onEdit(s) && turnNow(s) !== 0

function placeNow(s: State): number {
  return s.timeline === null ? -1 : placeOf(s.timeline, s.ui.at)
}

/** The edit whose moment is shown; 0 before the first. */
function editNow(s: State): EditID {
  return s.timeline === null ? 0 : editAt(s.timeline, placeNow(s))
}

function turnNow(s: State): number {
  return s.timeline?.turns[placeNow(s)] ?? 0
}

function move(to: (edits: Edits, place: number) => number): (app: App) => void {
  return (app) => {
    const { timeline, ui } = app.state
    if (timeline !== null) goTo(app, momentAt(timeline, to(timeline, placeOf(timeline, ui.at))))
  }
}

function diffSince(app: App): void {
  const at = app.state.ui.at ?? 0
  showDiff(app, { from: at, to: app.state.head }, `Since edit ${String(at)}`)
}

export const historyCommands: readonly Command[] = [
  { id: 'history.back', title: 'Back one edit', group: 'History', keys: ['Alt-,'], when: recorded, run: move((e, p) => step(e, null, p, -1)) },
  { id: 'history.forth', title: 'Forward one edit', group: 'History', keys: ['Alt-.'], when: atMoment, run: move((e, p) => step(e, null, p, 1)) },
  { id: 'history.backTurn', title: 'Back one turn', group: 'History', keys: ['Alt-Shift-<'], when: recorded, run: move((e, p) => stepTurn(e, p, -1)) },
  { id: 'history.forthTurn', title: 'Forward one turn', group: 'History', keys: ['Alt-Shift->'], when: atMoment, run: move((e, p) => stepTurn(e, p, 1)) },
  { id: 'history.now', title: 'Back to now', group: 'History', keys: ['Escape'], when: (s) => atMoment(s) && s.main.kind === 'editor', run: leaveMoment },
  { id: 'history.restore', title: 'Restore all files to this moment', group: 'History', when: (s) => writable(s) && atMoment(s), run: (app) => restoreHere(app, app.state.ui.at ?? 0) },
  {
    id: 'history.restoreFile', title: 'Restore this file to this moment', group: 'History',
    when: (s) => writable(s) && atMoment(s) && s.ui.active !== '',
    run: (app) => restoreHere(app, app.state.ui.at ?? 0, [app.state.ui.active]),
  },
  { id: 'history.fork', title: 'Fork from here…', group: 'History', when: writable, run: (app) => forkHere(app, editNow(app.state)) },
  { id: 'history.name', title: 'Name this moment…', group: 'History', when: writable, run: (app) => nameMoment(app, editNow(app.state)) },
  { id: 'history.revertEdit', title: 'Revert this edit', group: 'History', when: onEdit, run: async (app) => { await revertEdits(app, [editNow(app.state)]) } },
  { id: 'history.revertTurn', title: 'Revert this turn', group: 'History', when: onTurn, run: async (app) => { await revertTurn(app, turnNow(app.state)) } },
  { id: 'history.diffEdit', title: 'Show the diff of this edit', group: 'History', when: (s) => editNow(s) > 0, run: (app) => { showDiff(app, { edit: editNow(app.state) }, `Edit ${String(editNow(app.state))}`) } },
  { id: 'history.diffTurn', title: 'Show the diff of this turn', group: 'History', when: (s) => turnNow(s) !== 0, run: (app) => { showTurnDiff(app, turnNow(app.state)) } },
  { id: 'history.diffSince', title: 'Show changes since this moment', group: 'History', when: atMoment, run: diffSince },
  { id: 'history.blame', title: 'Toggle blame', group: 'History', keys: ['Alt-b'], when: recorded, run: (app) => { app.store.dispatch({ type: 'blame', on: !app.state.blame }) } },
  { id: 'review.diff', title: 'Show pending edits', group: 'Review', keys: ['Mod-Shift-r'], when: (s) => s.review.length > 0, run: showReview },
  { id: 'review.acceptAll', title: 'Accept all pending edits', group: 'Review', when: (s) => writable(s) && s.review.length > 0, run: (app) => acceptEdits(app, editsToReview(app.state.review)) },
]
