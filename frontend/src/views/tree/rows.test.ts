import { describe, expect, it } from 'vitest'
import { above } from '../../paths'
import type { TreeEntry } from '../../protocol'
import { marksOf, rowsOf, typedTo, waiting } from './rows'

function entry(path: string, dir = false): TreeEntry {
  return { name: path.slice(path.lastIndexOf('/') + 1), path, dir, ignored: false, held: false, unreviewed: 0, changed: false }
}

const listings = new Map([
  ['', [entry('app', true), entry('lib', true), entry('main.go')]],
  ['app', [entry('app/deep', true), entry('app/app.go')]],
  ['app/deep', [entry('app/deep/x.go')]],
])

describe('the tree', () => {
  it('shows what is open, in order, with its place among its siblings', () => {
    const rows = rowsOf(listings, new Set(['app', 'app/deep', 'lib']))
    expect(rows.map((r) => `${String(r.depth)} ${r.entry.path} ${String(r.index)}/${String(r.siblings)}`)).toEqual([
      '1 app 1/3', '2 app/deep 1/2', '3 app/deep/x.go 1/1', '2 app/app.go 2/2', '1 lib 2/3', '1 main.go 3/3',
    ])
  })
  it('hides what lies in a closed folder, though it was open', () => {
    expect(rowsOf(listings, new Set(['app/deep'])).map((r) => r.entry.path)).toEqual(['app', 'lib', 'main.go'])
  })
  it('counts changes to review up to the top', () => {
    const counts = waiting([{ path: 'app/deep/x.go' }, { path: 'app/app.go' }, { path: 'app/app.go' }])
    expect([counts.get('app'), counts.get('app/deep'), counts.get('app/app.go'), counts.get('lib')]).toEqual([3, 1, 2, undefined])
  })
  it('goes to names by their letters', () => {
    const rows = rowsOf(listings, new Set(['app']))
    expect(typedTo(rows, 0, 'a')).toBe(2)
    expect(typedTo(rows, 2, 'a')).toBe(0)
    expect(typedTo(rows, 0, 'ma')).toBe(4)
    expect(typedTo(rows, 0, 'zz')).toBe(-1)
    expect(typedTo([], 0, 'a')).toBe(-1)
  })
  it('names the folders above, and says what the marks mean', () => {
    expect(above('a/b/c.go')).toEqual(['a', 'a/b'])
    expect(marksOf({ ...entry('x'), held: true, changed: true }, 1)).toBe('1 change to review, changed in this session, may hold secrets: models do not see it')
  })
})
