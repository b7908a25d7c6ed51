// @vitest-environment jsdom
import { EditorState } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { clashExtension } from '../../diff/clashes'
import type { ThreeWay } from '../../protocol'
import { applyAll, itemOf, left, meanwhile, type Item, type Works } from './items'

function way(path: string): ThreeWay {
  return { path, base: 'one\n', theirs: 'ONE\n', mine: '1\n', reason: '', clashes: [{ edit: 1, by: [2], from: 1, to: 1 }], reverts: [1], doc: 1, version: 1 }
}

/** Files, and what the user made of each. */
function worked(texts: Readonly<Record<string, string>>): { items: readonly Item[]; works: Works } {
  const items = Object.keys(texts).map((path) => ({ ...itemOf(way(path)), open: 0 }))
  const state = (text: string): EditorState => EditorState.create({ doc: text, extensions: clashExtension([]) })
  return { items, works: new Map(items.map(({ file }) => [file, { state: state(texts[file.path] ?? ''), anchors: [0] }])) }
}

describe('applying a conflict', () => {
  it('counts a file that was not looked at', () => {
    expect(left([itemOf(way('a')), { ...itemOf(way('b')), open: 2 }])).toBe(3)
  })

  it('writes each result, once', async () => {
    const written: string[] = []
    const { items, works } = worked({ a: 'A\n', b: 'B\n' })
    const done = await applyAll(items, works, (file, text) => { written.push(file.path + text); return Promise.resolve(null) })
    expect(done).toEqual({ items: [], error: null })
    expect(written).toEqual(['aA\n', 'bB\n'])
  })

  it('keeps the result of a file that changed meanwhile, and says so', async () => {
    const fresh = { ...way('a'), mine: '11\n', version: 2 }
    const { items, works } = worked({ a: 'ONE\n', b: 'B\n' })
    const done = await applyAll(items, works, (file) => Promise.resolve(file.path === 'a' ? fresh : null))
    expect(done.items).toMatchObject([{ file: fresh, begin: { text: 'ONE\n' } }])
    expect(meanwhile(done.items[0]!)).toMatch(/one place conflicts/)
    const gone = await applyAll(items.slice(0, 1), works, (file) => Promise.resolve({ ...file, mine: 'ONE\n', clashes: [] }))
    expect(gone.items[0]?.begin).toMatchObject({ text: 'ONE\n', clashes: [] })
    expect(meanwhile(gone.items[0]!)).toMatch(/nothing conflicts any more/)
  })

  it('stops at an error with what is left as it was; what is written is not written again', async () => {
    const { items, works } = worked({ a: 'A\n', b: 'B\n', c: 'C\n' })
    const failure = new Error('disk full')
    const done = await applyAll(items, works, (file) => (file.path === 'b' ? Promise.reject(failure) : Promise.resolve(null)))
    expect(done.error).toBe(failure)
    expect(done.items).toEqual(items.slice(1))
  })
})
