import { describe, expect, it } from 'vitest'
import type { Chip } from '../protocol'
import { chipsAfter, fenced, requestFor, withChip } from './context'

const file = (path: string, only = false): Chip => ({ kind: 'file', path, from: 0, to: 0, ...(only ? { only: true as const } : {}) })
const lines = (path: string, from: number, to: number): Chip => ({ kind: 'selection', path, from, to })
const folder = (path: string): Chip => ({ kind: 'folder', path, from: 0, to: 0, only: true })

describe('chips', () => {
  it('have one place to look at, and any number of fences', () => {
    let chips = withChip([], file('a.go'))
    chips = withChip(chips, lines('b.go', 3, 9))
    expect(chips).toEqual([lines('b.go', 3, 9)])
    chips = withChip(withChip(chips, folder('app')), file('c.go', true))
    expect(chips).toEqual([lines('b.go', 3, 9), folder('app'), file('c.go', true)])
  })
  it('folders and globs are always fences', () => {
    expect(withChip([], { kind: 'glob', path: '**/*.md', from: 0, to: 0 })).toEqual([{ kind: 'glob', path: '**/*.md', from: 0, to: 0, only: true }])
    expect(fenced(folder('x'), false).only).toBe(true)
  })
  it('the same place again changes what it means', () => {
    expect(withChip([file('a.go')], file('a.go', true))).toEqual([file('a.go', true)])
  })
  it('make a request: no fence unless one was set', () => {
    expect(requestFor('r', '', [lines('b.go', 3, 9)])).toEqual({ text: 'r', model: '', file: 'b.go', from: 3, to: 9, scope: [] })
    expect(requestFor('r', 'm', [file('a.go', true), folder('app/')])).toEqual({ text: 'r', model: 'm', file: 'a.go', from: 0, to: 0, scope: ['a.go', 'app/**'] })
    expect(requestFor('r', '', [])).toMatchObject({ file: '', scope: [] })
  })
  it('keep their fences after a request, without lines', () => {
    expect(chipsAfter([lines('b.go', 3, 9), { ...lines('c.go', 1, 2), only: true }, folder('app')])).toEqual([file('c.go', true), folder('app')])
  })
})
