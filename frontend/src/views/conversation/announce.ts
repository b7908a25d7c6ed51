// What a screen reader is told of the running turn: when it begins, pauses and
// ends, and what becomes of a steer. Not which file it writes: that changes too
// often to be heard.

import type { TurnView } from '../../state/state'
import { counted } from '../../visible'
import { endings, receipt } from './cards'

export function announcement(turn: TurnView | null): string {
  if (turn === null) return ''
  const { outcome } = turn
  if (outcome) return `${endings[outcome.status]}: ${counted(outcome.edits.length, 'edit')} in ${counted(outcome.files.length, 'file')}`
  if (turn.stopping) return 'Stopping'
  if (turn.live.state === 'paused') return 'Paused'
  const steer = turn.parts.findLast((p) => p.kind === 'steer')
  return steer === undefined ? 'Running' : `Running; steer ${receipt(steer.state, steer.hunk, false)}`
}
