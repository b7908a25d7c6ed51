import { describe, expect, it } from 'vitest'
import { rowsInView, scrollFor } from './window'

describe('rowsInView', () => {
  it('draws every row that shows, and few others', () => {
    for (const count of [0, 1, 5, 100, 100_000]) {
      for (let top = 0; top < 4000; top += 173) {
        const { from, to } = rowsInView(count, 26, top, 500)
        for (let i = 0; i < Math.min(count, 400); i++) {
          const shows = i * 26 < top + 500 && (i + 1) * 26 > top
          if (shows) expect(i >= from && i < to).toBe(true)
        }
        expect(to - from).toBeLessThanOrEqual(500 / 26 + 20)
        expect(to).toBeLessThanOrEqual(count)
      }
    }
  })
})

describe('scrollFor', () => {
  it('shows the row and moves no more than needed', () => {
    expect(scrollFor(3, 20, 0, 200)).toBe(0)
    expect(scrollFor(10, 20, 0, 200)).toBe(20)
    expect(scrollFor(2, 20, 100, 200)).toBe(40)
  })
})
