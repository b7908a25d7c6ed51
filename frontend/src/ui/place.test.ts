import { describe, expect, it } from 'vitest'
import { place } from './place'

const view = { width: 800, height: 600 }
const size = { width: 200, height: 100 }

describe('place', () => {
  it('puts an overlay under its anchor', () => {
    expect(place({ left: 100, right: 140, top: 20, bottom: 40 }, size, view, 'start')).toEqual({ left: 100, top: 44 })
  })
  it('goes above where there is no room below', () => {
    expect(place({ left: 100, right: 140, top: 560, bottom: 580 }, size, view, 'start')).toEqual({ left: 100, top: 456 })
  })
  it('stays in the window wherever the anchor is', () => {
    for (let x = -50; x < 900; x += 37) {
      for (let y = -50; y < 700; y += 41) {
        for (const align of ['start', 'end', 'center'] as const) {
          const at = place({ left: x, right: x + 20, top: y, bottom: y + 20 }, size, view, align)
          expect(at.left).toBeGreaterThanOrEqual(0)
          expect(at.left + size.width).toBeLessThanOrEqual(view.width)
          expect(at.top).toBeGreaterThanOrEqual(0)
          expect(at.top + size.height).toBeLessThanOrEqual(view.height)
        }
      }
    }
  })
})
