// The project and its files.

import { askNew, askToDelete, chooseFolder, closeProject, copyText, renameFile, writable } from '../actions/project'
import { focusOn } from '../actions/focus'
import { show } from '../actions/panels'
import type { App } from '../app'
import type { State } from '../state/state'
import { above, parentOf } from '../paths'
import type { Command } from './command'

const open = (state: State): boolean => state.project !== null
const active = (state: State): boolean => open(state) && state.ui.active !== ''
const changeable = (state: State): boolean => active(state) && writable(state)

export const projectCommands: readonly Command[] = [
  { id: 'project.open', title: 'Open folder…', group: 'Project', keys: ['Mod-o'], run: chooseFolder },
  { id: 'project.recent', title: 'Open recent folder…', group: 'Project', keys: ['Mod-Alt-o'], run: (app) => { palette(app, 'recent') } },
  { id: 'project.close', title: 'Close folder', group: 'Project', when: open, run: closeProject },
  { id: 'project.quit', title: 'Quit', group: 'Project', keys: ['Mod-q'], when: (state) => state.native, run: (app) => { app.native.quit() } },
  { id: 'file.new', title: 'New file…', group: 'File', keys: ['Mod-Alt-n'], when: (s) => open(s) && writable(s), run: (app) => { askNew(app, here(app), false) } },
  { id: 'file.newFolder', title: 'New folder…', group: 'File', when: (s) => open(s) && writable(s), run: (app) => { askNew(app, here(app), true) } },
  { id: 'file.rename', title: 'Rename or move file…', group: 'File', when: changeable, run: askRename },
  { id: 'file.delete', title: 'Delete this file…', group: 'File', when: changeable, run: (app) => { askToDelete(app, app.state.ui.active) } },
  { id: 'file.reveal', title: 'Show this file in the tree', group: 'File', when: active, run: revealInTree },
  { id: 'file.copyPath', title: 'Copy the path of this file', group: 'File', when: active, run: (app) => copyText(app, app.state.ui.active, app.state.ui.active) },
]

function palette(app: App, mode: 'recent'): void {
  app.store.dispatch({ type: 'overlay', overlay: { kind: 'palette', mode, text: '' } })
}

/** Opens the folders above the active file; the tree then goes to it. */
async function revealInTree(app: App): Promise<void> {
  const folders = new Set([...app.state.ui.open, ...above(app.state.ui.active)])
  show(app, 'tree', true)
  app.store.dispatch({ type: 'ui', ui: { open: [...folders] } })
  await focusOn('tree')
}

/** The folder of the active file. */
function here(app: App): string {
  const { active } = app.state.ui
  return parentOf(active)
}

function askRename(app: App): void {
  const path = app.state.ui.active
  app.store.dispatch({
    type: 'overlay',
    overlay: {
      kind: 'ask',
      ask: { title: 'Rename or move', text: `The new path of ${path}.`, input: path, yes: 'Rename', danger: false, answer: (to) => { app.attempt(`Rename ${path}`, () => renameFile(app, path, to)) } },
    },
  })
}
