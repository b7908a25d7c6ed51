// The texts of the status bar. Pure.

import type { Progress } from '../protocol'
import type { Cursor, OpenFile } from '../state/state'

export function cursorText(cursor: Cursor): string {
  const at = `Ln ${String(cursor.line)}, Col ${String(cursor.column)}`
  return cursor.selected > 0 ? `${at} (${cursor.selected.toLocaleString('en')} selected)` : at
}

const eols = { '\n': 'LF', '\r\n': 'CRLF', mixed: 'LF and CRLF' } as const

export function encodingText(file: Pick<OpenFile, 'encoding' | 'eol'>): string {
  const known = file.encoding === '' ? '' : file.encoding.replace(/^utf-/, 'UTF-')
  return [known, eols[file.eol]].filter((t) => t !== '').join(' · ')
}

export function reviewText(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'change' : 'changes'} to review`
}

export function progressText(work: Progress): string {
  if (work.total === 0) return work.done > 0 ? `${work.what}, ${String(work.done)} s` : work.what
  return `${work.what} ${String(Math.floor((100 * work.done) / work.total))} %`
}
