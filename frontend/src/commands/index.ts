// All commands. Each area keeps its own list beside this file.

import type { Command } from './command'
import { editorCommands } from './editor'
import { historyCommands } from './history'
import { projectCommands } from './project'
import { turnCommands } from './turn'

export const commands: readonly Command[] = [...turnCommands, ...projectCommands, ...editorCommands, ...historyCommands]
