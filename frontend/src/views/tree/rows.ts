// The open part of the tree as rows, and where the keys go in them. Pure.

import { parentOf } from '../../paths'
import type { ReviewHunk, TreeEntry } from '../../protocol'

/** What is known of folders: their entries, by path; "" is the project. */
export type Listings = ReadonlyMap<string, readonly TreeEntry[]>

export interface Row {
  readonly entry: TreeEntry
  readonly depth: number // from 1
  readonly open: boolean
  readonly index: number // among its siblings, from 1
  readonly siblings: number
}

export function rowsOf(listings: Listings, open: ReadonlySet<string>): readonly Row[] {
  const rows: Row[] = []
  const add = (folder: string, depth: number): void => {
    const entries = listings.get(folder) ?? []
    entries.forEach((entry, i) => {
      const isOpen = entry.dir && open.has(entry.path)
      rows.push({ entry, depth, open: isOpen, index: i + 1, siblings: entries.length })
      if (isOpen) add(entry.path, depth + 1)
    })
  }
  add('', 1)
  return rows
}

/** How many changes wait to be looked at, for each file and each folder above it. */
export function waiting(review: readonly Pick<ReviewHunk, 'path'>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { path } of review) {
    for (let at = path; at !== ''; at = parentOf(at)) counts.set(at, (counts.get(at) ?? 0) + 1)
  }
  return counts
}

/** The next row whose name begins with the letters, round the end; -1 for none. */
export function typedTo(rows: readonly Row[], from: number, letters: string): number {
  const low = letters.toLowerCase()
  const first = letters.length > 1 ? 0 : 1
  for (let n = first; n <= rows.length; n++) {
    const at = (Math.max(0, from) + n) % rows.length
    if (rows[at]?.entry.name.toLowerCase().startsWith(low)) return at
  }
  return -1
}

/** What is read aloud of an entry beside its name. */
export function marksOf(entry: TreeEntry, edits: number): string {
  return [
    edits > 0 ? `${String(edits)} ${edits === 1 ? 'change' : 'changes'} to review` : '',
    entry.changed && !entry.dir ? 'changed in this session' : '',
    entry.held ? 'may hold secrets: models do not see it' : '',
    entry.ignored ? 'ignored' : '',
  ].filter((m) => m !== '').join(', ')
}
