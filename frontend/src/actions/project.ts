// Opening and closing folders, and what the user does to files in the tree.
// Go does the work; the news of it comes back as frames.

import type { App } from '../app'
import type { EditID, TreeEntry } from '../protocol'
import type { State } from '../state/state'
import { openFile } from './files'
import { revertEdits } from './history'

const typingWaits = 2000 // ms that a switch waits for typing to be confirmed

/** Asks for a folder: the desktop's dialog, or the page's own. */
export async function chooseFolder(app: App): Promise<void> {
  if (!app.state.native) {
    app.store.dispatch({ type: 'overlay', overlay: { kind: 'folder' } })
    return
  }
  const root = await app.native.openFolder()
  if (root !== null) await openProject(app, root)
}

export async function openProject(app: App, root: string): Promise<void> {
  app.store.dispatch({ type: 'overlay', overlay: null })
  if (root === app.state.project?.root) return
  await typingSent(app)
  await app.backend.call('openProject', { root })
}

export async function closeProject(app: App): Promise<void> {
  await typingSent(app)
  await app.backend.call('closeProject', {})
}

/** Asks whether the folder that is in the project's place is to be used for it. */
export function askToUse(app: App, other: string): void {
  const answer = (): void => { app.attempt('Use this folder', () => app.backend.call('useFolder', {})) }
  const text = `${other}. If you use it, files of the project that are not in it count as deleted; the history keeps them.`
  app.store.dispatch({
    type: 'overlay',
    overlay: { kind: 'ask', ask: { title: 'Use this other folder?', text, input: null, yes: 'Use this folder', danger: true, answer } },
  })
}

async function typingSent(app: App): Promise<void> {
  if (app.state.project === null) return
  await Promise.race([app.docs.settled(), new Promise((resolve) => setTimeout(resolve, typingWaits))])
}

async function createFile(app: App, path: string): Promise<void> {
  await app.backend.call('create', { path, dir: false })
  await openFile(app, path)
}

async function createFolder(app: App, path: string): Promise<void> {
  await app.backend.call('create', { path, dir: true })
}

export async function renameFile(app: App, path: string, to: string): Promise<void> {
  if (to !== path) await app.backend.call('rename', { path, to })
}

/** Deletes after a yes. What the history records can be brought back. */
export function askToDelete(app: App, entry: Pick<TreeEntry, 'path' | 'dir' | 'ignored' | 'held'>): void {
  const name = entry.path.split('/').at(-1) ?? entry.path
  const what = entry.dir ? `the folder ${entry.path} and everything in it` : entry.path
  const kept = entry.ignored || entry.held
    ? 'It is not in the history, so this cannot be taken back.'
    : 'The history keeps the text of what it records: you can undo this.'
  const answer = (): void => { app.attempt(`Delete ${entry.path}`, () => remove(app, entry.path)) }
  app.store.dispatch({
    type: 'overlay',
    overlay: { kind: 'ask', ask: { title: `Delete ${name}?`, text: `This deletes ${what} from the disk. ${kept}`, input: null, yes: 'Delete', danger: true, answer } },
  })
}

async function remove(app: App, path: string): Promise<void> {
  const before = app.state.head
  await app.backend.call('remove', { path })
  const edits = await editsOf(app, path, before)
  const undo = { label: 'Undo', run: (): void => { app.attempt(`Bring ${path} back`, () => revertEdits(app, edits)) } }
  app.store.dispatch({ type: 'notice', level: 'info', text: `Deleted ${path}`, ...(edits.length > 0 ? { action: undo } : {}) })
}

/** The edits of a file or folder since a moment. */
async function editsOf(app: App, path: string, after: EditID): Promise<readonly EditID[]> {
  const { ids, paths, pathNames } = await app.backend.read('timeline', { after })
  return ids.filter((_id, i) => {
    const name = pathNames[paths[i] ?? -1] ?? ''
    return name === path || name.startsWith(`${path}/`)
  })
}

export async function copyText(app: App, text: string, what: string): Promise<void> {
  await navigator.clipboard.writeText(text)
  app.store.dispatch({ type: 'notice', level: 'info', text: `Copied ${what}` })
}

/** A path with the home folder written as ~. */
export function shortPath(path: string, home: string): string {
  return home !== '' && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path
}

/** Whether files can be changed now. */
export function writable(state: State): boolean {
  return state.project !== null && state.project.readOnly === ''
}

/** Asks for the path of a new file or folder, beginning in a folder. */
export function askNew(app: App, folder: string, dir: boolean): void {
  const make = dir ? createFolder : createFile
  const answer = (path: string): void => { app.attempt(`Create ${path}`, () => make(app, path.replace(/\/+$/, ''))) }
  app.store.dispatch({
    type: 'overlay',
    overlay: {
      kind: 'ask',
      ask: {
        title: dir ? 'New folder' : 'New file',
        text: 'Its path in the project. Folders on the way are made.',
        input: folder === '' ? '' : `${folder}/`,
        yes: 'Create',
        danger: false,
        answer,
      },
    },
  })
}
