// The model's pending edits in this document: their places, their removed text, and which one is
// current. Text that a running edit removes is shown at once, from the change itself; when the edit
// is recorded, its hunk replaces that.

import { StateEffect, StateField, type ChangeDesc, type EditorState, type Range } from '@codemirror/state'
import { Decoration, EditorView, gutter, GutterMarker, type DecorationSet } from '@codemirror/view'
import type { EditID } from '../protocol'
import { marks } from './marks'
import { RemovedWidget } from './removed'

export interface Hunk {
  readonly id: string // constant as long as its edits are
  readonly edits: readonly EditID[] // they are accepted and reverted together
  readonly from: number
  readonly to: number
  readonly removed: string
  readonly partial: boolean
}

/** Text that a running edit removed. */
interface Gone {
  readonly at: number
  readonly text: string
}

export interface Hunks {
  readonly list: readonly Hunk[] // by place
  readonly gone: readonly Gone[]
  readonly active: string | null
  readonly shown: boolean // removed text is shown
  readonly drawn: DecorationSet
}

export const setHunks = StateEffect.define<{ readonly list: readonly Hunk[]; readonly running: boolean }>()
export const setActive = StateEffect.define<string | null>()
export const showRemoved = StateEffect.define<boolean>()
export const removedNow = StateEffect.define<readonly Gone[]>()

const most = 200 // stretches of a running edit that are kept

export const hunks = StateField.define<Hunks>({
  create: () => ({ list: [], gone: [], active: null, shown: true, drawn: Decoration.none }),
  update(value, tr) {
    let next = value
    if (tr.docChanged && (value.list.length > 0 || value.gone.length > 0)) next = moved(value, tr.changes)
    let redraw = false
    for (const effect of tr.effects) {
      if (effect.is(setHunks)) next = { ...next, list: effect.value.list, gone: left(next.gone, effect.value) }
      else if (effect.is(setActive)) next = { ...next, active: effect.value }
      else if (effect.is(showRemoved)) next = { ...next, shown: effect.value }
      else if (effect.is(removedNow)) next = { ...next, gone: joined(next.gone, effect.value) }
      else continue
      redraw = true
    }
    return redraw ? { ...next, drawn: draw(next, tr.state) } : next
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.drawn),
})

function moved(value: Hunks, changes: ChangeDesc): Hunks {
  const list = value.list.map((h) => {
    const from = changes.mapPos(h.from, 1)
    return { ...h, from, to: Math.max(from, changes.mapPos(h.to, -1)) }
  })
  const gone = value.gone.map((g) => ({ ...g, at: changes.mapPos(g.at, -1) }))
  return { ...value, list, gone, drawn: value.drawn.map(changes) }
}

/** Consecutive removals at one place are one stretch. */
export function joined(gone: readonly Gone[], more: readonly Gone[]): readonly Gone[] {
  const out = [...gone]
  for (const one of more) {
    const i = out.findIndex((g) => g.at === one.at)
    const old = out[i]
    if (old) out[i] = { at: old.at, text: old.text + one.text }
    else out.push(one)
  }
  return out.sort((a, b) => a.at - b.at).slice(-most)
}

/** Recorded hunks have their own removed text. */
function left(gone: readonly Gone[], hunks: { readonly list: readonly Hunk[]; readonly running: boolean }): readonly Gone[] {
  return hunks.running ? gone.filter((g) => !hunks.list.some((h) => g.at >= h.from && g.at <= h.to)) : []
}

function draw(value: Hunks, state: EditorState): DecorationSet {
  if (!value.shown) return activeLine(value, state, [])
  const ranges: Range<Decoration>[] = []
  for (const h of value.list) {
    const at = Math.min(h.from, state.doc.length)
    const whole = h.to > h.from && at === state.doc.lineAt(at).from // also if the user continued after the model's text
    if (h.removed !== '') ranges.push(removedAt(state, at, h.removed, whole))
  }
  for (const one of value.gone) {
    if (one.text !== '') ranges.push(removedAt(state, Math.min(one.at, state.doc.length), one.text))
  }
  return activeLine(value, state, ranges)
}

/** Whole lines are drawn above the line; parts of a line within it. */
function removedAt(state: EditorState, at: number, text: string, whole = false): Range<Decoration> {
  const line = state.doc.lineAt(at)
  const block = whole || text.includes('\n')
  const widget = new RemovedWidget(text, block)
  return Decoration.widget({ widget, block, side: -1 }).range(block ? line.from : at)
}

const activeText = Decoration.mark({ class: 'cm-hunk-active' })

function activeLine(value: Hunks, state: EditorState, ranges: Range<Decoration>[]): DecorationSet {
  const active = value.list.find((h) => h.id === value.active)
  if (active && active.to > active.from) ranges.push(activeText.range(active.from, Math.min(active.to, state.doc.length)))
  return Decoration.set(ranges, true)
}

/** The hunk that covers a position, or touches its line. */
export function hunkAt(state: EditorState, at: number): Hunk | null {
  const line = state.doc.lineAt(Math.min(at, state.doc.length))
  return state.field(hunks).list.find((h) => covers(h, line)) ?? null
}

/** A hunk that ends with a line end does not reach into the next line. */
function covers(hunk: Hunk, line: { readonly from: number; readonly to: number }): boolean {
  return hunk.from <= line.to && (hunk.to > line.from || hunk.from === hunk.to && hunk.from >= line.from)
}

class Bar extends GutterMarker {
  constructor(private readonly kind: string) {
    super()
    this.elementClass = kind
  }
  override elementClass: string
  override eq(other: GutterMarker): boolean {
    return other instanceof Bar && other.kind === this.kind
  }
}

const bars = {
  hunk: new Bar('cm-bar cm-bar-hunk'),
  active: new Bar('cm-bar cm-bar-active'),
  partial: new Bar('cm-bar cm-bar-partial'),
  fresh: new Bar('cm-bar cm-bar-fresh'),
}

/** The slim column at the edge: pending edits, and lines being written. */
export const changeGutter = gutter({
  class: 'cm-change-gutter',
  lineMarker(view, block) {
    const value = view.state.field(hunks, false)
    const hunk = value?.list.find((h) => covers(h, block))
    if (hunk) return hunk.id === value?.active ? bars.active : hunk.partial ? bars.partial : bars.hunk
    let fresh = false
    view.state.field(marks, false)?.fresh.between(block.from, block.to, (_from, to) => { fresh ||= to > block.from })
    return fresh ? bars.fresh : null
  },
  lineMarkerChange: (update) => update.startState.field(hunks, false) !== update.state.field(hunks, false) || update.startState.field(marks, false) !== update.state.field(marks, false),
  initialSpacer: () => bars.hunk,
  domEventHandlers: {
    mouseover(view, line) {
      const hunk = hunkAt(view.state, line.from)
      if (hunk && hunk.id !== view.state.field(hunks).active) view.dispatch({ effects: setActive.of(hunk.id) })
      return false
    },
  },
})

/**
 * An image, because the active line sets its gutter's colour. The colour is literal, not a
 * variable set on each bar: with a variable, WebKit keeps the styles of bars that a stream
 * discards (some 45 MB after 100,000 tokens).
 */
function bar(colour: string): { readonly backgroundImage: string } {
  return { backgroundImage: `linear-gradient(${colour}, ${colour})` }
}

function mixed(percent: number): string {
  return `color-mix(in srgb, var(--model) ${String(percent)}%, var(--surface))`
}

const look = EditorView.baseTheme({
  '.cm-change-gutter': { width: '4px', minWidth: '4px' },
  '.cm-change-gutter .cm-gutterElement': { padding: '0' },
  '.cm-bar-hunk': bar(mixed(55)),
  '.cm-bar-active': bar('var(--model)'),
  '.cm-bar-partial': { backgroundImage: 'repeating-linear-gradient(var(--model) 0 4px, transparent 4px 7px)' },
  '.cm-bar-fresh': bar(mixed(30)),
  '.cm-hunk-active': { backgroundColor: 'color-mix(in srgb, var(--model) 9%, transparent)', '--code-com': 'var(--text-2)' }, // comments stay legible on the tint
  '.cm-fresh .cm-hunk-active, .cm-hunk-active .cm-fresh': { backgroundColor: 'color-mix(in srgb, var(--model) 4%, transparent)' },
  '.cm-removed': { color: 'var(--removed)', background: 'var(--removed-soft)', borderRadius: '2px' },
  '.cm-removed del': { textDecoration: 'line-through', textDecorationColor: 'color-mix(in srgb, var(--removed) 45%, transparent)' },
  '.cm-removed-block': { display: 'block', whiteSpace: 'pre', overflow: 'hidden', padding: '0 24px 0 10px', tabSize: 'inherit' },
  '.cm-removed-rest': { display: 'block', color: 'var(--text-3)', fontStyle: 'italic' },
})

export const reviewMarks = [hunks, changeGutter, look]
