// The results of a search through the project as rows: a heading for each
// file, then its lines. Pure.

import type { GrepMatch, GrepQuery } from '../../protocol'

export type Row =
  | { readonly kind: 'file'; readonly path: string; readonly count: number }
  | { readonly kind: 'match'; readonly match: GrepMatch }

export interface Search {
  readonly text: string
  readonly regex: boolean
  readonly case: boolean
  readonly word: boolean
  readonly globs: string // as typed: "*.go, !vendor/**"
}

export const noSearch: Search = { text: '', regex: false, case: false, word: false, globs: '' }

export function queryOf(search: Search, limit: number): GrepQuery {
  const { text, regex, word } = search
  return { text, regex, word, case: search.case, globs: globsOf(search.globs), limit }
}

export function globsOf(typed: string): readonly string[] {
  return typed.split(/[\s,]+/).filter((g) => g !== '')
}

/** Matches come file by file; a file's lines stay together under one heading. */
export function rowsOf(matches: readonly GrepMatch[]): readonly Row[] {
  const counts = new Map<string, number>()
  for (const m of matches) counts.set(m.path, (counts.get(m.path) ?? 0) + 1)
  const rows: Row[] = []
  let path: string | null = null
  for (const match of matches) {
    if (match.path !== path) rows.push({ kind: 'file', path: match.path, count: counts.get(match.path) ?? 0 })
    path = match.path
    rows.push({ kind: 'match', match })
  }
  return rows
}

/** The next match row in a direction; the same row when there is none. */
export function nextMatch(rows: readonly Row[], from: number, by: number): number {
  for (let at = from + Math.sign(by); at >= 0 && at < rows.length; at += Math.sign(by)) {
    if (rows[at]?.kind === 'match') return at
  }
  return from
}

/** Splits the line: before the match, the match, after it. Without indentation. */
export function lineParts(match: GrepMatch): readonly [string, string, string] {
  const from = Math.max(0, match.column - match.offset)
  const to = from + match.length
  const before = match.text.slice(0, from).replace(/^\s+/, '')
  return [(match.offset > 0 ? '…' : '') + before, match.text.slice(from, to), match.text.slice(to)]
}

export function countText(matches: number, files: number, more: boolean): string {
  const lines = `${more ? 'First ' : ''}${matches.toLocaleString('en')} ${matches === 1 ? 'match' : 'matches'}`
  return `${lines} in ${files.toLocaleString('en')} ${files === 1 ? 'file' : 'files'}`
}
