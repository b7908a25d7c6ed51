import { describe, expect, it } from 'vitest'
import type { App } from '../app'
import type { Timeline } from '../protocol'
import { random } from '../testing/random'
import { isRevert, reverted, type Edits } from '../timeline/edits'
import { sampleTimeline } from '../timeline/sample'
import { readTimeline } from './timeline'

/** A history of 60 edits as a server tells it, of which the first ones happened. */
function world(root: string) {
  const all = sampleTimeline(random(5), 60)
  const flags = all.flags.map(() => 0)
  const asked: number[] = []
  let happened = 10
  let shown: Edits | null = null
  const project = { root, fork: 'main' }
  const read = (_what: string, { after }: { after: number }): Promise<Timeline> => {
    asked.push(after)
    const from = all.ids.findIndex((id) => id > after)
    const cut = (list: readonly number[]): number[] => (from < 0 ? [] : list.slice(from, happened))
    return Promise.resolve({
      ...all, ids: cut(all.ids), times: cut(all.times), authors: cut(all.authors), turns: cut(all.turns), paths: cut(all.paths),
      added: cut(all.added), removed: cut(all.removed), flags: cut(flags), head: all.ids[happened - 1]!,
    })
  }
  const app = {
    get state() { return { project, timeline: shown } },
    backend: { read },
    store: { dispatch: (action: { timeline: Edits }) => { shown = action.timeline } },
  } as unknown as App
  return { app, asked, flags, ids: all.ids, project, grow: (n: number) => { happened += n }, edits: () => shown! }
}

describe('reading the timeline', () => {
  it('asks for all once, and then only for what is new', async () => {
    const w = world('/a')
    await readTimeline(w.app)
    w.grow(5)
    await readTimeline(w.app)
    await readTimeline(w.app)
    expect(w.asked).toEqual([0, w.ids[9], w.ids[14]])
    expect([...w.edits().ids]).toEqual(w.ids.slice(0, 15))
  })

  it('asks for all again when an edit was taken back, and in another fork', async () => {
    const w = world('/b')
    await readTimeline(w.app)
    w.flags[3] = reverted
    w.flags[10] = isRevert
    w.grow(1)
    await readTimeline(w.app)
    expect(w.asked).toEqual([0, w.ids[9], 0])
    expect(w.edits().flags[3]).toBe(reverted)
    w.project.fork = 'other'
    await readTimeline(w.app)
    expect(w.asked.at(-1)).toBe(0)
  })

  it('takes answers in the order in which it asked', async () => {
    const w = world('/c')
    const reads = [readTimeline(w.app)]
    for (let n = 0; n < 6; n++) {
      w.grow(3)
      reads.push(readTimeline(w.app))
    }
    await Promise.all(reads)
    expect([...w.edits().ids]).toEqual(w.ids.slice(0, 28))
  })
})
