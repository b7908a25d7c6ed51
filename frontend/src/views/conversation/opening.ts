// Opens files from the conversation.

import { openFile } from '../../actions/files'
import type { App } from '../../app'

/** Opens a file at a turn's change; a past turn's place is known while the change is pending. */
export async function openAt(app: App, turn: number, path: string, line: number): Promise<void> {
  if (app.state.main.kind !== 'editor') app.store.dispatch({ type: 'main', main: { kind: 'editor' } })
  await openFile(app, path)
  const at = line > 0 ? line : lineOfReview(app, turn, path)
  if (at > 0) app.docs.reveal(path, { line: at, column: 0, length: 0 }, true)
}

function lineOfReview(app: App, turn: number, path: string): number {
  const hunk = app.state.review.find((h) => h.turns.includes(turn) && h.path === path)
  const text = app.docs.text(path)
  if (hunk === undefined || text === null) return 0
  return text.slice(0, hunk.from).split('\n').length
}
