// Shows who wrote each line: read on demand, and moved along while the text changes. A line that
// changed since says so until the history has it.

import { RangeSet, StateEffect, StateField, type Text } from '@codemirror/state'
import { EditorView, gutter, GutterMarker, type ViewUpdate } from '@codemirror/view'
import { goTo } from '../actions/history'
import type { App } from '../app'
import type { BlameRun } from '../protocol'
import { authorName } from '../state/state'
import { timeWords } from '../timeline/words'
import type { LiveDoc } from './live'
import type { Watcher } from './screen'
import { along } from './versions'
import { blaming } from './setup'

const againAfter = 400 // ms after a change of the history

interface Run {
  readonly run: BlameRun
  readonly label: string
  readonly title: string
}

const setRuns = StateEffect.define<RangeSet<RunMarker>>()

class RunMarker extends GutterMarker {
  readonly below: GutterMarker
  constructor(readonly of: Run) {
    super()
    this.below = new BelowMarker(of.run.author)
  }
  override eq(other: GutterMarker): boolean {
    return other instanceof RunMarker && other.of.run.edit === this.of.run.edit && other.of.label === this.of.label
  }
  override toDOM(): HTMLElement {
    const { run, label, title } = this.of
    const box = document.createElement('button')
    box.type = 'button'
    box.className = `cm-blame-run ${run.author === '' ? 'cm-blame-old' : `cm-by-${run.author}`}`
    box.tabIndex = -1
    box.title = title
    box.dataset['edit'] = String(run.edit)
    const dot = document.createElement('span')
    dot.className = 'cm-blame-dot'
    box.append(dot, label)
    return box
  }
}

/** The lines of a run after its first one: a thread down from the dot. */
class BelowMarker extends GutterMarker {
  constructor(private readonly author: BlameRun['author']) {
    super()
    this.elementClass = author === '' ? '' : `cm-blame-below cm-by-${author}`
  }
  override elementClass: string
  override eq(other: GutterMarker): boolean {
    return other instanceof BelowMarker && other.author === this.author
  }
}

/** Ranges from the first to the last position of each run. */
const runs = StateField.define<RangeSet<RunMarker>>({
  create: () => RangeSet.empty,
  update(value, tr) {
    if (tr.docChanged) value = value.map(tr.changes)
    for (const effect of tr.effects) if (effect.is(setRuns)) value = effect.value
    return value
  },
})

function column(app: App): ReturnType<typeof gutter> {
  return gutter({
    class: 'cm-blame',
    lineMarker(view, line) {
      let found: GutterMarker | null = null
      view.state.field(runs).between(line.from, line.to, (from, to, marker) => {
        if (from >= line.from) found = marker
        else if (to >= line.from) found ??= marker.below
      })
      return found
    },
    lineMarkerChange: (update: ViewUpdate) => update.startState.field(runs, false) !== update.state.field(runs, false),
    domEventHandlers: {
      click(_view, _line, event) {
        const edit = Number((event.target as Element).closest<HTMLElement>('[data-edit]')?.dataset['edit'] ?? 0)
        if (edit <= 0) return false
        goTo(app, edit)
        return true
      },
    },
  })
}

const look = EditorView.baseTheme({
  '.cm-blame': { width: '148px', borderRight: '1px solid var(--line)', marginRight: '2px' },
  '.cm-blame .cm-gutterElement': { overflow: 'hidden', padding: '0 8px 0 10px' },
  '.cm-blame-run': { display: 'flex', alignItems: 'center', gap: '6px', width: '100%', font: 'var(--size-small) var(--font-ui)', lineHeight: 'inherit', color: 'var(--text-2)', whiteSpace: 'nowrap', overflow: 'hidden', textOverflow: 'ellipsis' },
  '.cm-blame-run:hover': { color: 'var(--text)' },
  '.cm-blame-old': { color: 'var(--text-3)', '--by': 'var(--line-strong)' },
  '.cm-blame-below': { background: 'linear-gradient(color-mix(in srgb, var(--by) 40%, transparent) 0 0) 13px 0 / 1px 100% no-repeat' },
  '.cm-blame-dot': { flex: 'none', width: '7px', height: '7px', borderRadius: '50%', background: 'var(--by)' },
})

export class Blamer implements Watcher {
  private timer: ReturnType<typeof setTimeout> | undefined
  private asked: AbortController | null = null
  private readonly stops: (() => void)[]

  constructor(private readonly app: App, private readonly view: EditorView) {
    this.stops = [
      app.docs.screen.watch(this),
      app.store.subscribe((next, before) => {
        if (next.blame !== before.blame) this.toggle(app.docs.screen.doc)
        if (next.head !== before.head) this.readSoon()
      }),
    ]
    this.shows(app.docs.screen.doc)
  }

  stop(): void {
    for (const stop of this.stops) stop()
    clearTimeout(this.timer)
    this.asked?.abort()
  }

  shows(doc: LiveDoc | null): void {
    this.toggle(doc)
  }

  private toggle(doc: LiveDoc | null): void {
    if (doc === null) return
    const on = doc.state.field(runs, false) !== undefined
    if (this.app.state.blame === on) return
    doc.update({ effects: blaming.reconfigure(this.app.state.blame ? [runs, column(this.app), look] : []) })
    if (this.app.state.blame) this.read(doc)
  }

  private readSoon(): void {
    if (!this.app.state.blame) return
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      const { doc } = this.app.docs.screen
      if (doc) this.read(doc)
    }, againAfter)
  }

  private read(doc: LiveDoc): void {
    this.asked?.abort()
    const asked = new AbortController()
    this.asked = asked
    this.app.backend.read('blame', { path: doc.path }, asked.signal).then(
      (answer) => { if (!asked.signal.aborted) this.place(doc, answer.version, answer.runs) },
      (error: unknown) => { if (!asked.signal.aborted) this.app.fail(error, 'Who wrote the lines') },
    )
  }

  private place(doc: LiveDoc, version: number, list: readonly BlameRun[]): void {
    const lead = doc.versions.lead(version, doc.client)
    if (doc.state.field(runs, false) === undefined) return
    if (lead === null || lead === 'later' || lead.length > (doc.client.settled ? 0 : 1)) {
      this.readSoon() // the line numbers are those of another text
      return
    }
    const text = doc.client.confirmedText ?? doc.state.doc
    const ranges = list.flatMap((run) => this.rangeOf(run, text, (at, side) => Math.min(along(at, lead, side), doc.state.doc.length)))
    doc.update({ effects: setRuns.of(RangeSet.of(ranges, true)) })
    this.view.requestMeasure()
  }

  private rangeOf(run: BlameRun, text: Text, now: (at: number, side: number) => number): ReturnType<RunMarker['range']>[] {
    if (run.line < 1 || run.line > text.lines) return []
    const from = text.line(run.line).from
    const to = text.line(Math.min(text.lines, run.line + run.lines - 1)).to
    const start = now(from, 1)
    return [new RunMarker(this.words(run)).range(start, Math.max(start, now(to, -1)))]
  }

  private words(run: BlameRun): Run {
    if (run.edit === 0) return { run, label: 'before', title: 'Unchanged since the folder was first opened' }
    if (run.edit < 0 || run.author === '') return { run, label: 'just now', title: 'Not recorded yet' }
    const request = this.app.state.timeline?.bands.find((b) => b.turn === run.turn)?.request ?? ''
    const when = timeWords(run.time, Date.now())
    const who = authorName[run.author]
    return { run, label: request === '' ? who : request, title: [`${who}, ${when}`, request, 'Click to go to this edit'].filter((s) => s !== '').join('\n') }
  }
}
