// Opening and closing folders, and what the user does to files in the tree.
// Go does the work; its results come back as frames.

import type { App } from '../app'
import type { State } from '../state/state'
import { openFile } from './files'
import { revertEdits } from './history'
import { lostLines, removalText, stayedText } from './removal'

const typingWaits = 2000 // ms that switching waits for the confirmation of typing

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

/** Asks whether to use the other folder that is in the project's place. */
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

/** Deletes after the user confirmed exactly what is lost. What the history tracks can be restored. */
export function askToDelete(app: App, path: string): void {
  app.attempt(`Delete ${path}`, async () => {
    const found = await app.backend.read('removal', { path })
    const name = path.split('/').at(-1) ?? path
    const answer = (): void => { app.attempt(`Delete ${path}`, () => remove(app, path, found.sum)) }
    app.store.dispatch({
      type: 'overlay',
      overlay: { kind: 'ask', ask: { title: `Delete ${name}?`, text: removalText(path, found), list: lostLines(found), input: null, yes: 'Delete', danger: true, answer } },
    })
  })
}

async function remove(app: App, path: string, sum: string): Promise<void> {
  const { edits, stayed, why } = await app.backend.call('remove', { path, sum })
  const action = { label: 'Undo', run: (): void => { app.attempt(`Bring ${path} back`, () => revertEdits(app, edits)) } }
  const [level, text] = stayed.length === 0 && why === '' ? ['info' as const, `Deleted ${path}`] : ['warning' as const, stayedText(path, stayed, why)]
  app.store.dispatch({ type: 'notice', level, text, ...(edits.length > 0 ? { action } : {}) })
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
        text: 'Path in the project. Missing folders are created.',
        input: folder === '' ? '' : `${folder}/`,
        yes: 'Create',
        danger: false,
        answer,
      },
    },
  })
}
