// The only editor on the screen, and the document that it shows. It exchanges the document's state and
// scroll position.

import { EditorSelection, EditorState, Text, type Transaction } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import type { Place } from './documents'
import type { LiveDoc, Scroll } from './live'
import { carryOver, toMoment } from './preview'
import { momentExtensions } from './setup'
import { typedHere } from './source'

export interface Watcher {
  /** Text, selection or decorations of the shown document changed. */
  updated?(view: EditorView, trs: readonly Transaction[]): void
  /** Whoever did it. */
  scrolled?(view: EditorView): void
  /** The user scrolled, moved the cursor or typed. */
  acted?(): void
  /** The model wrote in this document; it may be one that is not shown. */
  modelWrote?(doc: LiveDoc): void
  /** Another document, or none, is shown. */
  shows?(doc: LiveDoc | null): void
}

const scrolling = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const
const scrollKeys = new Set(['PageUp', 'PageDown', 'ArrowUp', 'ArrowDown', 'Home', 'End'])

/** A pointer counts on the scrollbar; in the text it makes a selection, which is reported by itself. */
function byUser(event: Event): boolean {
  if (event instanceof KeyboardEvent) return scrollKeys.has(event.key)
  return event.type !== 'pointerdown' || event.target === event.currentTarget
}

export class Screen {
  view: EditorView | null = null
  doc: LiveDoc | null = null
  private readonly watchers = new Set<Watcher>()
  private moment: string | null = null // path of the file whose past is shown
  private wanted: { doc: LiveDoc; place: Place; focus: boolean } | null = null

  constructor(private readonly typed: (doc: LiveDoc) => void) {}

  /** Mounts the editor; the returned function removes it. */
  attach(parent: HTMLElement): () => void {
    const view = new EditorView({ parent, dispatchTransactions: (trs, v) => { this.run(trs, v) } })
    this.view = view
    view.scrollDOM.addEventListener('scroll', () => { this.tell((w) => w.scrolled?.(view)) }, { passive: true })
    for (const event of scrolling) view.scrollDOM.addEventListener(event, (e) => { if (byUser(e)) this.acted() }, { passive: true })
    const doc = this.doc
    this.doc = null
    if (doc) this.show(doc)
    else view.dom.hidden = true
    return () => {
      const shown = this.doc
      this.leave()
      view.destroy()
      this.view = null
      this.doc = shown // for the next editor
    }
  }

  watch(watcher: Watcher): () => void {
    this.watchers.add(watcher)
    return () => this.watchers.delete(watcher)
  }

  private tell(what: (watcher: Watcher) => void): void {
    for (const watcher of this.watchers) what(watcher)
  }

  private run(trs: readonly Transaction[], view: EditorView): void {
    view.update(trs)
    const doc = this.doc
    if (doc === null || this.moment !== null) return
    let typed = false
    for (const tr of trs) {
      if (!typedHere(tr)) continue
      doc.client.typed(tr.changes, tr.startState.doc)
      typed = true
    }
    if (typed) this.typed(doc)
    this.tell((w) => w.updated?.(view, trs))
    if (typed || trs.some((tr) => tr.isUserEvent('select'))) this.acted()
  }

  private acted(): void {
    this.tell((w) => w.acted?.())
  }

  show(doc: LiveDoc | null): void {
    if (doc === this.doc && this.moment === null) return
    this.leave()
    this.doc = doc
    const view = this.view
    if (view === null) return
    view.dom.hidden = doc === null
    if (doc !== null) this.enter(doc, view)
    this.tell((w) => w.shows?.(doc))
  }

  private enter(doc: LiveDoc, view: EditorView): void {
    view.setState(doc.state)
    doc.shown = view
    this.placeAt(view, doc.scroll)
    if (this.wanted?.doc === doc) {
      const { place, focus } = this.wanted
      this.reveal(doc, place, focus)
    }
  }

  private placeAt(view: EditorView, scroll: Scroll): void {
    const at = Math.min(scroll.top, view.state.doc.length)
    view.dispatch({ effects: EditorView.scrollIntoView(at, { y: 'start', yMargin: -scroll.offset }) })
  }

  private leave(): void {
    const { view, doc } = this
    if (view === null) return
    if (this.moment !== null) this.leaveMoment(view)
    else if (doc !== null) doc.hide(view.state, this.scrolled(view))
    this.doc = null
  }

  /** The live document waits, scrolled like its past. */
  private leaveMoment(view: EditorView): void {
    const { top, offset } = this.scrolled(view)
    if (this.doc?.path === this.moment) this.doc.scroll = { top: carryOver(top, view.state.doc, this.doc.state.doc), offset }
    this.moment = null
  }

  /** Stores the document's scroll position. */
  remember(): void {
    const { view, doc } = this
    if (view === null || doc === null || this.moment !== null || view.dom.hidden) return
    doc.scroll = this.scrolled(view)
  }

  /** The first visible line, and how far its text is above the edge: what scrollIntoView restores. */
  private scrolled(view: EditorView): Scroll {
    const height = view.scrollDOM.scrollTop - view.documentPadding.top
    const block = view.lineBlockAtHeight(height)
    const text = view.coordsAtPos(block.from, 1)
    const offset = text ? view.scrollDOM.getBoundingClientRect().top - text.top : height - block.top
    return { top: block.from, offset: Math.round(offset) }
  }

  /** Shows the file as it was. The live document continues in the background. */
  showMoment(path: string, text: Text | null): void {
    const { view } = this
    if (view === null) return
    const entering = this.moment !== path
    if (entering) this.enterMoment(path, view)
    view.dispatch(toMoment(view.state, path, text ?? Text.empty, entering))
  }

  private enterMoment(path: string, view: EditorView): void {
    if (this.moment !== null || this.doc?.path !== path) {
      const { doc } = this
      this.leave()
      this.doc = doc
      view.setState(doc?.path === path ? doc.state : EditorState.create({ extensions: momentExtensions() }))
    } else {
      this.doc.hide(view.state, this.scrolled(view))
    }
    view.dom.hidden = false
    this.moment = path
  }

  /** Back to the live document. */
  showNow(): void {
    const { doc, view } = this
    if (this.moment === null || view === null) return
    this.leave()
    this.doc = doc
    view.dom.hidden = doc === null
    if (doc !== null) this.enter(doc, view)
    this.tell((w) => w.shows?.(doc))
  }

  modelWrote(doc: LiveDoc): void {
    this.tell((w) => w.modelWrote?.(doc))
  }

  reveal(doc: LiveDoc, place: Place, focus: boolean): void {
    const { view } = this
    if (view === null || doc !== this.doc || this.moment !== null) {
      this.wanted = { doc, place, focus }
      return
    }
    this.wanted = null
    const line = view.state.doc.line(Math.max(1, Math.min(place.line, view.state.doc.lines)))
    const anchor = Math.min(line.to, line.from + place.column)
    const head = Math.min(view.state.doc.length, anchor + place.length)
    view.dispatch({
      selection: EditorSelection.single(anchor, head),
      effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
    })
    if (focus) view.focus()
  }

  focus(): void {
    this.view?.focus()
  }
}
