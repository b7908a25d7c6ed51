// The look of code, made only of the page's CSS variables, so that a theme or a font size changes without a
// new editor state.

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags as t } from '@lezer/highlight'

const highlight = HighlightStyle.define([
  { tag: [t.keyword, t.modifier, t.operatorKeyword, t.controlKeyword, t.definitionKeyword, t.moduleKeyword, t.self], color: 'var(--code-kw)' },
  { tag: [t.string, t.special(t.string), t.regexp, t.character, t.attributeValue], color: 'var(--code-str)' },
  { tag: [t.number, t.bool, t.null, t.atom, t.escape, t.color, t.unit], color: 'var(--code-num)' },
  { tag: [t.comment, t.lineComment, t.blockComment, t.docComment, t.meta, t.processingInstruction], color: 'var(--code-com)' },
  { tag: [t.function(t.variableName), t.function(t.propertyName), t.definition(t.function(t.variableName)), t.macroName, t.labelName], color: 'var(--code-fn)' },
  { tag: [t.typeName, t.className, t.namespace, t.tagName, t.standard(t.typeName)], color: 'var(--code-typ)' },
  { tag: [t.operator, t.punctuation, t.bracket, t.separator, t.derefOperator], color: 'var(--code-op)' },
  { tag: t.heading, color: 'var(--code-kw)', fontWeight: '600' },
  { tag: [t.link, t.url], color: 'var(--code-fn)' },
  { tag: t.emphasis, fontStyle: 'italic' },
  { tag: t.strong, fontWeight: '600' },
  { tag: t.strikethrough, textDecoration: 'line-through' },
])

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: 'var(--size)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-code)', lineHeight: '1.55', fontVariantLigatures: 'none' },
  '.cm-content': { padding: '8px 0 40vh', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 24px 0 10px' },
  '.cm-cursor, .cm-dropCursor': { borderLeft: '2px solid var(--accent)', marginLeft: '-1px' },
  '.cm-selectionBackground': { background: 'color-mix(in srgb, var(--accent) 14%, transparent) !important' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { background: 'color-mix(in srgb, var(--accent) 24%, transparent) !important' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--text) 3.5%, transparent)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--text-3)', border: 'none', fontSize: 'calc(var(--size) - 1px)' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 6px 0 14px', minWidth: '44px', fontVariantNumeric: 'tabular-nums' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '.cm-foldGutter .cm-gutterElement': { width: '14px', textAlign: 'center', cursor: 'default', opacity: '0' },
  '.cm-gutters:hover .cm-foldGutter .cm-gutterElement, .cm-foldGutter .cm-folded': { opacity: '1' },
  '.cm-foldPlaceholder': { background: 'var(--sunken)', border: '1px solid var(--line)', borderRadius: '4px', color: 'var(--text-2)', padding: '0 6px', margin: '0 2px' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { background: 'color-mix(in srgb, var(--accent) 16%, transparent)', outline: '1px solid color-mix(in srgb, var(--accent) 45%, transparent)', borderRadius: '2px' },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { background: 'var(--danger-soft)', color: 'var(--danger)' },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--text) 8%, transparent)', borderRadius: '2px' },
  '.cm-fresh .cm-selectionMatch, .cm-hunk-active .cm-selectionMatch, .cm-selectionMatch:has(.cm-hunk-active)': { backgroundColor: 'transparent', borderRadius: '0', boxShadow: 'inset 0 -1px var(--text-3)' }, // a tint over a tint would be too dark to read on
  '.cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--warning) 26%, transparent)', borderRadius: '2px' },
  '.cm-searchMatch-selected': { backgroundColor: 'color-mix(in srgb, var(--warning) 50%, transparent)', outline: '1px solid var(--warning)' },
  '.cm-specialChar': { color: 'var(--danger)', background: 'var(--danger-soft)', borderRadius: '3px', padding: '0 1px', fontSize: '0.85em' },
  '.cm-panels': { background: 'var(--surface)', color: 'var(--text)', font: 'var(--size-small)/1.4 var(--font-ui)', zIndex: '6' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-tooltip': { background: 'var(--surface)', border: '1px solid var(--line)', borderRadius: 'var(--radius)', boxShadow: 'var(--shadow)', color: 'var(--text)' },
})

export const theme: Extension = [look, syntaxHighlighting(highlight)]
