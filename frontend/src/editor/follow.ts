// The pane follows the model: to the file that it writes in, and down as it
// writes. It yields as soon as the user scrolls, moves the cursor or types.

import type { EditorView } from '@codemirror/view'
import { closeTab, keepTab, openPassing } from '../actions/files'
import type { App } from '../app'
import { busy, type State } from '../state/state'
import { nextTop } from './glide'
import type { LiveDoc } from './live'
import { marks, modelCaret } from './marks'
import type { Watcher } from './screen'

const stay = 250 // ms at least in a file; a faster model's files are passed over

const stillness = matchMedia('(prefers-reduced-motion: reduce)')

export class Follow implements Watcher {
  private hopping: ReturnType<typeof setTimeout> | undefined
  private hopped = 0
  private bound = '' // the file that following went to last; '' once the user went to another
  private at = '' // where the model was last
  private top = 0 // of the scroller, as last heard: reading it would force a layout
  private height = 0
  private moving = false
  private gliding = 0 // the frame asked for
  private readonly sizes: ResizeObserver
  private readonly stops: (() => void)[]

  constructor(private readonly app: App, private readonly view: EditorView) {
    this.sizes = new ResizeObserver(() => { this.height = view.scrollDOM.clientHeight })
    this.sizes.observe(view.scrollDOM)
    this.stops = [
      app.store.subscribe((next, before) => { this.changed(next, before) }),
      app.docs.screen.watch(this),
    ]
  }

  stop(): void {
    for (const stop of this.stops) stop()
    this.sizes.disconnect()
    clearTimeout(this.hopping)
    cancelAnimationFrame(this.gliding)
  }

  private get on(): boolean {
    return this.app.state.ui.follow && this.app.state.ui.at === null
  }

  private changed(next: State, before: State): void {
    if (next.ui.active !== before.ui.active && next.ui.active !== this.bound) this.left()
    if (next.turn?.turn !== before.turn?.turn && busy(next)) this.began()
    const path = next.turn?.live.path ?? ''
    if (busy(next) && path !== '' && (path !== this.at || next.ui.follow && !before.ui.follow)) {
      this.at = path
      this.hopSoon()
    }
  }

  /** A request from outside the editor is watched; one that finds the user typing is not. */
  private began(): void {
    this.at = ''
    if (!this.view.hasFocus) this.app.store.dispatch({ type: 'ui', ui: { follow: true } })
    for (const tab of this.app.state.ui.tabs) {
      if (tab.passing && tab.path !== this.app.state.ui.active) this.app.attempt(`Close ${tab.path}`, () => closeTab(this.app, tab.path))
    }
  }

  /** The user chose a file: a hop that is due would take it away again, also right after the turn's end. */
  private left(): void {
    this.bound = ''
    clearTimeout(this.hopping)
    this.hopping = undefined
  }

  private hopSoon(): void {
    if (!this.on || this.hopping !== undefined) return
    const wait = Math.max(0, this.hopped + stay - performance.now())
    this.hopping = setTimeout(() => {
      this.hopping = undefined
      const to = this.at
      if (!this.on || to === '' || to === this.app.state.ui.active) return
      this.hopped = performance.now()
      this.bound = to
      this.app.attempt(`Follow the model to ${to}`, () => openPassing(this.app, to, () => this.on && this.bound === to))
    }, wait)
  }

  acted(): void {
    keepTab(this.app, this.app.state.ui.active)
    if (this.on && busy(this.app.state)) this.app.store.dispatch({ type: 'ui', ui: { follow: false } })
  }

  scrolled(view: EditorView): void {
    this.top = view.scrollDOM.scrollTop
  }

  shows(doc: LiveDoc | null): void {
    this.top = this.view.scrollDOM.scrollTop
    if (doc?.path === this.at) this.glide()
  }

  modelWrote(doc: LiveDoc): void {
    if (doc.shown === this.view) this.glide()
  }

  private glide(): void {
    if (!this.on || !busy(this.app.state) || this.gliding !== 0) return
    this.gliding = requestAnimationFrame(() => {
      this.gliding = 0
      this.step()
    })
  }

  /**
   * Where the model writes in the shown file; in one that was opened after that,
   * where its edit begins. When the turn is over, the pane stays where it is.
   */
  private writesAt(): number | null {
    const caret = modelCaret(this.view.state.field(marks, false))
    if (caret !== null || !busy(this.app.state) || this.at !== this.app.state.ui.active) return caret
    const hunk = this.app.state.turn?.parts.findLast((p) => p.kind === 'hunk' && p.path === this.at)
    if (hunk?.kind !== 'hunk' || hunk.line < 1) return null
    const { doc } = this.view.state
    return doc.line(Math.min(hunk.line, doc.lines)).from
  }

  private step(): void {
    const at = this.writesAt()
    if (at === null || !this.on) return
    const line = this.view.lineBlockAt(at)
    const pane = { top: this.top, height: this.height, moving: this.moving, jumps: stillness.matches }
    const next = nextTop(pane, line.top + this.view.documentPadding.top)
    this.moving = next?.more ?? false
    if (next === null) return
    this.top = next.top
    this.view.scrollDOM.scrollTop = next.top
    if (next.more) this.glide()
  }
}
