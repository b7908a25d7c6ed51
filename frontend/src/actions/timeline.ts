// Keeps the timeline's edits up to date. It reads the newest ones first, so that they appear
// soon, however long the history is; then earlier ones, part by part; and afterwards only new
// ones. Another fork starts it over.

import type { App } from '../app'
import { append, editsOf, prepend, type Edits } from '../timeline/edits'

const pause = 20 // ms between two parts: the page goes first

/** Identifies the history of the known edits. */
function historyOf(app: App): string {
  const { project } = app.state
  return project === null ? '' : `${project.root}\n${project.fork}`
}

let shown = ''

let last: Promise<unknown> = Promise.resolve()

/** One read after another: a late answer would bring back the past. */
function inTurn<T>(read: () => Promise<T>): Promise<T> {
  const next = last.then(read)
  last = next.catch(() => undefined)
  return next
}

export async function readTimeline(app: App): Promise<void> {
  await inTurn(() => readNow(app))
  void readEarlier(app).catch(() => undefined) // the next read continues, and reports errors
}

/** Resolves when all edits are known. */
export async function readWholeTimeline(app: App): Promise<void> {
  await inTurn(() => readNow(app))
  await readEarlier(app)
}

async function readNow(app: App): Promise<void> {
  const history = historyOf(app)
  if (history === '') return
  const known = history === shown ? app.state.timeline : null
  const next = (known && (await readNew(app, known))) ?? editsOf(await app.backend.read('timeline', { after: 0 }))
  if (historyOf(app) !== history) return // another fork meanwhile: its own read follows
  shown = history
  app.store.dispatch({ type: 'timeline', timeline: next })
}

async function readNew(app: App, known: Edits): Promise<Edits | null> {
  const newest = known.ids[known.count - 1] ?? 0
  const answer = await app.backend.read('timeline', { after: newest })
  return answer.head < newest ? null : append(known, answer)
}

let earlier: Promise<void> | null = null

/** Reads earlier edits, part by part; one at a time, whoever asks. */
function readEarlier(app: App): Promise<void> {
  earlier ??= readParts(app).finally(() => { earlier = null })
  return earlier
}

async function readParts(app: App): Promise<void> {
  while (await inTurn(() => readPart(app))) await new Promise((resolve) => setTimeout(resolve, pause))
}

/** Whether there may be more. */
async function readPart(app: App): Promise<boolean> {
  const history = historyOf(app)
  const known = app.state.timeline
  if (known === null || known.earlier === 0 || history !== shown) return false
  const answer = await app.backend.read('timeline', { after: 0, before: known.earlier + 1 })
  if (historyOf(app) !== history) return false
  app.store.dispatch({ type: 'timeline', timeline: prepend(known, answer) })
  return answer.earlier !== 0
}
