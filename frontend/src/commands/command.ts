// A command is anything the user can do. The palette lists all commands, keys run them, and a
// button that does the same names the command.

import type { App } from '../app'
import type { State } from '../state/state'

export interface Command {
  readonly id: string // "turn.stop"
  readonly title: string // "Stop the model"
  readonly group: 'Project' | 'File' | 'Edit' | 'Request' | 'Review' | 'History' | 'View' | 'Go' | 'Help'
  readonly keys?: readonly string[] // "Mod-Shift-p"; Mod is Cmd on a Mac and Ctrl elsewhere
  /** Keys that work only in a part of the page are matched there; here they are only shown. */
  readonly local?: boolean
  /** Whether it can run now; without it: always. */
  readonly when?: (state: State) => boolean
  readonly run: (app: App) => void | Promise<void>
}

const mac = typeof navigator !== 'undefined' && /Mac/.test(navigator.platform)

/** The event as a key name: modifiers in the order Mod, Ctrl, Alt, Shift. */
export function keyOf(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): string {
  const parts: string[] = []
  if (mac ? event.metaKey : event.ctrlKey) parts.push('Mod')
  if (mac && event.ctrlKey) parts.push('Ctrl')
  if (event.altKey) parts.push('Alt')
  if (event.shiftKey) parts.push('Shift')
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  parts.push(key === ' ' ? 'Space' : key)
  return parts.join('-')
}

/** Whether the press types a character: on some systems AltGr looks like Ctrl and Alt, with a key that may be a command's. */
export function typesByAltGr(event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'altKey' | 'getModifierState'>): boolean {
  if (mac || [...event.key].length !== 1) return false
  if (event.getModifierState('AltGraph')) return true
  return event.ctrlKey && event.altKey && /^(Key|Digit)/.test(event.code) && !/^[a-z0-9]$/i.test(event.key)
}

/** Formats a key name: "Ctrl+Shift+P", or "⇧⌘P". */
export function keyLabel(key: string): string {
  const last = /[^-]+$|-$/.exec(key)?.[0] ?? '' // "Mod--" ends with the key "-"
  const parts = key.slice(0, key.length - last.length).split('-').filter((p) => p !== '')
  const name = last.length === 1 ? last.toUpperCase() : (keyNames[last] ?? last)
  if (mac) return parts.map((p) => macNames[p] ?? p).join('') + name
  return [...parts.map((p) => (p === 'Mod' ? 'Ctrl' : p)), name].join('+')
}

const keyNames: Readonly<Record<string, string>> = { ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc' }
const macNames: Readonly<Record<string, string>> = { Mod: '⌘', Ctrl: '⌃', Alt: '⌥', Shift: '⇧' }

/** The first command that has the key and can run now. */
export function commandFor(list: readonly Command[], key: string, state: State): Command | null {
  return list.find((c) => !c.local && c.keys?.includes(key) && (c.when?.(state) ?? true)) ?? null
}
