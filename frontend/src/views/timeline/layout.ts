// Where the rows of the track are, in px from its top. What does not fit is
// left out, the least telling first: the lanes of single files, then labels.

export interface Row {
  readonly y: number
  readonly height: number
}

export interface Layout {
  readonly bands: Row
  readonly bars: Row
  readonly base: number // above it what others did, below it what the user did
  readonly lanes: readonly Row[]
  readonly ruler: Row
}

export const laneHeight = 18
const bandHeight = 17
const rulerHeight = 16
const leastBars = 48
const mostBars = 160

export function layoutOf(height: number, files: number): Layout {
  const bands = { y: 2, height: bandHeight }
  const ruler = { y: height - rulerHeight, height: rulerHeight }
  const top = bands.y + bands.height + 4
  const room = Math.max(10, ruler.y - 3 - top)
  const lanes = Math.min(files > 1 ? files : 0, Math.max(0, Math.floor((room - leastBars) / laneHeight)))
  const bars = { y: top, height: Math.min(mostBars, lanes > 0 ? room - lanes * laneHeight - 4 : room) }
  return {
    bands, ruler, bars,
    base: Math.round(bars.y + bars.height * 0.66),
    lanes: Array.from({ length: lanes }, (_, i) => ({ y: bars.y + bars.height + 4 + i * laneHeight, height: laneHeight })),
  }
}
