// What the user does to the history: looks at a moment, reverts edits, restores a moment,
// forks, accepts. Reverts and restores are edits themselves; so each can be undone, and the
// notice offers it.

import type { App } from '../app'
import { CallError } from '../backend'
import type { DiffQuery, Done, EditID, KeptView, ReviewHunk, ThreeWay } from '../protocol'
import { editsOfTurn } from '../timeline/steps'
import { requestOf } from '../timeline/words'
import { askUser } from './ask'
import { readTimeline } from './timeline'

// --- moments ---

/** Shows every file as it was right after an edit; null, or the last edit, is now. */
export function goTo(app: App, at: EditID | null): void {
  const { timeline, ui } = app.state
  const last = timeline?.ids[timeline.count - 1] ?? 0
  const next = at !== null && at >= last ? null : at
  if (next !== ui.at) app.store.dispatch({ type: 'ui', ui: { at: next } })
}

/** Back to now, with the caret where it was. */
export function leaveMoment(app: App): void {
  goTo(app, null)
  app.docs.focus()
}

/** Restores all files, or some, to a moment. */
export async function restoreHere(app: App, at: EditID, paths?: readonly string[]): Promise<void> {
  const done = await withConflict(app, () => app.backend.call('restore', { at, ...(paths ? { paths } : {}) }))
  if (done === null) return
  leaveMoment(app)
  if (done.edits.length === 0) app.store.dispatch({ type: 'notice', level: 'info', text: 'Nothing to restore: the files have not changed since.' })
  else tellDone(app, `Restored ${files(done)}`, done)
}

export async function forkHere(app: App, at: EditID): Promise<void> {
  const name = await askUser(app, {
    title: 'Fork from here',
    text: 'Continue from this moment on a new fork. The current fork stays as it is.',
    input: freeName(app), yes: 'Fork', danger: false,
  })
  if (name === null) return
  await withConflict(app, () => app.backend.call('fork', { at, name }))
  leaveMoment(app)
}

function freeName(app: App): string {
  const taken = new Set(app.state.project?.forks)
  let n = 1
  while (taken.has(`fork-${String(n)}`)) n++
  return `fork-${String(n)}`
}

export async function switchFork(app: App, name: string): Promise<void> {
  await app.backend.call('switchFork', { name })
  goTo(app, null)
}

export async function nameMoment(app: App, at: EditID): Promise<void> {
  const old = app.state.timeline?.moments.find((m) => m.at === at)?.name ?? ''
  const name = await askUser(app, {
    title: old === '' ? 'Name this moment' : 'Rename this moment',
    text: 'Shown as a flag on the timeline.',
    input: old, yes: 'Name', danger: false,
  })
  if (name === null || name === old) return
  await setName(app, at, name)
}

export async function unnameMoment(app: App, at: EditID): Promise<void> {
  await setName(app, at, '')
}

async function setName(app: App, at: EditID, name: string): Promise<void> {
  await app.backend.call('nameMoment', { at, name })
  await readTimeline(app)
}

// --- reverting ---

export async function revertEdits(app: App, edits: readonly EditID[]): Promise<Done | null> {
  if (edits.length === 0) return null
  const done = await withConflict(app, () => app.backend.call('revert', { edits }), edits)
  if (done !== null) await readReview(app) // the next hunk must not be one of these
  if (done !== null) tellDone(app, `Reverted ${edits.length === 1 ? 'an edit' : `${String(edits.length)} edits`} in ${files(done)}`, done)
  return done
}

export async function revertTurn(app: App, turn: number): Promise<Done | null> {
  const { timeline } = app.state
  const done = await withConflict(app, () => app.backend.call('revert', { turn }), timeline ? editsOfTurn(timeline, turn) : [])
  if (done !== null) tellDone(app, `Reverted the turn${quoted(turnName(app, turn))} in ${files(done)}`, done)
  return done
}

/** Shows conflicts with later changes in three columns; nothing is written then. */
async function withConflict(app: App, change: () => Promise<Done>, edits: readonly EditID[] = []): Promise<Done | null> {
  try {
    return await change()
  } catch (error) {
    const meets = error instanceof CallError && error.code === 'conflict' ? conflicts(error.data) : []
    if (meets.length === 0) throw error
    const met = new Set(meets.flatMap((f) => f.reverts))
    app.store.dispatch({ type: 'main', main: { kind: 'conflict', files: meets, rest: edits.filter((e) => !met.has(e)) } })
    return null
  }
}

/** Shows again what replaced the editor when the program ended. It reads the files of a conflict anew. */
export async function reopenView(app: App, view: KeptView): Promise<void> {
  if (view.kind === 'diff') {
    showDiff(app, view.query, view.title)
    return
  }
  const read = view.files.map(({ path, reverts }) => app.backend.read('threeWay', { path, edits: reverts }))
  app.store.dispatch({ type: 'main', main: { kind: 'conflict', files: await Promise.all(read), rest: view.rest } })
}

/** Writes the user's resolution of a conflict. If the file changed meanwhile, nothing is written, and the answer is its current state. */
export async function resolveConflict(app: App, file: ThreeWay, text: string): Promise<ThreeWay | null> {
  try {
    await app.backend.call('resolve', { path: file.path, doc: file.doc, base: file.version, text, reverts: file.reverts })
    return null
  } catch (error) {
    if (!(error instanceof CallError && (error.code === 'stale' || error.code === 'conflict'))) throw error
    return app.backend.read('threeWay', { path: file.path, edits: file.reverts })
  }
}

/** Ends a conflict: reverts the edits in other files, which have no conflict. */
export async function endConflict(app: App, files: readonly ThreeWay[], rest: readonly EditID[]): Promise<void> {
  closeMain(app)
  app.store.dispatch({ type: 'notice', level: 'info', text: `Resolved ${files.length === 1 && files[0] ? files[0].path : `${String(files.length)} files`}` })
  await revertEdits(app, rest)
}

function conflicts(data: unknown): readonly ThreeWay[] {
  return (data as { files?: readonly ThreeWay[] } | undefined)?.files ?? []
}

function tellDone(app: App, text: string, done: Done): void {
  const undo = (): void => {
    app.attempt('Undo', async () => {
      const undone = await withConflict(app, () => app.backend.call('revert', { edits: done.edits }))
      if (undone !== null) app.store.dispatch({ type: 'notice', level: 'info', text: `Undone: ${text}` })
    })
  }
  const action = done.edits.length > 0 ? { action: { label: 'Undo', run: undo } } : {}
  app.store.dispatch({ type: 'notice', level: 'info', text, ...action })
}

function files(done: Done): string {
  const [first] = done.files
  return done.files.length === 1 && first !== undefined ? first : `${String(done.files.length)} files`
}

function quoted(name: string): string {
  return name === '' ? '' : ` “${name.length > 60 ? `${name.slice(0, 59)}…` : name}”`
}

export function turnName(app: App, turn: number): string {
  return app.state.timeline ? requestOf(app.state.timeline, turn) : ''
}

// --- review ---

/** The edits behind some places, without duplicates. */
export function editsToReview(hunks: readonly Pick<ReviewHunk, 'edits'>[]): readonly EditID[] {
  return [...new Set(hunks.flatMap((h) => h.edits))]
}

export async function acceptEdits(app: App, edits: readonly EditID[]): Promise<void> {
  if (edits.length === 0) return
  await app.backend.call('accept', { edits })
  await readReview(app)
  const undo = { label: 'Undo', run: (): void => { app.attempt('Undo', () => unacceptEdits(app, edits)) } }
  if (edits.length > 1) app.store.dispatch({ type: 'notice', level: 'info', text: `Accepted ${String(edits.length)} edits`, action: undo })
}

export async function acceptTurn(app: App, turn: number): Promise<void> {
  const edits = [...new Set(app.state.review.flatMap((h) => h.edits.filter((_, i) => h.turns[i] === turn)))]
  await app.backend.call('accept', { turn })
  await readReview(app)
  const undo = { label: 'Undo', run: (): void => { app.attempt('Undo', () => unacceptEdits(app, edits)) } }
  app.store.dispatch({ type: 'notice', level: 'info', text: `Accepted the turn${quoted(turnName(app, turn))}`, ...(edits.length > 0 ? { action: undo } : {}) })
}

async function unacceptEdits(app: App, edits: readonly EditID[]): Promise<void> {
  await app.backend.call('unaccept', { edits })
  await readReview(app)
}

/** How often the pending edits were asked for, and which of the answers is shown. */
const reviews = new WeakMap<App, { asked: number; shown: number }>()

/**
 * Reads the pending edits. Answers may overtake each other: one that was asked for before the
 * one that is shown is older, and is dropped.
 */
export async function readReview(app: App): Promise<void> {
  const count = reviews.get(app) ?? { asked: 0, shown: 0 }
  reviews.set(app, count)
  const mine = ++count.asked
  const { hunks } = await app.backend.read('review', { path: '' })
  if (mine < count.shown) return
  count.shown = mine
  app.store.dispatch({ type: 'review', hunks })
}

// --- diffs ---

export function showDiff(app: App, query: DiffQuery, title: string): void {
  app.store.dispatch({ type: 'main', main: { kind: 'diff', query, title } })
}

export function showTurnDiff(app: App, turn: number): void {
  const name = turnName(app, turn)
  showDiff(app, { turn }, name === '' ? `Turn ${String(turn)}` : name)
}

export function showReview(app: App): void {
  showDiff(app, { review: true }, 'Pending edits')
}

export function closeMain(app: App): void {
  app.store.dispatch({ type: 'main', main: { kind: 'editor' } })
  app.docs.focus()
}
