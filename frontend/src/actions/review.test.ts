import { describe, expect, it } from 'vitest'
import type { App } from '../app'
import { revertEdits } from './history'

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
