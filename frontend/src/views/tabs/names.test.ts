import { describe, expect, it } from 'vitest'
import { tabNames } from './names'

describe('tabs', () => {
  it('have the name of the file', () => {
    expect(tabNames(['app/a.go', 'b.go'])).toEqual([{ name: 'a.go', folder: '' }, { name: 'b.go', folder: '' }])
  })
  it('name as much of the folder as tells them apart', () => {
    const folders = tabNames(['x/one/doc.go', 'y/one/doc.go', 'two/doc.go', 'doc.go']).map((t) => t.folder)
    expect(folders).toEqual(['x/one', 'y/one', 'two', '.'])
  })
  it('of one name are told apart where one path is the end of the other', () => {
    expect(tabNames(['one/doc.go', 'x/one/doc.go']).map((t) => t.folder)).toEqual(['one', 'x/one'])
  })
})
