// Going to a file, a symbol, a line, a text; and the palette that lists them.

import { focusOn } from '../actions/focus'
import { show } from '../actions/panels'
import type { App } from '../app'
import type { Overlay, State } from '../state/state'
import type { Command } from './command'

type Mode = Extract<Overlay, { kind: 'palette' }>['mode']

const open = (state: State): boolean => state.project !== null
const inFile = (state: State): boolean => open(state) && state.ui.active !== ''

function palette(mode: Mode): (app: App) => void {
  return (app) => { app.store.dispatch({ type: 'overlay', overlay: { kind: 'palette', mode, text: '' } }) }
}

async function filterFiles(app: App): Promise<void> {
  show(app, 'tree', true)
  await focusOn('filter')
}

export const goCommands: readonly Command[] = [
  { id: 'go.command', title: 'Commands…', group: 'Go', keys: ['Mod-k', 'Mod-Shift-p'], run: palette('commands') },
  { id: 'go.file', title: 'Go to file…', group: 'Go', keys: ['Mod-p'], when: open, run: palette('files') },
  { id: 'go.symbol', title: 'Go to symbol…', group: 'Go', keys: ['Mod-Shift-o'], when: open, run: palette('symbols') },
  { id: 'go.line', title: 'Go to line…', group: 'Go', keys: ['Mod-g'], when: inFile, run: palette('lines') },
  { id: 'go.find', title: 'Find in project…', group: 'Go', keys: ['Mod-Shift-f'], when: open, run: (app) => { app.store.dispatch({ type: 'overlay', overlay: { kind: 'grep' } }) } },
  { id: 'go.filter', title: 'Filter the files', group: 'Go', keys: ['Mod-Shift-e'], when: open, run: filterFiles },
  { id: 'go.fork', title: 'Switch fork…', group: 'Go', when: (s) => (s.project?.forks.length ?? 0) > 1, run: palette('forks') },
]
