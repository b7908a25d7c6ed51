import type { Command } from './command'

export const projectCommands: readonly Command[] = []
