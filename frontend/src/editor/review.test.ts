// @vitest-environment jsdom
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { App } from '../app'
import type { ReviewHunk } from '../protocol'
import { initial } from '../state/state'
import { hunks, reviewMarks, type Hunk } from './hunks'
import { LiveDoc } from './live'
import { inWords, Reviewer } from './review.svelte'

const hunk: ReviewHunk = { edits: [7], turns: [1], place: 0, path: 'a.go', from: 0, to: 3, removed: '', partial: true, time: 0 }

/** A reviewer of one document at version 5, and Go's answers to its questions, one after the other; the last one stays. */
function makeReviewer(...answers: { version: number; hunks: readonly ReviewHunk[] }[]): { doc: LiveDoc; asked: () => number; reviewed: () => void; stop: () => void } {
  const doc = new LiveDoc({ path: 'a.go', doc: 1, version: 5, kind: 'text', why: '', kept: true, text: 'one\ntwo\n', encoding: 'UTF-8', eol: '\n', size: 8 }, undefined)
  const view = new EditorView({ state: EditorState.create({ doc: 'one\ntwo\n', extensions: reviewMarks }), parent: document.body })
  doc.shown = view
  let asked = 0
  let tell: (next: unknown, before: unknown) => void = () => undefined
  const state = { ...initial }
  const app = {
    state,
    docs: { screen: { doc, watch: () => () => undefined } },
    store: { dispatch: () => undefined, subscribe: (l: typeof tell) => { tell = l; return () => undefined } },
    backend: { read: () => Promise.resolve(answers[Math.min(asked++, answers.length - 1)]) },
  } as unknown as App
  const reviewer = new Reviewer(app, view)
  return {
    doc,
    asked: () => asked,
    reviewed: () => { tell({ ...state, review: [] }, state) },
    stop: () => { reviewer.stop(); view.destroy() },
  }
}

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => { vi.useRealTimers() })

describe('what waits for review in a document', () => {
  it('is gone when Go says that there is nothing, whatever version that is of, and nobody asks again', async () => {
    const r = makeReviewer({ version: 5, hunks: [hunk] }, { version: 0, hunks: [] })
    await vi.advanceTimersByTimeAsync(100)
    expect(r.doc.state.field(hunks).list.flatMap((h) => h.edits)).toEqual([7])
    r.reviewed()
    await vi.advanceTimersByTimeAsync(5000)
    expect(r.doc.state.field(hunks).list).toEqual([])
    expect(r.asked()).toBe(2)
    r.stop()
  })
  it('is asked for again when the answer is for a version that is gone', async () => {
    const r = makeReviewer({ version: 1, hunks: [hunk] }, { version: 5, hunks: [hunk] })
    await vi.advanceTimersByTimeAsync(5000)
    expect(r.doc.state.field(hunks).list.flatMap((h) => h.edits)).toEqual([7])
    expect(r.asked()).toBe(2)
    r.stop()
  })
})

describe('what is decided with a change', () => {
  const at = (id: string, ...edits: number[]): Hunk => ({ id, edits, from: 0, to: 0, removed: '', partial: false })
  it('is said when it is more than one edit in one place', () => {
    const list = [at('a', 1), at('b', 2, 3), at('c', 4), at('d', 4), at('e', 5, 6), at('f', 5, 6)]
    expect(list.map((h) => inWords(list, h))).toEqual(['', '2 edits', '2 places', '2 places', '2 edits in 2 places', '2 edits in 2 places'])
  })
})
