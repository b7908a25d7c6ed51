// `npm run bench`: turns as they come, one frame after the other, to what the
// conversation draws.

import { bench } from 'vitest'
import { Blocks } from '../blocks'
import type { HunkPart, TurnDelta } from '../protocol'
import { cardsOf } from '../views/conversation/cards'
import { reduce } from './reduce'
import { initial } from './state'

const live = { state: 'running', tokens: 0, perSecond: 0, elapsed: 0, path: '' } as const
const frames = 250
const words = `${'word'.repeat(79)}\n` // 80 tokens
const first: TurnDelta = { turn: 1, began: { session: 1, request: 'r', model: 'm', at: 0 }, live }
const done = (hunk: number): HunkPart => ({ kind: 'hunk', hunk, path: 'internal/server/handler.go', line: hunk * 10, state: 'done', added: 8, removed: 2 })

function show(frames: readonly TurnDelta[]): void {
  let state = initial
  const blocks = new Blocks()
  for (const turn of frames) {
    state = reduce(state, { type: 'frame', frame: { type: 'frame', seq: 1, turn } })
    const last = cardsOf(null, state.turn, [])[0]?.items.at(-1)
    if (last?.kind === 'prose') blocks.update(last.text)
  }
}

const answer = [first, ...Array.from({ length: frames }, (_, i): TurnDelta => ({ turn: 1, live, parts: [i === 0 ? { at: 0, part: { kind: 'prose', text: words } } : { at: 0, text: words }] }))]
const edits = [first, ...Array.from({ length: frames }, (_, i): TurnDelta => ({
  turn: 1, live, acked: [{ id: i, path: done(i).path }], parts: [{ at: 2 * i, part: done(i) }, { at: 2 * i + 1, part: { kind: 'prose', text: 'word'.repeat(8) } }],
}))]
const many = [first, ...Array.from({ length: frames }, (_, i): TurnDelta => ({
  turn: 1, live, acked: Array.from({ length: 20 }, (_, j) => ({ id: 20 * i + j, path: done(i).path })), parts: Array.from({ length: 20 }, (_, j) => ({ at: 20 * i + j, part: done(20 * i + j) })),
}))]

bench('an answer of 20,000 tokens in 250 frames', () => { show(answer) })
bench('250 edits in 250 frames', () => { show(edits) })
bench('5,000 edits in 250 frames', () => { show(many) })
