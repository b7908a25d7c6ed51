// What the user does in the pane and with its tabs. Keys of the editor itself
// are listed too, so that the palette can show and run them.

import { copyLineDown, cursorMatchingBracket, deleteLine, indentSelection, moveLineDown, moveLineUp, redo, toggleComment, undo } from '@codemirror/commands'
import { foldAll, foldCode, unfoldAll } from '@codemirror/language'
import { openSearchPanel, selectNextOccurrence, selectSelectionMatches } from '@codemirror/search'
import type { Command as EditorCommand } from '@codemirror/view'
import { closeTab, moveTab, reopenTab, stepTab } from '../actions/files'
import { followModel, stopFollowing } from '../actions/follow'
import { acceptFile, acceptHunk, focusReviewBar, revertFile, revertHunk, stepHunk } from '../actions/review'
import type { App } from '../app'
import { busy, type State } from '../state/state'
import type { Command } from './command'

const inFile = (s: State): boolean => s.ui.active !== '' && s.main.kind === 'editor'
const live = (s: State): boolean => inFile(s) && s.ui.at === null
const toReview = (s: State): boolean => s.main.kind === 'editor' && s.ui.at === null && s.review.length > 0

function inEditor(command: EditorCommand): (app: App) => void {
  return (app) => {
    const { view } = app.docs.screen
    if (view === null) return
    view.focus()
    command(view)
  }
}

async function save(app: App): Promise<void> {
  await app.docs.settled()
  await app.backend.call('save', { path: app.state.ui.active })
}

/** The bar has the focus afterwards, so that its letters act. */
async function reviewMode(app: App, by: 1 | -1): Promise<void> {
  document.getElementById('pane')?.focus() // a letter typed before the bar appears must not go into the text
  await stepHunk(app, by)
  await focusReviewBar(app)
}

function moveTabBy(app: App, by: 1 | -1): void {
  const { tabs, active } = app.state.ui
  const at = tabs.findIndex((t) => t.path === active)
  const before = tabs[by === 1 ? at + 2 : at - 1]
  if (at >= 0 && (by === 1 ? at < tabs.length - 1 : at > 0)) moveTab(app, active, before?.path ?? null)
}

const tabs: readonly Command[] = [
  { id: 'tab.close', title: 'Close this tab', group: 'File', keys: ['Mod-w', 'Alt-w'], when: inFile, run: (app) => closeTab(app, app.state.ui.active) },
  { id: 'tab.reopen', title: 'Reopen closed tab', group: 'File', keys: ['Mod-Shift-t'], run: reopenTab },
  { id: 'tab.next', title: 'Next tab', group: 'Go', keys: ['Mod-Alt-ArrowRight', 'Mod-Tab', 'Mod-PageDown'], when: inFile, run: (app) => { stepTab(app, 1) } },
  { id: 'tab.previous', title: 'Previous tab', group: 'Go', keys: ['Mod-Alt-ArrowLeft', 'Mod-Shift-Tab', 'Mod-PageUp'], when: inFile, run: (app) => { stepTab(app, -1) } },
  { id: 'tab.right', title: 'Move the tab to the right', group: 'View', keys: ['Mod-Shift-PageDown'], when: inFile, run: (app) => { moveTabBy(app, 1) } },
  { id: 'tab.left', title: 'Move the tab to the left', group: 'View', keys: ['Mod-Shift-PageUp'], when: inFile, run: (app) => { moveTabBy(app, -1) } },
  { id: 'file.save', title: 'Save now', group: 'File', keys: ['Mod-s'], when: live, run: save },
]

const pane: readonly Command[] = [
  { id: 'editor.focus', title: 'Go to the editor', group: 'Go', keys: ['Mod-1'], when: inFile, run: (app) => { app.docs.focus() } },
  { id: 'editor.follow', title: 'Follow the model', group: 'View', keys: ['Alt-f'], when: (s) => busy(s) && !s.ui.follow, run: followModel },
  { id: 'editor.unfollow', title: 'Stop following the model', group: 'View', keys: ['Alt-f'], when: (s) => busy(s) && s.ui.follow, run: stopFollowing },
  { id: 'editor.wrap', title: 'Toggle word wrap', group: 'View', keys: ['Alt-z'], when: inFile, run: (app) => { app.store.dispatch({ type: 'ui', ui: { wrap: !app.state.ui.wrap } }) } },
  { id: 'editor.removed', title: 'Toggle removed text', group: 'View', keys: ['Alt-d'], run: (app) => { app.store.dispatch({ type: 'ui', ui: { removed: !app.state.ui.removed } }) } },
]

const review: readonly Command[] = [
  { id: 'review.next', title: 'Next change to review', group: 'Review', keys: ['Alt-n'], when: toReview, run: (app) => stepHunk(app, 1) },
  { id: 'review.previous', title: 'Previous change to review', group: 'Review', keys: ['Alt-p'], when: toReview, run: (app) => stepHunk(app, -1) },
  { id: 'review.mode', title: 'Start review mode (n, p, a, r; Esc ends it)', group: 'Review', keys: ['F7'], when: toReview, run: (app) => reviewMode(app, 1) },
  { id: 'review.modeBack', title: 'Review backwards', group: 'Review', keys: ['Shift-F7'], when: toReview, run: (app) => reviewMode(app, -1) },
  { id: 'review.accept', title: 'Accept this change', group: 'Review', keys: ['Alt-a'], when: toReview, run: (app) => acceptHunk(app) },
  { id: 'review.revert', title: 'Revert this change', group: 'Review', keys: ['Alt-r'], when: toReview, run: (app) => revertHunk(app) },
  { id: 'review.acceptFile', title: 'Accept all changes of this file', group: 'Review', keys: ['Alt-Shift-a'], when: toReview, run: (app) => acceptFile(app) },
  { id: 'review.revertFile', title: 'Revert all changes of this file', group: 'Review', keys: ['Alt-Shift-r'], when: toReview, run: (app) => revertFile(app) },
]

/** Keys that CodeMirror matches itself. */
const text: readonly Command[] = ([
  ['edit.undo', 'Undo your typing in this file', 'Mod-z', undo],
  ['edit.redo', 'Redo your typing in this file', 'Mod-Shift-z', redo],
  ['edit.find', 'Find in this file', 'Mod-f', openSearchPanel],
  ['edit.comment', 'Toggle comment', 'Mod-/', toggleComment],
  ['edit.nextMatch', 'Add the next match to the selection', 'Mod-d', selectNextOccurrence],
  ['edit.allMatches', 'Select all matches', 'Mod-Shift-l', selectSelectionMatches],
  ['edit.lineUp', 'Move the line up', 'Alt-ArrowUp', moveLineUp],
  ['edit.lineDown', 'Move the line down', 'Alt-ArrowDown', moveLineDown],
  ['edit.copyLine', 'Copy the line down', 'Alt-Shift-ArrowDown', copyLineDown],
  ['edit.deleteLine', 'Delete the line', 'Mod-Shift-k', deleteLine],
  ['edit.indent', 'Reindent the selection', 'Mod-Alt-\\', indentSelection],
  ['edit.bracket', 'Go to the matching bracket', 'Mod-Shift-\\', cursorMatchingBracket],
  ['edit.fold', 'Fold', 'Mod-Shift-[', foldCode],
  ['edit.foldAll', 'Fold all', 'Mod-Alt-[', foldAll],
  ['edit.unfoldAll', 'Unfold all', 'Mod-Alt-]', unfoldAll],
] as const).map(([id, title, key, command]) => ({ id, title, group: 'Edit', keys: [key], local: true, when: inFile, run: inEditor(command) }))

export const editorCommands: readonly Command[] = [...tabs, ...pane, ...review, ...text]
