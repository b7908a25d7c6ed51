import { describe, expect, it } from 'vitest'
import { initial } from '../state/state'
import { commands, keyFor } from './index'

describe('all commands', () => {
  it('have names of their own', () => {
    const ids = commands.map((c) => c.id)
    expect(new Set(ids).size).toBe(ids.length)
    const titles = commands.map((c) => c.title)
    expect(titles.filter((t, i) => titles.indexOf(t) !== i)).toEqual([])
  })
  it('do not fight for a key: where two have one, each says when it makes sense', () => {
    const users = new Map<string, string[]>()
    for (const c of commands) {
      if (c.local || c.when) continue
      for (const key of c.keys ?? []) users.set(key, [...(users.get(key) ?? []), c.id])
    }
    expect([...users].filter(([, ids]) => ids.length > 1)).toEqual([])
  })
  it('write their keys as events are named', () => {
    const parts = /^(Mod-)?(Ctrl-)?(Alt-)?(Shift-)?(.|[A-Z][A-Za-z0-9]+)$/u
    for (const c of commands) for (const key of c.keys ?? []) expect(key, c.id).toMatch(parts)
    for (const c of commands) for (const key of c.keys ?? []) expect(key.endsWith('-') ? key : key.split('-').at(-1), c.id).not.toMatch(/^[A-Z]$/)
  })
  it('say when they make sense without failing where no folder is open', () => {
    for (const c of commands) expect(typeof (c.when?.(initial) ?? true), c.id).toBe('boolean')
    expect(keyFor('go.command')).toBe('Mod-k')
  })
})
