// Asks the user a question and waits for the answer.

import type { App } from '../app'
import type { Ask } from '../state/state'

/** The answer; null when the user closed the question. */
export function askUser(app: App, question: Omit<Ask, 'answer'>): Promise<string | null> {
  return new Promise((resolve) => {
    const overlay = { kind: 'ask', ask: { ...question, answer: resolve } } as const
    const ended = app.store.subscribe((next) => {
      if (next.overlay === overlay) return
      ended()
      setTimeout(() => { resolve(null) }) // the answer comes right after the closing
    })
    app.store.dispatch({ type: 'overlay', overlay })
  })
}
