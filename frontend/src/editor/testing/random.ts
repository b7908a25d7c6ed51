// Seeded randomness for property tests: a failing seed is printed and repeats.

import { ChangeSet, type Text } from '@codemirror/state'

/** A whole number from 0 to below n. */
export type Random = (n: number) => number

/** Mulberry32. */
export function numbers(seed: number): Random {
  let a = seed * 0x9e3779b9
  return (n) => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % n
  }
}

/** One to three insertions, deletions or replacements. */
export function randomChange(random: Random, text: Text, letters: string): ChangeSet {
  const list: { from: number; to: number; insert: string }[] = []
  let at = 0
  for (let n = 1 + random(3); n > 0 && at <= text.length; n--) {
    const from = at + random(text.length - at + 1)
    const to = Math.min(text.length, from + (random(2) === 0 ? 0 : random(5)))
    const insert = to > from && random(2) === 0 ? '' : letters + (random(4) === 0 ? '\n' : '') + letters.repeat(random(2))
    list.push({ from, to, insert })
    at = to + 1
  }
  return ChangeSet.of(list, text.length, '\n')
}
