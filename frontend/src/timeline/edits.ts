// The edits of the history in typed columns, like protocol.Timeline. The newest ones are known first; earlier
// ones are prepended part by part. 100,000 edits take about 4 MB, and new ones are appended: an Edits value
// sees a prefix of columns that only grow, so older values do not change.

import type { Author, EditID, Moment, Timeline, TurnBand } from '../protocol'

export const partial = 1
export const reverted = 2
export const isRevert = 4
export const isRename = 16 // it also changes what another path held

export interface Edits {
  readonly count: number
  readonly ids: Float64Array // ascending
  readonly times: Float64Array // ms since 1970
  readonly authors: Uint8Array // index into authorNames
  readonly authorNames: readonly Author[]
  readonly turns: Float64Array // 0: none
  readonly paths: Uint32Array // index into pathNames
  readonly pathNames: readonly string[]
  readonly added: Uint32Array
  readonly removed: Uint32Array
  readonly flags: Uint8Array
  readonly bands: readonly TurnBand[]
  readonly moments: readonly Moment[]
  readonly head: EditID
  readonly earlier: EditID // the newest edit before the first one known; 0: none
  readonly start: number
}

const columns = {
  ids: Float64Array,
  times: Float64Array,
  authors: Uint8Array,
  turns: Float64Array,
  paths: Uint32Array,
  added: Uint32Array,
  removed: Uint32Array,
  flags: Uint8Array,
} as const
type Column = keyof typeof columns
const columnNames = Object.keys(columns) as Column[]
type Arrays = { [C in Column]: InstanceType<(typeof columns)[C]> }

/** The arrays behind the values, longer than what is used of them. */
interface Backing {
  used: number
  arrays: Arrays
}

const backings = new WeakMap<Edits, Backing>()

/** A history without edits. */
export function noEdits(): Edits {
  return view({ used: 0, arrays: allocate(0) }, 0, { authorNames: [], pathNames: [], bands: [], moments: [], head: 0, earlier: 0, start: 0 })
}

/** The edits of a complete answer. */
export function editsOf(answer: Timeline): Edits {
  return append(noEdits(), answer)
}

/**
 * Appends newer edits. Names may be numbered differently in each answer. An answer that begins
 * before the known end replaces everything from there.
 */
export function append(known: Edits, answer: Timeline): Edits {
  const first = answer.ids[0] ?? Infinity
  const keep = lowerBound(known.ids, known.count, first)
  const count = keep + answer.ids.length
  const backing = roomFor(known, keep, count)
  const authors = renumber(known.authorNames, answer.authorNames)
  const paths = renumber(known.pathNames, answer.pathNames)
  for (let i = 0; i < answer.ids.length; i++) {
    const at = keep + i
    for (const name of columnNames) backing.arrays[name][at] = answer[name][i] ?? 0
    backing.arrays.authors[at] = authors.map[answer.authors[i] ?? 0] ?? 0
    backing.arrays.paths[at] = paths.map[answer.paths[i] ?? 0] ?? 0
  }
  backing.used = count
  const { moments, head } = answer
  const start = known.start === 0 ? answer.start : known.start
  const earlier = keep === 0 ? answer.earlier : known.earlier
  const rest = { authorNames: authors.names, pathNames: paths.names, bands: mergeBands(known.bands, answer.bands), moments, head, earlier, start }
  return view(answer.undone === null ? backing : marked(backing, answer.undone), count, rest)
}

/** Prepends earlier edits. */
export function prepend(known: Edits, answer: Timeline): Edits {
  const n = lowerBound(answer.ids, answer.ids.length, known.ids[0] ?? Infinity)
  const count = n + known.count
  const arrays = allocate(count + (count >> 3))
  const authors = renumber(known.authorNames, answer.authorNames)
  const paths = renumber(known.pathNames, answer.pathNames)
  for (const name of columnNames) {
    arrays[name].set(answer[name].slice(0, n))
    arrays[name].set(known[name], n)
  }
  for (let i = 0; i < n; i++) {
    arrays.authors[i] = authors.map[answer.authors[i] ?? 0] ?? 0
    arrays.paths[i] = paths.map[answer.paths[i] ?? 0] ?? 0
  }
  const { moments, head, start } = known
  return view({ used: count, arrays }, count, {
    authorNames: authors.names, pathNames: paths.names, bands: mergeBands(answer.bands, known.bands), moments, head, earlier: answer.earlier, start,
  })
}

/** The same columns, with exactly these edits reverted. */
function marked(backing: Backing, undone: readonly EditID[]): Backing {
  const { ids } = backing.arrays
  const flags = backing.arrays.flags.map((f) => f & ~reverted)
  for (const id of undone) {
    const at = lowerBound(ids, backing.used, id)
    if (at < backing.used && ids[at] === id) flags[at]! |= reverted
  }
  const own = { used: backing.used, arrays: { ...backing.arrays, flags } }
  backing.used = Infinity // nobody else may append to shared columns
  return own
}

/** An answer has the turns of its part: each is kept in its newest form, with all its known edits. */
function mergeBands(known: readonly TurnBand[], fresh: readonly TurnBand[]): readonly TurnBand[] {
  const all = new Map(known.map((b) => [b.turn, b]))
  for (const b of fresh) {
    const old = all.get(b.turn)
    all.set(b.turn, old === undefined ? b : { ...b, first: least(old.first, b.first), last: Math.max(old.last, b.last) })
  }
  return [...all.values()].sort((a, b) => a.turn - b.turn)
}

/** The smaller of two ids; 0 is none. */
function least(a: EditID, b: EditID): EditID {
  return a === 0 || b === 0 ? Math.max(a, b) : Math.min(a, b)
}

/** The index of an edit, or of the last one before it; -1 before the first. */
export function indexAt(edits: Edits, id: EditID): number {
  return lowerBound(edits.ids, edits.count, id + 1) - 1
}

/** How many of the first n numbers are smaller; they ascend. */
export function lowerBound(list: ArrayLike<number>, n: number, value: number): number {
  let low = 0
  let high = n
  while (low < high) {
    const mid = (low + high) >>> 1
    if (list[mid]! < value) low = mid + 1
    else high = mid
  }
  return low
}

type Rest = Pick<Edits, 'authorNames' | 'pathNames' | 'bands' | 'moments' | 'head' | 'earlier' | 'start'>

function view(backing: Backing, count: number, rest: Rest): Edits {
  const a = backing.arrays
  const edits: Edits = {
    count, ...rest,
    ids: a.ids.subarray(0, count), times: a.times.subarray(0, count), authors: a.authors.subarray(0, count),
    turns: a.turns.subarray(0, count), paths: a.paths.subarray(0, count), added: a.added.subarray(0, count),
    removed: a.removed.subarray(0, count), flags: a.flags.subarray(0, count),
  }
  backings.set(edits, backing)
  return edits
}

/** The same arrays if the rest after `keep` is unused and has room. */
function roomFor(known: Edits, keep: number, count: number): Backing {
  const old = backings.get(known)
  if (old?.used === keep && old.arrays.ids.length >= count) return old
  const arrays = allocate(Math.max(64, count + (count >> 1)))
  for (const name of columnNames) arrays[name].set(known[name].subarray(0, keep))
  return { used: keep, arrays }
}

function allocate(n: number): Arrays {
  const make = (name: Column): Arrays[Column] => new columns[name](n)
  return Object.fromEntries(columnNames.map((name) => [name, make(name)])) as unknown as Arrays
}

function renumber<N extends string>(known: readonly N[], fresh: readonly N[]): { names: readonly N[]; map: number[] } {
  const numbers = new Map(known.map((name, i) => [name, i]))
  const names = [...known]
  const map = fresh.map((name) => {
    const old = numbers.get(name)
    if (old !== undefined) return old
    numbers.set(name, names.length)
    return names.push(name) - 1
  })
  return { names: names.length === known.length ? known : names, map }
}
