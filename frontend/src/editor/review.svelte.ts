// Keeps the shown document's hunks up to date, and tells the bar over the pane which one is current, and
// where it is.

import type { EditorView } from '@codemirror/view'
import type { Transaction } from '@codemirror/state'
import { goToHunk } from '../actions/review'
import type { App } from '../app'
import type { ReviewHunk } from '../protocol'
import { busy } from '../state/state'
import { inNextFrame } from './frame'
import { hunkAt, hunks, setActive, setHunks, showRemoved, type Hunk } from './hunks'
import type { LiveDoc } from './live'
import type { Watcher } from './screen'
import { along } from './versions'

const againAfter = 300 // ms, when an answer came for an old version
const mostWaits = 60 // frames to wait for a version that Go already has

/** The current hunk, for the bar. */
export interface Look {
  readonly hunk: Hunk
  readonly index: number
  readonly count: number
  readonly together: string // what is accepted and reverted with it
  readonly top: number // px below the pane's top
}

export class Reviewer implements Watcher {
  look = $state.raw<Look | null>(null)
  private asked: AbortController | null = null
  private again: ReturnType<typeof setTimeout> | undefined
  private placing = false
  private readonly stops: (() => void)[]

  constructor(private readonly app: App, private readonly view: EditorView) {
    this.stops = [
      app.docs.screen.watch(this),
      app.store.subscribe((next, before) => {
        if (next.review !== before.review) this.read()
        if (next.ui.removed !== before.ui.removed) this.showRemoved()
      }),
    ]
    this.shows(app.docs.screen.doc)
  }

  stop(): void {
    for (const stop of this.stops) stop()
    this.asked?.abort()
    clearTimeout(this.again)
  }

  shows(doc: LiveDoc | null): void {
    this.look = null
    if (doc === null) return
    this.showRemoved()
    this.read()
  }

  private showRemoved(): void {
    const doc = this.app.docs.screen.doc
    const { removed } = this.app.state.ui
    if (doc && doc.state.field(hunks).shown !== removed) doc.update({ effects: showRemoved.of(removed) })
  }

  private read(): void {
    const doc = this.app.docs.screen.doc
    clearTimeout(this.again)
    this.asked?.abort()
    if (doc === null) return
    const asked = new AbortController()
    this.asked = asked
    doc.hunksKnown = false
    this.app.backend.read('review', { path: doc.path }, asked.signal).then(
      (answer) => { if (!asked.signal.aborted) this.place(doc, answer.version, answer.hunks, mostWaits) },
      () => { if (!asked.signal.aborted) doc.hunksKnown = true }, // the list of all files reports the error
    )
  }

  /** The hunks of a version at their current places; an empty list needs no version. */
  private place(doc: LiveDoc, version: number, found: readonly ReviewHunk[], waits: number): void {
    if (this.app.docs.screen.doc !== doc) return
    const lead = found.length === 0 ? [] : doc.versions.lead(version, doc.client)
    if (lead === 'later' && waits > 0) {
      inNextFrame(() => { this.place(doc, version, found, waits - 1) })
      return
    }
    if (lead === null || lead === 'later') {
      this.again = setTimeout(() => { this.read() }, againAfter)
      return
    }
    const { length } = doc.state.doc
    const list = found.map(({ edits, place, from, to, removed, partial }) => {
      const start = Math.min(along(from, lead, 1), length)
      return { id: `${edits.join()}.${String(place)}`, edits, from: start, to: Math.min(length, Math.max(start, along(to, lead, -1))), removed, partial }
    })
    list.sort((a, b) => a.from - b.from)
    doc.update({ effects: setHunks.of({ list, running: busy(this.app.state) }) })
    doc.hunksKnown = true
    goToHunk(this.app, doc)
  }

  updated(view: EditorView, trs: readonly Transaction[]): void {
    if (trs.some((tr) => tr.selection !== undefined || tr.effects.some((e) => e.is(setHunks)))) this.underCursor(view)
    this.placeSoon()
  }

  scrolled(): void {
    this.placeSoon()
  }

  private underCursor(view: EditorView): void {
    const found = hunkAt(view.state, view.state.selection.main.head)?.id ?? null
    if (found !== view.state.field(hunks).active) queueMicrotask(() => { view.dispatch({ effects: setActive.of(found) }) })
  }

  private placeSoon(): void {
    if (this.placing || this.look === null && this.view.state.field(hunks, false)?.active == null) return
    this.placing = true
    inNextFrame(() => {
      this.placing = false
      this.look = this.lookNow()
    })
  }

  private lookNow(): Look | null {
    const value = this.view.state.field(hunks, false)
    const index = value?.list.findIndex((h) => h.id === value.active) ?? -1
    const hunk = value?.list[index]
    if (!value || !hunk) return null
    const { scrollTop, clientHeight } = this.view.scrollDOM
    const { documentPadding, state } = this.view
    const first = this.view.lineBlockAt(hunk.from).top + documentPadding.top - scrollTop
    const last = this.view.lineBlockAt(Math.min(hunk.to, state.doc.length)).bottom + documentPadding.top - scrollTop
    if (last < 0 || first > clientHeight) return null
    return { hunk, index, count: value.list.length, together: inWords(value.list, hunk), top: Math.max(4, Math.min(first, clientHeight - 40)) }
  }
}

/** Says how much is decided with a hunk, if that is more than one edit in one place. */
export function inWords(list: readonly Hunk[], hunk: Hunk): string {
  const places = list.filter((h) => h.edits.join() === hunk.edits.join()).length
  const edits = hunk.edits.length > 1 ? [`${String(hunk.edits.length)} edits`] : []
  return [...edits, ...(places > 1 ? [`${String(places)} places`] : [])].join(' in ')
}
