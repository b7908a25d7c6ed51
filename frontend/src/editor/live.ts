// One open document: this page's copy of Go's buffer. Its state is in the editor while the tab is
// shown, and here otherwise.

import { EditorState, Text, type ChangeSet, type StateEffect, type TransactionSpec } from '@codemirror/state'
import type { Doc, Update } from '../protocol'
import { eol, eolOf, lineEnds, type Eol } from './eol'
import { longLine } from './grammars'
import { removedNow } from './hunks'
import { takeIn, total, traces } from './incoming'
import { written } from './marks'
import { Client } from './rebase'
import { access, accessOf, documentExtensions, ends, grammar, wrapping } from './setup'
import { goAnnotations } from './source'
import { Versions } from './versions'

/** A tab's scroll position and selection. */
export interface Scroll {
  readonly top: number
  readonly offset: number
}

/** The editor, while it shows the document. */
export interface Shown {
  readonly state: EditorState
  dispatch(spec: TransactionSpec): void
}

export class LiveDoc {
  readonly client: Client
  readonly versions = new Versions()
  path: string
  doc: number // identifies the opening in Go
  shown: Shown | null = null
  accepted = false // Go accepted the push in flight; its own update follows
  wantsHunk: 'first' | 'last' | null = null // where to go when the hunks are known
  hunksKnown = false // for the newest review
  pushedAt = 0 // when the last push was sent, in ms
  asking = false // the connection was lost; the next update shows whether the push in flight arrived
  scroll: Scroll
  private hidden: EditorState
  private light = false

  constructor(doc: Doc, place: { top: number; offset: number; anchor: number; head: number } | undefined) {
    this.path = doc.path
    this.doc = doc.doc
    this.client = new Client(doc.version)
    const text = textOf(doc)
    const { length } = text
    const inside = (at: number): number => Math.max(0, Math.min(at, length))
    this.scroll = { top: inside(place?.top ?? 0), offset: place?.offset ?? 0 }
    this.hidden = EditorState.create({
      doc: text,
      selection: { anchor: inside(place?.anchor ?? 0), head: inside(place?.head ?? 0) },
      extensions: documentExtensions(doc, text),
    })
  }

  get state(): EditorState {
    return this.shown?.state ?? this.hidden
  }

  /** The editor shows another document; state is what it had. */
  hide(state: EditorState, scroll: Scroll): void {
    this.shown = null
    this.hidden = state
    this.scroll = scroll
  }

  update(spec: TransactionSpec): void {
    if (this.shown !== null) {
      this.shown.dispatch(spec)
      return
    }
    const tr = this.hidden.update(spec)
    this.hidden = tr.state
    if (tr.docChanged) this.scroll = { ...this.scroll, top: tr.changes.mapPos(this.scroll.top) }
  }

  /** The time that the push in flight has waited for its confirmation, in ms. */
  waited(): number {
    return this.client.settled ? 0 : performance.now() - this.pushedAt
  }

  /** Applies all updates in one transaction. */
  receive(updates: readonly Update[], version: number, followed = false): void {
    const before = this.state.doc
    const from = this.client.version
    const { steps, confirmed } = takeIn(this.client, updates, version)
    this.versions.took(from, version, confirmed)
    if (this.asking) this.client.returned() // a push that this answer does not contain was lost
    this.asking = false
    if (steps.length === 0) return
    const found = traces(before, steps)
    const gone = found.filter((t) => t.author === 'model' && t.removed !== '').map((t) => ({ at: t.from, text: t.removed }))
    const effects: StateEffect<unknown>[] = [written.of({ traces: found, at: performance.now(), followed })]
    if (gone.length > 0) effects.push(removedNow.of(gone))
    this.update({ changes: total(steps, before.length), effects, annotations: goAnnotations })
    if (found.some((t) => this.state.doc.lineAt(t.to).length > longLine)) this.lighten()
  }

  /** A line has become too long for colours and wrapping. */
  private lighten(): void {
    if (this.light) return
    this.light = true
    this.update({ effects: [grammar.reconfigure([]), wrapping.reconfigure([])] })
  }

  /** Replaces the document with Go's; unconfirmed typing stays, and may already be contained. */
  replace(doc: Doc, arrived: boolean | null): void {
    this.doc = doc.doc
    this.versions.forget()
    this.accepted = false
    this.asking = false
    const changes = this.client.replaced(textOf(doc), doc.version, this.state.doc, arrived)
    this.update({ changes, effects: [access.reconfigure(accessOf(doc)), ends.reconfigure(lineEnds(doc.eol))], annotations: goAnnotations })
  }

  /** Others may have changed the line ends: returns the new ones, or null. */
  lookAtEnds(): Eol | null {
    const now = eolOf(this.state.doc.toString())
    if (now === this.state.facet(eol)) return null
    this.update({ effects: ends.reconfigure(lineEnds(now)) })
    return now
  }

  follow(changes: ChangeSet): void {
    this.update({ changes, annotations: goAnnotations })
  }
}

/** Only "\n" ends a line, as in Go, so that offsets are equal. */
export function textOf(doc: Doc): Text {
  return Text.of(doc.text.split('\n'))
}
