// Soft wrapping, as the user set it; never in a document with very long lines.

import { EditorView } from '@codemirror/view'
import type { App } from '../app'
import { heavy } from './grammars'
import type { LiveDoc } from './live'
import type { Watcher } from './screen'
import { wrapping } from './setup'

export class Wrapper implements Watcher {
  private readonly stops: (() => void)[]

  constructor(private readonly app: App) {
    this.stops = [
      app.docs.screen.watch(this),
      app.store.subscribe((next, before) => {
        if (next.ui.wrap !== before.ui.wrap) this.shows(app.docs.screen.doc)
      }),
    ]
    this.shows(app.docs.screen.doc)
  }

  stop(): void {
    for (const stop of this.stops) stop()
  }

  shows(doc: LiveDoc | null): void {
    if (doc === null) return
    const wanted = this.app.state.ui.wrap && !heavy(doc.state.doc)
    const is = wrapping.get(doc.state) === EditorView.lineWrapping
    if (wanted !== is) doc.update({ effects: wrapping.reconfigure(wanted ? EditorView.lineWrapping : []) })
  }
}
