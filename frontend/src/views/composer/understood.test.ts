import { expect, it } from 'vitest'
import { wordsOf } from './understood.svelte'

it('says what is understood, and nothing where nothing is', () => {
  const nothing = { operations: [], names: [], files: [], lacks: false, certain: false }
  expect(wordsOf(nothing)).toBe('')
  expect(wordsOf({ ...nothing, operations: ['rename'], names: ['a', 'b'], files: ['x.go'], certain: true })).toBe('Understood: rename a, b · x.go')
  expect(wordsOf({ ...nothing, operations: ['rename'], lacks: true })).toBe('Perhaps: rename …')
  expect(wordsOf({ ...nothing, operations: ['doc', 'rename'], names: ['a'], files: ['x.go', 'y.go', 'z.go'] })).toBe('Perhaps: doc, then rename a · x.go and 2 more')
})
