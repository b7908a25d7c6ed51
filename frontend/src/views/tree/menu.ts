// What can be done with an entry of the tree.

import AtSign from '@lucide/svelte/icons/at-sign'
import Copy from '@lucide/svelte/icons/copy'
import FilePlus from '@lucide/svelte/icons/file-plus'
import FolderPlus from '@lucide/svelte/icons/folder-plus'
import History from '@lucide/svelte/icons/history'
import Pencil from '@lucide/svelte/icons/pencil'
import Trash from '@lucide/svelte/icons/trash-2'
import { addChip } from '../../actions/context'
import { openFile } from '../../actions/files'
import { askNew, askToDelete, copyText, writable } from '../../actions/project'
import { show } from '../../actions/panels'
import type { App } from '../../app'
import { parentOf } from '../../paths'
import type { TreeEntry } from '../../protocol'
import type { MenuItem } from '../../ui/menu'

export function entryMenu(app: App, entry: TreeEntry | null, rename: () => void): readonly MenuItem[] {
  const disabled = !writable(app.state)
  const folder = entry === null ? '' : entry.dir ? entry.path : parentOf(entry.path)
  const create: readonly MenuItem[] = [
    { label: 'New file…', icon: FilePlus, disabled, run: () => { askNew(app, folder, false) } },
    { label: 'New folder…', icon: FolderPlus, disabled, run: () => { askNew(app, folder, true) } },
  ]
  if (entry === null) return create
  return [
    ...create,
    'line',
    { label: 'Limit requests to this', detail: entry.dir ? 'folder' : 'file', icon: AtSign, run: () => { use(app, entry) } },
    ...(entry.dir ? [] : [{ label: 'Show history', icon: History, run: () => { showHistory(app, entry.path) } }]),
    { label: 'Copy path', icon: Copy, run: () => { app.attempt('Copy the path', () => copyText(app, entry.path, entry.path)) } },
    'line',
    { label: 'Rename…', icon: Pencil, keys: 'F2', disabled, run: rename },
    { label: 'Delete…', icon: Trash, keys: 'Delete', danger: true, disabled, run: () => { askToDelete(app, entry.path) } },
  ]
}

function use(app: App, entry: TreeEntry): void {
  addChip(app, { kind: entry.dir ? 'folder' : 'file', path: entry.path, from: 0, to: 0, only: true })
  show(app, 'chat', true)
}

function showHistory(app: App, path: string): void {
  show(app, 'timeline', true)
  app.store.dispatch({ type: 'historyOf', path })
  app.attempt(`Open ${path}`, () => openFile(app, path))
}
