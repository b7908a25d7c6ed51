import { describe, expect, it } from 'vitest'
import { cut, oneLine, visible } from './visible'

describe('visible', () => {
  it('writes out what would not be seen or would turn others round', () => {
    expect(visible('\u001b[31mred')).toBe('␛[31mred')
    expect(visible('a\u202Eb')).toBe('a[U+202E]b')
    expect(visible('pass\u200Bword')).toBe('pass[U+200B]word')
    expect(visible('a\u200Db')).toBe('a[U+200D]b')
    expect(visible('\uD800x')).toBe('[U+D800]x')
    expect(visible('x\u{E0041}')).toBe('x[U+E0041]')
    expect(visible('\u007F\u0000')).toBe('␡␀')
  })
  it('leaves ordinary text of any language alone', () => {
    for (const text of ['a\tb\r\nc', '👩‍👩‍👧', 'می‌خواهم', 'क्‍ष', 'ё 漢字 𝒳', 'שלום']) expect(visible(text)).toBe(text)
  })
  it('is done with one pass: nothing is left, nothing is written out twice', () => {
    const odd = ['\u202E', '\u200B', '\u001b', '\uD800', '\uDC00', '\u200D', 'a', '\u{1F600}', '\u{E0020}', '\n']
    let seed = 7
    for (let n = 0; n < 500; n++) {
      let text = ''
      for (let i = 0; i < 12; i++) text += odd[(seed = (seed * 1103515245 + 12345) % 2147483648) % odd.length] ?? ''
      expect(visible(visible(text))).toBe(visible(text))
    }
  })
})

describe('cut', () => {
  it('never leaves half of a pair', () => {
    expect(cut('ab\u{1F600}c', 3)).toEqual({ text: 'ab', hidden: 3 })
    expect(cut('abc', 3)).toEqual({ text: 'abc', hidden: 0 })
  })
  it('oneLine says that there is more', () => {
    expect(oneLine('one\ntwo')).toBe('one …')
    expect(oneLine('one\n')).toBe('one')
    expect(oneLine('x'.repeat(300), 10)).toBe('xxxxxxxxxx …')
  })
})
