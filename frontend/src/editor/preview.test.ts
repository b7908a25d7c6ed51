import { EditorState, Text } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { forSeeds } from '../testing/random'
import { carryOver, toMoment } from './preview'
import { randomChange } from './testing/changes'
import { momentExtensions } from './setup'

const long = Array.from({ length: 3000 }, (_, i) => `\tline ${String(i)} of a file with some text in it`).join('\n')

describe('a moment of the past', () => {
  it('is exactly its text, from whatever was shown', () => {
    forSeeds(300, (random) => {
      let state = EditorState.create({ doc: 'one\ntwo\r\nthree', extensions: momentExtensions() })
      for (let i = 0; i < 4; i++) {
        const text = randomChange(random, state.doc, 'é').apply(state.doc).toString()
        state = state.update(toMoment(state, 'a.txt', Text.of(text.split('\n')), i === 0)).state
        expect(state.doc.toString()).toBe(text)
        expect(state.readOnly).toBe(true)
      }
    })
  })

  it('changes only what differs, so that a file of 3,000 lines is shown within a frame', () => {
    const state = EditorState.create({ doc: long, extensions: momentExtensions() })
    const moment = state.update(toMoment(state, 'a.txt', Text.of(long.replace('line 1500 of', 'line 1500 was').split('\n')), true))
    let touched = 0
    moment.changes.iterChanges((fromA, toA, fromB, toB) => { touched += toA - fromA + toB - fromB })
    expect(touched).toBeGreaterThan(0)
    expect(touched).toBeLessThan(20)
  })

  it('keeps its place when the live text comes back', () => {
    const [a, b] = [Text.of(['aaa', 'bbb', 'ccc']), Text.of(['aaa', 'new', 'line', 'ccc'])]
    expect(carryOver(1, a, b)).toBe(1)
    expect(carryOver(9, a, b)).toBe(14)
    expect(carryOver(9, a, a)).toBe(9)
    expect(carryOver(5, b, Text.empty)).toBe(0)
  })
})
