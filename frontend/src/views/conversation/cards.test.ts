import { describe, expect, it } from 'vitest'
import { turnNews } from '../../state/turn'
import type { Conversation, Outcome, PastTurn, Timing, TurnEvent } from '../../protocol'
import type { TurnView } from '../../state/state'
import { cardsOf, receipt, type FileItem } from './cards'

const live = { state: 'running', tokens: 0, perSecond: 0, elapsed: 0, path: '' } as const
const timing: Timing = { queue_ms: 0, connect_ms: 0, context_ms: 1, prefill_ms: 1, ttft_ms: 2, decode_ms: 3, apply_ms: 1, total_ms: 8, tokens: 10, tokens_per_s: 100 }

function turnOf(...events: TurnEvent[]): TurnView {
  const started: TurnEvent = { t: 'started', turn: 7, session: 1, request: 'r', model: 'spark', at: 0 }
  const turn = turnNews(null, { turn: 7, from: 0, events: [started, ...events], live })
  if (turn === null) throw new Error('no turn')
  return turn
}

function past(turn: number, change: Partial<PastTurn> = {}): PastTurn {
  return { turn, request: `r${String(turn)}`, model: 'spark', status: 'completed', message: '', parts: [], nearest: [], prose: '', steers: [], files: [], edits: [], timing: null, started: turn, ended: turn, ...change }
}

const talk = (...turns: PastTurn[]): Conversation => ({ session: 1, title: 't', turns })
const hunk = (n: number, path: string): TurnEvent => ({ t: 'hunk', hunk: n, path, line: n * 10 })
const closed = (n: number, path: string, added: number, removed: number): TurnEvent => ({ t: 'closed', hunk: n, path, added, removed, partial: false })

describe('cards', () => {
  it('show the same turn once, in its place', () => {
    const turn = turnOf()
    expect(cardsOf(talk(past(5), past(7, { status: '' })), turn, []).map((c) => [c.turn, c.running])).toEqual([[5, ''], [7, 'running']])
    expect(cardsOf(talk(past(5), past(9)), turn, []).map((c) => c.turn)).toEqual([5, 7, 9])
    expect(cardsOf({ ...talk(past(5)), session: 2 }, turn, []).map((c) => c.turn)).toEqual([5])
    expect(cardsOf(null, turn, []).map((c) => c.turn)).toEqual([7])
  })
  it('have one row for each file, where the model first came to it', () => {
    const turn = turnOf({ t: 'prose', text: 'a' }, hunk(1, 'x.go'), closed(1, 'x.go', 2, 1), { t: 'prose', text: 'b' }, hunk(2, 'y.go'), hunk(3, 'x.go'),
      closed(3, 'x.go', 5, 0), { t: 'refused', hunk: 4, path: 'x.go', reason: 'missing', message: 'not there' })
    const items = cardsOf(null, turn, [])[0]?.items ?? []
    expect(items.map((i) => (i.kind === 'file' ? i.path : i.kind))).toEqual(['prose', 'x.go', 'prose', 'y.go'])
    expect(items[1]).toMatchObject({ added: 7, removed: 1, writing: false, refused: [{ hunk: 4, message: 'not there' }] })
    expect((items[1] as FileItem).hunks.map((h) => h.hunk)).toEqual([1, 3])
    expect(items[3]).toMatchObject({ writing: true })
  })
  it('take the counts of the outcome when it has come, and files without hunks', () => {
    const outcome: Outcome = { status: 'completed', model: 'spark', message: '', files: [{ path: 'x.go', added: 3, removed: 3 }, { path: 'z.go', added: 1, removed: 0 }], edits: [1, 2], timing }
    const card = cardsOf(null, turnOf(hunk(1, 'x.go'), closed(1, 'x.go', 2, 1), { t: 'ended', outcome }), [])[0]
    expect(card).toMatchObject({ running: '', status: 'completed', edits: [1, 2], files: 2 })
    expect(card?.items).toMatchObject([{ path: 'x.go', added: 3 }, { path: 'z.go', added: 1 }])
  })
  it('a moved file keeps its row', () => {
    const items = cardsOf(null, turnOf({ t: 'file', what: 'moved', path: 'a.go', to: 'b.go' }, hunk(1, 'b.go')), [])[0]?.items
    expect(items).toMatchObject([{ path: 'a.go', what: 'moved', to: 'b.go', hunks: [{ hunk: 1 }] }])
  })
  it('show a steer that Go has not told of yet', () => {
    const turn = turnOf({ t: 'steer', text: 'one', state: 'applied', hunk: 2 })
    const items = cardsOf(null, turn, [{ id: 1, turn: 7, text: 'two', taken: false }, { id: 2, turn: 7, text: 'one', taken: true }])[0]?.items
    expect(items).toMatchObject([{ text: 'one', state: 'applied', hunk: 2 }, { text: 'two', state: '' }])
  })
  it('take what the history says once a held turn was approved', () => {
    const outcome: Outcome = { status: 'held', model: 'spark', message: 'held', files: [], edits: [], timing }
    const turn = turnOf({ t: 'refused', hunk: 1, path: 'x.go', reason: 'held', message: 'outside' }, { t: 'ended', outcome })
    const approved = talk(past(7, { files: [{ path: 'x.go', added: 1, removed: 0 }], edits: [4] }))
    expect(cardsOf(talk(past(7, { status: 'held' })), turn, [])[0]).toMatchObject({ status: 'held', edits: [] })
    expect(cardsOf(approved, turn, [])[0]).toMatchObject({ status: 'completed', edits: [4], items: [{ path: 'x.go', added: 1, refused: [] }] })
  })
  it('tell more of the turns of this run than the history does', () => {
    const outcome: Outcome = { status: 'completed', model: 'spark', message: '', files: [], edits: [], timing }
    const seen = turnOf({ t: 'refused', hunk: 1, path: 'x.go', reason: 'missing', message: 'not there' }, { t: 'ended', outcome })
    expect(cardsOf(talk(past(7), past(9)), null, [], [seen])[0]?.items).toMatchObject([{ path: 'x.go', refused: [{ message: 'not there' }] }])
  })
  it('show a past turn as it was shown while it ran', () => {
    const files = [{ path: 'x.go', added: 2, removed: 1 }]
    const outcome: Outcome = { status: 'conflict', model: 'spark', message: 'm', files, edits: [3], timing }
    const seen = turnOf({ t: 'prose', text: 'a' }, hunk(1, 'x.go'), closed(1, 'x.go', 2, 1), { t: 'steer', text: 's', state: 'sent', hunk: 0 }, { t: 'prose', text: 'b' },
      { t: 'steer', text: 's', state: 'applied', hunk: 1 }, { t: 'refused', hunk: 2, path: 'y.go', reason: 'missing', message: 'not there' }, { t: 'note', text: 'n' },
      { t: 'file', what: 'moved', path: 'a.go', to: 'b.go' }, { t: 'ended', outcome })
    const kept = past(7, { request: 'r', status: 'conflict', message: 'm', started: 0, files, edits: [3], timing, prose: 'ab', steers: ['s'], parts: seen.parts })
    expect(cardsOf(talk(kept), null, [])).toEqual(cardsOf(null, seen, []))
  })
  it('show an interrupted turn as far as it was kept', () => {
    const cut = turnOf({ t: 'prose', text: 'a' }, { t: 'steer', text: 's', state: 'sent', hunk: 0 }, hunk(1, 'x.go'))
    const items = cardsOf(talk(past(7, { status: 'interrupted', steers: ['s', 'last'], parts: cut.parts })), null, [])[0]?.items ?? []
    expect(items).toMatchObject([{ text: 'a' }, { text: 's', state: 'sent' }, { path: 'x.go', writing: false, hunks: [{ state: 'partial' }] }, { text: 'last', state: '' }])
    expect(new Set(items.map((i) => i.key)).size).toBe(items.length)
    expect([receipt('sent', 0, true), receipt('sent', 0, false)]).toEqual(['not taken up', 'sent'])
  })
  it('do not show an edit as held once it was approved', () => {
    const held = turnOf({ t: 'refused', hunk: 1, path: 'x.go', reason: 'held', message: 'outside' }).parts
    const change = { files: [{ path: 'x.go', added: 1, removed: 0 }], parts: held }
    expect(cardsOf(talk(past(7, { ...change, status: 'held' })), null, [])[0]?.items).toMatchObject([{ refused: [{ message: 'outside' }] }])
    expect(cardsOf(talk(past(7, { ...change, status: 'completed' })), null, [])[0]?.items).toMatchObject([{ path: 'x.go', added: 1, refused: [] }])
  })
  it('stay the same objects for past turns', () => {
    const talked = talk(past(1), past(2))
    expect(cardsOf(talked, null, [])[0]).toBe(cardsOf(talked, null, [])[0])
  })
})
