// A past moment in the editor. Its state is derived from the live one by transactions, so that the
// parse tree, the drawn lines and the scroll position carry over; the live state stays in its LiveDoc.

import { ChangeSet, EditorState, StateEffect, StateField, type Text, type TransactionSpec } from '@codemirror/state'
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view'
import { setHunks } from './hunks'
import { caretGone } from './marks'
import { replacements, type Replacement } from './lines'
import { access, blaming } from './setup'
import { goAnnotations } from './source'

const changed = StateEffect.define<readonly Replacement[]>()
const mark = Decoration.mark({ class: 'cm-moment' })

/** The difference to the moment shown before. */
const momentMarks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, tr) {
    const now = tr.effects.find((effect) => effect.is(changed))
    return now ? marksOf(now.value) : value.map(tr.changes)
  },
  provide: (field) => EditorView.decorations.from(field),
})

function marksOf(list: readonly Replacement[]): DecorationSet {
  let shift = 0 // offset between the text before and this one
  const ranges = list.map(({ from, to, insert }) => {
    const at = from + shift
    shift += insert.length - (to - from)
    return { from: at, to: at + insert.length }
  })
  return Decoration.set(ranges.filter((r) => r.to > r.from).map((r) => mark.range(r.from, r.to)))
}

const look = EditorView.baseTheme({
  '.cm-moment': { backgroundColor: 'color-mix(in srgb, var(--accent) 13%, transparent)', borderRadius: '2px', '--code-com': 'var(--text-2)' }, // comments stay legible on the tint
})

/** Removes what belongs to the present. */
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
export function toMoment(state: EditorState, path: string, text: Text, entering: boolean): TransactionSpec {
  const changes = replacements(state.doc, text)
  return { changes, effects: entering ? entered(path) : [changed.of(changes)], annotations: goAnnotations }
}

/** Maps a position of one text to another one. */
export function carryOver(at: number, from: Text, to: Text): number {
  return ChangeSet.of([...replacements(from, to)], from.length).mapPos(Math.min(at, from.length))
}
