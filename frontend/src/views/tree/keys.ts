// The keys of a tree view, as ARIA's practices have them, and a few of an
// editor's. Pure but for the letters typed in a row.

import { keyOf } from '../../commands/command'
import type { Row } from './rows'

export type TreeMove = 'use' | 'preview' | 'rename' | 'delete' | 'menu' | 'in' | 'out'

export type Meant =
  | { readonly kind: 'by'; readonly by: number }
  | { readonly kind: 'typed'; readonly letters: string }
  | { readonly kind: 'move'; readonly move: TreeMove }

const moves: Readonly<Record<string, TreeMove>> = {
  'Enter': 'use', 'Space': 'preview', 'F2': 'rename', 'Delete': 'delete', 'ContextMenu': 'menu', 'Shift-F10': 'menu',
}
const lettersWithin = 700 // ms

let letters = ''
let until = 0

export function treeKey(event: KeyboardEvent, row: Row | undefined, page: number): Meant | null {
  const key = keyOf(event)
  const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity, PageDown: page, PageUp: -page }
  const by = steps[key]
  if (by !== undefined) return { kind: 'by', by }
  const move = moves[key]
  if (move !== undefined) return { kind: 'move', move }
  if (key === 'ArrowRight') return row?.entry.dir ? { kind: 'move', move: 'in' } : { kind: 'by', by: 0 }
  if (key === 'ArrowLeft') return { kind: 'move', move: 'out' }
  return isLetter(key) ? { kind: 'typed', letters: typed(event) } : null
}

function isLetter(key: string): boolean {
  return /^(Shift-)?[\p{L}\p{N}._-]$/u.test(key)
}

function typed(event: KeyboardEvent): string {
  letters = event.timeStamp < until ? letters + event.key : event.key
  until = event.timeStamp + lettersWithin
  return letters
}
