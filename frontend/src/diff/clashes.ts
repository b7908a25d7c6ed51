// The clashes of a merge in the editor in which the user resolves them. Each is a range that
// follows the text; choosing a side inserts that side's text, and typing in the range is an
// answer, too.

import { StateEffect, StateField, type EditorState, type Extension, type Text } from '@codemirror/state'
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view'
import { merged, type Region } from './merge3'

export type Choice = 'open' | 'theirs' | 'mine' | 'both' | 'typed'

export interface ClashRange {
  readonly id: number
  readonly from: number
  readonly to: number
  readonly choice: Choice
  readonly about: keyof typeof asked
  readonly theirs: string
  readonly mine: string
}

/** The initial text of a merge, and the clashes in it. */
export function beginMerge(regions: readonly Region[]): { text: string; clashes: ClashRange[] } {
  const clashes: ClashRange[] = []
  let text = ''
  for (const r of regions) {
    const from = text.length
    text += merged(r)
    if (r.kind === 'clash') clashes.push({ id: clashes.length, from, to: text.length, choice: 'open', about: 'revert', theirs: r.theirs, mine: r.mine })
  }
  return { text, clashes }
}

interface Chosen {
  readonly id: number
  readonly choice: Choice
}

const chosen = StateEffect.define<Chosen>()

/** Inserts the text of a side. */
export function choose(view: EditorView, id: number, choice: 'theirs' | 'mine' | 'both'): void {
  const clash = clashesOf(view.state).find((c) => c.id === id)
  if (clash === undefined) return
  const insert = choice === 'both' ? together(clash) : clash[choice]
  view.dispatch({
    changes: { from: clash.from, to: clash.to, insert },
    effects: chosen.of({ id, choice }),
    userEvent: 'input.choose',
  })
}

function together(clash: ClashRange): string {
  const gap = clash.mine === '' || clash.mine.endsWith('\n') ? '' : '\n'
  return clash.mine + gap + clash.theirs
}

const field = StateField.define<readonly ClashRange[]>({
  create: () => [],
  update(clashes, tr) {
    if (!tr.docChanged && !tr.effects.some((e) => e.is(chosen))) return clashes
    const answers = new Map(tr.effects.filter((e) => e.is(chosen)).map((e) => [e.value.id, e.value.choice]))
    return clashes.map((c) => {
      const from = tr.changes.mapPos(c.from, -1)
      const to = Math.max(from, tr.changes.mapPos(c.to, 1))
      const typed = tr.docChanged && tr.changes.touchesRange(c.from, c.to) !== false
      return { ...c, from, to, choice: answers.get(c.id) ?? (typed ? 'typed' : c.choice) }
    })
  },
})

export function clashesOf(state: EditorState): readonly ClashRange[] {
  return state.field(field, false) ?? []
}

/** The question of a clash: about a revert that met a later change, or, when the file changed meanwhile, about an earlier answer. */
const asked = {
  revert: {
    theirs: 'Use reverted', mine: 'Keep current',
    words: { open: 'pick a side or edit', theirs: 'reverted', mine: 'current kept', both: 'both kept', typed: 'edited' },
  },
  answer: {
    theirs: 'Keep my resolution', mine: 'Use current',
    words: { open: 'the file changed; pick a side or edit', theirs: 'your resolution', mine: 'current', both: 'both kept', typed: 'edited' },
  },
} as const

/** The line above a clash, with the sides as buttons. */
class Head extends WidgetType {
  constructor(
    readonly id: number,
    readonly count: number,
    readonly choice: Choice,
    readonly about: keyof typeof asked,
  ) {
    super()
  }
  override eq(other: Head): boolean {
    return other.id === this.id && other.choice === this.choice && other.count === this.count && other.about === this.about
  }
  override get estimatedHeight(): number {
    return 30
  }
  toDOM(view: EditorView): HTMLElement {
    const { theirs, mine, words } = asked[this.about]
    const dom = document.createElement('div')
    dom.className = `clash-head ${this.choice === 'open' ? 'open' : 'done'}`
    dom.setAttribute('role', 'group')
    dom.setAttribute('aria-label', `Conflict ${String(this.id + 1)} of ${String(this.count)}: ${words[this.choice]}`)
    for (const [side, label] of [['theirs', theirs], ['mine', mine], ['both', 'Both']] as const) {
      const button = dom.appendChild(document.createElement('button'))
      button.type = 'button'
      button.textContent = label
      button.setAttribute('aria-pressed', String(this.choice === side))
      button.onclick = () => { choose(view, this.id, side) }
    }
    const name = dom.appendChild(document.createElement('span'))
    name.textContent = `${this.choice === 'open' ? 'Conflict' : '✓ Conflict'} ${String(this.id + 1)} of ${String(this.count)}: ${words[this.choice]}`
    return dom
  }
  override ignoreEvent(): boolean {
    return true
  }
}

const line = { open: Decoration.line({ class: 'clash-line open' }), done: Decoration.line({ class: 'clash-line' }) }

function decorate(clashes: readonly ClashRange[], doc: Text): DecorationSet {
  const marks = clashes.flatMap((c) => {
    const head = Decoration.widget({ widget: new Head(c.id, clashes.length, c.choice, c.about), block: true, side: -1 }).range(doc.lineAt(c.from).from)
    const lines = []
    for (let at = c.from; at < c.to; ) {
      const here = doc.lineAt(at)
      lines.push((c.choice === 'open' ? line.open : line.done).range(here.from))
      at = here.to + 1
    }
    return [head, ...lines]
  })
  return Decoration.set(marks, true)
}

export function clashExtension(clashes: readonly ClashRange[]): Extension {
  return [
    field.init(() => clashes),
    EditorView.decorations.compute([field, 'doc'], (state) => decorate(clashesOf(state), state.doc)),
  ]
}
