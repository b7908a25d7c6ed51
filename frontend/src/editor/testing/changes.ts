// Random changes for property tests.

import { ChangeSet, type Text } from '@codemirror/state'
import type { Random } from '../../testing/random'

/** One to three insertions, deletions or replacements. */
export function randomChange(random: Random, text: Text, letters: string): ChangeSet {
  const list: { from: number; to: number; insert: string }[] = []
  let at = 0
  for (let n = 1 + random.below(3); n > 0 && at <= text.length; n--) {
    const from = at + random.below(text.length - at + 1)
    const to = Math.min(text.length, from + (random.below(2) === 0 ? 0 : random.below(5)))
    const insert = to > from && random.below(2) === 0 ? '' : letters + (random.below(4) === 0 ? '\n' : '') + letters.repeat(random.below(2))
    list.push({ from, to, insert })
    at = to + 1
  }
  return ChangeSet.of(list, text.length, '\n')
}
