// The parts of every document's editor state.

import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension, type Text } from '@codemirror/state'
import {
  crosshairCursor,
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view'
import type { Doc } from '../protocol'
import { lineEnds } from './eol'
import { reviewComments } from './comments'
import { find } from './find'
import { reviewMarks } from './hunks'
import { authorMarks } from './marks'
import { indentation } from './indentation'
import { specialCharacters } from './special'
import { spanColours, spanLook } from './spans'
import { theme } from './theme'

/** The parts that may change while a document is open. */
export const access = new Compartment()
export const ends = new Compartment()
export const grammar = new Compartment()
export const wrapping = new Compartment()
export const blaming = new Compartment()

type Access = Pick<Doc, 'path' | 'kind' | 'why'>

/** Whether it can be edited, and its name for screen readers. */
export function accessOf(doc: Access): Extension {
  const fixed = doc.kind !== 'text' || doc.why !== ''
  return [
    EditorState.readOnly.of(fixed),
    EditorView.contentAttributes.of({ 'aria-label': doc.path, 'aria-readonly': String(fixed), tabindex: '0' }),
  ]
}

// The palette has these keys: going to a line, and finding in the project.
const keysElsewhere = new Set(['Mod-g', 'Mod-Alt-g', 'Mod-Enter'])

const keys = keymap.of([
  ...closeBracketsKeymap,
  ...defaultKeymap.filter((k) => !keysElsewhere.has(k.key ?? '')),
  ...searchKeymap.filter((k) => !keysElsewhere.has(k.key ?? '')),
  ...historyKeymap,
  ...foldKeymap,
  indentWithTab, // Esc, then Tab leaves the editor
])

const common: Extension = [
  EditorState.lineSeparator.of('\n'), // as in Go: a "\r" belongs to its line
  EditorState.allowMultipleSelections.of(true),
  lineNumbers(),
  foldGutter(),
  spanColours,
  spanLook,
  reviewMarks,
  reviewComments,
  specialCharacters,
  history(),
  drawSelection(),
  dropCursor(),
  rectangularSelection(),
  crosshairCursor(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  highlightSelectionMatches({ minSelectionLength: 2 }), // for the word at the cursor it would search in every frame of a stream
  find,
  authorMarks,
  theme,
  keys,
]

export function documentExtensions(doc: Doc, text: Text): Extension {
  return [blaming.of([]), common, access.of(accessOf(doc)), ends.of(lineEnds(doc.eol)), indentation(text, doc.path), grammar.of([]), wrapping.of([])]
}

/** For a file that is shown as it was, and is not open now. */
export function momentExtensions(): Extension {
  return [blaming.of([]), common, access.of([]), ends.of(lineEnds('mixed')), grammar.of([]), wrapping.of([])]
}
