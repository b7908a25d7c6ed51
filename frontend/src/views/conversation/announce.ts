// Announcements of the running turn for screen readers: its beginning, pauses and end, and the receipts of steers. Not
// the file being written: that changes too often.

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
