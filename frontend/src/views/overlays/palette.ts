// The palette's modes. Each mode has a source that returns items for the typed text; choosing one runs it.

import type { App } from '../../app'
import { keyLabel, type Command } from '../../commands/command'
import type { State } from '../../state/state'
import { fuzzy } from '../../ui/fuzzy'
import { groupOrder } from './keylist'

export type Mode = 'commands' | 'files' | 'symbols' | 'lines' | 'forks' | 'sessions' | 'recent'

export interface Item {
  readonly id: string
  readonly label: string
  readonly at: readonly number[] // marked letters of the label
  readonly detail: string
  readonly keys: string // a key name; "" for none
  readonly group: string // a heading before the first item of each; "" for none
  readonly run: (app: App) => void | Promise<void>
}

export interface ModeInfo {
  readonly mode: Mode
  readonly prefix: string // typing it first changes to the mode
  readonly name: string
  readonly hint: string
}

export const modes: readonly ModeInfo[] = [
  { mode: 'files', prefix: '', name: 'Files', hint: 'Go to a file' },
  { mode: 'commands', prefix: '>', name: 'Commands', hint: 'Run a command' },
  { mode: 'symbols', prefix: '@', name: 'Symbols', hint: 'Go to a function, type or constant' },
  { mode: 'lines', prefix: ':', name: 'Line', hint: 'Line, or line:column' },
  { mode: 'sessions', prefix: '', name: 'Sessions', hint: 'Switch to another conversation' },
  { mode: 'forks', prefix: '', name: 'Forks', hint: 'Switch to another fork' },
  { mode: 'recent', prefix: '', name: 'Folders', hint: 'Open a folder again' },
]

export function infoOf(mode: Mode): ModeInfo {
  return modes.find((m) => m.mode === mode) ?? { mode, prefix: '', name: '', hint: '' }
}

/** A prefix typed as the first letter changes the mode. */
export function modeTyped(text: string): { readonly mode: Mode; readonly rest: string } | null {
  const found = modes.find((m) => m.prefix !== '' && text.startsWith(m.prefix))
  return found ? { mode: found.mode, rest: text.slice(found.prefix.length) } : null
}

export function commandItems(commands: readonly Command[], state: State, query: string): readonly Item[] {
  const possible = commands.filter((c) => !(c.id === 'go.command') && (c.when?.(state) ?? true))
  if (query.trim() === '') return groupOrder.flatMap((g) => possible.filter((c) => c.group === g).map((c) => item(c, [], c.group)))
  return ranked(possible, query, (c) => c.title).map(({ one, at }) => item(one, at, ''))
}

function item(command: Command, at: readonly number[], group: string): Item {
  const keys = command.keys?.[0] ?? ''
  return { id: command.id, label: command.title, at, detail: group === '' ? command.group : '', keys: keys === '' ? '' : keyLabel(keys), group, run: command.run }
}

/** The matching items, best first; ties keep their order. */
export function ranked<T>(list: readonly T[], query: string, textOf: (one: T) => string): readonly { readonly one: T; readonly at: readonly number[] }[] {
  return list
    .flatMap((one) => {
      const fit = fuzzy(query, textOf(one))
      return fit ? [{ one, at: fit.at, score: fit.score }] : []
    })
    .sort((a, b) => b.score - a.score)
}

/** "12" or "12:5"; null for anything else. */
export function placeTyped(text: string): { readonly line: number; readonly column: number } | null {
  const parts = /^\s*(\d{1,9})(?:\s*[:,]\s*(\d{0,9}))?\s*$/.exec(text)
  if (!parts) return null
  return { line: Math.max(1, Number(parts[1])), column: Math.max(0, Number(parts[2] || '1') - 1) }
}
