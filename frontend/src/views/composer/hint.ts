// The line under the composer: what the keys do now, or an error.

import { tooLong } from '../../state/keep'
import { busy, type State } from '../../state/state'
import { speaks } from './models'
import { count, counted } from '../../visible'

export interface Hint {
  readonly text: string
  readonly tone: 'plain' | 'warn' | 'bad'
  readonly keys?: true // it only names keys
}

export function hintFor(state: State): Hint {
  const { asking, turn, project, ui } = state
  if (asking.error !== '') return { text: asking.error, tone: 'bad' }
  if (tooLong(ui.draft)) return { text: 'This is longer than 1 MB: it cannot be sent, and is gone when Waferpair ends. Save it as a file of the project, and name that with @.', tone: 'bad' }
  if (project !== null && project.readOnly !== '') return { text: `Nothing can be changed here: ${project.readOnly}`, tone: 'warn' }
  if (busy(state) && turn !== null) return { text: whileRunning(turn.stopping, turn.live.state === 'paused'), tone: 'plain' }
  if (asking.stopped !== 0 && turn?.turn === asking.stopped) return { text: stopped(state), tone: 'plain' }
  if (asking.sending) return { text: asking.unwanted ? 'Stopping…' : 'Sending…', tone: 'plain' }
  if (ui.mode === 'ask' && !speaks(state.models, ui.model)) return { text: 'The built-in model only edits: Enter chooses another', tone: 'warn' }
  if (ui.mode === 'ask') return { text: 'Enter asks · Shift+Enter new line · @ names a place', tone: 'plain', keys: true }
  return { text: 'Enter sends · Shift+Enter new line · @ names a place', tone: 'plain', keys: true }
}

function whileRunning(stopping: boolean, paused: boolean): string {
  if (stopping) return 'Stopping…'
  return paused ? 'Paused · Space resumes · Enter steers · Esc stops' : 'Enter steers · Esc stops · Space pauses'
}

function stopped(state: State): string {
  const n = state.turn?.edits.length ?? 0
  const what = state.turn?.outcome?.status === 'stopped' ? `Stopped at edit ${count(n)}, kept.` : `It had ended: ${counted(n, 'edit')} kept.`
  return `${what} Esc again reverts this turn.`
}
