// Keeps the timeline's edits up to date. All of them are read once; after that
// only what is new, until an edit takes an older one back or another fork is
// shown: then what is known may be wrong and all are read again.

import type { App } from '../app'
import type { Timeline } from '../protocol'
import { append, changesOlder, editsOf, type Edits } from '../timeline/edits'

/** Which history the known edits belong to. */
function historyOf(app: App): string {
  const { project } = app.state
  return project === null ? '' : `${project.root}\n${project.fork}`
}

let shown = ''

let last: Promise<void> = Promise.resolve()

/** One after another: an answer that was overtaken would bring the past back. */
export function readTimeline(app: App): Promise<void> {
  const next = last.then(() => readNow(app))
  last = next.catch(() => undefined)
  return next
}

async function readNow(app: App): Promise<void> {
  const history = historyOf(app)
  if (history === '') return
  const known = history === shown ? app.state.timeline : null
  const next = (known && (await readNew(app, known))) ?? editsOf(await readAll(app))
  if (historyOf(app) !== history) return // another fork meanwhile: its own read follows
  shown = history
  app.store.dispatch({ type: 'timeline', timeline: next })
}

async function readNew(app: App, known: Edits): Promise<Edits | null> {
  const newest = known.ids[known.count - 1] ?? 0
  const answer = await app.backend.read('timeline', { after: newest })
  if (changesOlder(answer) || answer.head < newest) return null
  return append(known, answer)
}

function readAll(app: App): Promise<Timeline> {
  return app.backend.read('timeline', { after: 0 })
}
