// The three editors of a conflict: the reverted text, the result, and the current text. Only the
// result can be edited. They scroll together by regions, so that the same places are side by side.

import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { EditorState, Prec, type Extension } from '@codemirror/state'
import { Decoration, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { eolOf, lineEnds } from '../editor/eol'
import { grammarFor } from '../editor/grammars'
import { specialCharacters } from '../editor/special'
import { theme } from '../editor/theme'
import type { ThreeWay } from '../protocol'
import type { Beginning } from './carry'
import { beginMerge, clashesOf, clashExtension, type ClashRange } from './clashes'
import { merge3, merged, type Region } from './merge3'

export interface Hosts {
  readonly theirs: HTMLElement
  readonly result: HTMLElement
  readonly mine: HTMLElement
}

type Column = keyof Hosts
const columns: readonly Column[] = ['theirs', 'result', 'mine']

/** The user's work on a file so far: kept while another file is shown. */
export interface Work {
  readonly state: EditorState
  readonly anchors: readonly number[] // where each region begins in the result
}

const look = Prec.highest(EditorView.theme({
  '&': { height: '100%', '--code-com': 'var(--text-2)' }, // comments stay legible on the tints
  '.cm-content': { padding: '0 0 30vh' },
  '.clash-line.open': { backgroundColor: 'var(--warning-soft)' },
  '.clash-line': { backgroundColor: 'var(--good-soft)' },
  '.region-clash': { backgroundColor: 'var(--warning-soft)' },
  '.region-changed': { backgroundColor: 'var(--accent-soft)' },
  '.clash-head': { display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: '4px', padding: '2px 10px', font: 'var(--size-small)/1.5 var(--font-ui)', borderTop: '1px solid var(--line-strong)', background: 'var(--warning-soft)', color: 'var(--warning)' },
  '.clash-head.done': { background: 'var(--good-soft)', color: 'var(--good)' },
  '.clash-head span': { flex: '1', whiteSpace: 'nowrap' },
  '.clash-head button': { minHeight: '24px', padding: '0 8px', border: '1px solid var(--line-strong)', borderRadius: '4px', background: 'var(--surface)', color: 'var(--text)' },
  '.clash-head button[aria-pressed="true"]': { borderColor: 'currentColor', fontWeight: '600' },
}))

const plain: Extension = [look, theme, EditorState.lineSeparator.of('\n'), lineNumbers(), specialCharacters]

export class ThreeEditors {
  private readonly views: Record<Column, EditorView>
  private readonly anchors: Record<Column, number[]>
  private leader: Column = 'result'

  private constructor(
    hosts: Hosts,
    regions: readonly Region[],
    states: Record<Column, EditorState>,
    anchors: readonly number[] | null,
    private readonly onchange: (clashes: readonly ClashRange[]) => void,
  ) {
    this.anchors = { theirs: starts(regions, (r) => r.theirs), mine: starts(regions, (r) => r.mine), result: [...(anchors ?? starts(regions, merged))] }
    const view = (column: Column): EditorView => new EditorView({ state: states[column], parent: hosts[column], dispatchTransactions: (trs, v) => {
      v.update(trs)
      if (column !== 'result') return
      for (const tr of trs) this.anchors.result = this.anchors.result.map((at) => tr.changes.mapPos(at, -1))
      this.onchange(clashesOf(v.state))
    } })
    this.views = { theirs: view('theirs'), result: view('result'), mine: view('mine') }
    for (const column of columns) this.lead(column)
    onchange(clashesOf(this.views.result.state))
  }

  /** Starts with the user's work so far, with a given beginning, or with a merge. */
  static async open(hosts: Hosts, file: ThreeWay, work: Work | null, begin: Beginning | null, onchange: (clashes: readonly ClashRange[]) => void): Promise<ThreeEditors> {
    const regions = merge3(file.base, file.theirs, file.mine)
    const { text, clashes } = begin ?? beginMerge(regions)
    const doc = EditorState.create({ doc: file.mine }).doc
    const grammar = (await grammarFor(file.path, doc)) ?? []
    const result = work?.state ?? EditorState.create({ doc: text, extensions: [plain, grammar, labelled(`Result of ${file.path}`), lineEnds(eolOf(file.mine)), editing, clashExtension(clashes)] })
    const fixed = (content: string, label: string, side: 'theirs' | 'mine'): EditorState =>
      EditorState.create({ doc: content, extensions: [plain, grammar, labelled(label), lineEnds(eolOf(content)), reading, marks(regions, side)] })
    const states = { theirs: fixed(file.theirs, `${file.path} with the edit reverted`, 'theirs'), mine: fixed(file.mine, `${file.path} now`, 'mine'), result }
    return new ThreeEditors(hosts, regions, states, work?.anchors ?? begin?.anchors ?? null, onchange)
  }

  get work(): Work {
    return { state: this.views.result.state, anchors: this.anchors.result }
  }

  /** Scrolls all columns to a clash. */
  reveal(id: number): void {
    const clash = clashesOf(this.views.result.state).find((c) => c.id === id)
    if (clash === undefined) return
    this.leader = 'result'
    const { result } = this.views
    result.dispatch({ selection: { anchor: clash.from }, effects: EditorView.scrollIntoView(clash.from, { y: 'start', yMargin: 80 }) })
    result.focus()
  }

  destroy(): void {
    for (const column of columns) this.views[column].destroy()
  }

  /** The column that the user scrolls leads; the others follow. */
  private lead(column: Column): void {
    const { scrollDOM } = this.views[column]
    for (const kind of ['wheel', 'pointerdown', 'keydown', 'focusin']) scrollDOM.addEventListener(kind, () => (this.leader = column), { passive: true })
    scrollDOM.addEventListener('scroll', () => { if (this.leader === column) this.follow(column) }, { passive: true })
  }

  private follow(leader: Column): void {
    const { region, part } = this.placeOf(leader)
    for (const column of columns) if (column !== leader) this.scrollTo(column, region, part)
  }

  private placeOf(column: Column): { region: number; part: number } {
    const top = this.views[column].scrollDOM.scrollTop
    const { anchors } = this
    let region = 0
    while (region + 1 < anchors[column].length && this.topOf(column, region + 1) <= top) region++
    const height = this.topOf(column, region + 1) - this.topOf(column, region)
    return { region, part: height === 0 ? 0 : Math.min(1, (top - this.topOf(column, region)) / height) }
  }

  private scrollTo(column: Column, region: number, part: number): void {
    const from = this.topOf(column, region)
    this.views[column].scrollDOM.scrollTop = from + part * (this.topOf(column, region + 1) - from)
  }

  private topOf(column: Column, region: number): number {
    const view = this.views[column]
    const at = this.anchors[column][region] ?? view.state.doc.length
    return at >= view.state.doc.length ? view.lineBlockAt(view.state.doc.length).bottom : view.lineBlockAt(at).top
  }
}

const reading: Extension = [EditorState.readOnly.of(true), EditorView.editable.of(false)]
const editing: Extension = [history(), keymap.of([...defaultKeymap.filter((k) => k.key !== 'Escape'), ...historyKeymap, indentWithTab])]

function labelled(label: string): Extension {
  return EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' })
}

function starts(regions: readonly Region[], text: (r: Region) => string): number[] {
  let at = 0
  return regions.map((r) => {
    const from = at
    at += text(r).length
    return from
  })
}

/** The lines that a side changed, and the clashing ones. */
function marks(regions: readonly Region[], side: 'theirs' | 'mine'): Extension {
  return EditorView.decorations.of((view) => {
    const { doc } = view.state
    const out = []
    let from = 0
    for (const r of regions) {
      const to = from + r[side].length
      const kind = r.kind === 'clash' ? 'region-clash' : r.kind === side || r.kind === 'both' ? 'region-changed' : ''
      for (let at = from; kind !== '' && at < to; ) {
        const line = doc.lineAt(at)
        out.push(Decoration.line({ class: kind }).range(line.from))
        at = line.to + 1
      }
      from = to
    }
    return Decoration.set(out)
  })
}
