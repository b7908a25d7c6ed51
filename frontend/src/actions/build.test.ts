import { describe, expect, it, vi } from 'vitest'
import type { App } from '../app'
import type { ToastAction } from '../state/state'
import { BuildWatch } from './build'

interface Told {
  readonly text: string
  readonly action: ToastAction
}

function world(leave: () => Promise<void> = () => Promise.resolve()): { app: App; log: string[]; told: Told[]; watch: () => BuildWatch } {
  const log: string[] = []
  const told: Told[] = []
  const memory = new Map<string, string>()
  const app = { store: { dispatch: (action: Told) => told.push(action) } } as unknown as App
  const storage = { getItem: (k: string) => memory.get(k) ?? null, setItem: (k: string, v: string) => void memory.set(k, v) }
  const leaving = async (): Promise<void> => {
    log.push('leave')
    await leave()
  }
  return { app, log, told, watch: () => new BuildWatch(storage, () => log.push('reload'), leaving) }
}

describe('a page of another version', () => {
  it('stays when the same version greets it again', async () => {
    const { app, log, told, watch } = world()
    const w = watch()
    await w.greeted(app, { build: '1' })
    await w.greeted(app, { build: '1' })
    expect([log, told]).toEqual([[], []])
  })

  it('reloads once it has handed everything over, and never twice for one version', async () => {
    const { app, log, told, watch } = world()
    const first = watch()
    await first.greeted(app, { build: '1' })
    await first.greeted(app, { build: '2' })
    expect(log).toEqual(['leave', 'reload'])
    const still = watch()
    await still.greeted(app, { build: '1' })
    await still.greeted(app, { build: '2' })
    expect(log).toEqual(['leave', 'reload'])
    expect(told.map((n) => n.text)).toEqual([expect.stringContaining('This page is of another version')])
    told[0]?.action.run()
    expect(log.at(-1)).toBe('reload')
  })

  it.each([
    ['refuses it', () => Promise.reject(new Error('no such command'))],
    ['does not answer', () => new Promise<void>(() => undefined)],
  ])('stays with what was typed when Go %s, and offers to reload', async (_, leave) => {
    vi.useFakeTimers()
    const { app, log, told, watch } = world(leave)
    const w = watch()
    await w.greeted(app, { build: '1' })
    const greeted = w.greeted(app, { build: '2' })
    await vi.advanceTimersByTimeAsync(5000)
    await greeted
    vi.useRealTimers()
    expect(log).toEqual(['leave'])
    expect(told[0]?.text).toMatch(/does not take what you typed/)
    expect(told[0]?.action.label).toBe('Reload')
  })
})
