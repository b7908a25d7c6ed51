// Merges two changes of one text, line by line: a change by one side is taken, different changes of
// the same lines by both are a clash. Joined in order, the regions give each of the three texts.

import { diff, type Change } from '@codemirror/merge'

export interface Region {
  readonly kind: 'same' | 'theirs' | 'mine' | 'both' | 'clash' // who changed it
  readonly base: string
  readonly theirs: string
  readonly mine: string
}

export function merge3(base: string, theirs: string, mine: string): Region[] {
  const [b, t, m] = [linesOf(base), linesOf(theirs), linesOf(mine)]
  const changes = both(lineChanges(b, t), lineChanges(b, m))
  const regions: Region[] = []
  const at = { base: 0, theirs: 0, mine: 0 }
  const take = (toBase: number, toTheirs: number, toMine: number): void => {
    if (toBase > at.base || toTheirs > at.theirs || toMine > at.mine) {
      regions.push(region(b.slice(at.base, toBase).join(''), t.slice(at.theirs, toTheirs).join(''), m.slice(at.mine, toMine).join('')))
    }
    Object.assign(at, { base: toBase, theirs: toTheirs, mine: toMine })
  }
  for (const c of changes) {
    const same = c.from - at.base
    take(c.from, at.theirs + same, at.mine + same)
    take(c.to, at.theirs + (c.to - c.from) + c.theirs, at.mine + (c.to - c.from) + c.mine)
  }
  take(b.length, t.length, m.length)
  return regions
}

function region(base: string, theirs: string, mine: string): Region {
  if (theirs === mine) return { kind: theirs === base ? 'same' : 'both', base, theirs, mine }
  return { kind: mine === base ? 'theirs' : theirs === base ? 'mine' : 'clash', base, theirs, mine }
}

/** The initial result: mine, with theirs where they do not conflict. */
export function merged(r: Region): string {
  return r.kind === 'theirs' ? r.theirs : r.mine
}

/** Lines with their ends; joined, they are the text. */
export function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

/** Lines [from, to) of the base that changed, and by how many lines each side grew. */
interface Group {
  readonly from: number
  readonly to: number
  readonly theirs: number
  readonly mine: number
}

/**
 * Puts the changes of both sides in order, and joins those that overlap. Adjacent changes stay
 * separate, before or after each other; but two insertions at one place have no order.
 */
function both(theirs: readonly Change[], mine: readonly Change[]): Group[] {
  const all = [
    ...theirs.map((c) => ({ from: c.fromA, to: c.toA, theirs: grown(c), mine: 0 })),
    ...mine.map((c) => ({ from: c.fromA, to: c.toA, theirs: 0, mine: grown(c) })),
  ].sort((x, y) => x.from - y.from || x.to - y.to)
  const out: Group[] = []
  for (const next of all) {
    const last = out.at(-1)
    if (last && (next.from < last.to || (next.from === last.to && last.from === next.from && next.from === next.to))) {
      out[out.length - 1] = { from: last.from, to: Math.max(last.to, next.to), theirs: last.theirs + next.theirs, mine: last.mine + next.mine }
    } else out.push(next)
  }
  return out
}

function grown(c: Change): number {
  return c.toB - c.fromB - (c.toA - c.fromA)
}

const firstSurrogate = 0xd800
const afterSurrogates = 0xe000

/** Compares lines as the letters of two words: each distinct line becomes a letter. */
function lineChanges(a: readonly string[], b: readonly string[]): readonly Change[] {
  const letters = new Map<string, string>()
  const letter = (line: string): string => {
    const known = letters.get(line)
    if (known !== undefined) return known
    const n = letters.size + 1
    const fresh = String.fromCharCode(n < firstSurrogate ? n : Math.min(0xffff, n + afterSurrogates - firstSurrogate))
    letters.set(line, fresh)
    return fresh
  }
  const [one, two] = [a.map(letter).join(''), b.map(letter).join('')]
  const changes = diff(one, two, { scanLimit: 2000, timeout: 300 })
  return letters.size < 0xffff - 0x900 ? changes : wholly(a, b) // too many lines for letters
}

/** One change from the first line that differs to the last one. */
function wholly(a: readonly string[], b: readonly string[]): readonly Change[] {
  let start = 0
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const none = start === a.length && start === b.length
  return none ? [] : [{ fromA: start, toA: a.length - end, fromB: start, toB: b.length - end }]
}
