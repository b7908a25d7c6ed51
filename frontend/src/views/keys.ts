// Finds the command of a key press. Letters without a modifier belong to the focused text field; everything else is the
// page's.

import { commandFor, keyOf, typesByAltGr, type Command } from '../commands/command'
import { escapeCommand } from '../commands/escape'
import type { State } from '../state/state'

export function commandOf(event: KeyboardEvent, list: readonly Command[], state: State): Command | null {
  if (event.defaultPrevented || event.isComposing || state.overlay !== null || typesByAltGr(event)) return null
  const key = keyOf(event)
  if (isLetter(key) && takesText(event.target)) return null
  return key === 'Escape' ? escapeCommand(list, state) : commandFor(list, key, state)
}

/** With Caps Lock, Ctrl+Shift+F comes as a small "f". */
export function shiftTurnedRound(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): boolean {
  return event.shiftKey && (event.ctrlKey || event.metaKey || event.altKey) && /^\p{Ll}$/u.test(event.key)
}

function isLetter(key: string): boolean {
  const bare = key.replace(/^Shift-/, '')
  return [...bare].length === 1 || bare === 'Space' || bare === 'Enter'
}

const noText: ReadonlySet<string> = new Set(['checkbox', 'radio', 'range', 'button', 'submit'])

export function takesText(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return true
  if (target instanceof HTMLInputElement) return !noText.has(target.type)
  return target instanceof HTMLElement && target.isContentEditable
}
