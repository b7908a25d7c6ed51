// Keeps the pane at the slider's moment. At most one request is in flight, and only for the newest place; a
// place passed meanwhile is never shown late. Nothing is written.

import type { App } from '../app'
import type { EditID } from '../protocol'
import type { State } from '../state/state'
import { placeOf } from '../timeline/steps'
import { Moments, type Content, type Version } from './moment'

const tabsAhead = 8 // at most so many tabs are read ahead

/** The content of the pane: null is now. */
export interface ShownMoment {
  readonly at: EditID
  readonly path: string
  readonly exists: boolean
}

export class Scrub {
  private readonly moments: Moments
  private readonly stop: () => void
  private shown: Version | null = null
  private wanted: { version: Version; at: EditID } | null = null
  private request: AbortController | null = null

  constructor(
    private readonly app: App,
    private readonly onshown: (moment: ShownMoment | null) => void,
  ) {
    this.moments = new Moments((path, at, signal) => app.backend.read('past', { path, at }, signal))
    this.stop = app.store.subscribe((next, before) => {
      if (historyOf(next) !== historyOf(before)) this.moments.forget()
      if (next.ui.at !== before.ui.at || next.ui.active !== before.ui.active || next.timeline !== before.timeline) this.follow()
    })
    this.follow()
  }

  close(): void {
    this.stop()
    this.request?.abort()
  }

  private follow(): void {
    const { ui, timeline } = this.app.state
    if (ui.at === null) {
      this.now()
      return
    }
    if (timeline === null || ui.active === '') return
    const version = this.moments.at(timeline, ui.active, ui.at)
    this.wanted = { version, at: ui.at }
    if (this.shown !== null && same(this.shown, version)) {
      this.onshown({ at: ui.at, path: version.path, exists: this.moments.content(version)?.exists ?? true })
      this.wanted = null
      return
    }
    const known = this.moments.content(version)
    if (known) this.show(known)
    else if (this.request === null || this.ahead) this.ask()
  }

  private ahead = false // the request in flight is only for a neighbour

  private now(): void {
    this.wanted = null
    this.request?.abort()
    if (this.shown === null) return
    this.shown = null
    this.app.docs.showNow()
    this.onshown(null)
  }

  private show(content: Content): void {
    if (this.wanted === null) return
    const { version, at } = this.wanted
    this.wanted = null
    this.shown = version
    this.app.docs.showMoment(version.path, content.exists ? content.text : null)
    this.onshown({ at, path: version.path, exists: content.exists })
    this.readAhead()
  }

  /** Reads the wanted text; if another one is wanted by then, that one. */
  private ask(): void {
    if (this.wanted === null) return
    const { version } = this.wanted
    this.send(version, false, (content) => {
      if (this.wanted === null) return
      if (same(this.wanted.version, version)) this.show(content)
      else this.ask()
    })
  }

  /** The slider's next places, and the other tabs at this moment. */
  private readAhead(): void {
    const { ui, timeline } = this.app.state
    if (timeline === null || ui.at === null || this.request !== null) return
    const { at } = ui
    const place = placeOf(timeline, at)
    const others = ui.tabs.slice(0, tabsAhead).map((tab) => this.moments.at(timeline, tab.path, at))
    const next = [...this.moments.next(timeline, ui.active, place), ...others].find((v) => !this.moments.has(v))
    if (next) this.send(next, true, () => { this.readAhead() })
  }

  private send(version: Version, ahead: boolean, then: (content: Content) => void): void {
    this.request?.abort()
    const request = new AbortController()
    this.request = request
    this.ahead = ahead
    this.moments.fetch(version, request.signal).then(
      (content) => {
        if (this.request !== request) return
        this.request = null
        then(content)
      },
      (error: unknown) => {
        if (this.request !== request) return
        this.request = null
        if (!request.signal.aborted && !ahead) this.app.fail(error, `Show ${version.path} as it was`)
      },
    )
  }
}

/** Identifies the history of the edits' ids. */
function historyOf({ project }: State): string {
  return `${project?.root ?? ''}\n${project?.fork ?? ''}`
}

function same(a: Version, b: Version): boolean {
  return a.edit === b.edit && a.path === b.path
}
