import { describe, expect, it } from 'vitest'
import { fitting, longestRequest, tooLong, viewOf } from './keep'
import { emptyUI } from './state'

describe('what is written down', () => {
  it('has a draft as long as a request may be, counted in bytes', () => {
    expect(tooLong('x'.repeat(longestRequest))).toBe(false)
    expect(tooLong('x'.repeat(longestRequest + 1))).toBe(true)
    expect(tooLong('é'.repeat(longestRequest / 2))).toBe(false)
    expect(tooLong('é'.repeat(longestRequest / 2 + 1))).toBe(true)
  })
  it('keeps everything else when the draft is too long', () => {
    const ui = { ...emptyUI, active: 'a.go', draft: 'x'.repeat(2 * longestRequest), history: ['one'] }
    expect(fitting(ui)).toEqual({ ...ui, draft: '' })
  })
  it('keeps the newest requests that have room', () => {
    const long = 'x'.repeat(300 << 10)
    expect(fitting({ ...emptyUI, history: ['old', long, long, 'new'] }).history).toEqual([long, 'new'])
    expect(fitting({ ...emptyUI, history: ['old', long, 'new'] }).history).toEqual(['old', long, 'new'])
    expect(fitting({ ...emptyUI, history: ['x'.repeat(2 << 20)] }).history).toEqual([])
  })
  it('names the files of a conflict, whose texts are read again', () => {
    const file = { path: 'a', base: 'b', theirs: 't', mine: 'm', reason: '', clashes: [], reverts: [3], doc: 1, version: 1 }
    expect(viewOf({ kind: 'conflict', files: [file], rest: [4] })).toEqual({ kind: 'conflict', files: [{ path: 'a', reverts: [3] }], rest: [4] })
    expect(viewOf({ kind: 'editor' })).toBeNull()
  })
  it('is within the bound of Go, whatever it is made of', () => {
    const worst = '\u0001'
    const ui = { ...emptyUI, draft: worst.repeat(longestRequest), history: [worst.repeat(512 << 10)] }
    expect(JSON.stringify(fitting(ui)).length).toBeLessThan(12 << 20)
  })
})
