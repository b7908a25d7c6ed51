import { describe, expect, it } from 'vitest'
import { nextTop } from './smoothscroll'

const pane = { top: 1000, height: 500, moving: false, jumps: false }

function settle(line: number, from: number, most = 200): number[] {
  const tops = [from]
  for (let moving = false; tops.length < most; ) {
    const step = nextTop({ ...pane, top: tops.at(-1) ?? 0, moving }, line)
    if (step === null) return tops
    tops.push(step.top)
    moving = step.more
  }
  throw new Error('it never rests')
}

describe('following', () => {
  it('leaves a line in the middle alone', () => {
    expect(nextTop(pane, 1000 + 0.3 * 500)).toBeNull()
    expect(nextTop(pane, 1000 + 0.75 * 500)).toBeNull()
  })
  it('scrolls to a line that left the middle, and rests at three fifths', () => {
    const tops = settle(1480, 1000)
    expect(tops.length).toBeGreaterThan(3)
    expect(tops.at(-1)).toBe(1480 - 300)
    for (let i = 1; i < tops.length; i++) expect(tops[i]).toBeGreaterThan(tops[i - 1] ?? 0)
  })
  it('scrolls up too, and not above the start', () => {
    expect(settle(1050, 1000).at(-1)).toBe(750)
    expect(settle(20, 100).at(-1)).toBe(0)
  })
  it('jumps where it is far, and where no motion is wanted', () => {
    expect(nextTop(pane, 9000)).toEqual({ top: 8700, more: false })
    expect(nextTop({ ...pane, jumps: true }, 1480)).toEqual({ top: 1180, more: false })
  })
  it('keeps up with a model that writes ten lines per frame', () => {
    let top = 1000
    let moving = false
    for (let line = 1300; line < 9000; line += 200) {
      const step = nextTop({ ...pane, top, moving }, line)
      if (step !== null) ({ top, more: moving } = step)
      expect(line - top).toBeLessThanOrEqual(0.78 * 500 + 1)
    }
  })
})
