import { describe, expect, it } from 'vitest'
import type { PartDelta, SteerState } from '../protocol'
import type { SentSteer, TurnView } from '../state/state'
import { turnDelta } from '../state/turn'
import { whatBecame } from './steers'

const live = { state: 'running', tokens: 0, perSecond: 0, elapsed: 0, path: '' } as const

function turn(...receipts: [string, SteerState][]): TurnView | null {
  const parts = receipts.map(([text, state], at): PartDelta => ({ at, part: { kind: 'steer', text, state, hunk: 1, steer: at + 1 } }))
  return turnDelta(null, { turn: 3, began: { session: 1, request: '', model: '', at: 0 }, parts, live })
}

const sent = (id: number, text: string, steer = id): SentSteer => ({ id, turn: 3, text, steer })
const ids = (steers: SentSteer[]): number[] => steers.map((s) => s.id)

describe('a steer', () => {
  it('is on its way until it is applied', () => {
    for (const state of ['queued', 'sent'] as const) expect(ids(whatBecame([sent(1, 'a')], turn(['a', state])).left)).toEqual([1])
    expect(whatBecame([sent(1, 'a')], turn(['a', 'applied']))).toEqual({ left: [], back: [] })
  })
  it('comes back when its receipt says that it failed', () => {
    expect(ids(whatBecame([sent(1, 'a')], turn(['a', 'failed'])).back)).toEqual([1])
  })
  it('comes back when its turn is gone, or ended without a receipt', () => {
    expect(ids(whatBecame([sent(1, 'a')], null).back)).toEqual([1])
    const over = turn()
    if (over === null) throw new Error('no turn')
    const outcome = { status: 'completed', model: '', message: '', files: [], edits: [], timing: {} } as unknown as TurnView['outcome']
    expect(ids(whatBecame([sent(1, 'a')], { ...over, outcome }).back)).toEqual([1])
    expect(ids(whatBecame([sent(1, 'a', 0)], { ...over, outcome }).left)).toEqual([1]) // its answer is still to come
  })
  it('is told from another one of the same words by its number', () => {
    const both = [sent(1, 'a'), sent(2, 'a')]
    expect(ids(whatBecame(both, turn(['a', 'applied'], ['a', 'queued'])).left)).toEqual([2])
    expect(ids(whatBecame([sent(2, 'a')], turn(['a', 'applied'], ['a', 'queued'])).left)).toEqual([2])
    expect(ids(whatBecame(both, turn(['a', 'applied'], ['a', 'failed'])).back)).toEqual([2])
    expect(ids(whatBecame(both, turn(['a', 'failed'], ['a', 'applied'])).back)).toEqual([1])
    expect(ids(whatBecame([sent(2, 'a'), sent(1, 'a')], turn(['a', 'applied'], ['a', 'failed'])).back)).toEqual([2]) // they were sent side by side
  })
})
