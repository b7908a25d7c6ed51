// A row for each of the files that were edited most in what is in sight.

import { positionOf } from '../../timeline/axis'
import { lowerBound, reverted } from '../../timeline/edits'
import { visible } from '../../visible'
import type { Row } from './layout'
import { barWidth, fitted, xOf, type Scene } from './scene'

export function drawLanes(ctx: CanvasRenderingContext2D, scene: Scene): void {
  const { layout, edits } = scene
  if (layout.lanes.length === 0 || edits.count === 0) return
  const paths = mostEdited(scene, layout.lanes.length)
  const lane = new Map(paths.map((path, i) => [path, layout.lanes[i]!]))
  for (const row of lane.values()) line(ctx, scene, row)
  const [first, last] = inSight(scene)
  for (let i = first; i < last; i++) {
    const row = lane.get(edits.paths[i]!)
    if (row && scene.shown?.[i] !== 0) mark(ctx, scene, row, i)
  }
  ctx.globalAlpha = 1
  for (const [path, row] of lane) name(ctx, scene, row, visible(edits.pathNames[path]!))
}

function inSight(scene: Scene): [number, number] {
  const { positions, count } = scene.axis
  return [lowerBound(positions, count, scene.window.from), lowerBound(positions, count, scene.window.to + 1e-9)]
}

function mostEdited(scene: Scene, n: number): number[] {
  const counts = new Map<number, number>()
  const [first, last] = inSight(scene)
  for (let i = first; i < last; i++) {
    if (scene.shown?.[i] === 0) continue
    const path = scene.edits.paths[i]!
    counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, n).map(([path]) => path)
}

function line(ctx: CanvasRenderingContext2D, scene: Scene, row: Row): void {
  ctx.fillStyle = scene.palette.line
  ctx.fillRect(0, row.y + row.height - 1, scene.width, 1)
}

function mark(ctx: CanvasRenderingContext2D, scene: Scene, row: Row, index: number): void {
  const { edits, palette } = scene
  ctx.globalAlpha = (edits.flags[index]! & reverted) !== 0 ? 0.35 : 1
  ctx.fillStyle = palette.author[edits.authorNames[edits.authors[index]!]!]
  const x = Math.floor(xOf(scene, positionOf(scene.axis, index)) / barWidth) * barWidth
  ctx.fillRect(x, row.y + 4, barWidth - 1, row.height - 8)
}

function name(ctx: CanvasRenderingContext2D, scene: Scene, row: Row, path: string): void {
  const text = fitted(ctx, path, Math.min(220, scene.width / 3))
  const width = ctx.measureText(text).width
  ctx.globalAlpha = 0.86
  ctx.fillStyle = scene.palette.surface
  ctx.fillRect(0, row.y + 1, width + 10, row.height - 2)
  ctx.globalAlpha = 1
  ctx.fillStyle = scene.palette.faint
  ctx.fillText(text, 2, row.y + row.height / 2)
}
