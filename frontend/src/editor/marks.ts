// Marks recent text: a background per author that fades in two steps, and the model's caret. Steps,
// not an animation: each repaints the lines concerned once, even while thousands of tokens stream.

import { StateEffect, StateField, type Range } from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from '@codemirror/view'
import type { Author } from '../protocol'
import type { Trace } from './incoming'

export interface News {
  readonly traces: readonly Trace[]
  readonly at: number // ms
  readonly followed?: boolean // the pane follows the model
}

export const written = StateEffect.define<News>()
export const caretGone = StateEffect.define<null>()
const aged = StateEffect.define<number>()

const step = 250 // ms between two checks for old marks
const fadeAfter = 900 // ms
const goneAfter = 1500 // ms

interface Fresh {
  readonly author: Author
  readonly born: number
  readonly fading: boolean
}

interface Marks {
  readonly fresh: DecorationSet
  readonly caret: Caret | null
}

interface Caret {
  readonly at: number
  readonly born: number
  readonly label: boolean
  readonly followed: boolean
}

const none: Marks = { fresh: Decoration.none, caret: null }

export const marks = StateField.define<Marks>({
  create: () => none,
  update(value, tr) {
    if (tr.docChanged && value !== none) {
      const caret = value.caret && { ...value.caret, at: tr.changes.mapPos(value.caret.at, 1) }
      value = { fresh: value.fresh.map(tr.changes), caret }
    }
    for (const effect of tr.effects) {
      if (effect.is(written)) value = add(value, effect.value)
      else if (effect.is(aged)) value = age(value, effect.value)
      else if (effect.is(caretGone) && value.caret) value = { ...value, caret: null }
    }
    return value
  },
  provide: (field) => [
    EditorView.decorations.from(field, (value) => value.fresh),
    EditorView.decorations.from(field, (value) => (value.caret ? Decoration.set(caretAt(value.caret)) : Decoration.none)),
  ],
})

/** The model's place in this document; null when it is not writing here. */
export function modelCaret(value: Marks | undefined): number | null {
  return value?.caret?.at ?? null
}

/** The same, if the pane follows it. */
export function followedCaret(value: Marks | undefined): number | null {
  return value?.caret?.followed === true ? value.caret.at : null
}

function add(value: Marks, news: News): Marks {
  let { fresh, caret } = value
  for (const trace of news.traces) {
    if (trace.to > trace.from) fresh = extend(fresh, trace, news.at)
    if (trace.author === 'model') {
      caret = { at: trace.to, born: caret?.born ?? news.at, label: caret?.label ?? true, followed: news.followed === true }
    }
  }
  return { fresh, caret }
}

/** Joins a stretch with an adjacent one of the same author and time. */
function extend(fresh: DecorationSet, trace: Trace, at: number): DecorationSet {
  const born = at - (at % step)
  let { from, to } = trace
  const joins = (a: number, b: number, mark: Decoration): boolean => {
    const spec = mark.spec as { fresh: Fresh }
    return spec.fresh.author === trace.author && spec.fresh.born === born && b >= trace.from && a <= trace.to
  }
  fresh.between(from, to, (a, b, mark) => {
    if (joins(a, b, mark)) [from, to] = [Math.min(a, from), Math.max(b, to)]
  })
  return fresh.update({
    filterFrom: from,
    filterTo: to,
    filter: (a, b, mark) => !joins(a, b, mark),
    add: [markOf({ author: trace.author, born, fading: false }).range(from, to)],
  })
}

function markOf(fresh: Fresh): Decoration {
  return Decoration.mark({ class: `cm-fresh cm-by-${fresh.author}${fresh.fading ? ' cm-fading' : ''}`, fresh })
}

function age(value: Marks, now: number): Marks {
  const faded: Range<Decoration>[] = []
  const fresh = value.fresh.update({
    filter: (from, to, mark) => {
      const spec = (mark.spec as { fresh: Fresh }).fresh
      const age = now - spec.born
      if (age >= goneAfter) return false
      if (spec.fading || age < fadeAfter) return true
      faded.push(markOf({ ...spec, fading: true }).range(from, to))
      return false
    },
  })
  const caret = value.caret?.label === true && now - value.caret.born >= goneAfter ? { ...value.caret, label: false } : value.caret
  return { fresh: faded.length > 0 ? fresh.update({ add: faded, sort: true }) : fresh, caret }
}

class CaretWidget extends WidgetType {
  constructor(private readonly label: boolean) {
    super()
  }
  override eq(other: CaretWidget): boolean {
    return other.label === this.label
  }
  toDOM(): HTMLElement {
    const caret = document.createElement('span')
    caret.className = 'cm-model-caret'
    caret.setAttribute('aria-hidden', 'true')
    if (this.label) caret.dataset['label'] = 'model'
    return caret
  }
  override ignoreEvent(): boolean {
    return true
  }
}

const labelled = Decoration.widget({ widget: new CaretWidget(true), side: 1 })
const plain = Decoration.widget({ widget: new CaretWidget(false), side: 1 })

function caretAt(caret: Caret): Range<Decoration> {
  return (caret.label ? labelled : plain).range(caret.at)
}

/** Ages the marks of the shown document, as long as there are any. */
const ageing = ViewPlugin.fromClass(
  class {
    private timer: ReturnType<typeof setTimeout> | undefined
    constructor(private readonly view: EditorView) {
      this.look()
    }
    update(_update: ViewUpdate): void {
      this.look()
    }
    private look(): void {
      if (this.timer !== undefined) return
      const { fresh, caret } = this.view.state.field(marks)
      if (fresh.size === 0 && caret?.label !== true) return
      this.timer = setTimeout(() => {
        this.timer = undefined
        this.view.dispatch({ effects: aged.of(performance.now()) })
      }, step)
    }
    destroy(): void {
      clearTimeout(this.timer)
    }
  },
)

const look = EditorView.baseTheme({
  // Square: every token and every step of age ends a stretch, and round corners there would look torn.
  '.cm-fresh': { backgroundColor: 'color-mix(in srgb, var(--by) 13%, transparent)', '--code-com': 'var(--text-2)' }, // comments stay legible on the tint
  '.cm-fresh.cm-fading': { backgroundColor: 'color-mix(in srgb, var(--by) 7%, transparent)' },
  '.cm-by-user': { '--by': 'var(--user)' },
  '.cm-by-model': { '--by': 'var(--model)' },
  '.cm-by-outside': { '--by': 'var(--outside)' },
  '.cm-by-revert': { '--by': 'var(--revert)' },
  '.cm-by-recovery': { '--by': 'var(--recovery)' },
  '.cm-model-caret': { position: 'relative', borderLeft: '2px solid var(--model)', marginRight: '-2px' },
  '.cm-model-caret[data-label]::after': {
    content: 'attr(data-label)',
    position: 'absolute',
    left: '-2px',
    bottom: '100%',
    padding: '0 5px',
    borderRadius: '3px 3px 3px 0',
    background: 'var(--model)',
    color: 'var(--surface)',
    font: '600 10px/15px var(--font-ui)',
    pointerEvents: 'none',
    zIndex: '3',
  },
})

export const authorMarks = [marks, ageing, look]
