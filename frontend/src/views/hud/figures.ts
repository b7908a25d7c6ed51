// The measured time of a turn by phase: Go's phases, and paint, which the page measures. An unmeasured value is null and
// shown as "–", never as a guess.

import type { Conversation, Estimate, Timing, TokenCounts } from '../../protocol'
import type { Paint, TurnView } from '../../state/state'
import { count, counted } from '../../visible'
import { aboutText, placed } from '../model/beside'

export interface Part {
  readonly name: string
  readonly help: string
  readonly ms: number | null
  readonly share: number // of the sum, 0 to 1; 0 for what runs beside another part
}

export interface Figures {
  readonly turn: number
  readonly parts: readonly Part[]
  readonly sum: number
  readonly total: number // as the turn took in Go
  readonly language: boolean // the model wrote text: tokens mean something
  readonly perSecond: number | null
  readonly tokens: number
  readonly usage: TokenCounts | null
  readonly cost: number | null // dollars
  readonly firstToken: number | null
  readonly firstPaint: number | null
  readonly worstFrame: number | null
  readonly wafer: Estimate | null // what the emulated wafer would have done: nobody measured it
}

/** Of the last turn that changed or said something, or else of the last measured one. */
export function lastFigures(turn: TurnView | null, conversation: Conversation | null, before: readonly TurnView[] = []): Figures | null {
  const turns = [...before, ...(turn ? [turn] : [])].filter((t) => t.outcome !== null)
  const seen = turns.findLast((t) => t.outcome !== null && did(t.outcome.timing, t.outcome.edits))
  const past = conversation?.turns.findLast((t) => did(t.timing, t.edits)) ?? conversation?.turns.findLast((t) => t.timing !== null)
  if (seen?.outcome && seen.turn >= (past?.turn ?? 0)) return figures(seen.turn, seen.outcome.timing, seen.paint, seen.firstPaint)
  return past?.timing ? figures(past.turn, past.timing, null, 0) : null
}

function did(t: Timing | null, edits: readonly unknown[]): boolean {
  return t !== null && (t.tokens > 0 || edits.length > 0)
}

export function figures(turn: number, t: Timing, paint: Paint | null, firstPaint: number): Figures {
  const rounds = t.rounds ?? 0 // of a language model, which writes while its edits are applied
  const named: readonly (readonly [string, string, number | null | undefined])[] = [
    ['Queue', 'until the turn began', t.queue_ms],
    ['Connect', 'until the model was reached', t.connect_ms],
    ['Context', 'gathering what the model is told', t.context_ms],
    ['Prefill', 'the model reading it', t.prefill_ms],
    ['Decode', rounds > 0 ? `the model writing, in ${counted(rounds, 'answer')}` : 'the model writing', t.decode_ms],
    ...(rounds > 0 ? [] : [['Apply', 'placing and recording the edits', t.apply_ms] as const]),
    ...(rounds > 0 && (t.tools_ms ?? 0) > 0 ? [['Tools', 'reading what the model asked for', t.tools_ms] as const] : []),
    ['Rest', 'between and after: settling, saving', rest(t)],
    ['Paint', 'from the last edit’s arrival to the screen', paint?.last],
  ]
  const sum = named.reduce((n, [, , ms]) => n + (ms ?? 0), 0)
  const parts = named.map(([name, help, ms]) => ({ name, help, ms: ms ?? null, share: sum > 0 ? (ms ?? 0) / sum : 0 }))
  if (rounds > 0) parts.splice(5, 0, { name: 'Apply', help: 'placing and recording, while it writes', ms: t.apply_ms, share: 0 })
  if ((t.summary_ms ?? 0) > 0) parts.splice(6, 0, { name: 'Summary', help: 'of all that, for a summary of earlier turns', ms: t.summary_ms ?? 0, share: 0 })
  return {
    turn, sum, total: t.total_ms, language: t.tokens > 0,
    parts,
    perSecond: t.tokens_per_s > 0 ? t.tokens_per_s : null,
    tokens: t.tokens,
    usage: t.usage ?? null,
    cost: t.cost ?? null,
    firstToken: t.tokens > 0 ? t.ttft_ms : null,
    firstPaint: firstPaint > 0 ? firstPaint : null,
    worstFrame: paint?.worst ?? null,
    wafer: t.wafer ?? null,
  }
}

/** The rest of the total. */
function rest(t: Timing): number {
  const told = (t.queue_ms ?? 0) + (t.connect_ms ?? 0) + t.context_ms + t.prefill_ms + t.decode_ms + ((t.rounds ?? 0) > 0 ? (t.tools_ms ?? 0) : t.apply_ms)
  return Math.max(0, t.total_ms - told)
}

/** The last turn in one line: of a language model its speed, of the built-in one its time. */
export function lineOf(f: Figures | null): readonly Figure[] {
  if (f === null) return []
  const painted: Figure[] = f.firstPaint === null ? [] : [{ value: msText(f.firstPaint), before: 'on screen after', after: '' }]
  if (!f.language) return [{ value: msText(f.total), before: '', after: '' }, ...painted]
  return [
    ...(f.perSecond !== null ? [{ value: rateText(f.perSecond), before: '', after: 'tok/s' }] : []),
    { value: msText(f.firstToken), before: 'first token', after: '' },
    ...(f.usage !== null && f.usage.input > 0 ? [{ value: cachedText(f.usage), before: '', after: 'cached' }] : []),
    ...(f.cost !== null ? [{ value: costText(f.cost), before: '', after: '' }] : []),
    ...estimated(f.wafer),
  ]
}

/** The estimate for the emulated wafer, once something is written. */
export function estimated(e: Estimate | null | undefined): readonly Figure[] {
  return !e || !placed(e) || e.estimated_tok_s === 0 ? [] : [{ value: aboutText(e.estimated_tok_s), before: 'wafer estimate', after: 'tok/s', estimate: true }]
}

/** The part of the prompt that came from the model's cache. */
export function cachedText(usage: TokenCounts): string {
  return `${String(Math.round((100 * usage.cached) / Math.max(1, usage.input)))} %`
}

/** Dollars, with two digits that mean something. */
export function costText(dollars: number): string {
  if (dollars === 0) return '$0'
  if (dollars < 0.0001) return '< $0.0001'
  return `$${dollars >= 0.1 ? dollars.toFixed(2) : dollars.toPrecision(2).replace(/0+$/, '')}`
}

/** What was spent today, of the daily budget if there is one. */
export function todayText(spent: number, budget: number): string {
  return budget > 0 ? `${costText(spent)} of ${costText(budget)} today` : costText(spent)
}

/** A number with the words around it. */
export interface Figure {
  readonly value: string
  readonly before: string
  readonly after: string
  readonly estimate?: true
}

/** A row of numbers over the session's turns, oldest first. */
export interface Series {
  readonly turns: readonly number[]
  readonly perSecond: readonly (number | null)[]
  readonly total: readonly number[]
}

const most = 200 // turns

export function seriesOf(turn: TurnView | null, conversation: Conversation | null): Series {
  const timings = new Map<number, Timing>()
  for (const past of conversation?.turns ?? []) if (past.timing !== null) timings.set(past.turn, past.timing)
  if (turn?.outcome && (conversation === null || conversation.session === turn.session)) timings.set(turn.turn, turn.outcome.timing)
  const rows = [...timings].sort(([a], [b]) => a - b).slice(-most)
  return {
    turns: rows.map(([id]) => id),
    perSecond: rows.map(([, t]) => (t.tokens_per_s > 0 ? t.tokens_per_s : null)),
    total: rows.map(([, t]) => t.total_ms),
  }
}

/** Milliseconds in a few letters; "–" when not measured. */
export function msText(ms: number | null): string {
  if (ms === null) return '–'
  if (ms === 0) return '0 ms'
  if (ms < 0.1) return '< 0.1 ms'
  if (ms < 10) return `${ms.toFixed(1)} ms`
  if (ms < 10_000) return `${count(Math.round(ms))} ms`
  return `${(ms / 1000).toFixed(1)} s`
}

export function rateText(perSecond: number | null): string {
  return perSecond === null ? '–' : count(Math.round(perSecond))
}
