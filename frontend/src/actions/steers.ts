// The steers that this page sent and whose outcome is open. Each ends in one of two ways: its
// receipt says "applied", or its text comes back into the composer, whatever went wrong: the
// turn ended first, the call failed, the connection or the program was lost.

import type { App } from '../app'
import type { SentSteer, TurnView } from '../state/state'

let nextID = 1

export function sending(app: App, turn: number, text: string): SentSteer {
  const sent: SentSteer = { id: nextID++, turn, text, steer: 0 }
  setSteers(app, [...app.state.asking.steers, sent])
  return sent
}

/** Go has the steer; receipts follow. */
export function taken(app: App, sent: SentSteer, steer: number): void {
  setSteers(app, app.state.asking.steers.map((s) => (s.id === sent.id ? { ...s, steer } : s)))
  settle(app)
}

/** Puts the texts back into the composer, above the draft. */
export function handBack(app: App, back: readonly SentSteer[]): void {
  const gone = new Set(back.map((s) => s.id))
  const steers = app.state.asking.steers.filter((s) => !gone.has(s.id))
  const draft = [...back.map((s) => s.text), app.state.ui.draft].filter((t) => t.trim() !== '').join('\n')
  app.store.dispatch({ type: 'asking', asking: { steers, error: back.length === 1 ? notSent : notSentMany } })
  app.store.dispatch({ type: 'ui', ui: { draft } })
}

const notSent = 'Your last steer did not reach the model. Its text is here again.'
const notSentMany = 'Your last steers did not reach the model. Their text is here again.'

function setSteers(app: App, steers: readonly SentSteer[]): void {
  app.store.dispatch({ type: 'asking', asking: { steers } })
}

/** Updates the steers from a turn's receipts. */
export function settle(app: App): void {
  const { steers } = app.state.asking
  if (steers.length === 0) return
  const { left, back } = whatBecame(steers, app.state.turn)
  if (left.length + back.length < steers.length) setSteers(app, [...left, ...back])
  if (back.length > 0) handBack(app, back)
}

/** left: still open. back: will not arrive. The others were applied. */
export function whatBecame(steers: readonly SentSteer[], turn: TurnView | null): { left: SentSteer[]; back: SentSteer[] } {
  const receipts = turn?.parts.filter((p) => p.kind === 'steer') ?? []
  const left: SentSteer[] = []
  const back: SentSteer[] = []
  for (const sent of steers) {
    if (sent.turn !== turn?.turn) {
      back.push(sent)
      continue
    }
    const state = receipts.find((r) => r.steer === sent.steer)?.state // no receipt has the number 0
    if (state === 'applied') continue
    const over = state === 'failed' || (turn.outcome !== null && sent.steer !== 0)
    ;(over ? back : left).push(sent)
  }
  return { left, back }
}
