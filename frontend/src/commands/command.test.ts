import { describe, expect, it } from 'vitest'
import { keyLabel, keyOf, typesByAltGr } from './command'

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }

describe('keys', () => {
  it('are named with their modifiers in one order', () => {
    expect(keyOf({ ...none, key: 'P', ctrlKey: true, shiftKey: true })).toBe('Mod-Shift-p')
    expect(keyOf({ ...none, key: ' ' })).toBe('Space')
    expect(keyOf({ ...none, key: '-', ctrlKey: true })).toBe('Mod--')
    expect(keyOf({ ...none, key: 'ArrowUp', altKey: true })).toBe('Alt-ArrowUp')
  })
  it('type by AltGr, which is Ctrl and Alt on some systems', () => {
    const both = { ctrlKey: true, altKey: true }
    const press = (key: string, code: string, keys: object, graph = false): boolean =>
      typesByAltGr({ ...none, ...keys, key, code, getModifierState: (name: string) => graph && name === 'AltGraph' })
    expect(press('[', 'Digit8', both, true)).toBe(true) // German, not "fold all"
    expect(press('ń', 'KeyN', both, true)).toBe(true) // Polish, not "new file"
    expect(press('o', 'KeyO', both, true)).toBe(true)
    expect(press('ó', 'KeyO', both)).toBe(true)
    expect(press('o', 'KeyO', both)).toBe(false)
    expect(press('n', 'KeyK', both)).toBe(false) // the letter is where another layout has it
    expect(press('[', 'BracketLeft', both)).toBe(false)
    expect(press('ArrowLeft', 'ArrowLeft', both, true)).toBe(false)
    expect(press('a', 'KeyA', { altKey: true })).toBe(false)
  })
  it('are shown as people write them, the minus key too', () => {
    expect(keyLabel('Mod-Shift-p')).toBe('Ctrl+Shift+P')
    expect(keyLabel('Mod--')).toBe('Ctrl+-')
    expect(keyLabel('-')).toBe('-')
    expect(keyLabel('Escape')).toBe('Esc')
    expect(keyLabel('Alt-ArrowUp')).toBe('Alt+↑')
  })
})
