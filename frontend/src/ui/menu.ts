// The items of a menu, and its keys. Pure.

import type { Icon } from './icon'

export interface MenuAction {
  readonly label: string
  readonly detail?: string // small, at the right
  readonly icon?: Icon
  readonly keys?: string | undefined // that does the same
  readonly checked?: boolean // of a choice; left out: not a choice
  readonly danger?: boolean
  readonly disabled?: boolean
  readonly run: () => void
}

export type MenuItem = MenuAction | { readonly heading: string } | 'line'

export function isAction(item: MenuItem | undefined): item is MenuAction {
  return typeof item === 'object' && 'run' in item
}

function choosable(items: readonly MenuItem[], at: number): boolean {
  const item = items[at]
  return isAction(item) && item.disabled !== true
}

/** The next enabled item, around the end; -1 when there is none. */
export function step(items: readonly MenuItem[], from: number, by: 1 | -1): number {
  for (let n = 1; n <= items.length; n++) {
    const at = (((from + by * n) % items.length) + items.length) % items.length
    if (choosable(items, at)) return at
  }
  return -1
}

/** The next item whose label begins with the letters, after the current one. */
export function typed(items: readonly MenuItem[], from: number, letters: string): number {
  const first = letters.length > 1 ? 0 : 1 // the same letter again goes to the next match
  for (let n = first; n <= items.length; n++) {
    const at = (Math.max(from, -1) + n + items.length) % items.length
    const item = items[at]
    if (choosable(items, at) && isAction(item) && item.label.toLowerCase().startsWith(letters.toLowerCase())) return at
  }
  return -1
}
