import { expect, it } from 'vitest'
import type { App } from '../app'
import type { Outcome, PastTurn, Timing } from '../protocol'
import { initial, type State } from '../state/state'
import { turnDelta } from '../state/turn'
import { answeredLast, offering, retry, sendAnyway } from './turns'

const timing: Timing = { queue_ms: 0, connect_ms: 0, context_ms: 1, prefill_ms: 1, ttft_ms: 2, decode_ms: 3, apply_ms: 1, total_ms: 8, tokens: 0, tokens_per_s: 0 }
const live = { state: 'running', tokens: 0, perSecond: 0, elapsed: 0, path: '' } as const
const near = [{ request: 'rename a to b', summary: 'Renamed a to b', files: [] }] as const
const past = (turn: number, nearest: PastTurn['nearest']): PastTurn => ({ turn, request: '', model: 'spark', status: 'declined', message: '', parts: [], nearest, prose: '', steers: [], files: [], edits: [], timing: null, started: 0, ended: 0 })
const declined: Outcome = { status: 'declined', model: 'spark', message: '', files: [], edits: [], timing, nearest: near }

function stateOf(turns: readonly PastTurn[], running: 'running' | 'declined' | 'none'): State {
  const turn = running === 'none' ? null : turnDelta(null, { turn: 7, began: { session: 1, request: 'r', model: 'spark', at: 0 }, live: running === 'running' ? live : { ...live, state: 'ended' }, ...(running === 'declined' ? { outcome: declined } : {}) })
  return { ...initial, conversation: { session: 1, title: '', turns }, turn }
}

it('offers what the newest turn lists, and nothing while one runs', () => {
  expect(offering(stateOf([], 'none'))).toBeNull()
  expect(offering(stateOf([past(6, near), past(8, [])], 'none'))).toBeNull() // it was offered a turn ago
  expect(offering(stateOf([past(6, near)], 'none'))).toMatchObject({ turn: 6, nearest: near })
  expect(offering(stateOf([past(6, [])], 'declined'))).toMatchObject({ turn: 7, nearest: near })
  expect(offering(stateOf([past(8, [])], 'declined'))).toBeNull() // a command sent one since
  expect(offering(stateOf([past(6, near)], 'running'))).toBeNull()
})

it('leads to another model from what the built-in one declined, and from a model that the user did not choose', () => {
  const models = [{ name: 'spark', kind: 'spark', help: '', offline: true, default: true, provider: '', where: '', lacks: '', picked: false, language: false, context: 0, price: null, perSecond: 0, ttftMs: 0, totalMs: 0 }] as const
  const last = (turn: Partial<PastTurn>): unknown => answeredLast({ ...stateOf([{ ...past(6, []), ...turn }], 'none'), models })
  expect(last({})).toMatchObject({ turn: 6 })
  expect(last({ status: 'completed' })).toBeNull()
  expect(last({ status: 'completed', auto: 'built-in, certain', edits: [4] })).toMatchObject({ turn: 6, edits: [4] })
  expect(last({ status: 'declined', model: 'box/gpt' })).toBeNull()
  expect(answeredLast({ ...stateOf([], 'declined'), models })).toMatchObject({ turn: 7 })
  expect(answeredLast({ ...stateOf([], 'running'), models })).toBeNull()
})

it('sends a request that the budget refused, or goes on with one that broke off there, once beyond it', async () => {
  const sent: unknown[] = []
  const app = {
    state: initial, store: { dispatch: () => {} }, docs: { settled: () => Promise.resolve() },
    backend: { call: (_: string, request: unknown) => { sent.push(request); return Promise.reject(new Error('enough')) } },
  } as unknown as App
  const turn = { turn: 6, request: 'go', model: 'box/gpt', mode: 'edit', kind: '' } as const
  await sendAnyway(app, turn, false)
  await sendAnyway(app, turn, true)
  await retry(app, turn)
  expect(sent).toMatchObject([{ text: 'go', model: 'box/gpt', overBudget: true }, { text: '', continue: 6, overBudget: true }, { text: 'go' }])
  expect(sent[2]).not.toHaveProperty('overBudget')
})
