// A file's two texts in CodeMirror's merge views, side by side or unified. The editors are as high
// as their text, and the list around them scrolls; they draw only the visible part, so that large
// diffs are cheap.

import { getChunks, MergeView, originalDocChangeEffect, unifiedMergeView, type Chunk } from '@codemirror/merge'
import { ChangeSet, Compartment, EditorState, Prec, Text, type Extension } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { eolOf, lineEnds } from '../editor/eol'
import { grammarFor } from '../editor/grammars'
import { specialCharacters } from '../editor/special'
import { theme } from '../editor/theme'
import { cutRemoved } from './cut'
import { middle } from './pieces'

export interface DiffEditor {
  chunks(): readonly Chunk[]
  /** How many removed lines are left out. */
  hidden(): number
  /** The line of the shown text at a height, as a position; null outside. */
  positionAt(y: number): number | null
  /** Where a chunk begins, in px of the window. */
  topOf(chunk: Chunk): number
  mark(chunk: Chunk | null): void
  update(before: string, after: string): void
  destroy(): void
}

export interface DiffTexts {
  readonly path: string
  readonly before: string
  readonly after: string
}

const diffConfig = { scanLimit: 500, timeout: 200 }
const collapseUnchanged = { margin: 3, minSize: 5 }

const look = Prec.highest(EditorView.theme({
  '&': { height: 'auto', backgroundColor: 'transparent', '--code-com': 'var(--text-2)' }, // comments stay legible on the tints
  '.cm-content': { padding: '0' },
  '.cm-gutters': { backgroundColor: 'transparent' },
  '.cm-scroller': { overflowX: 'auto' },
  '&.cm-merge-a .cm-changedLine, & .cm-deletedChunk': { backgroundColor: 'var(--removed-soft)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--added-soft)' },
  '&.cm-merge-a .cm-changedText, & .cm-deletedChunk .cm-deletedText': { background: 'color-mix(in srgb, var(--removed) 9%, transparent)', borderRadius: '2px' },
  '&.cm-merge-b .cm-changedText': { background: 'color-mix(in srgb, var(--added) 9%, transparent)', borderRadius: '2px' },
  '& .cm-deletedChunk': { paddingLeft: '10px' },
  '& .cm-deletedLine, & .cm-deletedLine del, & .cm-insertedLine': { textDecoration: 'none' },
  '&.cm-merge-a .cm-changedLineGutter, & .cm-deletedLineGutter': { background: 'var(--removed)' },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'var(--added)' },
  '& .cm-changeGutter': { width: '3px', paddingLeft: '0' },
  '& .cm-collapsedLines': { padding: '3px 14px', background: 'var(--sunken)', color: 'var(--text-3)', fontFamily: 'var(--font-ui)', fontSize: 'var(--size-small)', borderBlock: '1px solid var(--line)' },
  '& .cm-collapsedLines:hover': { color: 'var(--text)', background: 'var(--hover)' },
  '& .cm-collapsedLines:before, & .cm-collapsedLines:after': { content: '""' },
}))

function common(label: string, grammar: Extension): Extension {
  return [
    look, theme, grammar,
    EditorState.lineSeparator.of('\n'),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '-1' }),
    lineNumbers(), specialCharacters,
    EditorView.lineWrapping, // two texts side by side are narrow, and a change may be at the end of its line
  ]
}

const ends = new Compartment()

/** Line ends are not drawn if both texts have the same; otherwise they may be the change. */
function endsOf(before: string, after: string): Extension {
  const alike = [before, after].every((text) => text === '' || eolOf(text) === '\r\n')
  return alike ? lineEnds('\r\n') : []
}

/** whole: shows removed stretches of any length. */
export async function openDiff(host: HTMLElement, texts: DiffTexts, mode: 'side' | 'unified', whole: boolean): Promise<DiffEditor> {
  const grammar = (await grammarFor(texts.path, textOf(texts.after === '' ? texts.before : texts.after))) ?? []
  return mode === 'side' ? side(host, texts, grammar) : unified(host, texts, grammar, whole)
}

function textOf(text: string): Text {
  return Text.of(text.split('\n'))
}

function side(host: HTMLElement, texts: DiffTexts, grammar: Extension): DiffEditor {
  const extensions = (label: string): Extension => [common(label, grammar), ends.of(endsOf(texts.before, texts.after))]
  const view = new MergeView({
    a: { doc: textOf(texts.before), extensions: extensions(`${texts.path}, before`) },
    b: { doc: textOf(texts.after), extensions: extensions(`${texts.path}, after`) },
    parent: host, gutter: true, diffConfig, collapseUnchanged,
  })
  return {
    ...shared(view.b, host),
    chunks: () => view.chunks,
    hidden: () => 0,
    update(before, after) {
      replace(view.a, before)
      replace(view.b, after)
      for (const one of [view.a, view.b]) one.dispatch({ effects: ends.reconfigure(endsOf(before, after)) })
    },
    destroy: () => { view.destroy() },
  }
}

function unified(host: HTMLElement, texts: DiffTexts, grammar: Extension, whole: boolean): DiffEditor {
  const cut = (before: string, after: string): ReturnType<typeof cutRemoved> => (whole ? { before: textOf(before), hidden: 0 } : cutRemoved(textOf(before), textOf(after)))
  let shown = cut(texts.before, texts.after)
  const merge = unifiedMergeView({ original: shown.before, mergeControls: false, gutter: true, diffConfig, collapseUnchanged })
  const doc = textOf(texts.after)
  const view = new EditorView({ doc, extensions: [common(texts.path, grammar), ends.of(endsOf(texts.before, texts.after)), merge], parent: host })
  return {
    ...shared(view, host),
    chunks: () => getChunks(view.state)?.chunks ?? [],
    hidden: () => shown.hidden,
    update(before, after) {
      const next = cut(before, after)
      const change = middle(shown.before.toString(), next.before.toString())
      if (change) {
        const changes = ChangeSet.of(change, shown.before.length, '\n')
        view.dispatch({ effects: originalDocChangeEffect(view.state, changes) })
      }
      shown = next
      replace(view, after)
      view.dispatch({ effects: ends.reconfigure(endsOf(before, after)) })
    },
    destroy: () => { view.destroy() },
  }
}

function replace(view: EditorView, text: string): void {
  const change = middle(view.state.doc.toString(), text)
  if (change) view.dispatch({ changes: change })
}

/** The functions of both kinds, on the editor that shows the text after the change. */
function shared(view: EditorView, host: HTMLElement): Pick<DiffEditor, 'positionAt' | 'topOf' | 'mark'> {
  const marker = host.appendChild(document.createElement('div'))
  marker.className = 'current-change'
  marker.hidden = true
  const top = (position: number): number => view.documentTop + view.lineBlockAt(Math.min(position, view.state.doc.length)).top
  return {
    positionAt(y) {
      const height = y - view.documentTop
      return height < 0 || height > view.contentHeight ? null : view.lineBlockAtHeight(height).from
    },
    topOf: (chunk) => top(chunk.fromB),
    mark(chunk) {
      marker.hidden = chunk === null
      if (chunk === null) return
      const last = view.lineBlockAt(Math.min(chunk.endB, view.state.doc.length))
      const from = top(chunk.fromB)
      marker.style.top = `${String(from - host.getBoundingClientRect().top)}px`
      marker.style.height = `${String(Math.max(4, view.documentTop + (chunk.fromB === chunk.toB ? last.top : last.bottom) - from))}px`
    },
  }
}
