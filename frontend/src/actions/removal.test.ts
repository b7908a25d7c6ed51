import { describe, expect, it } from 'vitest'
import type { Removal } from '../protocol'
import { lostLines, removalText, stayedText } from './removal'

const found = (more: Partial<Removal>): Removal => ({ dir: true, kept: 0, lost: [], total: 0, sum: '', ...more })

describe('a deletion', () => {
  it('can be undone only when the history keeps everything', () => {
    expect(removalText('src', found({ kept: 3 }))).toContain('The history keeps its 3 files: you can undo this.')
    expect(removalText('a.txt', found({ dir: false, kept: 1 }))).toContain('The history keeps it: you can undo this.')
    const lost = [{ path: 'src/logo.png', why: 'it is a binary file' }]
    expect(removalText('src', found({ kept: 3, lost, total: 1 }))).toBe(
      'This deletes the folder src and everything in it from the disk. The history keeps the other 3 files. This file cannot be restored:',
    )
    expect(removalText('logo.png', found({ dir: false, lost, total: 1 }))).toContain('It cannot be restored:')
    expect(removalText('empty', found({}))).toBe('This deletes the folder empty and everything in it from the disk.')
  })
  it('names what is lost', () => {
    const lost = [{ path: 'a', why: 'x' }, { path: 'b', why: 'y' }]
    expect(lostLines(found({ lost, total: 2 }))).toEqual(['a: x', 'b: y'])
    expect(lostLines(found({ lost, total: 12 }))).toEqual(['a: x', 'b: y', 'and 10 more'])
  })
  it('names what stayed', () => {
    expect(stayedText('src', ['src/new.txt'], '')).toBe('Deleted src, but for what another program wrote there meanwhile: src/new.txt')
    expect(stayedText('src', ['a', 'b', 'c', 'd', 'e'], '')).toContain('a, b, c and 2 more')
    expect(stayedText('src', ['src/run.log'], 'the folder is gone')).toBe('Deleted src, but not src/run.log: the folder is gone')
    expect(stayedText('src', [], 'the disk is gone')).toBe('Deleted src, but not all of it: the disk is gone')
  })
})
