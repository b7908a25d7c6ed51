// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { App } from '../app'
import type { Outcome, Timing, TurnDelta } from '../protocol'
import { initial, type Action, type State } from '../state/state'
import { reduce } from '../state/reduce'
import { watchTurns } from './turnwatch'

const timing: Timing = { queue_ms: 0, connect_ms: 0, context_ms: 0, prefill_ms: 0, ttft_ms: 0, decode_ms: 0, apply_ms: 0, total_ms: 6000, tokens: 1, tokens_per_s: 1 }
const outcome = (status: Outcome['status'], ms = 6000): Partial<TurnDelta> => ({ outcome: { status, model: '', message: '', files: [{ path: 'a', added: 1, removed: 0 }], edits: [1], timing: { ...timing, total_ms: ms } } })

/** An app with a real store, and what it told Go and the user. */
function makeApp(): { app: App; told: string[]; called: string[]; send: (news: Partial<TurnDelta>) => void } {
  let state: State = initial
  const listeners = new Set<(next: State, before: State, action: Action) => void>()
  const told: string[] = []
  const called: string[] = []
  const dispatch = (action: Action): void => {
    const before = state
    state = reduce(state, action)
    if (state !== before) for (const l of listeners) l(state, before, action)
  }
  const app = {
    get state() { return state },
    store: { dispatch, subscribe: (l: (next: State, before: State, action: Action) => void) => listeners.add(l) },
    backend: { call: (cmd: string) => { called.push(cmd); return Promise.resolve(null) }, read: () => Promise.resolve({ models: [], spent: 0, budget: 0, normal: '', mistake: '' }) },
    native: { notify: (title: string, body: string) => told.push(`${title} (${body})`) },
  } as unknown as App
  watchTurns(app)
  const live = { state: 'running', tokens: 0, perSecond: 0, elapsed: 0, path: '' } as const
  const send = (news: Partial<TurnDelta>): void => { dispatch({ type: 'frame', frame: { type: 'frame', seq: 1, turn: { turn: 5, live, ...news } } }) }
  send({ began: { session: 1, request: 'tidy up', model: 'spark', at: 0 }, acked: [{ id: 1, path: 'a' }] })
  return { app, told, called, send }
}

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('when a turn ends', () => {
  it('the user is told if it was long and nobody looks', () => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(false)
    const { told, send } = makeApp()
    send(outcome('completed'))
    expect(told).toEqual(['Done: tidy up (1 edit in 1 file)'])
  })
  it('nobody is told of a short one, of one that is looked at, or against the settings', () => {
    const focus = vi.spyOn(document, 'hasFocus').mockReturnValue(false)
    const short = makeApp()
    short.send(outcome('completed', 4000))
    const quiet = makeApp()
    quiet.app.store.dispatch({ type: 'prefs', prefs: { notify: false } })
    quiet.send(outcome('completed'))
    focus.mockReturnValue(true)
    const seen = makeApp()
    seen.send(outcome('completed'))
    expect([...short.told, ...quiet.told, ...seen.told]).toEqual([])
  })
  it('Esc may revert it for ten seconds if Esc stopped it', () => {
    const { app, send } = makeApp()
    app.store.dispatch({ type: 'stopping' })
    send(outcome('stopped'))
    expect(app.state.asking.stopped).toBe(5)
    vi.advanceTimersByTime(10_000)
    expect(app.state.asking.stopped).toBe(0)
  })
  it('Esc does not revert what ended by itself', () => {
    const { app, send } = makeApp()
    send(outcome('completed'))
    expect(app.state.asking.stopped).toBe(0)
  })
})

it('a stop that was lost with the connection is told again', () => {
  const { app, called } = makeApp()
  app.store.dispatch({ type: 'stopping' })
  const project = { root: '/p', name: 'p', readOnly: '', fork: '', forks: [], head: 0, session: 1, home: '', other: '' }
  app.store.dispatch({ type: 'frame', frame: { type: 'frame', seq: 2, project } })
  app.store.dispatch({ type: 'hello', hello: { type: 'hello', build: '', page: '', project, ui: null, prefs: null, recent: [], native: false, unrecorded: '' } })
  expect(called).toEqual(['stop'])
})

it('a turn that the history calls ended is not running any more after a lost connection', () => {
  const { app } = makeApp()
  const project = { root: '/p', name: 'p', readOnly: '', fork: '', forks: [], head: 0, session: 1, home: '', other: '' }
  const past = { turn: 5, request: '', model: '', status: 'interrupted', message: '', parts: [], nearest: [], prose: '', steers: [], files: [], edits: [], timing: null, started: 0, ended: 0 } as const
  const conversation = { session: 1, title: '', turns: [past] }
  app.store.dispatch({ type: 'frame', frame: { type: 'frame', seq: 2, project } })
  app.store.dispatch({ type: 'conversation', conversation })
  expect(app.state.turn?.turn).toBe(5) // while the connection stands, its own news tell
  app.store.dispatch({ type: 'hello', hello: { type: 'hello', build: '', page: '', project, ui: null, prefs: null, recent: [], native: false, unrecorded: '' } })
  app.store.dispatch({ type: 'conversation', conversation })
  expect(app.state.turn).toBeNull()
})
