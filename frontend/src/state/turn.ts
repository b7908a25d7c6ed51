// Applies Go's deltas of a turn. Go makes the parts that the conversation shows (app/parts); here they are
// put in their places, whatever their kind. Pure.

import type { Part, PartDelta, TurnBegan, TurnDelta } from '../protocol'
import type { TurnView } from './state'

/** Applies a delta. One from the turn's beginning replaces what was known. */
export function turnDelta(turn: TurnView | null, news: TurnDelta): TurnView | null {
  const before = turn?.turn === news.turn ? turn : null
  const known = news.began ? begun(news, news.began, before) : before
  if (known === null) return turn
  return {
    ...known,
    parts: news.parts ? placed(known.parts, news.parts) : known.parts,
    edits: news.acked ? [...known.edits, ...news.acked.map((edit) => edit.id)] : known.edits,
    live: news.live,
    outcome: news.outcome ?? known.outcome,
    stopping: known.stopping && !news.outcome,
    unsure: false,
  }
}

/** A turn from its beginning, with what this page knows by itself. */
function begun({ turn, live }: TurnDelta, { session, request, model, mode, kind, auto, at }: TurnBegan, before: TurnView | null): TurnView {
  const own = before ?? { stopping: false, firstPaint: 0, paint: null }
  return {
    turn, session, request, model, mode: mode ?? 'edit', kind: kind ?? '', auto: auto ?? '', started: at, parts: [], live, outcome: null, unsure: false, edits: [],
    stopping: own.stopping, firstPaint: own.firstPaint, paint: own.paint,
  }
}

function placed(parts: readonly Part[], news: readonly PartDelta[]): readonly Part[] {
  const next = [...parts]
  for (const n of news) {
    const old = next[n.at]
    if ('part' in n) next[n.at] = n.part
    else if ('text' in n) next[n.at] = longer(old, n.text)
    else if (old?.kind === 'hunk') next[n.at] = { ...old, state: n.state, added: n.added, removed: n.removed }
  }
  return next
}

function longer(part: Part | undefined, text: string): Part {
  return { kind: 'prose', text: part?.kind === 'prose' ? part.text + text : text }
}
