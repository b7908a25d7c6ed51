// How long the page takes from a frame's arrival until it is drawn: until the
// animation frame after the one that took it in. Measured while a turn runs,
// and handed to the state when it has ended.

import type { App } from '../app'
import type { Frame } from '../protocol'
import { busy, type Paint } from '../state/state'

interface Run {
  readonly turn: number
  paint: Paint
  first: boolean // an edit was drawn
}

let run: Run = { turn: 0, paint: { last: 0, worst: 0, frames: 0 }, first: false }
let sent = { turn: 0, at: 0 }

/** The user sent the request of the turn then, by performance.now(). */
export function sentAt(turn: number, at: number): void {
  sent = { turn, at }
}

export async function measurePaint(app: App, frame: Frame, received: number, shown: Promise<void>): Promise<void> {
  const turn = app.state.turn
  if (turn === null || document.hidden) return
  const ended = frame.turn?.events.some((e) => e.t === 'ended') === true
  if (!ended && !busy(app.state)) return
  await shown.catch(() => undefined) // the one who shows says so
  await drawn()
  if (run.turn !== turn.turn) run = { turn: turn.turn, paint: { last: 0, worst: 0, frames: 0 }, first: false }
  if (frame.docs !== undefined) count(app, performance.now() - received, edits(frame))
  if (ended && run.paint.frames > 0) app.store.dispatch({ type: 'painted', turn: turn.turn, paint: run.paint })
}

function count(app: App, ms: number, edited: boolean): void {
  const { worst, frames } = run.paint
  run.paint = { last: ms, worst: Math.max(worst, ms), frames: frames + 1 }
  if (!edited || run.first) return
  run.first = true
  const started = app.state.turn?.started ?? Date.now()
  const took = sent.turn === run.turn ? performance.now() - sent.at : Date.now() - started // another page asked
  app.store.dispatch({ type: 'firstPaint', ms: took })
}

function edits(frame: Frame): boolean {
  return frame.docs?.some((d) => 'updates' in d && d.updates.some((u) => u.author === 'model')) === true
}

/** Two animation frames: the second one begins when the first is drawn. */
function drawn(): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, 500) // no animation frames come to a window that cannot be seen
    requestAnimationFrame(() => requestAnimationFrame(() => {
      clearTimeout(late)
      resolve()
    }))
  })
}
