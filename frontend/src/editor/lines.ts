// The line-by-line difference of two texts, so that equal parts stay in place: colours, drawn lines,
// the scroll position. Two versions of a file share most lines as the same string objects, which
// makes comparing them cheap.

import type { Text } from '@codemirror/state'

export interface Replacement {
  readonly from: number
  readonly to: number
  readonly insert: Text
}

/** Differing lines: a to aTo of one text, b to bTo of the other. */
interface Gap {
  readonly a: number
  readonly aTo: number
  readonly b: number
  readonly bTo: number
}

/** The replacements that turn one text into the other, in order. */
export function replacements(before: Text, after: Text): readonly Replacement[] {
  if (before === after) return []
  const [a, b] = [before.toJSON(), after.toJSON()]
  const [startsA, startsB] = [starts(a), starts(b)]
  return gaps(a, b).map((gap) => replacement(gap, before, after, startsA, startsB)).filter((r) => r.to > r.from || r.insert.length > 0)
}

function starts(lines: readonly string[]): Int32Array {
  const out = new Int32Array(lines.length + 1)
  for (let i = 0; i < lines.length; i++) out[i + 1] = out[i]! + lines[i]!.length + 1
  return out
}

function gaps(a: readonly string[], b: readonly string[]): readonly Gap[] {
  const whole = trimmed(a, b, { a: 0, aTo: a.length, b: 0, bTo: b.length })
  const out: Gap[] = []
  const add = (gap: Gap): void => {
    const rest = trimmed(a, b, gap)
    if (rest.a < rest.aTo || rest.b < rest.bTo) out.push(rest)
  }
  let [atA, atB] = [whole.a, whole.b]
  for (const [x, y] of anchors(a, b, whole)) {
    add({ a: atA, aTo: x, b: atB, bTo: y })
    atA = x + 1
    atB = y + 1
  }
  add({ a: atA, aTo: whole.aTo, b: atB, bTo: whole.bTo })
  return out
}

/** Trims equal lines at both ends. */
function trimmed(a: readonly string[], b: readonly string[], gap: Gap): Gap {
  let { a: fromA, b: fromB, aTo, bTo } = gap
  while (fromA < aTo && fromB < bTo && a[fromA] === b[fromB]) [fromA, fromB] = [fromA + 1, fromB + 1]
  while (fromA < aTo && fromB < bTo && a[aTo - 1] === b[bTo - 1]) [aTo, bTo] = [aTo - 1, bTo - 1]
  return { a: fromA, aTo, b: fromB, bTo }
}

/** Lines that occur exactly once in both texts, as far as their order is the same. */
function anchors(a: readonly string[], b: readonly string[], gap: Gap): readonly (readonly [number, number])[] {
  if (gap.a === gap.aTo || gap.b === gap.bTo) return []
  const inB = once(b, gap.b, gap.bTo)
  const pairs: [number, number][] = []
  for (const [line, x] of once(a, gap.a, gap.aTo)) {
    const y = inB.get(line)
    if (x >= 0 && y !== undefined && y >= 0) pairs.push([x, y])
  }
  return rising(pairs.sort((p, q) => p[0] - q[0]))
}

/** The index of each line; -1 for a repeated one. */
function once(lines: readonly string[], from: number, to: number): Map<string, number> {
  const out = new Map<string, number>()
  for (let i = from; i < to; i++) out.set(lines[i]!, out.has(lines[i]!) ? -1 : i)
  return out
}

/** The longest sequence of pairs whose second numbers ascend, too. */
function rising(pairs: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const ends: number[] = [] // ends[n]: the pair with the smallest end of a row of n+1
  const before = new Int32Array(pairs.length)
  pairs.forEach(([, y], i) => {
    let low = 0
    let high = ends.length
    while (low < high) {
      const mid = (low + high) >> 1
      if (pairs[ends[mid]!]![1] < y) low = mid + 1
      else high = mid
    }
    before[i] = low > 0 ? ends[low - 1]! : -1
    ends[low] = i
  })
  const out: (readonly [number, number])[] = []
  for (let i = ends.at(-1) ?? -1; i >= 0; i = before[i]!) out.push(pairs[i]!)
  return out.reverse()
}

/** A gap in characters, without equal ones at both ends. */
function replacement(gap: Gap, before: Text, after: Text, startsA: Int32Array, startsB: Int32Array): Replacement {
  let [from, to] = range(gap.a, gap.aTo, before.length, startsA)
  let [fromB, toB] = range(gap.b, gap.bTo, after.length, startsB)
  const end = gap.aTo === startsA.length - 1 // the last line has no line break
  if (end && gap.a === gap.aTo) [from, to, fromB] = [before.length, before.length, fromB - 1]
  if (end && gap.b === gap.bTo) [from, fromB, toB] = [from - 1, after.length, after.length]
  const [x, y] = [before.sliceString(from, to), after.sliceString(fromB, toB)]
  const [head, tail] = same(x, y)
  return { from: from + head, to: to - tail, insert: after.slice(fromB + head, toB - tail) }
}

/** Lines with their breaks, except the last one, which has none. */
function range(line: number, to: number, length: number, at: Int32Array): [number, number] {
  return [Math.min(at[line]!, length), Math.min(at[to]!, length)]
}

/** The length of the common start and end of two strings; it does not split surrogate pairs. */
function same(x: string, y: string): [head: number, tail: number] {
  const most = Math.min(x.length, y.length)
  let head = 0
  while (head < most && x.charCodeAt(head) === y.charCodeAt(head)) head++
  if (head > 0 && isHigh(x.charCodeAt(head - 1))) head--
  let tail = 0
  while (tail < most - head && x.charCodeAt(x.length - 1 - tail) === y.charCodeAt(y.length - 1 - tail)) tail++
  if (tail > 0 && isLow(x.charCodeAt(x.length - tail))) tail--
  return [head, tail]
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}
