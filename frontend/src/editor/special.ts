// Shows characters that could hide something: control characters and ANSI escapes, characters that change
// the direction of text, have no width, or are invisible tags.

import type { Extension } from '@codemirror/state'
import { highlightSpecialChars } from '@codemirror/view'

const hidden = /[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\uffa0\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]/u

// By number, from 0.
const controls = 'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(' ')

/** The notation of a hidden character: "ESC", "U+202E". */
export function nameOf(code: number): string {
  const control = code === 0x7f ? 'DEL' : controls[code]
  if (control !== undefined) return control
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
