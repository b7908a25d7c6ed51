// What the drawing of the track is made from, and its measures.

import type { Axis } from '../../timeline/axis'
import type { Shown } from '../../timeline/buckets'
import type { Edits } from '../../timeline/edits'
import type { Window } from '../../timeline/window'
import type { Layout } from './layout'
import type { Palette } from './palette'

export const barWidth = 3 // px, one of them a gap

export interface Scene {
  readonly edits: Edits
  readonly axis: Axis
  readonly window: Window
  readonly shown: Shown
  readonly width: number
  readonly height: number
  readonly layout: Layout
  readonly palette: Palette
  readonly now: number
}

export function xOf(scene: Pick<Scene, 'window' | 'width'>, position: number): number {
  return ((position - scene.window.from) / (scene.window.to - scene.window.from)) * scene.width
}

/** The text, cut to a width. */
export function fitted(ctx: CanvasRenderingContext2D, text: string, room: number): string {
  const whole = text.slice(0, 300)
  if (ctx.measureText(whole).width <= room) return whole
  let low = 0
  let high = whole.length
  while (low < high) {
    const mid = (low + high + 1) >> 1
    if (ctx.measureText(`${whole.slice(0, mid)}…`).width <= room) low = mid
    else high = mid - 1
  }
  return low === 0 ? '' : `${whole.slice(0, low).trimEnd()}…`
}
