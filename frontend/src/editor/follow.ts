// The pane follows the model: to the file that it writes, and down as it writes. It stops as soon as
// the user scrolls, moves the cursor or types. If a turn ends before its file is read, or before it
// was seen at all, the pane still goes there, and shows where the turn began to change the file.

import type { EditorView } from '@codemirror/view'
import { closeTab, keepTab, openPassing } from '../actions/files'
import type { App } from '../app'
import type { HunkPart } from '../protocol'
import { busy, type Action, type State, type TurnView } from '../state/state'
import { nextTop } from './smoothscroll'
import type { LiveDoc } from './live'
import { marks, modelCaret } from './marks'
import type { Watcher } from './screen'

const stay = 250 // ms at least in a file; skips files of a faster model

const stillness = matchMedia('(prefers-reduced-motion: reduce)')

export class Follow implements Watcher {
  private hopping: ReturnType<typeof setTimeout> | undefined
  private hopped = 0
  private bound = '' // the file that following went to last; '' once the user chose another
  private at = '' // the model's last file
  private due: { readonly turn: number; readonly path: string } | null = null // a turn's first change of a file, to be shown
  private last: number | null = null // where the model wrote last in the shown file, until the pane is there
  private chose = false // the user chose a file while a request was in flight
  private known: number // edits up to this one are older than what is followed
  private top = 0 // scroll position from the last event: reading it would force a layout
  private height = 0
  private entered = true // another file is shown: earlier scroll events do not apply
  private moving = false
  private gliding = 0 // the requested frame
  private readonly sizes: ResizeObserver
  private readonly stops: (() => void)[]

  constructor(private readonly app: App, private readonly view: EditorView) {
    this.sizes = new ResizeObserver(() => { this.height = view.scrollDOM.clientHeight })
    this.sizes.observe(view.scrollDOM)
    this.known = app.state.head
    this.stops = [
      app.store.subscribe((next, before, action) => { this.changed(next, before, action) }),
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

  /** The file in the pane, which is the active one as soon as it is read. */
  private get shown(): string {
    return this.app.docs.screen.doc?.path ?? ''
  }

  private changed(next: State, before: State, action: Action): void {
    if (action.type === 'hello') this.known = next.head
    if (next.asking.sending && !before.asking.sending) this.chose = false
    if (next.ui.active !== before.ui.active && next.ui.active !== this.bound) this.left()
    const { turn } = next
    if (turn !== null && turn.turn !== before.turn?.turn && (busy(next) || this.isNews(turn))) this.began()
    const path = turn?.live.path ?? ''
    if (busy(next) && path !== '' && (path !== this.at || next.ui.follow && !before.ui.follow)) {
      this.at = path
      this.hopSoon()
    }
    if (turn?.outcome && turn.outcome !== before.turn?.outcome && this.isNews(turn)) this.ended(turn)
    if (this.due !== null && turn !== before.turn) this.smoothScroll() // the file may have been shown before its place was known
  }

  /** It changed something since the connection was made; the last turn before it is sent, too. */
  private isNews(turn: TurnView): boolean {
    return turn.outcome?.edits.some((edit) => edit > this.known) ?? false
  }

  /** A turn that was never seen writing. If the shown file is one that it changed, the pane stays. */
  private ended(turn: TurnView): void {
    if (this.at !== '' || this.chose || this.view.hasFocus) return
    const paths = changedBy(turn)
    const { active } = this.app.state.ui
    this.at = paths.includes(active) ? active : (paths[0] ?? '')
    this.hopSoon()
  }

  /** Follows a request from outside the editor, unless the user is typing. */
  private began(): void {
    this.at = ''
    this.due = this.last = null
    if (!this.view.hasFocus) this.app.store.dispatch({ type: 'ui', ui: { follow: true } })
    for (const tab of this.app.state.ui.tabs) {
      if (tab.passing && tab.path !== this.app.state.ui.active) this.app.attempt(`Close ${tab.path}`, () => closeTab(this.app, tab.path))
    }
  }

  /** The user chose a file: cancels a pending switch, which would leave it again. */
  private left(): void {
    this.bound = ''
    this.due = this.last = null
    this.chose = this.app.state.asking.sending
    clearTimeout(this.hopping)
    this.hopping = undefined
  }

  private hopSoon(): void {
    if (!this.on || this.at === '' || this.hopping !== undefined) return
    const wait = Math.max(0, this.hopped + stay - performance.now())
    this.hopping = setTimeout(() => {
      this.hopping = undefined
      const to = this.at
      if (!this.on || to === '') return
      this.due = { turn: this.app.state.turn?.turn ?? 0, path: to }
      if (to === this.app.state.ui.active) {
        this.smoothScroll()
        return
      }
      this.hopped = performance.now()
      this.bound = to
      this.app.attempt(`Follow the model to ${to}`, () => openPassing(this.app, to, () => this.on && this.bound === to))
    }, wait)
  }

  acted(): void {
    keepTab(this.app, this.app.state.ui.active)
    this.due = this.last = null
    if (this.on && busy(this.app.state)) this.app.store.dispatch({ type: 'ui', ui: { follow: false } })
  }

  scrolled(view: EditorView): void {
    this.entered = false
    this.top = view.scrollDOM.scrollTop
  }

  shows(doc: LiveDoc | null): void {
    this.moving = false
    this.last = null
    this.entered = true
    cancelAnimationFrame(this.gliding) // the editor first scrolls the file to its place, in the next frame
    this.gliding = 0
    if (doc?.path === this.at) this.smoothScroll()
  }

  modelWrote(doc: LiveDoc): void {
    if (doc.shown !== this.view) return
    this.last = modelCaret(this.view.state.field(marks, false))
    this.smoothScroll()
  }

  private smoothScroll(): void {
    if (!this.on || !busy(this.app.state) && this.dueLine() === null && this.last === null || this.gliding !== 0) return
    this.gliding = requestAnimationFrame(() => {
      this.gliding = 0
      this.step()
    })
  }

  /**
   * The place that the model is writing in the shown file; in a file that was opened later, the
   * beginning of its edit. When the turn is over, the pane stays, once it has shown where the turn
   * began, or is where it ended.
   */
  private writesAt(): number | null {
    if (!busy(this.app.state)) {
      return this.lineAt(this.dueLine()) ?? (this.last && Math.min(this.last, this.view.state.doc.length))
    }
    const caret = modelCaret(this.view.state.field(marks, false))
    if (caret !== null || this.at !== this.shown) return caret
    return this.lineAt(this.app.state.turn?.parts.findLast((p): p is HunkPart => p.kind === 'hunk' && p.path === this.at && p.line >= 1) ?? null)
  }

  /** The turn's first change in the shown file, until it was shown. */
  private dueLine(): HunkPart | null {
    const { turn } = this.app.state
    const { due, shown } = this
    if (due === null || due.path !== shown || due.turn !== turn?.turn) return null
    return turn.parts.find((p): p is HunkPart => p.kind === 'hunk' && p.path === shown && p.line >= 1) ?? null
  }

  private lineAt(hunk: HunkPart | null): number | null {
    const { doc } = this.view.state
    return hunk && doc.line(Math.min(hunk.line, doc.lines)).from
  }

  private step(): void {
    const at = this.writesAt()
    if (at === null || !this.on) return
    const line = this.view.lineBlockAt(at)
    if (this.entered) [this.top, this.height] = [this.view.scrollDOM.scrollTop, this.view.scrollDOM.clientHeight]
    this.entered = false
    const pane = { top: this.top, height: this.height, moving: this.moving, jumps: stillness.matches }
    const next = nextTop(pane, line.top + this.view.documentPadding.top)
    this.moving = next?.more ?? false
    if (!this.moving) this.due = this.last = null
    if (next === null) return
    this.top = next.top
    this.view.scrollDOM.scrollTop = next.top
    if (next.more) this.smoothScroll()
  }
}

/** The existing files that a turn changed, in its order. */
function changedBy(turn: TurnView): readonly string[] {
  const paths = new Set<string>()
  for (const part of turn.parts) {
    if (part.kind === 'hunk' && part.state !== 'refused') paths.add(part.path)
    if (part.kind !== 'file') continue
    if (part.what !== 'created') paths.delete(part.path)
    if (part.what !== 'deleted') paths.add(part.what === 'moved' ? part.to : part.path)
  }
  return [...paths]
}
