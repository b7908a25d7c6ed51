// The line of a small chart, in units of its box. Pure.

export interface Point {
  readonly x: number
  readonly y: number
  readonly turn: number // from 0
  readonly value: number
}

const inset = 4 // px: dots are whole at the edges

/** The points; a missing value has no point, and the line skips it. */
export function pointsOf(values: readonly (number | null)[], width: number, height: number): readonly Point[] {
  const most = Math.max(1, ...values.map((v) => v ?? 0)) * 1.1
  const step = values.length > 1 ? (width - 2 * inset) / (values.length - 1) : 0
  return values.flatMap((value, turn) => (value === null ? [] : [{
    x: inset + turn * step, y: inset + (height - 2 * inset) * (1 - value / most), turn, value,
  }]))
}

/** The point nearest to a place; null when there is none. */
export function nearest(points: readonly Point[], x: number): Point | null {
  return points.reduce<Point | null>((best, p) => (best === null || Math.abs(p.x - x) < Math.abs(best.x - x) ? p : best), null)
}

export function lineOf(points: readonly Point[]): string {
  return points.map((p) => `${p.x.toFixed(1)},${p.y.toFixed(1)}`).join(' ')
}
