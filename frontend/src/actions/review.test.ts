import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { App } from '../app'
import { hunks, setActive, setHunks } from '../editor/hunks'
import { LiveDoc } from '../editor/live'
import type { ReviewHunk } from '../protocol'
import { initial } from '../state/state'
import { readReview, revertEdits } from './history'
import { stepHunk } from './review'

describe('a revert', () => {
  it('is over once what is left to review is known: the next step must not go to what was taken back', async () => {
    const said: string[] = []
    const app = {
      state: { timeline: null },
      backend: {
        call: () => { said.push('revert'); return Promise.resolve({ edits: [3], files: ['b.go'] }) },
        read: (what: string) => { said.push(what); return Promise.resolve({ hunks: [] }) },
      },
      store: { dispatch: (a: { type: string }) => { said.push(`dispatch ${a.type}`) } },
    } as unknown as App
    await revertEdits(app, [2])
    expect(said.slice(0, 3)).toEqual(['revert', 'review', 'dispatch review'])
  })
})

describe('the pending edits', () => {
  it('are those that were asked for last, though an older answer comes later', async () => {
    const answers: ((hunks: readonly number[]) => void)[] = []
    const shown: unknown[] = []
    const app = {
      backend: { read: () => new Promise((resolve) => answers.push((hunks) => { resolve({ hunks }) })) },
      store: { dispatch: (a: { hunks: unknown }) => { shown.push(a.hunks) } },
    } as unknown as App
    const reads = [readReview(app), readReview(app), readReview(app)]
    answers[1]?.([1, 2, 3, 4])
    await reads[1]
    answers[0]?.([1, 2, 3])
    await reads[0]
    answers[2]?.([1, 2])
    await reads[2]
    expect(shown).toEqual([[1, 2, 3, 4], [1, 2]])
  })
})

describe('a step', () => {
  beforeEach(() => {
    vi.stubGlobal('requestAnimationFrame', (run: () => void) => setTimeout(run))
    vi.stubGlobal('cancelAnimationFrame', () => undefined)
  })
  afterEach(() => { vi.unstubAllGlobals() })
  it('from the last change of a file goes to the next file, though the changes are being read again', async () => {
    const doc = new LiveDoc({ path: 'a.go', doc: 1, version: 5, kind: 'text', why: '', kept: true, text: 'one\ntwo\n', encoding: 'UTF-8', eol: '\n', size: 8 }, undefined)
    doc.update({ effects: [setHunks.of({ list: [{ id: 'last', edits: [7], from: 0, to: 3, removed: '', partial: false }], running: false }), setActive.of('last')] })
    doc.hunksKnown = false
    const review: ReviewHunk[] = ['a.go', 'b.go'].map((path) => ({ edits: [7], turns: [1], place: 0, path, from: 0, to: 3, removed: '', partial: false, time: 0 }))
    const opened: string[] = []
    const app = {
      state: { ...initial, main: { kind: 'editor' }, review, ui: { ...initial.ui, active: 'a.go' } },
      docs: { screen: { doc }, get: () => undefined, open: (path: string) => { opened.push(path); return Promise.resolve(path) } },
      store: { dispatch: () => undefined },
    } as unknown as App
    const stepped = stepHunk(app, 1)
    doc.update({ effects: setHunks.of({ list: doc.state.field(hunks).list, running: false }) })
    doc.hunksKnown = true
    await stepped
    expect([opened, doc.wantsHunk]).toEqual([['b.go'], null])
  })
})
