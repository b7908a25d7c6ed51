import { describe, expect, it } from 'vitest'
import type { Part, PartDelta, TurnBegan } from '../protocol'
import type { TurnView } from './state'
import { turnDelta } from './turn'

const live = { state: 'running', tokens: 0, perSecond: 0, elapsed: 0, path: '' } as const
const began: TurnBegan = { session: 1, request: 'r', model: 'm', at: 4 }
const note = (text: string): Part => ({ kind: 'note', text })

function after(turn: TurnView | null, ...parts: PartDelta[]): TurnView {
  const next = turnDelta(turn, { turn: 1, ...(turn ? {} : { began }), ...(parts.length > 0 ? { parts } : {}), live })
  if (next === null) throw new Error('no turn')
  return next
}

describe('news of a turn', () => {
  it('put parts in their places, and text behind the prose that is there', () => {
    const first = after(null, { at: 0, part: { kind: 'prose', text: 'He' } }, { at: 1, part: note('a') })
    const then = after(first, { at: 0, text: 'llo' }, { at: 1, part: note('b') }, { at: 2, part: note('c') })
    expect(then.parts).toEqual([{ kind: 'prose', text: 'Hello' }, note('b'), note('c')])
    expect(first.parts).toEqual([{ kind: 'prose', text: 'He' }, note('a')])
    expect(after(then).parts).toBe(then.parts)
  })
  it('end an edit that is there, and leave the rest of it as it was', () => {
    const open: Part = { kind: 'hunk', hunk: 3, path: 'x.go', line: 7, state: 'open', added: 0, removed: 0 }
    const then = after(after(null, { at: 0, part: open }), { at: 0, state: 'partial', added: 2, removed: 1 })
    expect(then.parts).toEqual([{ ...open, state: 'partial', added: 2, removed: 1 }])
  })
  it('from its beginning replace what was told, and keep what this page knows by itself', () => {
    const paint = { last: 1, worst: 2, frames: 3 }
    const before = { ...after(null, { at: 0, part: note('a') }), edits: [1], stopping: true, unsure: true, firstPaint: 7, paint }
    const again = turnDelta(before, { turn: 1, began, acked: [{ id: 2, path: 'x' }], live })
    expect(again).toMatchObject({ parts: [], edits: [2], started: 4, stopping: true, unsure: false, firstPaint: 7, paint })
    expect(turnDelta(before, { turn: 2, began, live })).toMatchObject({ turn: 2, stopping: false, firstPaint: 0, paint: null })
  })
  it('of a turn whose beginning was not told change nothing', () => {
    const turn = after(null)
    expect(turnDelta(turn, { turn: 2, acked: [{ id: 1, path: 'x' }], live })).toBe(turn)
    expect(turnDelta(null, { turn: 2, live })).toBeNull()
  })
})
