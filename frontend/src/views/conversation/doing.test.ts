import { describe, expect, it } from 'vitest'
import type { Doing, TurnLive } from '../../protocol'
import { doing } from './doing'

const live = (doing?: Partial<Doing>): TurnLive => ({ state: 'running', tokens: 0, perSecond: 0, elapsed: 0, path: '', ...(doing ? { doing: { phase: 'connect', note: '', done: 0, total: 0, ...doing } } : {}) })

describe('what a turn is doing', () => {
  it('counts down to the next try, and says why', () => {
    expect(doing(live({ phase: 'retry', note: '429 from OpenAI', done: 600, total: 3000 }))).toEqual({ text: 'Trying again in 3 s: 429 from OpenAI', waits: true })
    expect(doing(live({ phase: 'retry', note: '429 from OpenAI' }))?.text).toBe('Trying again: 429 from OpenAI')
    expect(doing(live({ phase: 'retry', done: 100, total: 1000 }))?.text).toBe('Trying again in 1 s')
  })
  it('names the phase, or nothing', () => {
    expect(doing(live({ phase: 'tools', note: 'reads app/turn.go' }))?.text).toBe('Reads app/turn.go')
    expect(doing(live({ phase: 'summary', note: 'turns 1 to 4' }))?.text).toBe('Writing a summary of turns 1 to 4, to save room')
    expect(doing(live({ phase: 'connect' }))?.text).toBe('Connecting')
    expect(doing(live())).toBeNull()
  })
})
