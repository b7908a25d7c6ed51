import type { Command } from './command'

export const historyCommands: readonly Command[] = []
