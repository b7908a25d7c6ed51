// Requests, and what can be done with a running turn. A text by the user is never lost: it
// leaves the composer when Go has answered, and a steer that did not reach the model comes back.

import { tick } from 'svelte'
import type { App } from '../app'
import { CallError } from '../backend'
import type { Kind, Offer, Request, TurnStatus, UIState } from '../protocol'
import { busy, type State } from '../state/state'
import { speaks } from '../views/composer/models'
import { counted } from '../visible'
import { chipsAfter, requestFor, withParts } from './context'
import { revertTurn } from './history'
import { chooseModel } from './models'
import { sentAt } from './paint'
import { show } from './panels'
import { handBack, sending, taken } from './steers'

const maxHistory = 200
const settleWithin = 1000 // ms for the confirmation of typing before a request

/** What Enter in the composer does: a request, or a steer of the running turn. */
export async function submit(app: App): Promise<void> {
  const text = app.state.ui.draft.trim()
  if (text === '' || app.state.asking.sending) return
  if (busy(app.state)) await steer(app, text)
  else if (app.state.ui.mode === 'ask' && !speaks(app.state.models, app.state.ui.model)) await chooseSpeaker(app)
  else if (app.state.asking.again !== 0) await ask(app, { ...requestFor(text, app.state.ui.model, app.state.ui.scope), again: app.state.asking.again })
  else await ask(app, withParts(requestFor(text, app.state.ui.model, app.state.ui.scope, app.state.ui.mode), app.state.ui))
}

const requests = new Map<number, Request>() // of this page's turns, to ask again

/** Starts a turn. The draft stays until Go has accepted it. */
export async function ask(app: App, request: Request): Promise<void> {
  app.store.dispatch({ type: 'asking', asking: { sending: true, unwanted: false, error: '', stopped: 0 } })
  try {
    await Promise.race([app.docs.settled(), new Promise((resolve) => setTimeout(resolve, settleWithin))])
    if (app.state.asking.unwanted) {
      app.store.dispatch({ type: 'asking', asking: { sending: false } })
      return
    }
    const at = performance.now()
    const { turn } = await app.backend.call('edit', { ...request, session: app.state.project?.session ?? 0 })
    sentAt(turn, at)
    const { choice: _choice, continue: _continue, again: _again, overBudget: _over, ...plain } = request // to ask it again is not to choose it again
    remember(turn, plain)
    app.store.dispatch({ type: 'asking', asking: { sending: false, again: 0 } })
    accepted(app, request.text)
    if (app.state.asking.unwanted) await stopTurn(app, turn)
  } catch (error) {
    app.store.dispatch({ type: 'asking', asking: { sending: false, error: whyNot(error) } })
  }
}

function remember(turn: number, request: Request): void {
  requests.set(turn, request)
  for (const old of requests.keys()) if (requests.size > 50) requests.delete(old)
}

/** The composer is free for the next text; its selection chips have moved. */
function accepted(app: App, text: string): void {
  const { ui } = app.state
  if (text === '') return // it went on with another one
  const draft = ui.draft.trim() === text ? '' : ui.draft
  app.store.dispatch({ type: 'ui', ui: { draft, scope: chipsAfter(ui.scope), history: withRequest(ui.history, text), at: null } })
}

/** Requests, oldest first, without duplicates. */
export function withRequest(history: readonly string[], text: string): readonly string[] {
  return [...history.filter((h) => h !== text), text].slice(-maxHistory)
}

function whyNot(error: unknown): string {
  if (error instanceof CallError && error.code === 'lost') {
    return 'The connection was lost before the reply arrived. Your request is still here; look whether it began before you send it again.'
  }
  return error instanceof Error ? error.message : String(error)
}

/** Steers the running turn. */
async function steer(app: App, text: string): Promise<void> {
  const turn = app.state.turn
  if (turn === null) return
  const sent = sending(app, turn.turn, text)
  app.store.dispatch({ type: 'asking', asking: { error: '' } })
  app.store.dispatch({ type: 'ui', ui: { draft: '', history: withRequest(app.state.ui.history, text) } })
  try {
    const answer = await app.backend.call('steer', { turn: turn.turn, text })
    if (answer.sent) taken(app, sent, answer.steer)
    else handBack(app, [sent])
  } catch {
    handBack(app, [sent])
  }
}

/** Stops the turn; the pane freezes before Go knows. What the model wrote stays. A request in flight is stopped when it arrives. */
export async function stop(app: App): Promise<void> {
  const turn = app.state.turn
  if (turn === null || !busy(app.state)) app.store.dispatch({ type: 'asking', asking: { unwanted: app.state.asking.sending } })
  else if (!turn.stopping) await stopTurn(app, turn.turn)
}

async function stopTurn(app: App, turn: number): Promise<void> {
  if (app.state.turn?.turn === turn && busy(app.state)) app.store.dispatch({ type: 'stopping' })
  await app.backend.call('stop', { turn })
}

/** Esc after Esc: reverts the stopped turn. */
export async function revertStopped(app: App): Promise<void> {
  const turn = app.state.asking.stopped
  app.store.dispatch({ type: 'asking', asking: { stopped: 0 } })
  if (turn !== 0) await revertTurn(app, turn)
}

/** Stops a turn of another session than the one that is shown. */
export async function stopOther(app: App, turn: number): Promise<void> {
  await app.backend.call('stop', { turn })
}

export async function pauseOrResume(app: App): Promise<void> {
  const turn = app.state.turn
  if (turn === null || !busy(app.state) || turn.stopping) return
  await app.backend.call(turn.live.state === 'paused' ? 'resume' : 'pause', { turn: turn.turn })
}

/** Makes the edits that were held because of the scope, or because another turn had their files. */
export async function approve(app: App, turn: number): Promise<void> {
  const done = await app.backend.call('approve', { turn })
  const session = app.state.project?.session ?? 0
  if (session !== 0) app.store.dispatch({ type: 'conversation', conversation: await app.backend.read('conversation', { session }) })
  const files = done.files.length === 1 ? (done.files[0] ?? '') : counted(done.files.length, 'file')
  app.store.dispatch({ type: 'notice', level: 'info', text: `Approved: ${counted(done.edits.length, 'edit')} in ${files}.` })
}

/** Repeats a turn's request, with the same model and scope. */
export async function retry(app: App, turn: Asked): Promise<void> {
  await ask(app, askedFor(app, turn))
}

/** Sends a request that the daily budget refused; one that broke off there goes on. */
export async function sendAnyway(app: App, turn: Asked, brokeOff: boolean): Promise<void> {
  const request = brokeOff ? { ...requestFor('', turn.model, [], turn.mode), continue: turn.turn } : askedFor(app, turn)
  await ask(app, { ...request, overBudget: true })
}

function askedFor(app: App, turn: Asked): Request {
  const { kind } = turn
  const plain = kind === 'review' || kind === 'commit' ? { ...requestFor('', turn.model, [], 'ask'), about: { kind } } : requestFor(turn.request, turn.model, app.state.ui.scope, turn.mode)
  return requests.get(turn.turn) ?? plain
}

/** What is known of a turn's request. */
interface Asked {
  readonly turn: number
  readonly request: string
  readonly model: string
  readonly mode: Mode
  readonly kind: Kind | ''
}

/** Goes on with a turn that broke off. */
export async function goOn(app: App, turn: { readonly turn: number; readonly request: string; readonly model: string; readonly mode: Mode }): Promise<void> {
  await ask(app, { ...requestFor('', turn.model, [], turn.mode), continue: turn.turn })
}

/** Sends one of the requests that a turn offered: it does what its trial did, or nothing. */
export async function take(app: App, from: { readonly turn: number; readonly nearest: readonly Offer[] }, at: number): Promise<void> {
  const offer = from.nearest[at]
  if (offer === undefined || busy(app.state) || app.state.asking.sending) return
  await ask(app, { ...requestFor(offer.request, '', []), choice: { turn: from.turn, n: at + 1 } })
}

/** The newest turn of the session, if it offers requests. */
export function offering(state: State): { readonly turn: number; readonly nearest: readonly Offer[] } | null {
  if (busy(state)) return null
  const past = state.conversation?.turns.at(-1)
  const { turn } = state
  const last = turn !== null && turn.outcome !== null && turn.turn >= (past?.turn ?? 0) ? { turn: turn.turn, nearest: turn.outcome.nearest ?? [] } : past
  return last === undefined || last.nearest.length === 0 ? null : last
}

type Mode = UIState['mode']

/** What the next request is: an edit, or a question. */
export function setMode(app: App, mode: Mode): void {
  app.store.dispatch({ type: 'ui', ui: { mode } })
}

/** Leads to a model that writes text: to the picker, or to the first provider. */
export async function chooseSpeaker(app: App): Promise<void> {
  if (app.state.models.some((m) => m.language)) await chooseModel(app)
  else app.store.dispatch({ type: 'overlay', overlay: { kind: 'providers', view: 'add', name: '' } })
}

/** A turn whose request may go to another model. */
export interface Answered {
  readonly turn: number
  readonly request: string
  readonly mode: Mode
  readonly model: string
  readonly auto: string // why "auto" chose the model; ''
  readonly status: TurnStatus
  readonly edits: readonly number[]
}

/** The built-in model declined it, so a language model may do it; or the user did not choose the model. */
export function offersOther(state: State, turn: Pick<Answered, 'status' | 'model' | 'auto'>): boolean {
  const declined = turn.status === 'declined' && !speaks(state.models, turn.model)
  return (declined || (turn.auto !== '' && turn.status !== '')) && !busy(state)
}

/** The newest turn of the session, if its request may go to another model. */
export function answeredLast(state: State): Answered | null {
  const past = state.conversation?.turns.at(-1)
  const { turn } = state
  const seen = turn !== null && turn.turn >= (past?.turn ?? 0) ? { ...turn, status: turn.outcome?.status ?? '', edits: turn.outcome?.edits ?? turn.edits } as const : null
  const last = seen ?? (past === undefined ? null : { ...past, mode: past.mode ?? 'edit', auto: past.auto ?? '' } as const)
  return last !== null && offersOther(state, last) ? last : null
}

/** Puts the request back into the composer, and leads to a model for it. One that made edits is sent again from before them. */
export async function askOther(app: App, turn: Answered): Promise<void> {
  app.store.dispatch({ type: 'ui', ui: { draft: turn.request, mode: turn.mode } })
  if (turn.edits.length > 0) app.store.dispatch({ type: 'asking', asking: { again: turn.turn, error: '' } })
  await chooseSpeaker(app)
}

/** Puts a text into the composer, for editing. */
export function compose(app: App, text: string): void {
  app.store.dispatch({ type: 'ui', ui: { draft: text } })
  void focusComposer(app)
}

/** Puts a turn's request into the composer: edited, it is sent again from before that turn, on a fork if that turn made edits. */
export async function editAgain(app: App, turn: { readonly turn: number; readonly request: string; readonly model: string; readonly mode: Mode }): Promise<void> {
  app.store.dispatch({ type: 'ui', ui: { draft: turn.request, mode: turn.mode, model: turn.model } })
  app.store.dispatch({ type: 'asking', asking: { again: turn.turn, error: '' } })
  await focusComposer(app)
}

/** Leaves a request that was to be sent again; its text stays. */
export function leaveAgain(app: App): void {
  app.store.dispatch({ type: 'asking', asking: { again: 0 } })
}

export async function focusComposer(app: App): Promise<void> {
  show(app, 'chat', true)
  await tick()
  const box = document.querySelector<HTMLTextAreaElement>('[data-composer]')
  box?.focus()
  box?.setSelectionRange(box.value.length, box.value.length)
}
