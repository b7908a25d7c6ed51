// Draws the track: bands of turns, bars of what was changed, lanes of single
// files, and the ruler. What the user did hangs below the base line, what others
// did stands above it; so the two are told apart without colour.

import { positionOf } from '../../timeline/axis'
import { barHeight, bucketsOf } from '../../timeline/buckets'
import { indexAt } from '../../timeline/edits'
import { rulerOf } from '../../timeline/ticks'
import type { TurnBand } from '../../protocol'
import { drawLanes } from './lanes'
import { barWidth, fitted, xOf, type Scene } from './scene'

export function draw(ctx: CanvasRenderingContext2D, scene: Scene): void {
  ctx.clearRect(0, 0, scene.width, scene.height)
  ctx.font = scene.palette.font
  ctx.textBaseline = 'middle'
  drawRuler(ctx, scene)
  drawBands(ctx, scene)
  drawBars(ctx, scene)
  drawLanes(ctx, scene)
}

function drawRuler(ctx: CanvasRenderingContext2D, scene: Scene): void {
  const { layout, palette } = scene
  const measure = (label: string): number => ctx.measureText(label).width
  const { ticks, folds } = rulerOf(scene.edits, scene.axis, scene.window, scene.width, scene.now, measure)
  const middle = layout.ruler.y + layout.ruler.height / 2 + 1
  ctx.fillStyle = palette.line
  for (const { x } of ticks) ctx.fillRect(Math.round(x), layout.bars.y, 1, layout.ruler.y - layout.bars.y)
  for (const fold of folds) drawFold(ctx, scene, fold.x, fold.width)
  ctx.fillStyle = palette.faint
  for (const { left, label } of ticks) ctx.fillText(label, Math.round(left), middle)
  ctx.textAlign = 'center'
  for (const { x, label } of folds) if (label !== '') ctx.fillText(label, x, layout.bars.y + 7)
  ctx.textAlign = 'left'
}

/** A pause that is not shown in full: the rows are broken by a dotted line. */
function drawFold(ctx: CanvasRenderingContext2D, scene: Scene, x: number, width: number): void {
  const { layout, palette } = scene
  ctx.save()
  ctx.strokeStyle = palette.strong
  ctx.setLineDash([2, 3])
  ctx.beginPath()
  ctx.moveTo(Math.round(x) + 0.5, layout.bars.y + (width > 30 ? 16 : 0))
  ctx.lineTo(Math.round(x) + 0.5, layout.ruler.y - 2)
  ctx.stroke()
  ctx.restore()
}

function drawBands(ctx: CanvasRenderingContext2D, scene: Scene): void {
  let end = -Infinity
  for (const band of scene.edits.bands) {
    const span = bandSpan(scene, band)
    if (span === null || span.to < 0 || span.from > scene.width || span.to < end + 1) continue
    end = drawBand(ctx, scene, band, Math.max(span.from, end + 1), span.to)
  }
}

/** Where a band is, in px; null when its edits are not in this history. */
export function bandSpan(scene: Pick<Scene, 'edits' | 'axis' | 'window' | 'width'>, band: TurnBand): { from: number; to: number } | null {
  if (band.first === 0) return null
  const first = indexAt(scene.edits, band.first - 1) + 1
  const last = indexAt(scene.edits, band.last)
  if (last < first || first >= scene.edits.count) return null
  const from = xOf(scene, positionOf(scene.axis, first)) - barWidth
  return { from, to: Math.max(from + 2 * barWidth, xOf(scene, positionOf(scene.axis, last)) + barWidth) }
}

function drawBand(ctx: CanvasRenderingContext2D, scene: Scene, band: TurnBand, from: number, to: number): number {
  const { layout: { bands }, palette } = scene
  const left = Math.max(-8, from)
  const right = Math.min(scene.width + 8, to)
  ctx.fillStyle = palette.band
  roundRect(ctx, left, bands.y, right - left, bands.height, 4)
  ctx.fill()
  if (band.status !== 'completed') { // stopped, failed, interrupted: an outline tells it
    ctx.strokeStyle = palette.strong
    ctx.setLineDash([2, 2])
    ctx.stroke()
    ctx.setLineDash([])
  }
  const room = right - Math.max(0, left) - 12
  if (room > 28) {
    ctx.fillStyle = palette.text
    ctx.fillText(fitted(ctx, band.request.replace(/\s+/g, ' ').trim(), room), Math.max(0, left) + 6, bands.y + bands.height / 2 + 0.5)
  }
  return to
}

function drawBars(ctx: CanvasRenderingContext2D, scene: Scene): void {
  const { edits, layout, palette } = scene
  const n = Math.max(1, Math.ceil(scene.width / barWidth))
  const wide = { from: scene.window.from, to: scene.window.from + ((scene.window.to - scene.window.from) * n * barWidth) / scene.width }
  const b = bucketsOf(edits, scene.axis, wide, n, scene.shown)
  const up = layout.base - layout.bars.y
  const down = layout.bars.y + layout.bars.height - layout.base - 1
  ctx.fillStyle = palette.line
  ctx.fillRect(0, layout.base, scene.width, 1)
  for (let i = 0; i < n; i++) {
    let top = layout.base
    for (let a = 0; a < edits.authorNames.length; a++) {
      const lines = b.lines[i * b.authors + a]!
      if (lines === 0) continue
      const author = edits.authorNames[a]!
      const user = author === 'user'
      const height = Math.max(2, Math.round(barHeight(lines, b.most) * (user ? down : up)))
      ctx.globalAlpha = 1 - 0.65 * (b.undone[i * b.authors + a]! / lines)
      ctx.fillStyle = palette.author[author]
      if (user) ctx.fillRect(i * barWidth, layout.base + 1, barWidth - 1, height)
      else ctx.fillRect(i * barWidth, (top -= Math.min(height, top - layout.bars.y)), barWidth - 1, height)
    }
  }
  ctx.globalAlpha = 1
}

function roundRect(ctx: CanvasRenderingContext2D, x: number, y: number, width: number, height: number, radius: number): void {
  ctx.beginPath()
  ctx.roundRect(x, y, width, height, Math.min(radius, width / 2))
}
