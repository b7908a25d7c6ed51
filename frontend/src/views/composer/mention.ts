// "@" in a request completes a place in the project. A place becomes a chip and leaves the text; a symbol's name, or
// with Tab a path, is inserted.

import type { Chip, FoundFile, Symbol } from '../../protocol'

export interface Mention {
  readonly from: number // of the "@"
  readonly to: number // the caret
  readonly query: string
}

export interface Candidate {
  readonly id: string
  readonly kind: Chip['kind'] | 'symbol'
  readonly label: string
  readonly detail: string
  readonly chip: Chip | null
  readonly insert: string
}

/** The "@word" before the caret. */
export function mentionAt(text: string, caret: number): Mention | null {
  const before = text.slice(Math.max(0, caret - 200), caret)
  const match = /(?:^|[\s(])@([^\s@]*)$/.exec(before)
  const query = match?.[1]
  return query === undefined ? null : { from: caret - query.length - 1, to: caret, query }
}

export interface Places {
  readonly selection: { readonly path: string; readonly from: number; readonly to: number } | null
  readonly active: string
  readonly files: readonly FoundFile[]
  readonly symbols: readonly Symbol[]
}

export function candidates(query: string, places: Places): readonly Candidate[] {
  return [...here(query, places), ...glob(query), ...places.files.map((f) => fileCandidate(f.path)), ...folders(query, places.files), ...places.symbols.map(symbol)]
}

function here(query: string, { selection, active }: Places): readonly Candidate[] {
  const out: Candidate[] = []
  if (selection !== null && 'selection'.startsWith(query.toLowerCase())) {
    const lines = selection.from === selection.to ? String(selection.from) : `${String(selection.from)}–${String(selection.to)}`
    out.push({ id: 'selection', kind: 'selection', label: 'selection', detail: `${selection.path}:${lines}`, chip: { kind: 'selection', path: selection.path, from: selection.from, to: selection.to }, insert: `${selection.path}:${lines}` })
  }
  if (query === '' && active !== '') out.push({ ...fileCandidate(active), id: 'active', detail: 'this file' })
  return out
}

function glob(query: string): readonly Candidate[] {
  if (!query.includes('*')) return []
  return [{ id: 'glob', kind: 'glob', label: query, detail: 'only edits in files that match', chip: { kind: 'glob', path: query, from: 0, to: 0, only: true }, insert: query }]
}

function fileCandidate(path: string): Candidate {
  const slash = path.lastIndexOf('/')
  return { id: `file ${path}`, kind: 'file', label: path.slice(slash + 1), detail: path.slice(0, Math.max(0, slash)), chip: { kind: 'file', path, from: 0, to: 0 }, insert: path }
}

const mostFolders = 2

/** Folders of the files found whose path holds the query, the shortest first. */
function folders(query: string, files: readonly FoundFile[]): readonly Candidate[] {
  if (query === '') return []
  const found = new Set<string>()
  for (const { path } of files) {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const folder = path.slice(0, slash)
      if (`${folder}/`.toLowerCase().includes(query.toLowerCase())) found.add(folder)
    }
  }
  return [...found].sort((a, b) => a.length - b.length).slice(0, mostFolders).map((path) => (
    { id: `folder ${path}`, kind: 'folder', label: `${path}/`, detail: 'only edits in this folder', chip: { kind: 'folder', path, from: 0, to: 0, only: true }, insert: `${path}/` }
  ))
}

function symbol(s: Symbol): Candidate {
  const name = s.container === '' ? s.name : `${s.container}.${s.name}`
  return { id: `symbol ${s.path}:${String(s.line)} ${name}`, kind: 'symbol', label: name, detail: `${s.kind} in ${s.path}:${String(s.line)}`, chip: null, insert: name }
}

/** The text with the mention replaced, and the new caret. */
export function replaced(text: string, mention: Mention, by: string): { text: string; caret: number } {
  const head = text.slice(0, mention.from)
  const tail = text.slice(mention.to)
  if (by === '') return { text: head.replace(/[ \t]+$/, tail === '' || /^\s/.test(tail) ? '' : ' ') + tail, caret: head.trimEnd().length }
  const space = tail === '' || !/^[\s.,;:)]/.test(tail) ? ' ' : ''
  return { text: head + by + space + tail, caret: head.length + by.length + space.length }
}
