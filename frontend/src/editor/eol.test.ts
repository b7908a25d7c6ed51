import { copyLineDown, insertNewlineAndIndent, moveLineDown, moveLineUp } from '@codemirror/commands'
import { EditorSelection, EditorState, type StateCommand } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { forSeeds } from '../testing/random'
import { eol, eolOf, lineEnds } from './eol'
import { goAnnotations } from './source'

function stateOf(text: string, at: number): EditorState {
  return EditorState.create({ doc: text, selection: { anchor: at }, extensions: [EditorState.lineSeparator.of('\n'), lineEnds('\r\n')] })
}

function run(state: EditorState, command: StateCommand): EditorState {
  let next = state
  command({ state, dispatch: (tr) => { next = tr.state } })
  return next
}

function type(state: EditorState, from: number, to: number, insert: string): EditorState {
  return state.update({ changes: { from, to, insert }, userEvent: 'input' }).state
}

describe('the line ends of a text', () => {
  it('are those of all its lines, or mixed', () => {
    expect(['', 'one', 'one\ntwo\n', 'one\r\n', 'one\r\ntwo\r\nthree', 'one\r\ntwo\n', 'one\ntwo\r\n', '\n', '\r\n'].map(eolOf))
      .toEqual(['\n', '\n', '\n', '\r\n', '\r\n', 'mixed', 'mixed', '\n', '\r\n'])
  })
})

describe('a file with CRLF line ends', () => {
  const text = 'one\r\ntwo\r\nthree'

  it('gets them from Enter and from a paste', () => {
    expect(run(stateOf(text, 3), insertNewlineAndIndent).doc.toString()).toBe('one\r\n\r\ntwo\r\nthree')
    expect(type(stateOf(text, 0), 3, 3, '\na\nb').doc.toString()).toBe('one\r\na\r\nb\r\ntwo\r\nthree')
    expect(type(stateOf(text, 0), 3, 3, '\r\na').doc.toString()).toBe('one\r\na\r\ntwo\r\nthree')
  })

  it('has no cursor inside one', () => {
    const state = stateOf(text, 0).update({ selection: { anchor: 4 } }).state
    expect(state.selection.main.head).toBe(3)
    expect(stateOf(text, 0).update({ selection: EditorSelection.single(0, 9) }).state.selection.main.head).toBe(8)
  })

  it('loses a line end as a whole', () => {
    expect(type(stateOf(text, 0), 3, 4, '').doc.toString()).toBe('onetwo\r\nthree') // only the \r
    expect(type(stateOf(text, 0), 4, 5, '').doc.toString()).toBe('onetwo\r\nthree') // only the \n
    expect(type(stateOf(text, 0), 3, 5, '').doc.toString()).toBe('onetwo\r\nthree')
  })

  it('keeps the line end of a line whose text goes', () => {
    expect(run(stateOf(text, 1), deleteToLineEndHere).doc.toString()).toBe('o\r\ntwo\r\nthree')
    expect(type(stateOf(text, 0), 1, 4, 'X').doc.toString()).toBe('oX\r\ntwo\r\nthree')
  })

  it('has only whole line ends after any command', () => {
    const commands: StateCommand[] = [insertNewlineAndIndent, moveLineUp, moveLineDown, copyLineDown]
    forSeeds(600, (r) => {
      let state = stateOf(['a', 'bb', '', 'ccc', '\tdd'].join('\r\n') + (r.below(2) === 0 ? '\r\n' : ''), 0)
      for (let i = 0; i < 6; i++) {
        const at = r.below(state.doc.length + 1)
        state = state.update({ selection: EditorSelection.single(at, r.below(2) === 0 ? at : r.below(state.doc.length + 1)) }).state
        const { from, to } = state.selection.main
        state = r.below(2) === 0 ? run(state, r.pick(commands)) : type(state, from, to, r.pick(['', 'x', '\n', 'y\nz', '\r\n', 'q\r\n']))
        expect(JSON.stringify(state.doc.toString())).not.toMatch(/(?<!\\r)\\n|\\r(?!\\n)/)
      }
    })
  })

  it('leaves what others write as it is', () => {
    const state = stateOf(text, 0).update({ changes: { from: 3, insert: '\nx' }, annotations: goAnnotations }).state
    expect(state.doc.toString()).toBe('one\nx\r\ntwo\r\nthree')
    expect(state.facet(eol)).toBe('\r\n')
  })
})

/** deleteToLineEnd works on a view; this is what it does. */
const deleteToLineEndHere: StateCommand = ({ state, dispatch }) => {
  const { head } = state.selection.main
  dispatch(state.update({ changes: { from: head, to: state.doc.lineAt(head).to }, userEvent: 'delete.forward' }))
  return true
}
