// Random histories for the tests of the timeline.

import type { Author, Timeline } from '../protocol'
import type { Random } from '../testing/random'
import { editsOf, isRevert, reverted, type Edits } from './edits'

const authors: readonly Author[] = ['user', 'model', 'outside', 'revert', 'recovery']

/** Bursts of edits, with pauses from none to days between them. */
export function sampleTimeline(r: Random, n: number, files = 7): Timeline {
  const pauses = [0, 1, 15, 900, 8_000, 40_000, 4_000_000, 200_000_000]
  const out = {
    ids: [] as number[], times: [] as number[], authors: [] as number[], turns: [] as number[], paths: [] as number[],
    added: [] as number[], removed: [] as number[], flags: [] as number[],
  }
  let time = 1_760_000_000_000
  let id = 0
  for (let i = 0; i < n; i++) {
    time += r.below(1 + r.pick(pauses))
    id += r.below(8) === 0 ? 1 + r.below(4) : 1
    out.ids.push(id)
    out.times.push(time)
    out.authors.push(r.below(authors.length))
    out.turns.push(r.below(3) === 0 ? 0 : 1 + Math.floor(i / 9))
    out.paths.push(r.below(files))
    out.added.push(r.below(r.pick([1, 4, 300])))
    out.removed.push(r.below(9))
    out.flags.push(r.pick([0, 0, 0, 1, reverted, isRevert]))
  }
  const pathNames = Array.from({ length: files }, (_, f) => `pkg/f${String(f)}.go`)
  return { ...out, authorNames: authors, pathNames, bands: [], moments: [], undone: null, head: id, earlier: 0, start: 1_760_000_000_000 }
}

export function sampleEdits(r: Random, n: number, files = 7): Edits {
  return editsOf(sampleTimeline(r, n, files))
}
