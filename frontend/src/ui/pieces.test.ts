import { expect, it } from 'vitest'
import { pieces } from './pieces'

it('runs of marked letters are kept together', () => {
  expect(pieces('config.go', [0, 1, 7])).toEqual([
    { text: 'co', on: true },
    { text: 'nfig.', on: false },
    { text: 'g', on: true },
    { text: 'o', on: false },
  ])
  expect(pieces('', [])).toEqual([])
})
