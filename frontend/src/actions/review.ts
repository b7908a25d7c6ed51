// Walks through the model's edits and accepts or reverts them. After the last edit of a file
// comes the next file.

import type { App } from '../app'
import type { LiveDoc } from '../editor/live'
import { nextFrame } from '../editor/frame'
import { hunks, setHunks, type Hunk } from '../editor/hunks'
import { busy } from '../state/state'
import { openFile } from './files'
import { acceptEdits, editsToReview, revertEdits } from './history'

/** The current hunk. */
export function activeHunk(app: App): Hunk | null {
  const value = app.docs.screen.doc?.state.field(hunks)
  return value?.list.find((h) => h.id === value.active) ?? null
}

/** Goes to the next hunk (1) or the previous one (-1), in the next file after the last one. */
export async function stepHunk(app: App, by: 1 | -1): Promise<void> {
  const doc = app.docs.screen.doc
  const next = doc && nextOf(doc, by)
  if (doc && next) {
    reveal(app, doc, next)
    return
  }
  if (doc && !doc.hunksKnown && app.state.review.some((h) => h.path === doc.path)) {
    if (doc.state.field(hunks).list.length > 0) await stepOnceRead(app, doc, by)
    else doc.wantsHunk = by === 1 ? 'first' : 'last'
    return
  }
  const path = nextFile(app, by)
  if (path === null) {
    app.store.dispatch({ type: 'notice', level: 'info', text: 'No pending edits.' })
    return
  }
  await openFile(app, path, undefined, false)
  const opened = app.docs.get(path)
  if (!opened) return
  opened.wantsHunk = by === 1 ? 'first' : 'last'
  goToHunk(app, opened)
}

/** Goes on from the current hunk when the hunks are read again: the next one may be in the next file. */
async function stepOnceRead(app: App, doc: LiveDoc, by: 1 | -1): Promise<void> {
  while (app.docs.screen.doc === doc && hunksAreRead(app)) await nextFrame()
  if (app.docs.screen.doc === doc && app.state.main.kind === 'editor') await stepHunk(app, by)
}

function nextOf(doc: LiveDoc, by: 1 | -1): Hunk | undefined {
  const { list, active } = doc.state.field(hunks)
  const head = doc.state.selection.main.head
  const at = list.findIndex((h) => h.id === active)
  if (at >= 0) return list[at + by]
  return by === 1 ? list.find((h) => h.from >= head) : list.findLast((h) => h.to <= head)
}

/** Goes around the files with pending edits; to this one again when it is the only one. */
function nextFile(app: App, by: 1 | -1): string | null {
  const paths = [...new Set(app.state.review.map((h) => h.path))].sort()
  if (paths.length === 0) return null
  const at = paths.indexOf(app.state.ui.active)
  const from = at < 0 ? (by === 1 ? -1 : 0) : at
  return paths[(from + by + paths.length) % paths.length] ?? null
}

/** Goes to the hunk that was requested before the document's hunks were known. */
export function goToHunk(app: App, doc: LiveDoc): void {
  const { list } = doc.state.field(hunks)
  const hunk = doc.wantsHunk === 'first' ? list[0] : doc.wantsHunk === 'last' ? list.at(-1) : undefined
  if (!hunk) return
  doc.wantsHunk = null
  reveal(app, doc, hunk)
}

function reveal(app: App, doc: LiveDoc, hunk: Hunk): void {
  const line = doc.state.doc.lineAt(Math.min(hunk.from, doc.state.doc.length))
  app.docs.reveal(doc.path, { line: line.number, column: hunk.from - line.from, length: 0 }, false)
}

export async function acceptHunk(app: App): Promise<void> {
  await settleHunk(app, (edits) => acceptEdits(app, edits))
}

export async function revertHunk(app: App): Promise<void> {
  await settleHunk(app, async (edits) => { await revertEdits(app, edits) })
}

/** Accepts or reverts a hunk, and goes to the next one of the file. */
async function settleHunk(app: App, how: (edits: readonly number[]) => Promise<void>): Promise<void> {
  const doc = app.docs.screen.doc
  const hunk = activeHunk(app)
  if (!doc || !hunk) return
  const { list } = doc.state.field(hunks)
  const others = list.filter((h) => h === hunk || !together(h, hunk))
  const after = others[others.indexOf(hunk) + 1] ?? others[others.indexOf(hunk) - 1]
  await how(hunk.edits)
  if (app.state.main.kind === 'editor') drop(app, doc, hunk)
  const there = after && doc.state.field(hunks).list.find((h) => h.id === after.id)
  if (there && app.docs.screen.doc === doc && app.state.main.kind === 'editor') reveal(app, doc, there)
}

/** Whether two places come from the same edits. */
function together(a: Hunk, b: Hunk): boolean {
  return a.edits.some((edit) => b.edits.includes(edit))
}

/** Hides a decided hunk until the hunks are read again: it must not be current any more. */
function drop(app: App, doc: LiveDoc, hunk: Hunk): void {
  const { list } = doc.state.field(hunks)
  doc.update({ effects: setHunks.of({ list: list.filter((h) => !together(h, hunk)), running: busy(app.state) }) })
}

const barWithin = 60 // frames, once the hunks are known: the pane scrolls first

/** Focuses the bar of the current hunk, or the pane without one: not the text, so that letters act or do nothing. */
export async function focusReviewBar(app: App): Promise<void> {
  for (let i = 0; i < barWithin; i += hunksAreRead(app) ? 0 : 1) {
    await nextFrame()
    const bar = document.querySelector<HTMLElement>('[data-review-bar]')
    const settled = i > 1 && (bar !== null || app.state.review.length === 0)
    if (!settled) continue
    ;(bar ?? document.getElementById('pane'))?.focus()
    return
  }
}

/** Waits as long as it takes: the bar comes after it. */
function hunksAreRead(app: App): boolean {
  return app.state.main.kind === 'editor' && app.docs.screen.doc?.hunksKnown === false
}

function editsHere(app: App): readonly number[] {
  return editsToReview(app.docs.screen.doc?.state.field(hunks).list ?? [])
}

export async function acceptFile(app: App): Promise<void> {
  await acceptEdits(app, editsHere(app))
}

export async function revertFile(app: App): Promise<void> {
  await revertEdits(app, editsHere(app))
}
