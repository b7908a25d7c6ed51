// Goes to the file that the model is writing.

import type { App } from '../app'
import { openPassing } from './files'

export async function followModel(app: App): Promise<void> {
  app.store.dispatch({ type: 'ui', ui: { follow: true } })
  if (app.state.main.kind !== 'editor') app.store.dispatch({ type: 'main', main: { kind: 'editor' } })
  const path = app.state.turn?.live.path ?? ''
  if (path !== '') await openPassing(app, path)
}

export function stopFollowing(app: App): void {
  app.store.dispatch({ type: 'ui', ui: { follow: false } })
}
