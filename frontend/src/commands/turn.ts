import type { App } from '../app'
import { askAbout, askReady } from '../actions/ready'
import { addSelection } from '../actions/context'
import { copySession, exportSession, newSession, renameSession, useSession } from '../actions/sessions'
import { chooseModel, modelFile, showModel } from '../actions/models'
import { showProviders } from '../actions/providers'
import { approve, askOther, answeredLast, focusComposer, offering, pauseOrResume, retry, revertStopped, setMode, stop, submit, take } from '../actions/turns'
import { busy, elsewhere, type State } from '../state/state'
import type { Command } from './command'

const open = (state: State): boolean => state.project !== null
const free = (state: State): boolean => state.project !== null && !busy(state)
const running = (state: State): boolean => busy(state) && state.turn?.stopping === false
const offers = (n: number) => (state: State): boolean => (offering(state)?.nearest.length ?? 0) >= n
const takes = (n: number) => (app: App): Promise<void> | undefined => {
  const from = offering(app.state)
  return from === null ? undefined : take(app, from, n - 1)
}
const ended = (state: State): boolean => state.turn?.outcome != null

export const turnCommands: readonly Command[] = [
  { id: 'turn.focus', title: 'Write a request', group: 'Request', keys: ['Mod-e'], when: open, run: focusComposer },
  { id: 'turn.model', title: 'Choose the model…', group: 'Request', keys: ['Mod-Alt-m'], when: open, run: chooseModel },
  { id: 'model.page', title: 'Show the model file…', group: 'Request', keys: ['Mod-Alt-i'], when: (s) => open(s) && modelFile(s) !== '', run: (app) => { showModel(app, modelFile(app.state)) } },
  { id: 'turn.mode', title: 'Edit files, or ask a question', group: 'Request', keys: ['Alt-m'], when: open, run: (app) => { setMode(app, app.state.ui.mode === 'ask' ? 'edit' : 'ask'); return focusComposer(app) } },
  { id: 'ready.review', title: 'Let a model review the changes', group: 'Request', when: free, run: (app) => askAbout(app, 'review') },
  { id: 'ready.commit', title: 'Let a model write a commit message', group: 'Request', when: free, run: (app) => askAbout(app, 'commit') },
  { id: 'ready.explain', title: 'Explain the selection, or the file', group: 'Request', when: free, run: (app) => askReady(app, { name: 'explain', title: 'Explain', asks: true }) },
  { id: 'ready.tests', title: 'Write tests for the selection, or the file', group: 'Request', when: free, run: (app) => askReady(app, { name: 'tests', title: 'Write tests', asks: false }) },
  { id: 'ready.docs', title: 'Write documentation for the selection, or the file', group: 'Request', when: free, run: (app) => askReady(app, { name: 'docs', title: 'Write documentation', asks: false }) },
  { id: 'provider.add', title: 'Add a provider of models…', group: 'Request', run: (app) => { showProviders(app, 'add') } },
  { id: 'provider.list', title: 'Change providers of models…', group: 'Request', run: (app) => { showProviders(app, 'list') } },
  { id: 'turn.send', title: 'Send the request, or steer the running one', group: 'Request', keys: ['Enter'], local: true, when: (s) => s.ui.draft.trim() !== '', run: submit },
  { id: 'turn.selection', title: 'Add the selection to the request', group: 'Request', keys: ['Mod-Shift-s'], when: (s) => s.ui.active !== '', run: (app) => { addSelection(app); return focusComposer(app) } },
  { id: 'turn.stop', title: 'Stop the model and keep what it wrote', group: 'Request', keys: ['Escape'], when: (s) => running(s) || s.asking.sending, run: stop },
  { id: 'turn.revertStopped', title: 'Revert the turn that was just stopped', group: 'Request', keys: ['Escape'], when: (s) => s.asking.stopped !== 0 && !busy(s), run: revertStopped },
  { id: 'turn.pause', title: 'Pause or resume the model', group: 'Request', keys: ['Space'], local: true, when: running, run: pauseOrResume },
  { id: 'turn.pauseAnywhere', title: 'Pause or resume the model, while typing', group: 'Request', keys: ['Mod-Shift-Space'], when: running, run: pauseOrResume },
  { id: 'turn.retry', title: 'Ask the last request again', group: 'Request', when: ended, run: (app) => (app.state.turn ? retry(app, app.state.turn) : undefined) },
  { id: 'turn.first', title: 'Take the first of the suggested requests', group: 'Request', keys: ['1'], when: offers(1), run: takes(1) },
  { id: 'turn.second', title: 'Take the second of the suggested requests', group: 'Request', keys: ['2'], when: offers(2), run: takes(2) },
  { id: 'turn.third', title: 'Take the third of the suggested requests', group: 'Request', keys: ['3'], when: offers(3), run: takes(3) },
  { id: 'turn.other', title: 'Ask another model the last request', group: 'Request', keys: ['0'], local: true, when: (s) => answeredLast(s) !== null, run: (app) => { const last = answeredLast(app.state); return last === null ? undefined : askOther(app, last) } },
  { id: 'turn.approve', title: 'Approve the edits that were held', group: 'Request', when: (s) => s.turn?.outcome?.held === true, run: (app) => approve(app, app.state.turn?.turn ?? 0) },
  { id: 'session.running', title: 'Go to a turn that runs in another session', group: 'Request', when: (s) => elsewhere(s).length > 0, run: (app) => useSession(app, elsewhere(app.state)[0]?.session ?? 0) },
  { id: 'session.new', title: 'New session', group: 'Request', keys: ['Mod-Shift-j'], when: open, run: newSession },
  { id: 'session.switch', title: 'Go to another session', group: 'Request', when: open, run: (app) => { app.store.dispatch({ type: 'overlay', overlay: { kind: 'palette', mode: 'sessions', text: '' } }) } },
  { id: 'session.copy', title: 'Copy this conversation as Markdown', group: 'Request', when: (s) => s.conversation !== null, run: copySession },
  { id: 'session.export', title: 'Export this conversation as Markdown', group: 'Request', when: (s) => s.conversation !== null, run: exportSession },
  { id: 'session.rename', title: 'Rename this session', group: 'Request', when: (s) => s.conversation !== null, run: renameSession },
]
