// Commands by group, those that match a search. Pure.

import { keyLabel, type Command } from '../../commands/command'

export interface Group {
  readonly name: Command['group']
  readonly commands: readonly Command[]
}

export const groupOrder: readonly Command['group'][] = ['Request', 'Review', 'Edit', 'History', 'Go', 'File', 'Project', 'View', 'Help']

export function groupsOf(commands: readonly Command[], query: string): readonly Group[] {
  const words = query.toLowerCase().split(/\s+/).filter((w) => w !== '')
  const found = commands.filter((c) => words.every((w) => textOf(c).includes(w)))
  return groupOrder.map((name) => ({ name, commands: found.filter((c) => c.group === name) })).filter((g) => g.commands.length > 0)
}

function textOf(command: Command): string {
  return [command.title, ...(command.keys ?? []).map(keyLabel)].join(' ').toLowerCase()
}
