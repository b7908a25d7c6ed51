// Copies the cursor's position to the state, at most once per frame.

import type { EditorView } from '@codemirror/view'
import type { App } from '../app'
import type { Cursor } from '../state/state'
import { inNextFrame } from './frame'
import type { Watcher } from './screen'

export class CursorTeller implements Watcher {
  private asked = false
  private readonly unwatch: () => void

  constructor(private readonly app: App, private readonly view: EditorView) {
    this.unwatch = app.docs.screen.watch(this)
  }

  stop(): void {
    this.unwatch()
  }

  updated(): void {
    if (this.asked) return
    this.asked = true
    inNextFrame(() => {
      this.asked = false
      this.tell()
    })
  }

  shows(): void {
    this.updated()
  }

  private tell(): void {
    const { doc, selection } = this.view.state
    const { head, from, to } = selection.main
    const line = doc.lineAt(head)
    const cursor: Cursor = {
      line: line.number,
      column: head - line.from + 1,
      selected: to - from,
      fromLine: doc.lineAt(from).number,
      toLine: doc.lineAt(to).number,
    }
    const old = this.app.state.cursor
    const same = (Object.keys(cursor) as (keyof Cursor)[]).every((k) => cursor[k] === old[k])
    if (!same) this.app.store.dispatch({ type: 'cursor', cursor })
  }
}
