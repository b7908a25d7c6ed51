import { describe, expect, it } from 'vitest'
import type { Project } from '../protocol'
import { initial, type State } from '../state/state'
import { reduce } from '../state/reduce'
import { sampleEdits } from '../timeline/sample'
import { random } from '../testing/random'
import { escapeCommand } from './escape'
import { commands } from './index'

const project: Project = { root: '/p', name: 'p', readOnly: '', fork: 'main', forks: ['main'], head: 20, session: 1, home: '/', other: '' }
const calm: State = { ...initial, project, timeline: sampleEdits(random(1), 20) }
const live = { state: 'running', tokens: 0, perSecond: 0, elapsed: 0, path: '' } as const
const began = { session: 1, request: 'tidy up', model: 'spark', at: 0 } as const

const running = (s: State): State => reduce(s, { type: 'frame', frame: { type: 'frame', seq: 1, turn: { turn: 5, began, live } } })
const sending = (s: State): State => reduce(s, { type: 'asking', asking: { sending: true } })
const stopped = (s: State): State => reduce(s, { type: 'asking', asking: { stopped: 5 } })
const past = (s: State): State => reduce(s, { type: 'ui', ui: { at: 3 } })
const drawer = (which: 'tree' | 'chat') => (s: State): State => reduce(s, { type: 'layout', layout: { narrow: true, drawer: which } })

function means(...now: ((s: State) => State)[]): string {
  return escapeCommand(commands, now.reduce((s, change) => change(s), calm))?.id ?? ''
}

describe('Esc', () => {
  it('does nothing where there is nothing to leave', () => {
    expect(means()).toBe('')
  })
  it('stops the model first, or the request on its way; then offers to revert; then goes back to now', () => {
    expect(means(past, stopped, running)).toBe('turn.stop')
    expect(means(past, sending)).toBe('turn.stop')
    expect(means(past, stopped)).toBe('turn.revertStopped')
    expect(means(past)).toBe('history.now')
  })
  it('closes the files before all that, because they lie over what says so', () => {
    expect(means(past, stopped, running, drawer('tree'))).toBe('view.closeDrawer')
    expect(means(past, stopped, drawer('tree'))).toBe('view.closeDrawer')
  })
  it('closes the conversation after what is said in it, before the moment under it', () => {
    expect(means(past, running, drawer('chat'))).toBe('turn.stop')
    expect(means(past, stopped, drawer('chat'))).toBe('turn.revertStopped')
    expect(means(past, drawer('chat'))).toBe('view.closeDrawer')
  })
  it('belongs to the commands that say so, and to each of them', () => {
    const named = commands.filter((c) => !c.local && c.keys?.includes('Escape')).map((c) => c.id)
    expect(named.sort()).toEqual(['history.now', 'turn.revertStopped', 'turn.stop', 'view.closeDrawer'])
  })
})
