import { EditorState, Text } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { forSeeds } from '../testing/random'
import { takeIn, total, traces } from './incoming'
import { caretGone, marks, modelCaret, written } from './marks'
import { Client } from './rebase'
import { goAnnotations } from './source'
import { randomChange } from './testing/changes'
import { along, Versions } from './versions'

function marked(state: EditorState): string[] {
  const out: string[] = []
  state.field(marks).fresh.between(0, state.doc.length, (from, to, mark) => {
    out.push(`${(mark.spec as { fresh: { author: string } }).fresh.author}:${state.doc.sliceString(from, to)}`)
  })
  return out
}

function start(text: string): EditorState {
  return EditorState.create({ doc: text, extensions: [EditorState.lineSeparator.of('\n'), marks] })
}

function write(state: EditorState, from: number, insert: string, author: 'model' | 'outside', at: number): EditorState {
  const trace = { author, from, to: from + insert.length, removed: '' }
  return state.update({ changes: { from, insert }, effects: written.of({ traces: [trace], at }), annotations: goAnnotations }).state
}

describe('marks of what was written just now', () => {
  it('make one stretch of what is written in a row', () => {
    let state = write(start('[]'), 1, 'one', 'model', 10)
    state = write(state, 4, ' two', 'model', 20)
    expect(marked(state)).toEqual(['model:one two'])
    expect(modelCaret(state.field(marks))).toBe(8)
  })
  it('tell authors and moments apart', () => {
    let state = write(start('[]'), 1, 'one', 'model', 10)
    state = write(state, 4, 'disk', 'outside', 20)
    state = write(state, 8, 'later', 'model', 300)
    expect(marked(state)).toEqual(['model:one', 'outside:disk', 'model:later'])
  })
  it('move with what the user types, and do not take it in', () => {
    let state = write(start('[]'), 1, 'one', 'model', 10)
    state = state.update({ changes: [{ from: 0, insert: 'me ' }, { from: 4, insert: '!' }] }).state
    expect(marked(state)).toEqual(['model:one'])
    expect(state.doc.toString()).toBe('me [one!]')
  })
  it('lose the caret when the model has gone', () => {
    const state = write(start(''), 0, 'x', 'model', 1).update({ effects: caretGone.of(null) }).state
    expect(modelCaret(state.field(marks))).toBeNull()
  })
})

describe('a frame of updates', () => {
  it('is one change, and tells where each author wrote', () => {
    forSeeds(400, (random) => {
      const before = Text.of(['some text', 'in two lines'])
      const updates = []
      let text = before
      for (let i = 0; i < 5; i++) {
        const changes = randomChange(random, text, random.pick(['m', 'o']))
        updates.push({ author: random.pick(['model', 'outside'] as const), changes: changes.toJSON() as never })
        text = changes.apply(text)
      }
      const client = new Client(0)
      const { steps } = takeIn(client, updates, 5)
      expect(total(steps, before.length).apply(before).toString()).toBe(text.toString())
      expect(client.version).toBe(5)
      for (const trace of traces(before, steps)) {
        expect(trace.from).toBeLessThanOrEqual(trace.to)
        expect(trace.to).toBeLessThanOrEqual(text.length)
      }
    })
  })
})

describe('positions of an older version', () => {
  it('are found in the text shown', () => {
    const client = new Client(0)
    const versions = new Versions()
    let shown = Text.of(['0123456789'])
    const insert = (at: number, words: string, to: number): void => {
      const from = client.version
      const { steps, confirmed } = takeIn(client, [{ author: 'model', changes: [at, [0, words], shown.length - at] as never }], to)
      versions.took(from, to, confirmed)
      shown = total(steps, shown.length).apply(shown)
    }
    insert(0, 'aa', 3)
    insert(0, 'bb', 4)
    const place = (version: number): number => along(5, versions.lead(version, client) as never, 1)
    expect(shown.sliceString(place(0))).toBe('56789')
    expect(shown.sliceString(place(3))).toBe('3456789')
    expect(place(4)).toBe(5)
    expect(versions.lead(5, client)).toBe('later')
    versions.forget()
    expect(versions.lead(0, client)).toBeNull()
  })
})
