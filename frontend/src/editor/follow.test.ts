// @vitest-environment jsdom
import type { EditorView } from '@codemirror/view'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { activate } from '../actions/files'
import type { App } from '../app'
import type { TurnEvent } from '../protocol'
import { reduce } from '../state/reduce'
import { initial, type Action, type State } from '../state/state'

vi.stubGlobal('matchMedia', () => ({ matches: false }))
vi.stubGlobal('ResizeObserver', class { observe(): void { /* nothing has a size here */ } disconnect(): void { /* nothing to do */ } })
const { Follow } = await import('./follow')

/** An app with a real store; a document is open once the test says so. */
function makeApp(): { app: App; model: (path: string, ...events: TurnEvent[]) => void; opened: (path: string) => Promise<void>; closed: string[] } {
  let state: State = reduce(initial, { type: 'ui', ui: { tabs: ['a.go', 'c.go'].map((path) => ({ path, top: 0, offset: 0, anchor: 0, head: 0 })), active: 'a.go', follow: true } })
  const listeners = new Set<(next: State, before: State, action: Action) => void>()
  const opening = new Map<string, () => void>()
  const closed: string[] = []
  const dispatch = (action: Action): void => {
    const before = state
    state = reduce(state, action)
    if (state !== before) for (const l of listeners) l(state, before, action)
  }
  const app = {
    get state() { return state },
    store: { dispatch, subscribe: (l: (next: State, before: State, action: Action) => void) => { listeners.add(l); return () => listeners.delete(l) } },
    docs: {
      open: (path: string) => new Promise<string>((resolve) => opening.set(path, () => { resolve(path) })),
      close: (path: string) => { closed.push(path); return Promise.resolve() },
      screen: { watch: () => () => undefined },
    },
    attempt: (_doing: string, effect: () => Promise<unknown>) => { void effect() },
  } as unknown as App
  new Follow(app, { hasFocus: false, scrollDOM: document.createElement('div') } as unknown as EditorView)
  let from = 0
  const model = (path: string, ...events: TurnEvent[]): void => {
    dispatch({ type: 'frame', frame: { type: 'frame', seq: 1, turn: { turn: 1, from, events, live: { state: 'running', tokens: 0, perSecond: 0, elapsed: 0, path } } } })
    from += events.length
  }
  model('', { t: 'started', turn: 1, session: 1, request: 'go', model: 'spark', at: 0 })
  const opened = async (path: string): Promise<void> => {
    opening.get(path)?.()
    await vi.advanceTimersByTimeAsync(0)
  }
  return { app, model, opened, closed }
}

const ended: TurnEvent = {
  t: 'ended',
  outcome: { status: 'completed', model: '', message: '', files: [], edits: [], timing: { queue_ms: 0, connect_ms: 0, context_ms: 0, prefill_ms: 0, ttft_ms: 0, decode_ms: 0, apply_ms: 0, total_ms: 0, tokens: 0, tokens_per_s: 0 } },
}

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => { vi.useRealTimers() })

describe('following the model', () => {
  it('goes to the file that it writes in', async () => {
    const { app, model, opened } = makeApp()
    model('b.go')
    vi.advanceTimersByTime(300)
    await opened('b.go')
    expect(app.state.ui.active).toBe('b.go')
  })
  it('leaves the user in the tab that was chosen while a hop was due, also after the end', async () => {
    const { app, model, opened } = makeApp()
    model('b.go')
    model('', ended)
    activate(app, 'c.go')
    vi.advanceTimersByTime(300)
    await opened('b.go')
    expect(app.state.ui.active).toBe('c.go')
  })
  it('leaves the user in the tab that was chosen while the file was read', async () => {
    const { app, model, opened, closed } = makeApp()
    model('b.go')
    vi.advanceTimersByTime(300)
    model('', ended)
    activate(app, 'c.go')
    await opened('b.go')
    expect(app.state.ui.active).toBe('c.go')
    expect(closed).toEqual(['b.go'])
  })
  it('goes on to the next file after a hop of its own', async () => {
    const { app, model, opened } = makeApp()
    model('b.go')
    vi.advanceTimersByTime(300)
    model('d.go')
    await opened('b.go')
    vi.advanceTimersByTime(300)
    await opened('d.go')
    expect(app.state.ui.active).toBe('d.go')
  })
})
