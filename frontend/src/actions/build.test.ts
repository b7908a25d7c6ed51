import { describe, expect, it } from 'vitest'
import type { App } from '../app'
import { BuildWatch } from './build'

function world(): { app: App; log: string[]; memory: Map<string, string>; watch: () => BuildWatch } {
  const log: string[] = []
  const memory = new Map<string, string>()
  const app = {
    docs: { settled: () => { log.push('settled'); return Promise.resolve() } },
    store: { dispatch: (action: { text: string }) => log.push(action.text.slice(0, 12)) },
  } as unknown as App
  const storage = { getItem: (k: string) => memory.get(k) ?? null, setItem: (k: string, v: string) => void memory.set(k, v) }
  return { app, log, memory, watch: () => new BuildWatch(storage, () => log.push('reload')) }
}

describe('a page of another version', () => {
  it('stays when the same version greets it again', async () => {
    const { app, log, watch } = world()
    const w = watch()
    await w.greeted(app, { build: '1' })
    await w.greeted(app, { build: '1' })
    expect(log).toEqual([])
  })
  it('reloads once typing is confirmed, and never twice for one version', async () => {
    const { app, log, watch } = world()
    const first = watch()
    await first.greeted(app, { build: '1' })
    await first.greeted(app, { build: '2' })
    expect(log).toEqual(['settled', 'reload'])
    const still = watch()
    await still.greeted(app, { build: '1' })
    await still.greeted(app, { build: '2' })
    expect(log.at(-1)).toBe('This page is')
  })
})
