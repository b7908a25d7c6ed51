// A unified diff draws removed text completely, however long it is, unlike the current text. So
// long stretches of it are cut to their ends.

import { Chunk } from '@codemirror/merge'
import { Text } from '@codemirror/state'
import { number } from '../timeline/words'

const most = 400 // lines of a removed stretch that are shown
const fewest = 20 // lines that are worth leaving out
const config = { scanLimit: 500, timeout: 200 }

export interface Cut {
  readonly before: Text
  readonly hidden: number // lines that are left out
}

/** The text before, with long removed stretches cut. The number of changes, and their places in the text after, stay. */
export function cutRemoved(before: Text, after: Text): Cut {
  let cut = before
  let hidden = 0
  if (before.lines <= most) return { before, hidden }
  for (const chunk of [...Chunk.build(before, after, config)].reverse()) {
    if (chunk.fromA >= chunk.toA) continue
    const first = before.lineAt(chunk.fromA).number
    const last = before.lineAt(chunk.endA).number
    const over = last - first + 1 - most
    if (over < fewest) continue
    const from = before.line(first + most / 2).from
    const to = before.line(last - most / 2).to
    cut = cut.replace(from, to, Text.of([`⋯ ${number(over)} more removed lines`]))
    hidden += over
  }
  return { before: cut, hidden }
}
