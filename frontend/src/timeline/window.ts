// The visible part of the timeline: from and to are positions on its axis. It stays within [0, length] and
// has a least span. A window at the end moves along when the history grows.

import type { Axis } from './axis'

export interface Window {
  readonly from: number
  readonly to: number
}

/** The closest zoom: a second, or eight edits. */
export function leastSpan(axis: Axis): number {
  return Math.min(axis.length, axis.kind === 'time' ? 1000 : 8)
}

export function wholeOf(axis: Axis): Window {
  return { from: 0, to: axis.length }
}

/** The stored form: relative to the length; null is all. */
export function toParts(w: Window, axis: Axis): readonly [number, number] | null {
  return isWhole(w, axis) ? null : [w.from / axis.length, w.to / axis.length]
}

export function fromParts(parts: readonly [number, number] | null, axis: Axis): Window {
  return parts === null ? wholeOf(axis) : within({ from: parts[0] * axis.length, to: parts[1] * axis.length }, axis)
}

export function isWhole(w: Window, axis: Axis): boolean {
  return w.from <= 0 && w.to >= axis.length
}

/** Fits a window to the axis: first its span, then its place. */
export function within(w: Window, axis: Axis): Window {
  const span = Math.min(axis.length, Math.max(leastSpan(axis), w.to - w.from))
  const from = Math.min(axis.length - span, Math.max(0, w.from))
  return { from, to: from + span }
}

/** Zooms by a factor (below 1: closer) so that the position under the pointer stays there. */
export function zoom(w: Window, axis: Axis, factor: number, around: number): Window {
  const span = Math.min(axis.length, Math.max(leastSpan(axis), (w.to - w.from) * factor))
  const part = (around - w.from) / (w.to - w.from)
  const from = around - part * span
  return within({ from, to: from + span }, axis)
}

export function pan(w: Window, axis: Axis, by: number): Window {
  return within({ from: w.from + by, to: w.to + by }, axis)
}

/** Moves the window as little as needed to show a position, a little inside its edges. */
export function reveal(w: Window, axis: Axis, position: number): Window {
  const inset = (w.to - w.from) * 0.08
  if (position < w.from) return pan(w, axis, position - w.from - inset)
  if (position > w.to) return pan(w, axis, position - w.to + inset)
  return w
}

/**
 * The window on a changed axis: the same edits, or still the end. by is the distance by which
 * earlier edits moved them.
 */
export function grown(w: Window, before: Axis, after: Axis, by = 0): Window {
  if (isWhole(w, before)) return wholeOf(after)
  if (w.to < before.length) return within({ from: w.from + by, to: w.to + by }, after)
  return within({ from: after.length - (w.to - w.from), to: after.length }, after)
}
