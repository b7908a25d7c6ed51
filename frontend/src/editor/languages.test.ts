import { describe, expect, it } from 'vitest'
import { languageOf } from './languages'

describe('the language of a file', () => {
  it('is told by the ending, or by the whole name', () => {
    expect(['a/b.go', 'x.TSX', 'Makefile', 'go.mod', 'notes.txt', 'LICENSE'].map((p) => languageOf(p).name)).toEqual(['Go', 'TSX', 'Make', 'Go module', 'Text', 'Text'])
  })
  it('is not found where only every object has such a name', () => {
    for (const name of ['constructor', 'a.constructor', '__proto__', 'x.toString', 'valueOf']) expect(languageOf(name), name).toEqual({ name: 'Text', load: null })
  })
})
