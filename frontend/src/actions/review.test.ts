import { describe, expect, it } from 'vitest'
import type { App } from '../app'
import { readReview, revertEdits } from './history'

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
