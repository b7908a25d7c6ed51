// Tabs: which files are open, in which order, and which one is shown.

import { tick } from 'svelte'
import type { App } from '../app'
import type { Place } from '../editor/documents'
import type { EditID, TabState } from '../protocol'
import { busy } from '../state/state'
import { revertEdits } from './history'
import { readTimeline, readWholeTimeline } from './timeline'

const closed: string[] = [] // paths of closed tabs, to be opened again
const remembered = 30

/** Opens the file in a tab, or goes to its tab; at the place, if one is given. */
export async function openFile(app: App, asked: string, place?: Place, focus = true): Promise<void> {
  const path = await app.docs.open(asked)
  keepTab(app, path)
  const { tabs } = app.state.ui
  const added = tabs.some((t) => t.path === path) ? tabs : [...tabs, newTab(path)]
  app.store.dispatch({ type: 'ui', ui: { tabs: added, active: path, ...awayFromModel(app, path) } })
  if (app.state.main.kind !== 'editor') app.store.dispatch({ type: 'main', main: { kind: 'editor' } })
  await tick() // an empty pane can take the focus only once it is drawn
  if (place) app.docs.reveal(path, place, focus)
  else if (focus) app.docs.focus()
}

const passingMost = 8 // tabs that following keeps open: a turn may go through hundreds of files

/** Follows the model to a file: without the focus, in a temporary tab; not if the user went elsewhere while the file was read. */
export async function openPassing(app: App, asked: string, wanted: () => boolean = () => true): Promise<void> {
  const path = await app.docs.open(asked)
  const { tabs } = app.state.ui
  if (!wanted()) {
    if (!tabs.some((t) => t.path === path)) await app.docs.close(path)
    return
  }
  const added = tabs.some((t) => t.path === path) ? tabs : [...tabs, { ...newTab(path), passing: true }]
  app.store.dispatch({ type: 'ui', ui: { tabs: added, active: path } })
  for (const tab of added.filter((t) => t.passing && t.path !== path).slice(0, -passingMost)) await closeTab(app, tab.path)
}

function newTab(path: string): TabState {
  return { path, top: 0, offset: 0, anchor: 0, head: 0 }
}

/** Makes the tab permanent, because it was used. */
export function keepTab(app: App, path: string): void {
  const { tabs } = app.state.ui
  if (!tabs.some((t) => t.path === path && t.passing)) return
  app.store.dispatch({ type: 'ui', ui: { tabs: tabs.map((t) => (t.path === path ? { ...t, passing: false } : t)) } })
}

/** Stops following: whoever opens another file while the model writes wants to stay there. */
function awayFromModel(app: App, path: string): { follow?: boolean } {
  return busy(app.state) && path !== app.state.turn?.live.path ? { follow: false } : {}
}

export function activate(app: App, path: string): void {
  app.store.dispatch({ type: 'ui', ui: { active: path, ...awayFromModel(app, path) } })
  if (app.state.main.kind !== 'editor') app.store.dispatch({ type: 'main', main: { kind: 'editor' } })
}

/** Closes the tab; the one to its right is shown, or the one to its left. */
export async function closeTab(app: App, path: string): Promise<void> {
  const { tabs, active } = app.state.ui
  const at = tabs.findIndex((t) => t.path === path)
  if (at < 0) return
  const left = tabs.filter((t) => t.path !== path)
  const next = left[Math.min(at, left.length - 1)]?.path ?? ''
  if (!tabs[at]?.passing) closed.push(path)
  if (closed.length > remembered) closed.shift()
  app.store.dispatch({ type: 'ui', ui: { tabs: left, active: active === path ? next : active } })
  await app.docs.close(path)
  await tick()
  if (document.activeElement === document.body) focusPane(app) // the closed element had the focus
}

function focusPane(app: App): void {
  if (app.state.ui.active === '') document.getElementById('pane')?.focus()
  else app.docs.focus()
}

/** Closes the temporary tab of a deleted file; a tab that was used shows a message instead. */
export async function fileWentAway(app: App, path: string): Promise<void> {
  if (app.state.ui.tabs.some((t) => t.path === path && t.passing)) await closeTab(app, path)
}

export async function reopenTab(app: App): Promise<void> {
  for (let path = closed.pop(); path !== undefined; path = closed.pop()) {
    if (app.docs.isOpen(path)) continue
    await openFile(app, path)
    return
  }
}

/** Goes by tabs to the right, and around the ends. */
export function stepTab(app: App, by: number): void {
  const { tabs, active } = app.state.ui
  if (tabs.length === 0) return
  const at = tabs.findIndex((t) => t.path === active)
  const next = tabs[(at + by + tabs.length) % tabs.length]
  if (next) activate(app, next.path)
}

/** Moves a tab before another one; to the end without one. */
export function moveTab(app: App, path: string, before: string | null): void {
  const { tabs } = app.state.ui
  const moved = tabs.find((t) => t.path === path)
  if (!moved || before === path) return
  const rest = tabs.filter((t) => t.path !== path)
  const at = before === null ? rest.length : rest.findIndex((t) => t.path === before)
  app.store.dispatch({ type: 'ui', ui: { tabs: rest.toSpliced(at < 0 ? rest.length : at, 0, moved) } })
}

/** Restores a deleted file: its deletion is an edit, which is reverted. */
export async function restoreDeleted(app: App, path: string): Promise<void> {
  await readTimeline(app)
  if (lastEditOf(app, path) === 0) await readWholeTimeline(app)
  const id = lastEditOf(app, path)
  if (id !== 0 && (await app.backend.read('edit', { id })).kind === 'delete') await revertEdits(app, [id])
  else app.store.dispatch({ type: 'notice', level: 'warning', text: `The history does not hold the deletion of ${path}.` })
}

function lastEditOf(app: App, path: string): EditID {
  const edits = app.state.timeline
  for (let i = (edits?.count ?? 0) - 1; edits && i >= 0; i--) {
    if (edits.pathNames[edits.paths[i] ?? -1] === path) return edits.ids[i] ?? 0
  }
  return 0
}
