import { describe, expect, it } from 'vitest'
import { step, typed, type MenuItem } from './menu'

const run = (): void => undefined
const items: readonly MenuItem[] = [
  { heading: 'Recent' },
  { label: 'Alpha', run },
  { label: 'Beta', run, disabled: true },
  'line',
  { label: 'Apple', run },
]

describe('menu keys', () => {
  it('step skips what cannot be chosen, and goes round', () => {
    expect(step(items, -1, 1)).toBe(1)
    expect(step(items, 1, 1)).toBe(4)
    expect(step(items, 4, 1)).toBe(1)
    expect(step(items, 1, -1)).toBe(4)
    expect(step(['line'], -1, 1)).toBe(-1)
    expect(step([], -1, 1)).toBe(-1)
  })
  it('letters go to the next match; the same letter goes on', () => {
    expect(typed(items, -1, 'a')).toBe(1)
    expect(typed(items, 1, 'a')).toBe(4)
    expect(typed(items, 1, 'ap')).toBe(4)
    expect(typed(items, 1, 'b')).toBe(-1)
  })
})
