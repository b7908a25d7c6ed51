// What the parts of the timeline share: the edits with their axis, the window
// in sight, the filter, the place of the slider, and playing.

import { goTo } from '../../actions/history'
import type { App } from '../../app'
import type { EditID } from '../../protocol'
import { axisOf, nearest, positionOf, type Axis } from '../../timeline/axis'
import { indexAt, noEdits, type Edits } from '../../timeline/edits'
import { play, type Playing } from '../../timeline/playing'
import { momentAt, nearestShown, noFilter, placeOf, shownBy, step, stepTurn, type Filter } from '../../timeline/steps'
import { fromParts, grown, pan, reveal, toParts, wholeOf, within, zoom, type Window } from '../../timeline/window'
import { showEdit } from './hop'

const none = noEdits()
const lessMotion = matchMedia('(prefers-reduced-motion: reduce)')

export class Model {
  // Of the whole state, which changes with every frame of a stream, only these:
  // what is worked out from them stays until one of them changes.
  private readonly kind = $derived.by(() => this.app.state.ui.axis)
  private readonly at = $derived.by(() => this.app.state.ui.at)
  private readonly zoomed = $derived.by(() => this.app.state.ui.zoom)

  readonly edits: Edits = $derived.by(() => this.app.state.timeline ?? none)
  readonly axis: Axis = $derived.by(() => axisOf(this.edits, this.kind))
  filter = $state.raw<Filter>(noFilter)
  readonly shown = $derived(shownBy(this.edits, this.filter))
  readonly place = $derived.by(() => placeOf(this.edits, this.at))
  readonly position = $derived(positionOf(this.axis, this.place))
  playing = $state(false)

  /** The window as the user left it, the axis that it was on, and the first edit there. */
  private held = $state.raw<{ window: Window; axis: Axis; first: EditID } | null>(null)
  readonly window: Window = $derived.by(() => this.windowOn(this.axis))

  constructor(readonly app: App) {}

  private windowOn(axis: Axis): Window {
    if (this.held === null) return fromParts(this.zoomed, axis)
    const { window, axis: old, first } = this.held
    if (old === axis) return window
    const more = Math.max(0, indexAt(this.edits, first)) // edits that came to be known before
    if (old.kind !== axis.kind) return sameEdits(window, old, axis, more)
    return grown(window, old, axis, more === 0 ? 0 : positionOf(axis, more) - positionOf(old, 0))
  }

  private hold(window: Window): void {
    this.held = { window, axis: this.axis, first: this.edits.ids[0] ?? 0 }
  }

  /** Keeps the window for the next run, as a part of the whole; from then on it is this model's own. */
  keepWindow(): void {
    if (this.app.state.timeline === null || this.edits.earlier !== 0) return
    const window = this.window
    if (this.held === null) this.hold(window)
    const parts = toParts(window, this.axis)
    const known = this.app.state.ui.zoom
    if (parts?.[0] !== known?.[0] || parts?.[1] !== known?.[1]) this.app.store.dispatch({ type: 'ui', ui: { zoom: parts } })
  }

  look(window: Window): void {
    this.hold(within(window, this.axis))
  }

  zoomBy(factor: number, around = this.position): void {
    const { window } = this
    const inside = around >= window.from && around <= window.to
    this.look(zoom(window, this.axis, factor, inside ? around : (window.from + window.to) / 2))
  }

  panBy(by: number): void {
    this.look(pan(this.window, this.axis, by))
  }

  lookAtAll(): void {
    this.look(wholeOf(this.axis))
  }

  /** Looks at the edits from one place to another. */
  lookAtPlaces(first: number, last: number): void {
    const from = positionOf(this.axis, first)
    const to = positionOf(this.axis, last)
    const room = Math.max((to - from) * 0.15, this.axis.kind === 'time' ? 500 : 2)
    this.look({ from: from - room, to: to + room })
  }

  // --- the slider ---

  goToPlace(place: number): void {
    goTo(this.app, momentAt(this.edits, place))
  }

  /** Before the first edit of all, also while that is still being read. */
  goToBeginning(): void {
    goTo(this.app, 0)
    this.look(reveal(this.window, this.axis, 0))
  }

  /** The place to which a position of the slider snaps. */
  snap(position: number): number {
    return nearestShown(this.edits, this.shown, nearest(this.axis, position))
  }

  stepBy(by: number): void {
    this.visit(step(this.edits, this.shown, this.place, by))
  }

  stepTurn(direction: 1 | -1): void {
    this.visit(stepTurn(this.edits, this.place, direction))
  }

  /** Goes to a place, brings it in sight, and its file too if that is wanted. */
  visit(place: number): void {
    this.goToPlace(place)
    this.look(reveal(this.window, this.axis, positionOf(this.axis, place)))
    if (this.app.state.ui.hop) showEdit(this.app, this.edits, place)
  }

  // --- playing ---

  private timer: ReturnType<typeof setTimeout> | undefined
  private frame = 0

  togglePlay(): void {
    if (this.playing) this.pause()
    else this.start()
  }

  pause(): void {
    this.playing = false
    clearTimeout(this.timer)
    cancelAnimationFrame(this.frame)
  }

  /** Plays from the slider; from now, from the left edge of what is in sight. */
  private start(): void {
    if (this.edits.count === 0) return
    const ended = this.app.state.ui.at === null
    const place = Math.min(this.edits.count - 2, ended ? nearest(this.axis, this.window.from) : this.place)
    this.playing = true
    if (ended) this.goToPlace(place)
    this.next({ place, waited: 0 }, performance.now())
  }

  /** In the next frame; who wants less motion sees four moments a second. */
  private next(at: Playing, since: number): void {
    const run = (): void => { this.run(at, since) }
    if (lessMotion.matches) this.timer = setTimeout(run, 250)
    else this.frame = requestAnimationFrame(run)
  }

  private run(at: Playing, since: number): void {
    if (!this.playing || this.app.state.ui.at !== momentAt(this.edits, at.place)) { // the user went elsewhere
      this.pause()
      return
    }
    const now = performance.now()
    const next = play(this.edits, this.shown, at, now - since, this.app.state.ui.speed)
    if (next === null) {
      this.pause()
      this.visit(this.edits.count - 1)
      return
    }
    if (next.place !== at.place) this.visit(next.place)
    this.next(next, now)
  }
}

/** The window on another axis that shows the same edits. */
function sameEdits(window: Window, old: Axis, axis: Axis, more: number): Window {
  const first = nearest(old, window.from)
  const last = nearest(old, window.to)
  return within({ from: positionOf(axis, first + more), to: last >= old.count - 1 ? axis.length : positionOf(axis, last + more) }, axis)
}
