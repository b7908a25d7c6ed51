import { describe, expect, it } from 'vitest'
import type { App } from '../app'
import type { Timeline } from '../protocol'
import { random } from '../testing/random'
import { isRevert, reverted, type Edits } from '../timeline/edits'
import { sampleTimeline } from '../timeline/sample'
import { readTimeline, readWholeTimeline } from './timeline'

/** A history of 60 edits as a server tells it in parts of so many, of which the first ones happened. */
function world(root: string, part = 100) {
  const all = sampleTimeline(random(5), 60)
  const flags = all.flags.map(() => 0)
  const asked: (number | string)[] = []
  let happened = 10
  let shown: Edits | null = null
  const project = { root, fork: 'main' }
  const read = (_what: string, { after, before = 0 }: { after: number; before?: number }): Promise<Timeline> => {
    asked.push(before > 0 ? `<${String(before)}` : after)
    const known = all.ids.slice(0, happened)
    const to = before > 0 ? known.filter((id) => id < before).length : happened
    const from = after > 0 ? known.filter((id) => id <= after).length : Math.max(0, to - part)
    const cut = (list: readonly number[]): number[] => list.slice(from, to)
    const takes = after > 0 && cut(flags).some((f) => (f & isRevert) !== 0)
    return Promise.resolve({
      ...all, ids: cut(all.ids), times: cut(all.times), authors: cut(all.authors), turns: cut(all.turns), paths: cut(all.paths),
      added: cut(all.added), removed: cut(all.removed), flags: cut(flags), head: all.ids[happened - 1]!,
      earlier: after > 0 ? 0 : all.ids[from - 1] ?? 0, undone: takes ? known.filter((_, i) => (flags[i]! & reverted) !== 0) : null,
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

  it('marks an edit that was taken back, and asks for all again in another fork', async () => {
    const w = world('/b')
    await readTimeline(w.app)
    w.flags[3] = reverted
    w.flags[10] = isRevert
    w.grow(1)
    await readTimeline(w.app)
    expect(w.asked).toEqual([0, w.ids[9]])
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

  it('shows the newest edits first, and then what came before, while more is added', async () => {
    const w = world('/d', 7)
    w.grow(40)
    await readTimeline(w.app)
    expect([...w.edits().ids]).toEqual(w.ids.slice(43, 50))
    expect(w.edits().earlier).toBe(w.ids[42])
    w.flags[2] = reverted
    w.flags[51] = isRevert
    w.grow(4)
    await readWholeTimeline(w.app)
    expect([...w.edits().ids]).toEqual(w.ids.slice(0, 54))
    expect([...w.edits().flags]).toEqual(w.flags.slice(0, 54))
    expect(w.edits().earlier).toBe(0)
    expect(w.asked.filter((a) => a === 0)).toEqual([0])
  })

  it('goes on with another fork when that is shown meanwhile', async () => {
    const w = world('/e', 7)
    w.grow(40)
    await readTimeline(w.app)
    w.project.fork = 'other'
    await readTimeline(w.app)
    await readWholeTimeline(w.app)
    expect([...w.edits().ids]).toEqual(w.ids.slice(0, 50))
  })
})
