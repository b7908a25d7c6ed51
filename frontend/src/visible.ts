// Text from a model or a file may hold characters that are not seen or that
// turn the order of others round: terminal escapes, bidi controls, zero width
// characters. Everything shown of such text goes through visible(), which
// writes them out, so that what the user reads is what is there.

/** Terminal escapes and other controls but tab and newlines; a form for each. */
const controls = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g

/** Bidi controls, zero width and other invisible characters, tags, lone surrogates. */
const unseen = /[\u0080-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|\uDB40[\uDC00-\uDC7F]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/** Joiners shape emoji, Persian and Indic text; beside an ASCII letter they only hide. */
const joiners = /(?<=^|[\u0000-\u007F])[\u200C\u200D]+|[\u200C\u200D]+(?=$|[\u0000-\u007F])/g

const anything = new RegExp([controls, unseen, joiners].map((r) => r.source).join('|'))

export function visible(text: string): string {
  if (!anything.test(text)) return text
  return text
    .replace(controls, (c) => String.fromCharCode(c === '\u007F' ? 0x2421 : 0x2400 + c.charCodeAt(0)))
    .replace(unseen, named)
    .replace(joiners, (run) => Array.from(run, named).join(''))
}

function named(c: string): string {
  return `[U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`
}

export interface Cut {
  readonly text: string
  readonly hidden: number // characters left out at the end
}

/** The text with a capital at its beginning, unless that is a name: xAI, llama-server. */
export function capital(text: string): string {
  return /^[a-z]+[A-Z-]/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)
}

/** At most max characters of the text, never half of a surrogate pair. */
export function cut(text: string, max: number): Cut {
  if (text.length <= max) return { text, hidden: 0 }
  const half = /[\uD800-\uDBFF]/.test(text.charAt(max - 1))
  const end = half ? max - 1 : max
  return { text: text.slice(0, end), hidden: text.length - end }
}

/** One line of text for a row: the first line, cut. */
export function oneLine(text: string, max = 200): string {
  const { text: line, hidden } = cut(text.trimStart().split('\n', 1)[0] ?? '', max)
  const more = hidden > 0 || text.trim().includes('\n')
  return visible(line) + (more ? ' …' : '')
}

const grouped = new Intl.NumberFormat('en-US') // made once: making one takes longer than a row

/** 1,234 */
export function count(n: number): string {
  return n >= 0 && n < 1000 ? String(n) : grouped.format(n)
}

/** "1 edit", "1,200 edits". */
export function counted(n: number, noun: string): string {
  return `${count(n)} ${noun}${n === 1 ? '' : 's'}`
}
