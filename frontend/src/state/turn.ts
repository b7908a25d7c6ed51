// How a turn's events make up what the conversation shows of it. Pure.

import type { HunkPart, Part, TurnEvent, TurnNews } from '../protocol'
import type { TurnView } from './state'

/** Takes news in. News that begins again at 0 replaces what was known. */
export function turnNews(turn: TurnView | null, news: TurnNews): TurnView | null {
  let next = news.from === 0 ? null : turn
  if (next !== null && next.turn !== news.turn) return turn
  const known = next?.seen ?? 0
  for (const event of news.events.slice(Math.max(0, known - news.from))) next = take(next, event)
  if (next === null) return turn
  if (turn?.turn === next.turn) next = { ...next, stopping: turn.stopping && !next.outcome, firstPaint: turn.firstPaint, paint: turn.paint }
  return { ...next, seen: Math.max(known, news.from + news.events.length), live: news.live, unsure: false }
}

const idle = { state: 'running', tokens: 0, perSecond: 0, elapsed: 0, path: '' } as const

function take(turn: TurnView | null, event: TurnEvent): TurnView | null {
  if (event.t === 'started') {
    return {
      turn: event.turn, session: event.session, request: event.request, model: event.model, started: event.at,
      seen: 0, parts: [], trail: [], live: idle, outcome: null, stopping: false, unsure: false, edits: [], firstPaint: 0, paint: null,
    }
  }
  if (turn === null) return null
  switch (event.t) {
    case 'prose':
      return { ...turn, parts: addProse(turn.parts, event.text) }
    case 'hunk': {
      const part: HunkPart = { kind: 'hunk', hunk: event.hunk, path: event.path, line: event.line, state: 'open', added: 0, removed: 0, reason: '', message: '' }
      return { ...turn, parts: [...turn.parts, part], trail: follow(turn.trail, event.path) }
    }
    case 'closed':
      return { ...turn, parts: setHunk(turn.parts, event.hunk, { path: event.path, state: event.partial ? 'partial' : 'done', added: event.added, removed: event.removed }) }
    case 'refused':
      return { ...turn, parts: setHunk(turn.parts, event.hunk, { path: event.path, state: 'refused', reason: event.reason, message: event.message }) }
    case 'file':
      return { ...turn, parts: [...turn.parts, { kind: 'file', what: event.what, path: event.path, to: event.to }] }
    case 'steer':
      return { ...turn, parts: setSteer(turn.parts, event) }
    case 'note':
      return { ...turn, parts: [...turn.parts, { kind: 'note', text: event.text }] }
    case 'acked':
      return { ...turn, edits: [...turn.edits, event.edit] }
    case 'ended':
      return { ...turn, outcome: event.outcome, stopping: false }
  }
}

function addProse(parts: readonly Part[], text: string): readonly Part[] {
  const last = parts.at(-1)
  if (last?.kind !== 'prose') return [...parts, { kind: 'prose', text }]
  return [...parts.slice(0, -1), { kind: 'prose', text: last.text + text }]
}

/** A hunk that failed before its place was certain has no part yet. */
function setHunk(parts: readonly Part[], hunk: number, change: Partial<HunkPart>): readonly Part[] {
  const at = parts.findLastIndex((p) => p.kind === 'hunk' && p.hunk === hunk)
  const old = parts[at] as HunkPart | undefined
  const next: HunkPart = { kind: 'hunk', hunk, path: '', line: 0, state: 'open', added: 0, removed: 0, reason: '', message: '', ...old, ...change }
  return old ? parts.with(at, next) : [...parts, next]
}

/** Each receipt of a steer replaces the one before. */
function setSteer(parts: readonly Part[], event: Extract<TurnEvent, { t: 'steer' }>): readonly Part[] {
  const part: Part = { kind: 'steer', text: event.text, state: event.state, hunk: event.hunk }
  const at = parts.findLastIndex((p) => p.kind === 'steer' && p.text === event.text && p.state !== 'applied' && p.state !== 'failed')
  return at >= 0 && event.state !== 'queued' ? parts.with(at, part) : [...parts, part]
}

function follow(trail: readonly string[], path: string): readonly string[] {
  return trail.at(-1) === path ? trail : [...trail, path]
}
