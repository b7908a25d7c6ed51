import { describe, expect, it } from 'vitest'
import { cursorText, encodingText, progressText, reviewText } from './status'

describe('the status bar says', () => {
  it('where the cursor is and how much is selected', () => {
    const cursor = { line: 3, column: 7, selected: 0, fromLine: 3, toLine: 3 }
    expect(cursorText(cursor)).toBe('Ln 3, Col 7')
    expect(cursorText({ ...cursor, selected: 1200 })).toBe('Ln 3, Col 7 (1,200 selected)')
  })
  it('how the file is written', () => {
    expect(encodingText({ encoding: 'utf-8', eol: '\r\n' })).toBe('UTF-8 · CRLF')
    expect(encodingText({ encoding: 'utf-8 with BOM', eol: 'mixed' })).toBe('UTF-8 with BOM · LF and CRLF')
  })
  it('what is to be done and how far it is', () => {
    expect(reviewText(1)).toBe('1 change to review')
    expect(reviewText(1203)).toBe('1,203 changes to review')
    expect(progressText({ what: 'Read the folder', done: 1, total: 3 })).toBe('Read the folder 33 %')
    expect(progressText({ what: 'Read the folder', done: 1, total: 0 })).toBe('Read the folder, 1 s')
    expect(progressText({ what: 'Read the folder', done: 0, total: 0 })).toBe('Read the folder')
  })
})
