import { describe, expect, it } from 'vitest'
import type { Author, Timeline } from '../protocol'
import { forSeeds, type Random } from '../testing/random'
import { append, editsOf, indexAt, noEdits, prepend, reverted, type Edits } from './edits'

interface Row {
  id: number
  time: number
  author: Author
  turn: number
  path: string
  added: number
  removed: number
  flags: number
}

const authors: readonly Author[] = ['user', 'model', 'outside', 'revert', 'recovery']

function rowsOf(r: Random, n: number, after = 0): Row[] {
  const rows: Row[] = []
  let id = after
  for (let i = 0; i < n; i++) {
    id += 1 + r.below(3)
    rows.push({ id, time: id * 10, author: r.pick(authors), turn: r.below(3), path: `f${String(r.below(9))}`, added: r.below(50), removed: r.below(9), flags: r.below(4) })
  }
  return rows
}

/** An answer with names numbered in its own order, as a server may do it. */
function answer(rows: readonly Row[]): Timeline {
  const pathNames = [...new Set(rows.map((x) => x.path))]
  const authorNames = [...new Set(rows.map((x) => x.author))]
  return {
    ids: rows.map((x) => x.id), times: rows.map((x) => x.time), authors: rows.map((x) => authorNames.indexOf(x.author)), authorNames,
    turns: rows.map((x) => x.turn), paths: rows.map((x) => pathNames.indexOf(x.path)), pathNames,
    added: rows.map((x) => x.added), removed: rows.map((x) => x.removed), flags: rows.map((x) => x.flags),
    bands: [], moments: [], undone: null, head: rows.at(-1)?.id ?? 0, earlier: 0, start: 0,
  }
}

function rows(e: Edits): Row[] {
  return Array.from({ length: e.count }, (_, i) => ({
    id: e.ids[i]!, time: e.times[i]!, author: e.authorNames[e.authors[i]!]!, turn: e.turns[i]!, path: e.pathNames[e.paths[i]!]!,
    added: e.added[i]!, removed: e.removed[i]!, flags: e.flags[i]!,
  }))
}

describe('edits in columns', () => {
  it('are the same in one answer and in many', () => {
    forSeeds(60, (r) => {
      const all = rowsOf(r, r.below(200))
      let edits = noEdits()
      for (let at = 0; at < all.length; ) {
        const n = 1 + r.below(40)
        edits = append(edits, answer(all.slice(at, at + n)))
        at += n
      }
      expect(rows(edits)).toEqual(all)
      expect(rows(editsOf(answer(all)))).toEqual(all)
    })
  })

  it('do not change what an older value shows, also when two continue it', () => {
    forSeeds(40, (r) => {
      const base = rowsOf(r, 1 + r.below(30))
      const last = base.at(-1)!.id
      const one = rowsOf(r, 1 + r.below(90), last)
      const other = rowsOf(r, 1 + r.below(90), last)
      const known = editsOf(answer(base))
      const a = append(known, answer(one))
      const b = append(known, answer(other))
      expect(rows(known)).toEqual(base)
      expect(rows(a)).toEqual([...base, ...one])
      expect(rows(b)).toEqual([...base, ...other])
    })
  })

  it('that come again replace those that were known', () => {
    forSeeds(40, (r) => {
      const all = rowsOf(r, 2 + r.below(60))
      const from = r.below(all.length)
      const again = all.slice(from).map((x) => ({ ...x, flags: 2 }))
      expect(rows(append(editsOf(answer(all)), answer(again)))).toEqual([...all.slice(0, from), ...again])
    })
  })

  it('are found by the last one that is not later', () => {
    forSeeds(40, (r) => {
      const all = rowsOf(r, r.below(80))
      const edits = editsOf(answer(all))
      for (let id = 0; id < 260; id += 1 + r.below(7)) expect(indexAt(edits, id)).toBe(all.findLastIndex((x) => x.id <= id))
    })
  })

  it('know each turn once, as it was told last', () => {
    const band = (turn: number, status: 'completed' | '') => ({ turn, session: 1, request: '', status, first: turn, last: turn, started: 1, ended: 0 })
    const one = { ...answer([]), bands: [band(1, 'completed'), band(2, '')] }
    const two = { ...answer([]), bands: [band(2, 'completed'), band(3, '')] }
    expect(append(editsOf(one), two).bands).toEqual([band(1, 'completed'), band(2, 'completed'), band(3, '')])
  })

  it('are the same when the newest ones come first, and the others part by part', () => {
    forSeeds(60, (r) => {
      const all = rowsOf(r, 1 + r.below(200))
      let from = Math.max(0, all.length - 1 - r.below(40))
      let to = Math.min(all.length, from + 1 + r.below(20)) // what is there when the page begins
      const part = (a: number, b: number): Timeline => ({ ...answer(all.slice(a, b)), earlier: all[a - 1]?.id ?? 0 })
      let edits = editsOf(part(from, to))
      const older: [Edits, number, number][] = []
      while (edits.earlier !== 0 || to < all.length) {
        older.push([edits, from, to])
        if (to < all.length && (edits.earlier === 0 || r.below(3) === 0)) {
          const next = Math.min(all.length, to + 1 + r.below(20))
          edits = append(edits, answer(all.slice(to, next)))
          to = next
        } else {
          const before = Math.max(0, from - 1 - r.below(30))
          edits = prepend(edits, part(before, from))
          from = before
        }
      }
      expect(rows(edits)).toEqual(all)
      for (const [was, a, b] of older) expect(rows(was)).toEqual(all.slice(a, b))
    })
  })

  it('of which old ones are taken back are marked, and older values stay what they were', () => {
    forSeeds(40, (r) => {
      const base = rowsOf(r, 1 + r.below(60))
      const next = rowsOf(r, 1 + r.below(9), base.at(-1)!.id)
      const undone = [...base, ...next].filter(() => r.below(3) === 0).map((x) => x.id)
      const known = editsOf(answer(base))
      const now = append(known, { ...answer(next), undone: [...undone, 9_999_999] })
      const marked = (x: Row): Row => ({ ...x, flags: (x.flags & ~reverted) | (undone.includes(x.id) ? reverted : 0) })
      expect(rows(now)).toEqual([...base, ...next].map(marked))
      expect(rows(known)).toEqual(base)
      const one = rowsOf(r, 3, next.at(-1)!.id)
      expect(rows(append(now, answer(one)))).toEqual([...[...base, ...next].map(marked), ...one])
      expect(rows(append(known, answer(one)))).toEqual([...base, ...one])
    })
  })

  it('know of a turn all its edits that were told, in whichever part', () => {
    const band = (turn: number, first: number, last: number) => ({ turn, session: 1, request: '', status: 'completed' as const, first, last, started: 1, ended: 2 })
    const row: Row = { id: 7, time: 1, author: 'model', turn: 2, path: 'a', added: 0, removed: 0, flags: 0 }
    const newest = editsOf({ ...answer([row]), bands: [band(1, 0, 0), band(2, 7, 7)], earlier: 6 })
    const all = prepend(newest, { ...answer([{ ...row, id: 5, turn: 1 }, { ...row, id: 6 }]), bands: [band(1, 5, 5), band(2, 6, 6)] })
    expect(all.bands).toEqual([band(1, 5, 5), band(2, 6, 7)])
    expect(append(all, { ...answer([{ ...row, id: 9 }]), bands: [band(2, 9, 9)] }).bands).toEqual([band(1, 5, 5), band(2, 6, 9)])
  })
})
