// Colours for languages without a grammar here: Go's spans, requested when the text has not changed for a
// moment, and mapped while it changes.

import { StateEffect, StateField, type Text } from '@codemirror/state'
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view'
import type { App } from '../app'
import type { Span } from '../protocol'
import { heavy } from './grammars'
import { languageOf } from './languages'
import type { LiveDoc } from './live'
import type { Watcher } from './screen'

const stillFor = 250 // ms
const largest = 300_000 // UTF-16 units

const setSpans = StateEffect.define<readonly Span[]>()
const classes = new Map<string, Decoration>()

function markOf(name: string): Decoration {
  const known = classes.get(name)
  if (known) return known
  const mark = Decoration.mark({ class: `cm-span-${name}` })
  classes.set(name, mark)
  return mark
}

export const spanColours = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, tr) {
    value = value.map(tr.changes)
    for (const effect of tr.effects) {
      if (!effect.is(setSpans)) continue
      value = Decoration.set(effect.value.filter(([from, to]) => to > from && to <= tr.newDoc.length).map(([from, to, name]) => markOf(name).range(from, to)), true)
    }
    return value
  },
  provide: (field) => EditorView.decorations.from(field),
})

export class SpanReader implements Watcher {
  private timer: ReturnType<typeof setTimeout> | undefined
  private asked: AbortController | null = null
  private coloured = new WeakMap<LiveDoc, Text>() // the text that has its colours
  private readonly unwatch: () => void

  constructor(private readonly app: App) {
    this.unwatch = app.docs.screen.watch(this)
    this.shows(app.docs.screen.doc)
  }

  stop(): void {
    this.unwatch()
    clearTimeout(this.timer)
    this.asked?.abort()
  }

  shows(doc: LiveDoc | null): void {
    clearTimeout(this.timer)
    if (doc) this.read(doc)
  }

  updated(): void {
    const doc = this.app.docs.screen.doc
    if (doc === null || this.coloured.get(doc) === doc.state.doc || languageOf(doc.path).load !== null) return
    clearTimeout(this.timer)
    this.timer = setTimeout(() => { this.read(doc) }, stillFor)
  }

  private read(doc: LiveDoc): void {
    const text = doc.state.doc
    if (languageOf(doc.path).load !== null || text.length === 0 || text.length > largest || this.coloured.get(doc) === text || heavy(text)) return
    this.asked?.abort()
    const asked = new AbortController()
    this.asked = asked
    this.app.backend.read('spans', { path: doc.path, text: text.toString() }, asked.signal).then(
      ({ spans }) => {
        if (doc.state.doc !== text) return // the next pause asks again
        this.coloured.set(doc, text)
        doc.update({ effects: setSpans.of(spans) })
      },
      () => undefined, // plain text is readable, too
    )
  }
}

export const spanLook = EditorView.baseTheme({
  '.cm-span-kw': { color: 'var(--code-kw)' },
  '.cm-span-str': { color: 'var(--code-str)' },
  '.cm-span-num': { color: 'var(--code-num)' },
  '.cm-span-com': { color: 'var(--code-com)' },
  '.cm-span-fn': { color: 'var(--code-fn)' },
  '.cm-span-typ, .cm-span-tag': { color: 'var(--code-typ)' },
  '.cm-span-op, .cm-span-pun': { color: 'var(--code-op)' },
  '.cm-span-att': { color: 'var(--code-num)' },
})
