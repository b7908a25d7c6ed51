// A moment of the past in the editor. The shown state is derived from the live
// one by transactions, so that the parse tree, the drawn lines and the scroll
// position carry over; the live state waits untouched in its LiveDoc.

import { EditorState, StateEffect, StateField, Text, type TransactionSpec } from '@codemirror/state'
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view'
import { setHunks } from './hunks'
import { caretGone } from './marks'
import { span } from './rebase'
import { access, blaming } from './setup'
import { goAnnotations } from './source'

const changed = StateEffect.define<{ from: number; to: number } | null>()
const mark = Decoration.mark({ class: 'cm-moment' })

/** What differs from the moment shown before. */
const momentMarks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, tr) {
    value = value.map(tr.changes)
    for (const effect of tr.effects) {
      if (!effect.is(changed)) continue
      value = effect.value && effect.value.to > effect.value.from ? Decoration.set(mark.range(effect.value.from, effect.value.to)) : Decoration.none
    }
    return value
  },
  provide: (field) => EditorView.decorations.from(field),
})

const look = EditorView.baseTheme({
  '.cm-moment': { backgroundColor: 'color-mix(in srgb, var(--accent) 13%, transparent)', borderRadius: '2px', '--code-com': 'var(--text-2)' }, // comments stay legible on the tint
})

/** What belongs to now is left behind. */
function entered(path: string): StateEffect<unknown>[] {
  const past = access.reconfigure([
    EditorState.readOnly.of(true),
    EditorView.contentAttributes.of({ 'aria-label': `${path}, as it was`, 'aria-readonly': 'true', tabindex: '0' }),
    momentMarks,
    look,
  ])
  return [past, blaming.reconfigure([]), setHunks.of({ list: [], running: false }), caretGone.of(null)]
}

/** Leads from a state, live or of another moment, to this text. */
export function toMoment(state: EditorState, path: string, text: string, entering: boolean): TransactionSpec {
  const change = span(state.doc, Text.of(text.split('\n')))
  const effects = entering ? entered(path) : []
  if (!entering && change) effects.push(changed.of({ from: change.from, to: change.from + change.insert.length }))
  return { ...(change ? { changes: change } : {}), effects, annotations: goAnnotations }
}

/** Where a position of one text is in another one. */
export function carryOver(at: number, from: Text, to: Text): number {
  const change = span(from, to)
  if (change === null || at <= change.from) return Math.min(at, to.length)
  if (at >= change.to) return at + change.insert.length - (change.to - change.from)
  return Math.min(change.from + (at - change.from), change.from + change.insert.length)
}
