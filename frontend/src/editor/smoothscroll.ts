// Computes how to scroll so that a line stays in the middle band of the pane. Pure.

const rest = 0.6 // of the height: where the line comes to rest
const bandTop = 0.25
const bandBottom = 0.78
const share = 0.3 // of the remaining way, per frame
const snap = 8 // px that are jumped at once

export interface Pane {
  readonly top: number // scrolled to
  readonly height: number
  readonly moving: boolean // a smooth scroll is under way
  readonly jumps: boolean // the user wants no motion
}

export interface Step {
  readonly top: number
  readonly more: boolean // the scroll continues in the next frame
}

/** The next scroll position for a line at this height of the document; null when it is fine. */
export function nextTop(pane: Pane, line: number): Step | null {
  const place = (line - pane.top) / pane.height
  if (!pane.moving && place >= bandTop && place <= bandBottom) return null
  const goal = Math.max(0, Math.round(line - rest * pane.height))
  const way = goal - pane.top
  if (Math.abs(way) < 1) return null
  if (pane.jumps || Math.abs(way) > pane.height) return { top: goal, more: false }
  if (Math.abs(way) <= snap) return { top: goal, more: false }
  // A fast model would outrun the scroll: its line never leaves the band.
  const least = line - bandBottom * pane.height
  return { top: Math.round(Math.max(pane.top + way * share, least)), more: true }
}
