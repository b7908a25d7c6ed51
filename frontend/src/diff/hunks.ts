// Finds the edits behind a change of a diff. Pending edits have places in the live text; the diff
// has places in the text it shows. If the two differ because somebody typed since, places are
// mapped.

import { diff } from '@codemirror/merge'
import type { EditID, ReviewHunk } from '../protocol'
import { mapped, touch, type Range } from './pieces'

/** The edits in each range of the shown text. An edit belongs to all ranges that it touches. */
export function editsOf(ranges: readonly Range[], shown: string, live: string, hunks: readonly ReviewHunk[]): EditID[][] {
  const changes = shown === live ? [] : diff(shown, live, { scanLimit: 500, timeout: 50 })
  return ranges.map((range) => {
    const place = changes.length === 0 ? range : mapped(range, changes)
    return [...new Set(hunks.filter((h) => touch(place, h)).flatMap((h) => h.edits))]
  })
}
