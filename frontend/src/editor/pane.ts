// Mounts the editor in the page, with everything that works beside it.

import type { App } from '../app'
import { Blamer } from './blame'
import { Commenter } from './comments'
import { CursorTeller } from './cursor'
import { Follow } from './follow'
import { Reviewer } from './review.svelte'
import { SpanReader } from './spans'
import { Wrapper } from './wrap'

export interface Attached {
  readonly reviewer: Reviewer | null
  readonly detach: () => void
}

export function attachPane(app: App, host: HTMLElement): Attached {
  const detach = app.docs.screen.attach(host)
  const view = app.docs.screen.view
  if (view === null) return { reviewer: null, detach }
  const reviewer = new Reviewer(app, view)
  const workers = [reviewer, new Commenter(app), new CursorTeller(app, view), new Follow(app, view), new Wrapper(app), new SpanReader(app), new Blamer(app, view)]
  return {
    reviewer,
    detach: () => {
      for (const worker of workers) worker.stop()
      detach()
    },
  }
}
