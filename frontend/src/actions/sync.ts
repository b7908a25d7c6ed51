// Keeps the page in step: what to fetch after a connection, a frame or a change of the state,
// and what to store in order to come back.

import type { App } from '../app'
import type { Doc, Frame, Hello, KeptView, TabState, UIState } from '../protocol'
import { fitting, viewOf } from '../state/keep'
import type { State } from '../state/state'
import { fileWentAway } from './files'
import { readFindings } from './findings'
import { readReview, reopenView } from './history'
import { markPainted } from './marks'
import { readModels } from './models'
import { measurePaint } from './paint'
import { readTimeline } from './timeline'

const tryAgainAfter = 2000 // ms after the UI could not be stored
const saveAfter = 150 // ms from a change of the UI until it is stored
const saveMovesAfter = 700 // the same for scrolling and moving the cursor
const perMs = 1000 // characters of the draft that delay it by 1 ms: each time the whole draft is stored
const drawAfter = 50 // ms that the first drawing waits for its data
const readAgainAfter = 200 // ms: a stream of edits makes the reads at most this often

export class Sync {
  private readonly reads = new Map<string, ReturnType<typeof setTimeout>>()
  private begin: () => void = () => undefined
  /** Resolves once the first file is on the screen, or there is none: then the rest may be drawn. */
  readonly begun = new Promise<void>((resolve) => { this.begin = resolve })
  private unsaved = false // the UI could not be stored the last time
  private saving: { timer: ReturnType<typeof setTimeout>; at: number } | null = null

  constructor(private readonly app: App) {
    app.store.subscribe((next, before, action) => {
      this.changed(next, before)
      if (action.type === 'prefs') this.savePrefs()
    })
    const moved = (): void => { this.saveUISoon(saveMovesAfter) }
    app.docs.screen.watch({ scrolled: moved, acted: moved })
  }

  /** draw mounts the page: what it shows first is requested before, so that it is drawn once. */
  async hello(hello: Hello, draw: () => void): Promise<void> {
    const before = this.app.state.project?.root
    const { session = 0, fork = '' } = this.app.state.project ?? {}
    this.app.store.dispatch({ type: 'hello', hello })
    if (hello.project === null) {
      draw()
      this.begin()
      return
    }
    if (before === hello.project.root) {
      this.saveUISoon() // what was not stored while disconnected
      if (session !== 0 && session !== hello.project.session && hello.project.fork === fork) this.stay(session)
      await this.app.docs.reconnected()
    } else {
      await this.openTabs(hello.ui, draw)
    }
    this.readAll()
  }

  /** A new connection shows the session that any page used last. */
  private stay(session: number): void {
    this.app.attempt('Go back to the session', () => this.app.backend.call('useSession', { session }))
  }

  private wasReset(doc: Doc): void {
    this.app.store.dispatch({ type: 'opened', doc })
    if (doc.kind === 'missing') this.app.attempt(`Close ${doc.path}`, () => fileWentAway(this.app, doc.path))
  }

  /** Applies a frame: documents first, so that everything else in it is true. */
  async frame(frame: Frame): Promise<void> {
    const received = performance.now()
    const shown = frame.docs ? this.app.docs.receive(frame.docs) : Promise.resolve()
    for (const news of frame.docs ?? []) {
      if ('moved' in news) this.app.store.dispatch({ type: 'moved', from: news.path, to: news.moved })
      if ('reset' in news) this.wasReset(news.reset)
    }
    this.app.store.dispatch({ type: 'frame', frame })
    if (frame.head !== undefined) this.historyGrew()
    void measurePaint(this.app, frame, received, shown)
    await shown
  }

  /** Paints the file in front and the tree before anything else. */
  private async openTabs(ui: UIState | null, draw: () => void): Promise<void> {
    const tabs = ui?.tabs ?? []
    const first = tabs.find((t) => t.path === ui?.active)
    const opening = first && this.openTab(first)
    const folders = ['', ...(ui?.open ?? [])].map((dir) => this.app.backend.readAhead('tree', { dir, bare: true }).catch(() => undefined)) // the tree reads again, and reports errors
    await Promise.race([Promise.all([opening, ...folders]), later(drawAfter)])
    draw()
    await opening
    await markPainted('shown')
    this.begin()
    const root = this.app.state.project?.root
    if (ui?.view) this.reopen(ui.view)
    for (const tab of tabs) if (tab !== first && root === this.app.state.project?.root) await this.openTab(tab)
  }

  private reopen(view: KeptView): void {
    this.app.attempt(view.kind === 'diff' ? 'Show the changes again' : 'Show the conflict again', () => reopenView(this.app, view))
  }

  private async openTab(tab: TabState): Promise<void> {
    try {
      const path = await this.app.docs.open(tab.path)
      if (path !== tab.path) this.app.store.dispatch({ type: 'moved', from: tab.path, to: path }) // it has become a link
    } catch (error) {
      this.lostTab(tab, error)
    }
  }

  private lostTab(tab: TabState, error: unknown): void {
    this.app.fail(error, `Open ${tab.path}`)
    const tabs = this.app.state.ui.tabs.filter((t) => t.path !== tab.path)
    this.app.store.dispatch({ type: 'ui', ui: { tabs } })
  }

  readAll(): void {
    this.read('models', () => readModels(this.app))
    this.readConversation()
    this.historyGrew()
  }

  readConversation(): void {
    this.read('conversation', async () => {
      const session = this.app.state.project?.session ?? 0
      const before = this.app.state.conversation
      const conversation = session === 0 ? null : await this.app.backend.read('conversation', { session })
      if (this.app.state.conversation === before) this.app.store.dispatch({ type: 'conversation', conversation })
      else this.readConversation() // renamed or read meanwhile: this answer may be older
    })
  }

  private historyGrew(): void {
    this.read('timeline', async () => {
      await readTimeline(this.app)
    })
    this.read('review', () => readReview(this.app))
    this.read('findings', () => readFindings(this.app))
  }

  /** Reads soon, and once for all requests until then. */
  private read(what: string, how: () => Promise<void>): void {
    if (this.reads.has(what)) return
    const delay = this.reads.size === 0 && this.app.state.turn === null ? 0 : readAgainAfter
    this.reads.set(what, setTimeout(() => {
      this.reads.delete(what)
      if (this.app.state.project === null) return // closed meanwhile
      this.app.attempt(`Read the ${what}`, how)
    }, delay))
  }

  private changed(next: State, before: State): void {
    if ((next.ui !== before.ui || next.main !== before.main) && next.project?.root === before.project?.root) this.saveUISoon()
    if (next.unrecorded === '' && before.unrecorded !== '') this.saveUISoon()
    if (next.project !== before.project && next.project?.session !== before.project?.session) this.readConversation()
    if (next.project !== null && next.project.root === before.project?.root && next.project.fork !== before.project.fork) this.readAll()
    if (next.turn?.outcome && !before.turn?.outcome) this.readAll()
  }

  private savePrefs(): void {
    this.app.attempt('Save the settings', () => this.app.backend.call('setPrefs', { prefs: this.app.state.prefs }))
  }

  /** Stores the UI soon; a stream of changes delays it no further. */
  saveUISoon(after = saveAfter): void {
    const now = performance.now()
    const at = now + after + this.app.state.ui.draft.length / perMs
    if (this.saving !== null && this.saving.at <= at) return
    if (this.saving !== null) clearTimeout(this.saving.timer)
    this.saving = { at, timer: setTimeout(() => { this.saveUI() }, at - now) }
  }

  private saveUI(): void {
    this.app.attempt('Keep the tabs and the draft', () => this.saveUINow().then(() => { this.unsaved = false }, (error: unknown) => {
      const again = this.unsaved
      this.unsaved = true
      if (!again) this.saveUISoon(tryAgainAfter) // the next change retries, too
      else if (this.app.state.unrecorded === '') throw error // else the banner already says so
    }))
  }

  /** Resolves when it is durable. */
  private async saveUINow(): Promise<void> {
    this.saving = null
    const { ui, main, project } = this.app.state
    if (project !== null) await this.app.backend.call('setUI', { ui: { ...fitting(withPlaces(ui, this.app.docs.places())), view: viewOf(main) } })
  }

  /** Sends everything that Go does not have yet, because the page is about to close. */
  async leave(): Promise<void> {
    await Promise.all([this.app.docs.settled(), this.saveUINow()])
  }
}

function withPlaces(ui: UIState, places: ReadonlyMap<string, Omit<TabState, 'path'>>): UIState {
  return { ...ui, tabs: ui.tabs.map((t) => ({ ...t, ...places.get(t.path) })) }
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
