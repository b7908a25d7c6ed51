// A turn's card in the conversation, past or running. Everything is in the order in which it happened, except that a file
// has one row, where the model first edited it: its counters grow in place and nothing moves while text streams.

import type { CitationPart, Conversation, EditID, FileCount, FilePart, HunkPart, Kind, Offer, Part, PastTurn, SteerPart, SteerState, Timing, TurnStatus } from '../../protocol'
import type { SentSteer, TurnView } from '../../state/state'

export interface Card {
  readonly turn: number
  readonly request: string
  readonly model: string
  readonly mode: 'edit' | 'ask'
  readonly kind: Kind | '' // of task; '': the mode's own
  readonly auto: string // why "auto" chose the model; ''
  readonly started: number
  readonly running: 'running' | 'paused' | 'stopping' | ''
  readonly path: string // the file that the running model is writing
  readonly status: TurnStatus
  readonly held: boolean // it has edits that can be approved
  readonly message: string
  readonly nearest: readonly Offer[]
  readonly more: number // requests like these that were not tried
  readonly items: readonly Item[]
  readonly places: readonly CitationPart[] // that an answer names
  readonly edits: readonly EditID[]
  readonly files: number
  readonly timing: Timing | null
}

/** A row for a file, with everything that happened to it; every other part has a row of its own. */
export type Item = FileItem | SteerItem | (Exclude<Part, HunkPart | FilePart | SteerPart | CitationPart> & { readonly key: string })

/** A steer; it has no receipt until Go sends one. */
export type SteerItem = Omit<SteerPart, 'state'> & { readonly key: string; readonly state: SteerState | '' }

export interface FileItem {
  readonly kind: 'file'
  readonly key: string
  readonly path: string
  readonly what: 'changed' | 'created' | 'deleted' | 'moved'
  readonly to: string
  readonly added: number
  readonly removed: number
  readonly hunks: readonly HunkPart[] // none if the turn's parts were not stored
  readonly refused: readonly HunkPart[]
  readonly writing: boolean // a hunk is open
}

/** All cards, oldest first, including the running turn's. */
export function cardsOf(conversation: Conversation | null, turn: TurnView | null, steers: readonly SentSteer[], ended: readonly TurnView[] = []): readonly Card[] {
  const seen = new Map(ended.map((t) => [t.turn, t]))
  const past = (conversation?.turns ?? []).filter((t) => t.turn !== turn?.turn)
  const cards = past.map((t) => pastCard(t, seen.get(t.turn)))
  if (turn === null || (conversation !== null && conversation.session !== turn.session)) return cards
  const recorded = conversation?.turns.find((t) => t.turn === turn.turn)
  const live = recorded && settledSince(turn, recorded) ? pastCard(recorded, undefined) : liveCard(turn, steers)
  const at = cards.findLastIndex((c) => c.turn < live.turn)
  return [...cards.slice(0, at + 1), live, ...cards.slice(at + 1)]
}

/** Whether the turn changed after its end: its held edits were approved. */
function settledSince(seen: TurnView, past: PastTurn): boolean {
  return seen.outcome?.held === true && past.status !== '' && past.held !== true
}

const known = new WeakMap<PastTurn, Card>()

function pastCard(past: PastTurn, seen: TurnView | undefined): Card {
  const old = known.get(past)
  if (old) return old
  const items = pastItems(past)
  const card: Card = seen && !settledSince(seen, past) ? liveCard(seen, []) : {
    turn: past.turn, request: past.request, model: past.model, mode: past.mode ?? 'edit', kind: past.kind ?? '', auto: past.auto ?? '', started: past.started,
    running: '', path: '', status: past.status, held: past.held === true, message: past.message, nearest: past.nearest, more: past.more ?? 0,
    items, places: placesOf(past.parts), edits: past.edits, files: items.filter((i) => i.kind === 'file').length, timing: past.timing,
  }
  known.set(past, card)
  return card
}

function pastItems(past: PastTurn): readonly Item[] {
  if (past.parts.length === 0) return countedItems(past)
  const told = past.parts.flatMap((p) => (p.kind === 'steer' ? [p.text] : []))
  const untold = past.steers.filter((text) => !removed(told, text)) // from the last moment before the program was killed
  return [...partItems(past.parts.filter((p) => !approved(past, p)).map(settled), past.files), ...steerItems(untold)]
}

/** Removes a text from a list; false when it is not in it. */
function removed(list: string[], text: string): boolean {
  const at = list.indexOf(text)
  if (at >= 0) list.splice(at, 1)
  return at >= 0
}

/** An edit that was held, and approved later. */
function approved(past: PastTurn, part: Part): boolean {
  return part.kind === 'hunk' && past.held !== true && past.status !== '' && (part.reason === 'busy' || (part.reason === 'held' && past.status === 'completed'))
}

/** Nobody is writing an interrupted turn's edits any more; what was written of them stays. */
function settled(part: Part): Part {
  return part.kind === 'hunk' && part.state === 'open' ? { ...part, state: 'partial' } : part
}

/** The items of a turn whose parts were not stored. */
function countedItems(past: PastTurn): readonly Item[] {
  const items: Item[] = []
  if (past.prose.trim() !== '') items.push({ kind: 'prose', key: 'prose', text: past.prose })
  return [...items, ...steerItems(past.steers), ...past.files.map(countedFile)]
}

function steerItems(texts: readonly string[]): readonly Item[] {
  return texts.map((text, i) => ({ kind: 'steer', key: `said${String(i)}`, text, state: '', hunk: 0, steer: 0 }))
}

function countedFile(file: FileCount): FileItem {
  return { kind: 'file', key: `file ${file.path}`, path: file.path, what: 'changed', to: '', added: file.added, removed: file.removed, hunks: [], refused: [], writing: false }
}

function liveCard(turn: TurnView, steers: readonly SentSteer[]): Card {
  const items = [...partItems(turn.parts, turn.outcome?.files ?? []), ...unsent(turn, steers)]
  const outcome = turn.outcome
  return {
    turn: turn.turn, request: turn.request, model: turn.model, mode: turn.mode, kind: turn.kind, auto: turn.auto, started: turn.started,
    running: outcome ? '' : turn.stopping ? 'stopping' : turn.live.state === 'paused' ? 'paused' : 'running',
    path: turn.live.path, status: outcome?.status ?? '', held: outcome?.held ?? false, message: outcome?.message ?? '', nearest: outcome?.nearest ?? [], more: outcome?.more ?? 0,
    items, places: placesOf(turn.parts), edits: outcome?.edits ?? turn.edits, files: items.filter((i) => i.kind === 'file').length, timing: outcome?.timing ?? null,
  }
}

function placesOf(parts: readonly Part[]): readonly CitationPart[] {
  return parts.filter((p) => p.kind === 'citation')
}

/** The model's words, as it wrote them. */
export function answerOf(card: Card): string {
  return card.items.flatMap((i) => (i.kind === 'prose' ? [i.text.trim()] : [])).join('\n\n')
}

/** Steers without a receipt from Go. */
function unsent(turn: TurnView, steers: readonly SentSteer[]): readonly Item[] {
  return steers.filter((s) => s.turn === turn.turn && s.steer === 0).map((s) => ({ kind: 'steer', key: `sent${String(s.id)}`, text: s.text, state: '', hunk: 0, steer: 0 }))
}

interface Growing {
  item: FileItem
  hunks: HunkPart[]
  refused: HunkPart[]
  at: number
}

function partItems(parts: readonly Part[], counts: readonly FileCount[]): readonly Item[] {
  const items: (Item | Growing)[] = []
  const files = new Map<string, Growing>()
  for (const [i, part] of parts.entries()) {
    if (part.kind === 'hunk') {
      const file = fileAt(files, items, part.path)
      ;(part.state === 'refused' ? file.refused : file.hunks).push(part)
    } else if (part.kind === 'file') {
      const file = fileAt(files, items, part.path)
      file.item = { ...file.item, what: part.what, to: part.to }
      if (part.to !== '') files.set(part.to, file)
    } else if (part.kind !== 'citation') {
      items.push({ ...part, key: `${part.kind}${String(i)}` })
    }
  }
  for (const file of counts) if (!files.has(file.path)) fileAt(files, items, file.path)
  const final = new Map(counts.map((f) => [f.path, f]))
  return items.map((item) => ('hunks' in item && 'item' in item ? grown(item, final) : item))
}

function fileAt(files: Map<string, Growing>, items: (Item | Growing)[], path: string): Growing {
  const old = files.get(path)
  if (old) return old
  const file: Growing = { item: countedFile({ path, added: 0, removed: 0 }), hunks: [], refused: [], at: items.length }
  files.set(path, file)
  items.push(file)
  return file
}

function grown(file: Growing, final: ReadonlyMap<string, FileCount>): FileItem {
  const counted = final.get(file.item.path) ?? final.get(file.item.to)
  const sum = (what: 'added' | 'removed'): number => file.hunks.reduce((n, h) => n + h[what], 0)
  return {
    ...file.item,
    added: counted?.added ?? sum('added'), removed: counted?.removed ?? sum('removed'),
    hunks: file.hunks, refused: file.refused,
    writing: final.size === 0 && file.hunks.at(-1)?.state === 'open',
  }
}

/** The ending of a turn, in a word or two. */
export const endings: Readonly<Record<TurnStatus, string>> = {
  completed: 'Done', declined: 'Declined', held: 'Held', stopped: 'Stopped', failed: 'Failed',
  conflict: 'Done in part', interrupted: 'Interrupted', '': 'Running',
}

/** Whether a turn ended before its model was done, with something that another turn can go on from. */
export function cutOff(card: Card): boolean {
  const early = card.status === 'failed' || card.status === 'stopped' || card.status === 'interrupted'
  return early && card.items.some((i) => i.kind === 'file' || (i.kind === 'prose' && i.text.trim() !== ''))
}

/** A request as its card shows it. One that goes on with a turn is worded for the model, by app/continue.go. */
export function titleOf(request: string): string {
  return request.startsWith('Continue: your last answer broke off.') ? 'Continue' : request
}

/** The edits of a file that landed after the model was told that its first try did not fit. */
export function secondTries(item: FileItem): readonly HunkPart[] {
  const returned = item.refused.find((h) => h.returned)?.hunk ?? Infinity
  return item.hunks.filter((h) => h.hunk > returned)
}

/** The text of a steer's receipt. */
export function receipt(state: SteerState | '', hunk: number, past: boolean): string {
  if (past && (state === 'queued' || state === 'sent')) return 'not taken up'
  if (state === 'queued' || state === 'sent') return state
  if (state === 'applied') return hunk > 0 ? `applied at edit ${String(hunk)}` : 'applied'
  if (state === 'failed') return 'not sent; text handed back'
  return past ? '' : 'sending…'
}

/** A turn's message as a sentence, without the requests that are listed below it. */
export function sentence(message: string, nearest: readonly Offer[], more = 0): string {
  const all = `${nearest.map((n) => n.request).join(', ')}${more > 0 ? `, and ${String(more)} more` : ''}`
  const lists = ['did you mean', 'nearest'].map((words) => `; ${words}: ${all}`) // the second in older histories
  const list = nearest.length > 0 ? lists.find((l) => message.endsWith(l)) : undefined
  const short = list !== undefined ? `${message.slice(0, -list.length)}.` : message
  return /^[a-z]+[ ,;:]/.test(short) ? short.charAt(0).toUpperCase() + short.slice(1) : short // not a path or a name
}

export function duration(ms: number): string {
  if (ms < 1) return '< 1 ms'
  if (ms < 1000) return `${String(Math.round(ms))} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${String(Math.floor(ms / 60_000))} min ${String(Math.floor((ms % 60_000) / 1000))} s`
}
