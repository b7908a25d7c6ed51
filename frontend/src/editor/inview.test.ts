import { go } from '@codemirror/lang-go'
import { ensureSyntaxTree, syntaxTree } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { Tree } from '@lezer/common'
import { afterEach, expect, test, vi } from 'vitest'
import { inView } from './inview'
import { caretGone, marks, written } from './marks'

const functions = (n: number): string =>
  'package p\n' + Array.from({ length: n }, (_, i) => `\nfunc f${String(i)}(a int) int {\n\tif a > 1 {\n\t\treturn a\n\t}\n\treturn ${String(i)}\n}\n`).join('')

const text = functions(150)

function opened(): EditorState {
  const state = EditorState.create({ doc: text, extensions: [marks, inView(go())] })
  ensureSyntaxTree(state, state.doc.length, 5000)
  return state
}

function byModel(state: EditorState, at: number, insert: string, followed = false): EditorState {
  const trace = { author: 'model', from: at, to: at + insert.length, removed: '' } as const
  return state.update({ changes: { from: at, insert }, effects: written.of({ traces: [trace], at: 0, followed }) }).state
}

afterEach(() => { vi.useRealTimers() })

/** Where the last leaf of the tree ends: how far it was parsed. */
function furthest(tree: Tree): number {
  let to = 0
  tree.iterate({ enter: (node) => { if (node.node.firstChild === null) to = Math.max(to, node.to) } })
  return to
}

test('a change of the user is parsed to the end', () => {
  const state = opened()
  const changed = state.update({ changes: { from: 10, insert: 'var x = 1\n' } }).state
  expect(furthest(ensureSyntaxTree(changed, changed.doc.length, 5000) ?? Tree.empty)).toBeGreaterThan(changed.doc.length - 10)
})

test('while the model writes, the view is parsed and what is behind it is not', () => {
  let state = byModel(opened(), 10, 'func half(a int) {\n\tif a {\n')
  for (let i = 0; i < 100 && furthest(syntaxTree(state)) < 1000; i++) state = byModel(state, 38, ' ') // a change parses for 20 ms at most
  expect(furthest(syntaxTree(state))).toBeGreaterThan(1000) // a state without an editor counts 3,000 units as in view
  expect(furthest(syntaxTree(state))).toBeLessThan(6000)
})

/** The model writes out of view, in a file that was parsed to its end. */
function behind(followed: boolean): { state: EditorState; caret: number } {
  let caret = text.indexOf('func f140')
  let state = opened()
  for (let i = 0; i < 50; i++) {
    state = byModel(state, caret, 'x := 1\n', followed)
    caret += 7
  }
  return { state, caret }
}

test('where a pane follows the model, what leads there stays parsed', () => {
  vi.useFakeTimers({ toFake: ['Date'] }) // a change parses for 20 ms at most; here it takes no time
  const { state, caret } = behind(true)
  expect(furthest(syntaxTree(state))).toBeGreaterThan(caret - 10)
  expect(furthest(syntaxTree(behind(false).state))).toBeLessThan(6000)
})

test('the way to the model is not parsed for it', () => {
  const state = EditorState.create({ doc: text, extensions: [marks, inView(go())] })
  const at = text.indexOf('func f140')
  expect(furthest(syntaxTree(byModel(state, at, 'x := 1\n', true)))).toBeLessThan(6000)
})

test('a change of the user after the model has ended is parsed to the end again', () => {
  let state = byModel(opened(), 10, 'func half(a int) {\n\tif a {\n')
  state = byModel(state, 10 + 27, '\t}\n}\n')
  state = state.update({ effects: caretGone.of(null) }).state
  state = state.update({ changes: { from: 10, insert: '// end\n' } }).state
  expect(furthest(ensureSyntaxTree(state, state.doc.length, 5000) ?? Tree.empty)).toBeGreaterThan(state.doc.length - 10)
})

test('many changes of the model, and then one of the user, leave nothing unparsed', () => {
  let seed = 7
  const random = (n: number): number => (seed = (seed * 48271) % 2147483647) % n
  for (let round = 0; round < 10; round++) {
    let state = opened()
    let at = random(text.length)
    for (let i = 0; i < 20; i++) {
      const insert = ['{', '}', '\n', 'x := 1\n', 'func g() {\n', '"', '/*', '*/', ')'][random(9)] ?? ''
      state = byModel(state, at, insert)
      at += insert.length
    }
    state = state.update({ effects: caretGone.of(null) }).state
    state = state.update({ changes: { from: 0, insert: '\n' } }).state
    expect(furthest(ensureSyntaxTree(state, state.doc.length, 5000) ?? Tree.empty)).toBeGreaterThan(state.doc.length - 10)
  }
}, 30_000)
