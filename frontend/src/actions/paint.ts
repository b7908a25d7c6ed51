// Measures how long the page takes from a frame's arrival until it is drawn: until the
// animation frame after the one that applied it. It measures while a turn runs, and puts the
// result into the state at the end.

import type { App } from '../app'
import type { Frame } from '../protocol'
import { busy, type Paint } from '../state/state'

interface Run {
  readonly turn: number
  paint: Paint
  first: boolean // an edit was drawn
}

const none: Run = { turn: 0, paint: { last: 0, worst: 0, frames: 0 }, first: false }
let run = none
let sent = { turn: 0, at: 0 }

/** Notes the time, by performance.now(), at which the user sent the turn's request. */
export function sentAt(turn: number, at: number): void {
  sent = { turn, at }
}

export async function measurePaint(app: App, frame: Frame, received: number, shown: Promise<void>): Promise<void> {
  const turn = app.state.turn
  if (turn === null || document.hidden) return
  const ended = frame.turn?.outcome !== undefined
  if (!ended && !busy(app.state)) return
  await shown.catch(() => undefined) // whoever shows it reports the error
  await drawn()
  const mine = runOf(turn.turn)
  if (frame.docs !== undefined) mine.paint = counted(mine.paint, performance.now() - received)
  if (frame.docs !== undefined && edits(frame)) firstEdit(app, mine)
  if (ended && mine.paint.frames > 0) app.store.dispatch({ type: 'painted', turn: turn.turn, paint: mine.paint })
}

/** Notes that a file with edits by the model came into the pane. */
export async function measureOpened(app: App, path: string): Promise<void> {
  const turn = app.state.turn
  if (turn === null || document.hidden || !turn.parts.some((p) => p.kind === 'hunk' && p.path === path)) return
  await drawn()
  if (app.state.ui.active === path) firstEdit(app, runOf(turn.turn))
}

function runOf(turn: number): Run {
  if (run.turn !== turn) run = { ...none, turn }
  return run
}

function counted(paint: Paint, ms: number): Paint {
  return { last: ms, worst: Math.max(paint.worst, ms), frames: paint.frames + 1 }
}

function firstEdit(app: App, mine: Run): void {
  if (mine.first || app.state.turn?.turn !== mine.turn) return
  mine.first = true
  const started = app.state.turn.started
  const took = sent.turn === mine.turn ? performance.now() - sent.at : Date.now() - started // another page sent the request
  app.store.dispatch({ type: 'firstPaint', ms: took })
}

function edits(frame: Frame): boolean {
  return frame.docs?.some((d) => 'updates' in d && d.updates.some((u) => u.author === 'model')) === true
}

/** Two animation frames: the second one begins when the first is drawn. */
function drawn(): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, 500) // an invisible window gets no animation frames
    requestAnimationFrame(() => requestAnimationFrame(() => {
      clearTimeout(late)
      resolve()
    }))
  })
}
