import { EditorState } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { hunks, setHunks } from './hunks'

describe('what was removed stands', () => {
  const doc = 'one\n  two // mine\nthree\n'
  function drawn(from: number, to: number, removed: string): string {
    const list = [{ id: '1', edits: [1], from, to, removed, partial: false }]
    const state = EditorState.create({ doc, extensions: hunks }).update({ effects: setHunks.of({ list, running: false }) }).state
    const at = state.field(hunks).drawn.iter()
    return `${(at.value?.spec as { block: boolean }).block ? 'above' : 'within'} the text at ${String(at.from)}`
  }
  it('above the lines that came for it', () => {
    expect(drawn(4, 18, '  was\n')).toBe('above the text at 4')
  })
  it('above the line that the user went on with', () => {
    expect(drawn(4, 9, '  was')).toBe('above the text at 4')
  })
  it('within a line, if it was within that', () => {
    expect(drawn(6, 9, 'was')).toBe('within the text at 6')
    expect(drawn(4, 4, 'was')).toBe('within the text at 4')
  })
})
