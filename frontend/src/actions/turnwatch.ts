// What the page does by itself during a turn: settles steers, offers to revert a stopped turn,
// notifies when a long turn has ended, and repeats a stop after a lost connection.

import type { App } from '../app'
import type { Action, State, TurnView } from '../state/state'
import { counted, oneLine } from '../visible'
import { readModels } from './models'
import { measureOpened } from './paint'
import { settle } from './steers'

const offerFor = 10_000 // ms that Esc reverts a stopped turn
const longTurn = 5000 // ms

export function watchTurns(app: App): void {
  app.store.subscribe((next, before, action) => {
    if (next.turn !== before.turn) settle(app)
    const ended = next.turn?.outcome && before.turn?.turn === next.turn.turn && !before.turn.outcome
    if (ended && before.turn && next.turn) endedNow(app, before.turn, next.turn)
    if (action.type === 'opened') void measureOpened(app, action.doc.path)
    if (stopAgain(next, action)) app.backend.call('stop', { turn: next.turn?.turn ?? 0 }).catch(() => undefined) // the next connection tries again
  })
}

function stopAgain(state: State, action: Action): boolean {
  return action.type === 'hello' && state.turn?.stopping === true && state.turn.outcome === null
}

function endedNow(app: App, before: TurnView, turn: TurnView): void {
  if (before.stopping && turn.edits.length > 0) offerRevert(app, turn.turn)
  notifyEnd(app, turn)
  readModels(app).catch(() => undefined) // with this turn's speed; the next turn tries again
}

function offerRevert(app: App, turn: number): void {
  app.store.dispatch({ type: 'asking', asking: { stopped: turn } })
  setTimeout(() => {
    if (app.state.asking.stopped === turn) app.store.dispatch({ type: 'asking', asking: { stopped: 0 } })
  }, offerFor)
}

function notifyEnd(app: App, turn: TurnView): void {
  const outcome = turn.outcome
  if (!outcome || !app.state.prefs.notify || outcome.timing.total_ms < longTurn || document.hasFocus()) return
  const edits = `${counted(outcome.edits.length, 'edit')} in ${counted(outcome.files.length, 'file')}`
  app.native.notify(`${endings[outcome.status]}: ${oneLine(turn.request, 80)}`, edits)
}

const endings: Readonly<Record<string, string>> = {
  completed: 'Done', declined: 'Declined', held: 'Held for your approval', stopped: 'Stopped', failed: 'Failed', conflict: 'Done in part', interrupted: 'Interrupted',
}
