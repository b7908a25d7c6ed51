// @vitest-environment jsdom
import { EditorState } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { activate } from '../actions/files'
import type { App } from '../app'
import type { Hello, HunkPart, Outcome, Part, Project, TurnDelta } from '../protocol'
import { reduce } from '../state/reduce'
import { initial, type Action, type State } from '../state/state'
import type { LiveDoc } from './live'
import { marks, written } from './marks'
import type { Watcher } from './screen'

vi.stubGlobal('matchMedia', () => ({ matches: false }))
vi.stubGlobal('ResizeObserver', class { observe(): void { /* nothing has a size here */ } disconnect(): void { /* nothing to do */ } })
const { Follow } = await import('./follow')

interface World {
  readonly app: App
  readonly scroller: HTMLElement // of the pane: 400 px high, 20 px a line
  /** A frame with news of the running turn, which writes in a file. */
  readonly model: (path: string, ...told: (Part | Outcome)[]) => void
  /** A frame with a turn of which nothing was heard before. */
  readonly turn: (id: number, path: string, ...told: (Part | Outcome)[]) => void
  /** The shown document has text of the model in a line. */
  readonly wrote: (line: number) => void
  /** Go has read the file. */
  readonly opened: (path: string) => Promise<void>
  readonly closed: readonly string[]
}

/** An app with a real store; a document is open, and shown, once the test says so. */
function makeApp(): World {
  let state: State = reduce(initial, { type: 'ui', ui: { tabs: ['a.go', 'c.go'].map((path) => ({ path, top: 0, offset: 0, anchor: 0, head: 0 })), active: 'a.go', follow: true } })
  const listeners = new Set<(next: State, before: State, action: Action) => void>()
  const opening = new Map<string, () => void>()
  const closed: string[] = []
  let watcher: Watcher = {}
  const screen = { doc: { path: 'a.go' } as LiveDoc, watch: (w: Watcher) => { watcher = w; return () => undefined } }
  const show = (): void => {
    screen.doc = { path: state.ui.active } as LiveDoc
    watcher.shows?.(screen.doc)
  }
  const dispatch = (action: Action): void => {
    const before = state
    state = reduce(state, action)
    if (state !== before) for (const l of listeners) l(state, before, action)
    if (state.ui.active !== before.ui.active) setTimeout(show, 30) // frames pass before the text is there
  }
  const app = {
    get state() { return state },
    store: { dispatch, subscribe: (l: (next: State, before: State, action: Action) => void) => { listeners.add(l); return () => listeners.delete(l) } },
    docs: {
      open: (path: string) => new Promise<string>((resolve) => opening.set(path, () => { resolve(path) })),
      close: (path: string) => { closed.push(path); return Promise.resolve() },
      screen,
    },
    attempt: (_doing: string, effect: () => Promise<unknown>) => { void effect() },
  } as unknown as App
  const scroller = document.createElement('div')
  Object.defineProperty(scroller, 'clientHeight', { value: 400 })
  let text = EditorState.create({ doc: '\n'.repeat(199), extensions: marks })
  const view = {
    hasFocus: false, scrollDOM: scroller, get state() { return text }, documentPadding: { top: 0 },
    lineBlockAt: (at: number) => ({ top: (text.doc.lineAt(at).number - 1) * 20 }),
  } as unknown as EditorView
  new Follow(app, view)
  const wrote = (line: number): void => {
    const at = text.doc.line(line).from
    text = text.update({ effects: written.of({ traces: [{ from: at, to: at, removed: '', author: 'model' }], at: 0 }) }).state
    watcher.modelWrote?.({ shown: view } as unknown as LiveDoc)
  }
  let now = 0
  let from = 0
  const told = (path: string, told: readonly (Part | Outcome)[]): Pick<TurnDelta, 'parts' | 'live' | 'outcome'> => {
    const parts = told.filter((t) => 'kind' in t).map((part, i) => ({ at: from + i, part }))
    const outcome = structuredClone(told.find((t) => 'status' in t))
    from += parts.length
    return { parts, live: { state: 'running', tokens: 0, perSecond: 0, elapsed: 0, path }, ...(outcome ? { outcome } : {}) }
  }
  const news = (turn: TurnDelta): void => { dispatch({ type: 'frame', frame: { type: 'frame', seq: 1, turn } }) }
  const model = (path: string, ...what: (Part | Outcome)[]): void => { news({ turn: now, ...told(path, what) }) }
  const turn = (id: number, path: string, ...what: (Part | Outcome)[]): void => {
    now = id
    from = 0
    news({ turn: id, began: { session: 1, request: 'go', model: 'spark', at: 0 }, ...told(path, what) })
  }
  const opened = async (path: string): Promise<void> => {
    opening.get(path)?.()
    await vi.advanceTimersByTimeAsync(0)
  }
  return { app, scroller, model, turn, wrote, opened, closed }
}

/** The same, with a turn that runs. */
function makeRunning(): World {
  const w = makeApp()
  w.turn(1, '')
  return w
}

const hunk = (path: string, line: number, hunk = 1): HunkPart => ({ kind: 'hunk', hunk, path, line, state: 'open', added: 0, removed: 0 })
const middle = (line: number): number => (line - 1) * 20 - 240 // scrolled to, where a line is at rest

const ended: Outcome = {
  status: 'completed', model: '', message: '', files: [], edits: [7],
  timing: { queue_ms: 0, connect_ms: 0, context_ms: 0, prefill_ms: 0, ttft_ms: 0, decode_ms: 0, apply_ms: 0, total_ms: 0, tokens: 0, tokens_per_s: 0 },
}

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => { vi.useRealTimers() })

describe('following the model', () => {
  it('goes to the file that it writes in', async () => {
    const { app, model, opened } = makeRunning()
    model('b.go')
    vi.advanceTimersByTime(300)
    await opened('b.go')
    expect(app.state.ui.active).toBe('b.go')
  })
  it('leaves the user in the tab that was chosen while a hop was due, also after the end', async () => {
    const { app, model, opened } = makeRunning()
    model('b.go')
    model('', ended)
    activate(app, 'c.go')
    vi.advanceTimersByTime(300)
    await opened('b.go')
    expect(app.state.ui.active).toBe('c.go')
  })
  it('leaves the user in the tab that was chosen while the file was read', async () => {
    const { app, model, opened, closed } = makeRunning()
    model('b.go')
    vi.advanceTimersByTime(300)
    model('', ended)
    activate(app, 'c.go')
    await opened('b.go')
    expect(app.state.ui.active).toBe('c.go')
    expect(closed).toEqual(['b.go'])
  })
  it('goes on to the next file after a hop of its own', async () => {
    const { app, model, opened } = makeRunning()
    model('b.go')
    vi.advanceTimersByTime(300)
    model('d.go')
    await opened('b.go')
    vi.advanceTimersByTime(300)
    await opened('d.go')
    expect(app.state.ui.active).toBe('d.go')
  })
})

const frames = (): Promise<unknown> => vi.advanceTimersByTimeAsync(1000)

describe('the end of a turn that was followed', () => {
  it('comes with its last text: the pane still goes there', async () => {
    const { scroller, model, wrote } = makeRunning()
    model('a.go', hunk('a.go', 90))
    wrote(95)
    await frames()
    wrote(130)
    model('', ended)
    await frames()
    expect(scroller.scrollTop).toBe(middle(130))
  })
  it('leaves the pane where the user went meanwhile', async () => {
    const { app, scroller, model, wrote } = makeRunning()
    model('a.go', hunk('a.go', 90))
    wrote(95)
    await frames()
    const before = scroller.scrollTop
    app.store.dispatch({ type: 'ui', ui: { follow: false } })
    wrote(130)
    model('', ended)
    await frames()
    expect(scroller.scrollTop).toBe(before)
  })
})

describe('following a turn that is faster than the page', () => {
  it('shows where it began, in a file that is open only after its end', async () => {
    const { app, scroller, model, opened } = makeRunning()
    model('b.go', hunk('b.go', 90), hunk('b.go', 150, 2))
    vi.advanceTimersByTime(300)
    model('', ended)
    await opened('b.go')
    await frames()
    expect(app.state.ui.active).toBe('b.go')
    expect(scroller.scrollTop).toBe(middle(90))
  })
  it('shows where it began, when that is heard only after the file is open', async () => {
    const { scroller, model, opened } = makeRunning()
    model('b.go')
    vi.advanceTimersByTime(300)
    await opened('b.go')
    await frames()
    model('', hunk('b.go', 90), ended)
    await frames()
    expect(scroller.scrollTop).toBe(middle(90))
  })
  it('goes to its first file when it was over before it was seen', async () => {
    const { app, scroller, turn, opened } = makeApp()
    turn(1, '', hunk('b.go', 90), hunk('d.go', 3, 2), ended)
    vi.advanceTimersByTime(300)
    await opened('b.go')
    await frames()
    expect(app.state.ui.active).toBe('b.go')
    expect(scroller.scrollTop).toBe(middle(90))
  })
  it('goes there, too, when it was seen running but never writing', async () => {
    const { app, model, opened } = makeRunning()
    model('', hunk('b.go', 90), ended)
    vi.advanceTimersByTime(300)
    await opened('b.go')
    expect(app.state.ui.active).toBe('b.go')
  })
  it('stays in the shown file when that is one of those that changed, and shows where', async () => {
    const { app, scroller, turn, opened } = makeApp()
    turn(1, '', hunk('b.go', 9), hunk('a.go', 120, 2), ended)
    vi.advanceTimersByTime(300)
    await opened('b.go')
    await frames()
    expect(app.state.ui.active).toBe('a.go')
    expect(scroller.scrollTop).toBe(middle(120))
  })
  it('follows the next one just the same', async () => {
    const { app, turn, opened } = makeApp()
    turn(1, '', hunk('b.go', 90), ended)
    vi.advanceTimersByTime(300)
    await opened('b.go')
    turn(2, '', hunk('d.go', 90), ended)
    vi.advanceTimersByTime(300)
    await opened('d.go')
    expect(app.state.ui.active).toBe('d.go')
  })
  it('shows the place once: who scrolls away is left there', async () => {
    const { app, scroller, turn, opened } = makeApp()
    turn(1, '', hunk('b.go', 90), ended)
    vi.advanceTimersByTime(300)
    await opened('b.go')
    await frames()
    scroller.scrollTop = 0
    activate(app, 'a.go')
    activate(app, 'b.go')
    await frames()
    expect(scroller.scrollTop).toBe(0)
  })
  it('leaves the user in the tab that was chosen after the request', async () => {
    const { app, turn, opened } = makeApp()
    app.store.dispatch({ type: 'asking', asking: { sending: true } })
    activate(app, 'c.go')
    app.store.dispatch({ type: 'asking', asking: { sending: false } })
    turn(1, '', hunk('b.go', 90), ended)
    vi.advanceTimersByTime(300)
    await opened('b.go')
    expect(app.state.ui.active).toBe('c.go')
  })
  it('leaves the user in the tab that was chosen while the file was read', async () => {
    const { app, turn, opened, closed } = makeApp()
    turn(1, '', hunk('b.go', 90), ended)
    vi.advanceTimersByTime(300)
    activate(app, 'c.go')
    await opened('b.go')
    expect(app.state.ui.active).toBe('c.go')
    expect(closed).toEqual(['b.go'])
  })
  it('does not go to what was over before the page was there, nor to what changed nothing', async () => {
    const { app, turn, opened } = makeApp()
    const project = { root: '/p', name: 'p', head: 7 } as unknown as Project
    app.store.dispatch({ type: 'hello', hello: { type: 'hello', native: false, recent: [], project, ui: app.state.ui, prefs: app.state.prefs } as unknown as Hello })
    turn(1, '', hunk('b.go', 90), ended)
    turn(2, '', { ...hunk('b.go', 90), state: 'refused', reason: 'missing' }, { ...ended, edits: [] })
    vi.advanceTimersByTime(300)
    await opened('b.go')
    expect(app.state.ui.active).toBe('a.go')
  })
  it('leaves a created and deleted file alone, and finds one under its new name', async () => {
    const { app, turn, opened } = makeApp()
    turn(1, '', { kind: 'file', what: 'created', path: 'n.go', to: '' }, { kind: 'file', what: 'deleted', path: 'n.go', to: '' }, hunk('b.go', 90), { kind: 'file', what: 'moved', path: 'b.go', to: 'z.go' }, ended)
    vi.advanceTimersByTime(300)
    await opened('z.go')
    expect(app.state.ui.active).toBe('z.go')
  })
})
