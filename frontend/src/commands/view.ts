// How the window looks, and what lies beside the editor.

import { nextRegion } from '../actions/focus'
import { show, toggle } from '../actions/panels'
import type { App } from '../app'
import type { Prefs } from '../protocol'
import { defaultPrefs, type Overlay, type State } from '../state/state'
import type { Command } from './command'

const open = (state: State): boolean => state.project !== null

const smallest = 10 // px, of the font
const largest = 24

function overlay(shown: Overlay): (app: App) => void {
  return (app) => { app.store.dispatch({ type: 'overlay', overlay: shown }) }
}

function prefs(change: (now: Prefs) => Partial<Prefs>): (app: App) => void {
  return (app) => { app.store.dispatch({ type: 'prefs', prefs: change(app.state.prefs) }) }
}

function grow(by: number): (app: App) => void {
  return prefs((now) => ({ fontSize: Math.min(largest, Math.max(smallest, now.fontSize + by)) }))
}

function closeDrawer(app: App): void {
  const { drawer } = app.state.layout
  if (drawer !== null) show(app, drawer, false)
}

export const viewCommands: readonly Command[] = [
  { id: 'view.tree', title: 'Toggle the file tree', group: 'View', keys: ['Mod-b'], when: open, run: (app) => { toggle(app, 'tree') } },
  { id: 'view.timeline', title: 'Toggle the timeline', group: 'View', keys: ['Mod-j'], when: open, run: (app) => { toggle(app, 'timeline') } },
  { id: 'view.chat', title: 'Toggle the conversation', group: 'View', keys: ['Mod-Shift-b'], when: open, run: (app) => { toggle(app, 'chat') } },
  { id: 'view.closeDrawer', title: 'Close the overlay panel', group: 'View', keys: ['Escape'], when: (s) => s.layout.drawer !== null, run: closeDrawer },
  { id: 'view.nextRegion', title: 'Focus the next panel', group: 'View', keys: ['F6'], run: () => { nextRegion(1) } },
  { id: 'view.previousRegion', title: 'Focus the previous panel', group: 'View', keys: ['Shift-F6'], run: () => { nextRegion(-1) } },
  { id: 'view.themeSystem', title: 'Theme: match system', group: 'View', run: prefs(() => ({ theme: 'system' })) },
  { id: 'view.themeLight', title: 'Theme: light', group: 'View', run: prefs(() => ({ theme: 'light' })) },
  { id: 'view.themeDark', title: 'Theme: dark', group: 'View', run: prefs(() => ({ theme: 'dark' })) },
  { id: 'view.density', title: 'Toggle compact rows', group: 'View', run: prefs((now) => ({ density: now.density === 'compact' ? 'comfortable' : 'compact' })) },
  { id: 'view.larger', title: 'Larger text', group: 'View', keys: ['Mod-=', 'Mod-+', 'Mod-Shift-+'], run: grow(1) },
  { id: 'view.smaller', title: 'Smaller text', group: 'View', keys: ['Mod--', 'Mod-Shift-_'], run: grow(-1) },
  { id: 'view.usual', title: 'Reset text size', group: 'View', keys: ['Mod-0'], run: prefs(() => ({ fontSize: defaultPrefs.fontSize })) },
  { id: 'view.settings', title: 'Settings', group: 'View', keys: ['Mod-,'], run: overlay({ kind: 'settings' }) },
  { id: 'help.keys', title: 'Keyboard shortcuts', group: 'Help', keys: ['F1', 'Shift-?'], run: overlay({ kind: 'keys' }) },
]
