import type { Command } from './command'

export const editorCommands: readonly Command[] = []
