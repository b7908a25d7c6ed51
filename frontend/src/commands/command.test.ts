import { describe, expect, it } from 'vitest'
import { keyLabel, keyOf } from './command'

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }

describe('keys', () => {
  it('are named with their modifiers in one order', () => {
    expect(keyOf({ ...none, key: 'P', ctrlKey: true, shiftKey: true })).toBe('Mod-Shift-p')
    expect(keyOf({ ...none, key: ' ' })).toBe('Space')
    expect(keyOf({ ...none, key: '-', ctrlKey: true })).toBe('Mod--')
    expect(keyOf({ ...none, key: 'ArrowUp', altKey: true })).toBe('Alt-ArrowUp')
  })
  it('are shown as people write them, the minus key too', () => {
    expect(keyLabel('Mod-Shift-p')).toBe('Ctrl+Shift+P')
    expect(keyLabel('Mod--')).toBe('Ctrl+-')
    expect(keyLabel('-')).toBe('-')
    expect(keyLabel('Escape')).toBe('Esc')
    expect(keyLabel('Alt-ArrowUp')).toBe('Alt+↑')
  })
})
