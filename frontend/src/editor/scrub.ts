// Keeps the pane at the moment that the slider shows. At most one text is asked
// for at a time, and only for the newest place; a place that was passed while
// waiting is never shown late. Nothing is written.

import type { App } from '../app'
import type { EditID } from '../protocol'
import { placeOf } from '../timeline/steps'
import { Moments, type Content, type Version } from './moment'

/** What the pane shows: null is now. */
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
    this.moments = new Moments((path, at, signal) => app.backend.read('file', { path, at }, signal))
    this.stop = app.store.subscribe((next, before) => {
      if (next.project?.root !== before.project?.root) this.moments.forget()
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
    const version = this.moments.version(timeline, ui.active, placeOf(timeline, ui.at))
    this.wanted = { version, at: ui.at }
    if (this.shown !== null && same(this.shown, version)) {
      this.onshown({ at: ui.at, path: version.path, exists: this.moments.known(version)?.exists ?? true })
      this.wanted = null
      return
    }
    const known = this.moments.known(version)
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

  /** Reads the wanted text; if another one is wanted when it is there, that one. */
  private ask(): void {
    if (this.wanted === null) return
    const { version } = this.wanted
    this.send(version, false, (content) => {
      if (this.wanted === null) return
      if (same(this.wanted.version, version)) this.show(content)
      else this.ask()
    })
  }

  private readAhead(): void {
    const { ui, timeline } = this.app.state
    if (timeline === null || ui.at === null || this.request !== null) return
    const next = this.moments.neighbours(timeline, ui.active, placeOf(timeline, ui.at)).find((v) => this.moments.known(v) === null)
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

function same(a: Version, b: Version): boolean {
  return a.edit === b.edit && a.path === b.path
}
