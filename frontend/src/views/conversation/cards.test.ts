import { describe, expect, it } from 'vitest'
import { turnDelta } from '../../state/turn'
import type { Conversation, FileCount, HunkPart, Offer, Outcome, Part, PastTurn, SteerPart, Timing } from '../../protocol'
import type { TurnView } from '../../state/state'
import { cardsOf, cutOff, receipt, secondTries, sentence, type FileItem } from './cards'

const offer = (request: string): Offer => ({ request, summary: '', files: [] })

const live = { state: 'running', tokens: 0, perSecond: 0, elapsed: 0, path: '' } as const
const timing: Timing = { queue_ms: 0, connect_ms: 0, context_ms: 1, prefill_ms: 1, ttft_ms: 2, decode_ms: 3, apply_ms: 1, total_ms: 8, tokens: 10, tokens_per_s: 100 }

function turnOf(...parts: Part[]): TurnView {
  const began = { session: 1, request: 'r', model: 'spark', at: 0 }
  const turn = turnDelta(null, { turn: 7, began, parts: parts.map((part, at) => ({ at, part })), live })
  if (turn === null) throw new Error('no turn')
  return turn
}

const ended = (turn: TurnView, outcome: Outcome): TurnView => turnDelta(turn, { turn: 7, live, outcome }) ?? turn

function past(turn: number, change: Partial<PastTurn> = {}): PastTurn {
  return { turn, request: `r${String(turn)}`, model: 'spark', status: 'completed', message: '', parts: [], nearest: [], prose: '', steers: [], files: [], edits: [], timing: null, started: turn, ended: turn, ...change }
}

const talk = (...turns: PastTurn[]): Conversation => ({ session: 1, title: 't', turns })
const hunk = (n: number, path: string, made: Partial<HunkPart> = {}): HunkPart => ({ kind: 'hunk', hunk: n, path, line: n * 10, state: 'open', added: 0, removed: 0, ...made })
const closed = (n: number, path: string, added: number, removed: number): HunkPart => hunk(n, path, { state: 'done', added, removed })
const refused = (n: number, path: string, reason: string, message: string): HunkPart => hunk(n, path, { line: 0, state: 'refused', reason, message })
const prose = (text: string): Part => ({ kind: 'prose', text })
const moved: Part = { kind: 'file', what: 'moved', path: 'a.go', to: 'b.go' }
const steer = (text: string, state: SteerPart['state'], at = 0): Part => ({ kind: 'steer', text, state, hunk: at, steer: 1 })
const came = (status: Outcome['status'], files: readonly FileCount[], edits: number[], message = ''): Outcome => ({ status, ...(status === 'held' ? { held: true } : {}), model: 'spark', message, files, edits, timing })

describe('cards', () => {
  it('show the same turn once, in its place', () => {
    const turn = turnOf()
    expect(cardsOf(talk(past(5), past(7, { status: '' })), turn, []).map((c) => [c.turn, c.running])).toEqual([[5, ''], [7, 'running']])
    expect(cardsOf(talk(past(5), past(9)), turn, []).map((c) => c.turn)).toEqual([5, 7, 9])
    expect(cardsOf({ ...talk(past(5)), session: 2 }, turn, []).map((c) => c.turn)).toEqual([5])
    expect(cardsOf(null, turn, []).map((c) => c.turn)).toEqual([7])
  })
  it('have one row for each file, where the model first came to it', () => {
    const turn = turnOf(prose('a'), closed(1, 'x.go', 2, 1), prose('b'), hunk(2, 'y.go'), closed(3, 'x.go', 5, 0), refused(4, 'x.go', 'missing', 'not there'))
    const items = cardsOf(null, turn, [])[0]?.items ?? []
    expect(items.map((i) => (i.kind === 'file' ? i.path : i.kind))).toEqual(['prose', 'x.go', 'prose', 'y.go'])
    expect(items[1]).toMatchObject({ added: 7, removed: 1, writing: false, refused: [{ hunk: 4, message: 'not there' }] })
    expect((items[1] as FileItem).hunks.map((h) => h.hunk)).toEqual([1, 3])
    expect(items[3]).toMatchObject({ writing: true })
  })
  it('take the counts of the outcome when it has come, and files without hunks', () => {
    const outcome = came('completed', [{ path: 'x.go', added: 3, removed: 3 }, { path: 'z.go', added: 1, removed: 0 }], [1, 2])
    const card = cardsOf(null, ended(turnOf(closed(1, 'x.go', 2, 1)), outcome), [])[0]
    expect(card).toMatchObject({ running: '', status: 'completed', edits: [1, 2], files: 2 })
    expect(card?.items).toMatchObject([{ path: 'x.go', added: 3 }, { path: 'z.go', added: 1 }])
  })
  it('of a turn that ended early, with something to go on from, can be continued; also after a reload', () => {
    const can = (turn: PastTurn): boolean[] => cardsOf(talk(turn), null, []).map(cutOff)
    for (const status of ['failed', 'stopped', 'interrupted'] as const) {
      expect(can(past(1, { status, parts: [prose('It')] }))).toEqual([true])
      expect(can(past(2, { status, parts: [closed(1, 'x.go', 2, 1)] }))).toEqual([true])
      expect(can(past(3, { status, parts: [prose('\n')] }))).toEqual([false])
    }
    for (const status of ['completed', 'declined', 'held', 'conflict', ''] as const) expect(can(past(4, { status, parts: [prose('It')] }))).toEqual([false])
    expect(cardsOf(null, ended(turnOf(prose('It')), came('failed', [], [])), []).map(cutOff)).toEqual([true])
  })
  it('tell the edits of a second try from those of the first', () => {
    const first: HunkPart = { ...refused(2, 'x.go', 'missing', 'not there'), returned: true }
    const items = cardsOf(null, turnOf(closed(1, 'x.go', 2, 1), first, closed(3, 'x.go', 1, 0)), [])[0]?.items ?? []
    expect(secondTries(items[0] as FileItem).map((h) => h.hunk)).toEqual([3])
  })
  it('a moved file keeps its row', () => {
    const items = cardsOf(null, turnOf(moved, hunk(1, 'b.go')), [])[0]?.items
    expect(items).toMatchObject([{ path: 'a.go', what: 'moved', to: 'b.go', hunks: [{ hunk: 1 }] }])
  })
  it('show a steer that Go has not told of yet', () => {
    const turn = turnOf(steer('one', 'applied', 2))
    const items = cardsOf(null, turn, [{ id: 1, turn: 7, text: 'two', steer: 0 }, { id: 2, turn: 7, text: 'one', steer: 1 }])[0]?.items
    expect(items).toMatchObject([{ text: 'one', state: 'applied', hunk: 2 }, { text: 'two', state: '' }])
  })
  it('take what the history says once a held turn was approved', () => {
    const turn = ended(turnOf(refused(1, 'x.go', 'held', 'outside')), came('held', [], [], 'held'))
    const approved = talk(past(7, { files: [{ path: 'x.go', added: 1, removed: 0 }], edits: [4] }))
    expect(cardsOf(talk(past(7, { status: 'held', held: true })), turn, [])[0]).toMatchObject({ status: 'held', edits: [] })
    expect(cardsOf(approved, turn, [])[0]).toMatchObject({ status: 'completed', edits: [4], items: [{ path: 'x.go', added: 1, refused: [] }] })
  })
  it('tell more of the turns of this run than the history does', () => {
    const seen = ended(turnOf(refused(1, 'x.go', 'missing', 'not there')), came('completed', [], []))
    expect(cardsOf(talk(past(7), past(9)), null, [], [seen])[0]?.items).toMatchObject([{ path: 'x.go', refused: [{ message: 'not there' }] }])
  })
  it('show a past turn as it was shown while it ran', () => {
    const files = [{ path: 'x.go', added: 2, removed: 1 }]
    const told = turnOf(prose('a'), closed(1, 'x.go', 2, 1), steer('s', 'applied', 1), prose('b'), refused(2, 'y.go', 'missing', 'not there'), { kind: 'note', text: 'n' }, moved)
    const seen = ended(told, came('conflict', files, [3], 'm'))
    const kept = past(7, { request: 'r', status: 'conflict', message: 'm', started: 0, files, edits: [3], timing, prose: 'ab', steers: ['s'], parts: seen.parts })
    expect(cardsOf(talk(kept), null, [])).toEqual(cardsOf(null, seen, []))
  })
  it('show an interrupted turn as far as it was kept', () => {
    const cut = turnOf(prose('a'), steer('s', 'sent'), hunk(1, 'x.go'))
    const items = cardsOf(talk(past(7, { status: 'interrupted', steers: ['s', 's'], parts: cut.parts })), null, [])[0]?.items ?? []
    expect(items).toMatchObject([{ text: 'a' }, { text: 's', state: 'sent' }, { path: 'x.go', writing: false, hunks: [{ state: 'partial' }] }, { text: 's', state: '' }])
    expect(new Set(items.map((i) => i.key)).size).toBe(items.length)
    expect([receipt('sent', 0, true), receipt('sent', 0, false)]).toEqual(['not taken up', 'sent'])
  })
  it('do not show an edit as held once it was approved', () => {
    const held = turnOf(refused(1, 'x.go', 'held', 'outside')).parts
    const change = { files: [{ path: 'x.go', added: 1, removed: 0 }], parts: held }
    expect(cardsOf(talk(past(7, { ...change, status: 'held', held: true })), null, [])[0]?.items).toMatchObject([{ refused: [{ message: 'outside' }] }])
    expect(cardsOf(talk(past(7, { ...change, status: 'completed' })), null, [])[0]?.items).toMatchObject([{ path: 'x.go', added: 1, refused: [] }])
  })
  it('have what can be approved of a turn that ended otherwise, until it was', () => {
    const busy = turnOf(refused(1, 'x.go', 'busy', 'turn 3 was editing it')).parts
    const cut = { status: 'interrupted', parts: busy } as const
    expect(cardsOf(talk(past(7, { ...cut, held: true })), null, [])[0]).toMatchObject({ held: true, items: [{ refused: [{ reason: 'busy' }] }] })
    expect(cardsOf(talk(past(7, { ...cut, files: [{ path: 'x.go', added: 1, removed: 0 }] })), null, [])[0]).toMatchObject({ held: false, items: [{ refused: [] }] })
    const seen = ended(turnOf(...busy), { ...came('stopped', [], []), held: true })
    expect(cardsOf(talk(past(7, { status: 'stopped', held: true })), seen, [])[0]).toMatchObject({ status: 'stopped', held: true })
    expect(cardsOf(talk(past(7, { status: 'stopped', edits: [4] })), seen, [])[0]).toMatchObject({ edits: [4], held: false })
  })
  it('stay the same objects for past turns', () => {
    const talked = talk(past(1), past(2))
    expect(cardsOf(talked, null, [])[0]).toBe(cardsOf(talked, null, [])[0])
  })
})

describe('the message of a declined turn', () => {
  it('leaves out the requests that are listed below it, also those of an older history', () => {
    for (const words of ['did you mean', 'nearest']) expect(sentence(`nothing is named x; ${words}: a, b`, [offer('a'), offer('b')])).toBe('Nothing is named x.')
    expect(sentence('it may be several; did you mean: a, and 2 more', [offer('a')], 2)).toBe('It may be several.')
    expect(sentence('nothing is named x; did you mean: a', [])).toBe('Nothing is named x; did you mean: a')
  })
})
