// Characters that could hide something are shown: control characters and ANSI
// escapes, characters that turn the direction of text, that have no width, or
// that only carry invisible tags.

import type { Extension } from '@codemirror/state'
import { highlightSpecialChars } from '@codemirror/view'

const hidden = /[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\uffa0\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]/u

const controlPicture = 0x2400 // "␀"; the others follow

/** How a hidden character is written: "␛", "U+202E". */
export function nameOf(code: number): string {
  if (code < 0x20) return String.fromCodePoint(controlPicture + code)
  if (code === 0x7f) return '␡'
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

export const specialCharacters: Extension = highlightSpecialChars({
  addSpecialChars: hidden,
  render: (code, description) => {
    const mark = document.createElement('span')
    mark.className = 'cm-specialChar'
    mark.textContent = nameOf(code)
    mark.title = description ?? nameOf(code)
    mark.setAttribute('aria-label', mark.title)
    return mark
  },
})
