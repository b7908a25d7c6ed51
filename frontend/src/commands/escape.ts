// What Esc does if the focused element does not use it: the topmost thing first, one per
// press. Menus, dialogs, the diff and the conflict close themselves while they have the focus.

import type { State } from '../state/state'
import type { Command } from './command'

const always = (): boolean => true

const order: readonly (readonly [command: string, turn: (state: State) => boolean])[] = [
  ['view.closeDrawer', (s) => s.layout.drawer === 'tree'], // it hides what the conversation says about Esc
  ['turn.stop', always],
  ['turn.revertStopped', always],
  ['view.closeDrawer', always],
  ['history.now', always],
]

export function escapeCommand(list: readonly Command[], state: State): Command | null {
  for (const [id, turn] of order) {
    const command = list.find((c) => c.id === id)
    if (command && turn(state) && (command.when?.(state) ?? true)) return command
  }
  return null
}
