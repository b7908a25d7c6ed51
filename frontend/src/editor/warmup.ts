// Warms up streaming before the first real stream. A browser compiles code that runs often; until then a frame
// of the editor takes five times as long, and the first second of the first stream stutters (gaps of 50 to 160
// ms in WebKitGTK on two cores). So, once the page is on the screen and the user is idle, an invisible editor
// runs a stream, a few milliseconds at a time.

import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import type { App } from '../app'
import { busy } from '../state/state'
import { grammarFor } from './grammars'
import { written } from './marks'
import { momentExtensions } from './setup'
import { goAnnotations } from './source'

const wait = 400 // ms after the first paint, and after the user's last action
const slice = 5 // ms at a time
const apart = 12 // ms between two slices
const frames = 260 // of a stream

const sample = Array.from({ length: 240 }, (_, i) => `
// part${String(i)} adds up what the names cost.
func part${String(i)}(total int, names []string) (int, error) {
	for i, name := range names {
		total += i * len(name) // "${String(i * 7919)}"
	}
	return total, nil
}
`).join('')

/** Runs once, in slices; a turn ends it. */
export async function warmup(app: App): Promise<void> {
  await pause(wait)
  await stillness()
  const path = app.state.ui.active || 'sample.go'
  const state = EditorState.create({ doc: sample, extensions: momentExtensions() })
  const colours = await grammarFor(path, state.doc)
  if (busy(app.state)) return
  const stage = new Stage(colours === null ? state : EditorState.create({ doc: sample, extensions: [momentExtensions(), colours] }))
  try {
    while (stage.played < frames && !busy(app.state)) {
      const end = performance.now() + slice
      do stage.play()
      while (performance.now() < end)
      await pause(apart)
      await stillness()
    }
  } finally {
    stage.close()
    performance.mark('warmed up')
  }
}

/** An editor with a layout, invisible and unreachable. */
class Stage {
  played = 0
  private at: number
  private readonly host = document.createElement('div')
  private readonly view: EditorView

  constructor(state: EditorState) {
    this.at = state.doc.line(Math.floor(state.doc.lines / 2)).from
    this.host.inert = true
    this.host.setAttribute('aria-hidden', 'true')
    this.host.style.cssText = 'position:fixed;inset:0 auto auto 0;width:720px;height:560px;visibility:hidden;contain:strict;pointer-events:none'
    const root = this.host.attachShadow({ mode: 'closed' }) // code that searches for the page's editor must not find this one
    document.body.append(this.host)
    this.view = new EditorView({ state, parent: root, root })
    this.view.dom.style.height = '100%'
  }

  /** One frame of a stream. */
  play(): void {
    const insert = sample.slice((this.played * 90) % 20_000, (this.played * 90) % 20_000 + 90)
    const from = this.at
    this.at += insert.length
    const effects = [written.of({ traces: [{ author: 'model', from, to: this.at, removed: '' }], at: performance.now() })]
    this.view.dispatch({ changes: { from, insert }, effects, annotations: goAnnotations })
    this.view.scrollDOM.scrollTop = this.view.lineBlockAt(this.at).top - 300
    this.played++
  }

  close(): void {
    this.view.destroy()
    this.host.remove()
  }
}

let acted = -wait // the time of the user's last action
for (const event of ['keydown', 'pointerdown', 'wheel'] as const) addEventListener(event, () => { acted = performance.now() }, { capture: true, passive: true })

async function stillness(): Promise<void> {
  for (;;) {
    const left = acted + wait - performance.now()
    if (left <= 0) return
    await pause(left)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
