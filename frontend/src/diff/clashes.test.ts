// @vitest-environment jsdom
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { describe, expect, it } from 'vitest'
import { beginMerge, choose, clashesOf, clashExtension } from './clashes'
import { merge3 } from './merge3'

const base = 'one\ntwo\nthree\nfour\n'
const theirs = 'one\nTWO\nthree\nfour\n'
const mine = 'one\n2\nthree\nFOUR\n'

function editor(): EditorView {
  const { text, clashes } = beginMerge(merge3(base, theirs, mine))
  return new EditorView({ state: EditorState.create({ doc: text, extensions: clashExtension(clashes) }) })
}

describe('resolving a conflict', () => {
  it('begins with what there is now, its clashes open', () => {
    const view = editor()
    expect(view.state.doc.toString()).toBe(mine)
    expect(clashesOf(view.state)).toMatchObject([{ id: 0, choice: 'open', from: 4, to: 6 }])
  })

  it('takes a side, and another one after that', () => {
    const view = editor()
    choose(view, 0, 'theirs')
    expect(view.state.doc.toString()).toBe('one\nTWO\nthree\nFOUR\n')
    expect(clashesOf(view.state)[0]).toMatchObject({ choice: 'theirs' })
    choose(view, 0, 'both')
    expect(view.state.doc.toString()).toBe('one\n2\nTWO\nthree\nFOUR\n')
    choose(view, 0, 'mine')
    expect(view.state.doc.toString()).toBe(mine)
    expect(clashesOf(view.state)[0]).toMatchObject({ choice: 'mine', from: 4, to: 6 })
  })

  it('takes typing in a clash for an answer, typing elsewhere for none', () => {
    const view = editor()
    view.dispatch({ changes: { from: 0, insert: 'zero\n' } })
    expect(clashesOf(view.state)[0]).toMatchObject({ choice: 'open', from: 9, to: 11 })
    view.dispatch({ changes: { from: 9, to: 10, insert: 'two' } })
    expect(clashesOf(view.state)[0]).toMatchObject({ choice: 'typed', from: 9, to: 13 })
  })

  it('has buttons that name the sides', () => {
    const view = editor()
    const buttons = [...view.dom.querySelectorAll('.clash-head button')].map((b) => b.textContent)
    expect(buttons).toEqual(['Use reverted', 'Keep current', 'Both'])
    view.dom.querySelector<HTMLButtonElement>('.clash-head button')?.click()
    expect(view.state.doc.toString()).toContain('TWO')
  })
})
