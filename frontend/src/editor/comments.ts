// What reviews found, as comments below its lines in the text.

import { StateEffect, StateField, type EditorState } from '@codemirror/state'
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view'
import { decide, fix } from '../actions/findings'
import type { App } from '../app'
import type { Finding } from '../protocol'
import { busy } from '../state/state'
import { cut, oneLine, visible } from '../visible'
import { decidedText, fixText, severityName } from '../views/conversation/finding'
import type { LiveDoc } from './live'
import type { Watcher } from './screen'

interface Shown {
  readonly app: App
  readonly list: readonly Finding[]
}

const setComments = StateEffect.define<Shown>()

const comments = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, tr) {
    let next = value.map(tr.changes)
    for (const effect of tr.effects) if (effect.is(setComments)) next = drawn(effect.value, tr.state)
    return next
  },
  provide: (field) => EditorView.decorations.from(field),
})

function drawn({ app, list }: Shown, state: EditorState): DecorationSet {
  const known = list.filter((f) => f.from > 0)
  return Decoration.set(known.map((f) => {
    const line = state.doc.line(Math.min(f.to, state.doc.lines))
    return Decoration.widget({ widget: new CommentWidget(app, f), block: true, side: 1 }).range(line.to)
  }), true)
}

class CommentWidget extends WidgetType {
  constructor(private readonly app: App, private readonly finding: Finding) {
    super()
  }

  override eq(other: CommentWidget): boolean {
    return other.finding === this.finding
  }

  toDOM(): HTMLElement {
    const { app, finding } = this
    const outer = element('div', 'cm-comment-line') // its padding is measured; a margin would not be
    const box = element('div', `cm-comment cm-comment-${finding.severity}`)
    outer.append(box)
    box.setAttribute('role', 'note')
    box.setAttribute('aria-label', `${severityName[finding.severity]}: ${oneLine(finding.title)}`)
    box.append(
      element('span', 'cm-comment-severity', severityName[finding.severity]),
      element('span', 'cm-comment-title', visible(cut(finding.title, 300).text)),
      element('span', 'cm-comment-word', decidedText(finding)),
      this.button('Fix', fixText(finding), 'Fix the finding', () => (busy(app.state) ? Promise.resolve() : fix(app, finding))),
      ...(finding.state === 'open' ? [this.button('Accept', 'It is right; it stays until it is fixed', 'Accept the finding', () => decide(app, finding, 'accepted'))] : []),
      this.button('Dismiss', 'It is not right', 'Dismiss the finding', () => decide(app, finding, 'dismissed')),
    )
    if (finding.why !== '') box.append(element('div', 'cm-comment-why', visible(cut(finding.why, 600).text)))
    return outer
  }

  private button(text: string, title: string, doing: string, run: () => Promise<void>): HTMLElement {
    const button = element('button', 'cm-comment-button', text)
    button.setAttribute('type', 'button')
    button.title = title
    button.addEventListener('click', () => { this.app.attempt(doing, run) })
    return button
  }

  override ignoreEvent(): boolean {
    return true // its buttons are not the text's
  }

  override get estimatedHeight(): number {
    return this.finding.why === '' ? 28 : 48
  }
}

function element(tag: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(tag)
  made.className = className
  made.textContent = text
  return made
}

/** Keeps the comments of the shown document up to date. */
export class Commenter implements Watcher {
  private readonly stops: (() => void)[]

  constructor(private readonly app: App) {
    this.stops = [
      app.docs.screen.watch(this),
      app.store.subscribe((next, before) => { if (next.findings !== before.findings) this.show() }),
    ]
    this.show()
  }

  stop(): void {
    for (const stop of this.stops) stop()
  }

  shows(doc: LiveDoc | null): void {
    if (doc !== null) this.show()
  }

  private show(): void {
    const doc = this.app.docs.screen.doc
    if (doc === null) return
    const list = this.app.state.findings.filter((f) => f.path === doc.path)
    if (list.length > 0 || doc.state.field(comments).size > 0) doc.update({ effects: setComments.of({ app: this.app, list }) })
  }
}

const look = EditorView.baseTheme({
  '.cm-comment-line': { padding: '2px 16px 4px 10px' },
  '.cm-comment': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'baseline',
    gap: '0 8px',
    padding: '2px 6px 3px 9px',
    maxWidth: '86ch',
    borderLeft: '3px solid var(--text-3)',
    borderRadius: '3px',
    background: 'var(--sunken)',
    color: 'var(--text-2)',
    font: 'var(--size-small)/1.5 var(--font-ui)',
    whiteSpace: 'pre-wrap',
    userSelect: 'text',
  },
  '.cm-comment-error': { borderLeftColor: 'var(--danger)' },
  '.cm-comment-warning': { borderLeftColor: 'var(--warning)' },
  '.cm-comment-severity': { fontWeight: '600' },
  '.cm-comment-error .cm-comment-severity': { color: 'var(--danger)' },
  '.cm-comment-warning .cm-comment-severity': { color: 'var(--warning)' },
  '.cm-comment-title': { flex: '1 1 24ch', minWidth: '0', color: 'var(--text)', overflowWrap: 'anywhere' },
  '.cm-comment-word:empty': { display: 'none' },
  '.cm-comment-button': { minHeight: '24px', padding: '0 6px', borderRadius: '4px', color: 'var(--accent)' },
  '.cm-comment-button:hover': { background: 'var(--hover)' },
  '.cm-comment-why': { flexBasis: '100%', overflowWrap: 'anywhere' },
})

export const reviewComments = [comments, look]
