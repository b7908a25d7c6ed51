import type { Command } from './command'

export const turnCommands: readonly Command[] = []
