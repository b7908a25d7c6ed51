// Stepping through edits of many files shows the file of each. A tab that was
// opened only for that is closed again when the next file is shown.

import { activate, closeTab, openFile } from '../../actions/files'
import type { App } from '../../app'
import type { Edits } from '../../timeline/edits'

let borrowed = '' // the tab that is open only for stepping

export function showEdit(app: App, edits: Edits, place: number): void {
  const path = place < 0 ? undefined : edits.pathNames[edits.paths[place]!]
  if (path === undefined || path === app.state.ui.active) return
  app.attempt(`Show ${path}`, () => show(app, path))
}

async function show(app: App, path: string): Promise<void> {
  const last = borrowed
  if (app.state.ui.tabs.some((t) => t.path === path)) activate(app, path)
  else {
    borrowed = path
    await openFile(app, path, undefined, false)
  }
  if (last !== '' && last !== path && app.state.ui.active === path) {
    if (borrowed === last) borrowed = ''
    await closeTab(app, last)
  }
}
