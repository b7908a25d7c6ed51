// Files whose lines end with "\r\n". The "\r" stays in the text, so that offsets equal Go's, but the
// user never notices: it is not drawn, the cursor does not stop before the "\n", and typed or pasted
// text gets the file's line ends.

import { EditorSelection, EditorState, Facet, Prec, RangeSet, RangeValue, type ChangeSpec, type Extension, type Text, type Transaction, type TransactionSpec } from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from '@codemirror/view'
import { typedHere } from './source'

export type Eol = '\n' | '\r\n' | 'mixed'

/** The line end of the file. */
export const eol = Facet.define<Eol, Eol>({ combine: (values) => values[0] ?? '\n' })

/** The line end of a text. */
export function eolOf(text: string): Eol {
  let at = text.indexOf('\n')
  if (at < 0) return '\n'
  const first = text[at - 1] === '\r'
  for (; at >= 0; at = text.indexOf('\n', at + 1)) if ((text[at - 1] === '\r') !== first) return 'mixed'
  return first ? '\r\n' : '\n'
}

/** The changes that repair line ends around the changes of tr; positions after tr. */
export function lineEndFixes(tr: Transaction): readonly { from: number; to: number; insert: string }[] {
  const fixes: { from: number; to: number; insert: string }[] = []
  const before = tr.startState.doc
  const after = tr.newDoc
  tr.changes.iterChanges((fromA, toA, fromB, toB, inserted) => {
    for (let i = 1, at = fromB; i < inserted.lines; i++) {
      const line = inserted.line(i)
      at = fromB + line.to
      if (charAt(after, at - 1) !== '\r') fixes.push({ from: at, to: at, insert: '\r' })
    }
    const onlyReturn = toA - fromA === 1 && charAt(before, fromA) === '\r' && inserted.length === 0
    const cutReturn = toA > fromA && charAt(before, toA - 1) === '\r' && charAt(before, toA) === '\n' && charAt(after, toB - 1) !== '\r'
    if (onlyReturn && charAt(after, toB) === '\n') fixes.push({ from: toB, to: toB + 1, insert: '' }) // remove the whole line end
    else if (cutReturn && charAt(after, toB) === '\n') fixes.push({ from: toB, to: toB, insert: '\r' })
    const strayReturn = toA > fromA && charAt(before, fromA) === '\n' && charAt(before, fromA - 1) === '\r' && charAt(after, fromB - 1) === '\r' && charAt(after, fromB) !== '\n'
    if (strayReturn) fixes.push({ from: fromB - 1, to: fromB, insert: '' })
    const endsInReturn = inserted.length > 0 && charAt(after, toB - 1) === '\r' && charAt(after, toB) !== '\n'
    if (endsInReturn) fixes.push({ from: toB - 1, to: toB, insert: '' }) // the last line moved up, with its line end
  })
  return fixes.sort((a, b) => a.from - b.from)
}

function charAt(text: Text, at: number): string {
  return at < 0 || at >= text.length ? '' : text.sliceString(at, at + 1)
}

const fixTyped = EditorState.transactionFilter.of((tr): TransactionSpec | readonly TransactionSpec[] => {
  if (!typedHere(tr) || tr.isUserEvent('undo') || tr.isUserEvent('redo') || tr.startState.facet(eol) !== '\r\n') return tr
  const fixes: ChangeSpec[] = [...lineEndFixes(tr)]
  return fixes.length === 0 ? tr : [tr, { changes: fixes, sequential: true }]
})

/** Moves a position between "\r" and "\n" before both. */
function clear(doc: Text, at: number): number {
  return at > 0 && charAt(doc, at) === '\n' && charAt(doc, at - 1) === '\r' ? at - 1 : at
}

const clearSelection = EditorState.transactionFilter.of((tr): TransactionSpec | readonly TransactionSpec[] => {
  if (tr.startState.facet(eol) === '\n' || !tr.selection && !tr.docChanged) return tr
  const doc = tr.newDoc
  const { ranges } = tr.newSelection
  if (ranges.every((r) => clear(doc, r.anchor) === r.anchor && clear(doc, r.head) === r.head)) return tr
  const cleared = ranges.map((r) => EditorSelection.range(clear(doc, r.anchor), clear(doc, r.head), r.goalColumn))
  return [tr, { selection: EditorSelection.create(cleared, tr.newSelection.mainIndex), sequential: true }]
})

class ReturnWidget extends WidgetType {
  override eq(): boolean {
    return true
  }
  toDOM(): HTMLElement {
    const mark = document.createElement('span')
    mark.className = 'cm-specialChar'
    mark.textContent = 'CR'
    mark.title = mark.ariaLabel = 'carriage return'
    return mark
  }
}

const hidden = Decoration.replace({})
const shown = Decoration.replace({ widget: new ReturnWidget() })

class Atom extends RangeValue {}
const atom = new Atom()

/** Before "\n", "\r" is hidden and part of the line end; elsewhere it is shown. */
const returns = ViewPlugin.fromClass(
  class {
    drawn: DecorationSet = Decoration.none
    atoms: RangeSet<Atom> = RangeSet.of<Atom>([])
    constructor(view: EditorView) {
      this.look(view)
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged || update.startState.facet(eol) !== update.state.facet(eol)) this.look(update.view)
    }
    private look(view: EditorView): void {
      const drawn = []
      const atoms = []
      for (const { from, to } of view.visibleRanges) {
        for (const [at, ends] of returnsIn(view.state.doc, from, to)) {
          drawn.push((ends ? hidden : shown).range(at, at + 1))
          if (ends) atoms.push(atom.range(at, at + 2))
        }
      }
      this.drawn = Decoration.set(drawn)
      this.atoms = RangeSet.of(atoms)
    }
  },
  {
    decorations: (plugin) => plugin.drawn,
    provide: (plugin) => EditorView.atomicRanges.of((view) => view.plugin(plugin)?.atoms ?? RangeSet.empty),
  },
)

/** The places of "\r", and whether each ends its line. */
function* returnsIn(doc: Text, from: number, to: number): Generator<readonly [number, boolean]> {
  const text = doc.sliceString(from, Math.min(doc.length, to + 1))
  for (let i = text.indexOf('\r'); i >= 0 && from + i < to; i = text.indexOf('\r', i + 1)) yield [from + i, text[i + 1] === '\n']
}

export function lineEnds(of: Eol): Extension {
  return of === '\n' ? eol.of(of) : [eol.of(of), fixTyped, clearSelection, Prec.high(returns)]
}
