import { describe, expect, it } from 'vitest'
import { forSeeds, random } from '../testing/random'
import { axisOf } from './axis'
import { editsOf } from './edits'
import { sampleEdits, sampleTimeline } from './sample'
import { rulerOf } from './ticks'
import { wholeOf, within } from './window'
import { pauseWords, placeWords, timeWords } from './words'

const measure = (label: string): number => label.length * 6

describe('the labels of the axis', () => {
  it('never touch, and lie in sight', () => {
    forSeeds(150, (r) => {
      const edits = sampleEdits(r, r.below(400))
      const axis = axisOf(edits, r.pick(['time', 'edits']))
      const from = r.next() * axis.length
      const w = within({ from, to: from + r.next() ** 4 * axis.length }, axis)
      const width = 200 + r.below(1200)
      let end = -Infinity
      const { ticks } = rulerOf(edits, axis, w, width, Date.now(), measure)
      if (axis.kind === 'time' && edits.count > 0) expect(ticks.length).toBeGreaterThan(0)
      for (const tick of ticks) {
        expect(tick.left).toBeGreaterThanOrEqual(end)
        expect(tick.left).toBeLessThanOrEqual(tick.x + 1e-6)
        expect(tick.left + measure(tick.label)).toBeLessThanOrEqual(width + 1e-6)
        expect(tick.x).toBeGreaterThanOrEqual(-1e-6)
        expect(tick.x).toBeLessThanOrEqual(width + 1e-6)
        end = tick.left + measure(tick.label)
      }
    })
  })

  it('say the day once where it changes', () => {
    const line = sampleTimeline(random(1), 3)
    const noon = new Date(2026, 2, 3, 12).getTime()
    const edits = editsOf({ ...line, times: [noon, noon + 1000, noon + 86_400_000] })
    const axis = axisOf(edits, 'time')
    const ruler = rulerOf(edits, axis, wholeOf(axis), 800, new Date(2026, 5, 1).getTime(), measure)
    expect(ruler.ticks.map((t) => t.label).filter((l) => l.startsWith('Mar'))).toEqual([expect.stringContaining('Mar 3 12:00'), expect.stringContaining('Mar 4 12:00')])
    expect(ruler.folds).toHaveLength(1)
    expect(ruler.folds[0]!.label).toBe('24 h')
  })
})

describe('words for moments', () => {
  const now = new Date(2026, 10, 20, 15, 0, 0).getTime()
  it('are as short as they can be', () => {
    expect(timeWords(now - 3_600_000, now)).toBe('14:00:00')
    expect(timeWords(new Date(2026, 10, 17, 14, 10, 9).getTime(), now)).toBe('Tue 14:10:09')
    expect(timeWords(new Date(2026, 10, 3, 14, 10, 9).getTime(), now)).toBe('Nov 3, 14:10:09')
    expect(timeWords(new Date(2025, 10, 3, 14, 10, 9).getTime(), now)).toBe('Nov 3, 2025, 14:10:09')
    expect(pauseWords(59_000)).toBe('59 s')
    expect(pauseWords(3 * 86_400_000)).toBe('3 days')
  })

  it('name the edit, who made it and why', () => {
    const line = sampleTimeline(random(1), 3)
    const band = { turn: 1, session: 1, request: 'rename\n parseConfig', status: 'completed', first: 1, last: 3, started: now, ended: now } as const
    const edits = editsOf({ ...line, times: [now, now, now], authors: [1, 1, 0], turns: [1, 1, 0], flags: [0, 2, 0], bands: [band] })
    expect(placeWords(edits, 0, now)).toBe('Edit 1 of 3, 15:00:00, Model: rename parseConfig')
    expect(placeWords(edits, 1, now)).toBe('Edit 2 of 3, 15:00:00, Model: rename parseConfig, reverted')
    expect(placeWords(edits, 2, now)).toBe('Now, after 3 edits, 15:00:00, You')
    expect(placeWords(edits, -1, now)).toBe('Before the first of 3 edits')
  })
})
