// Puts the editor into the page, with all that works beside it while it is there.

import type { App } from '../app'
import { CursorTeller } from './cursor'
import { Follow } from './follow'

/** The answer takes it out again. */
export function attachPane(app: App, host: HTMLElement): () => void {
  const detach = app.docs.screen.attach(host)
  const view = app.docs.screen.view
  if (view === null) return detach
  const workers = [new CursorTeller(app, view), new Follow(app, view)]
  return () => {
    for (const worker of workers) worker.stop()
    detach()
  }
}
