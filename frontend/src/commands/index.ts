// All commands. Each area keeps its own list beside this file.

import type { Command } from './command'
import { editorCommands } from './editor'
import { goCommands } from './go'
import { historyCommands } from './history'
import { projectCommands } from './project'
import { turnCommands } from './turn'
import { viewCommands } from './view'

export const commands: readonly Command[] = [
  ...turnCommands,
  ...projectCommands,
  ...editorCommands,
  ...historyCommands,
  ...goCommands,
  ...viewCommands,
]

/** The first key of a command, for a button that does the same. */
export function keyFor(id: string): string | undefined {
  return commands.find((c) => c.id === id)?.keys?.[0]
}
