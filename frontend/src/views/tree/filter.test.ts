import { describe, expect, it } from 'vitest'
import type { App } from '../../app'
import { FileFilter } from './filter.svelte'

/** An app whose answers come when the test says so. */
function world(): { filter: FileFilter; opened: string[]; answer: (q: string, ...paths: string[]) => Promise<void> } {
  const waiting = new Map<string, (found: unknown) => void>()
  const opened: string[] = []
  const app = {
    attempt: (_doing: string, effect: () => Promise<unknown>) => void effect(),
    backend: { read: (_what: string, { q }: { q: string }) => new Promise((resolve) => waiting.set(q, resolve)) },
    docs: { open: (path: string) => { opened.push(path); return new Promise(() => undefined) } },
    state: { ui: { tabs: [] } },
    store: { dispatch: () => undefined },
  } as unknown as App
  const answer = async (q: string, ...paths: string[]): Promise<void> => {
    waiting.get(q)?.({ files: paths.map((path) => ({ path, match: [] })), total: paths.length })
    await new Promise((resolve) => setTimeout(resolve))
  }
  const filter = new FileFilter(app)
  return { filter, opened, answer }
}

function type(filter: FileFilter, text: string): void {
  filter.text = text
  filter.look(text)
}

describe('the filter', () => {
  it('keeps the newest answer, in whatever order they come', async () => {
    const { filter, answer } = world()
    type(filter, 'a')
    type(filter, 'ab')
    await answer('ab', 'ab.go')
    await answer('a', 'a.go')
    expect(filter.found?.files.map((f) => f.path)).toEqual(['ab.go'])
  })
  it('asks again when files came or went, and keeps what was chosen', async () => {
    const { filter, answer } = world()
    filter.again()
    expect(filter.found).toBeNull()
    type(filter, 'a')
    await answer('a', 'a1.go', 'a2.go')
    filter.move(1)
    filter.again()
    await answer('a', 'a0.go', 'a1.go', 'a2.go')
    expect([filter.found?.total, filter.chosen]).toEqual([3, 2])
    filter.again()
    await answer('a', 'a0.go')
    expect(filter.chosen).toBe(0)
  })
  it('opens what answers the text, also when Enter was faster', async () => {
    const { filter, opened, answer } = world()
    type(filter, 'a')
    await answer('a', 'wrong.go')
    type(filter, 'ab')
    filter.enter()
    expect(opened).toEqual([])
    await answer('ab', 'right.go')
    expect(opened).toEqual(['right.go'])
  })
  it('forgets an Enter when more is typed, and everything when it is cleared', async () => {
    const { filter, opened, answer } = world()
    type(filter, 'a')
    filter.enter()
    type(filter, 'ab')
    await answer('ab', 'x.go', 'y.go')
    filter.move(5)
    expect([opened, filter.chosen]).toEqual([[], 1])
    type(filter, '')
    expect(filter.found).toBeNull()
  })
})
