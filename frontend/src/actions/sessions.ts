// A session is one conversation: requests go to the project's current one.

import type { App } from '../app'
import { askUser } from './ask'
import { focusComposer } from './turns'

export async function newSession(app: App): Promise<void> {
  await app.backend.call('newSession', {})
  await focusComposer(app)
}

export async function useSession(app: App, session: number): Promise<void> {
  if (session === app.state.project?.session) return
  await app.backend.call('useSession', { session })
}

/** Copies the shown conversation, as Markdown. */
export async function copySession(app: App): Promise<void> {
  const session = app.state.conversation?.session
  if (session === undefined) return
  const { text } = await app.backend.read('markdown', { session })
  await navigator.clipboard.writeText(text)
  app.store.dispatch({ type: 'notice', level: 'info', text: 'The conversation is copied, as Markdown.' })
}

/** Saves the shown conversation as a Markdown file. */
export async function exportSession(app: App): Promise<void> {
  const session = app.state.conversation?.session
  if (session === undefined) return
  const { name, text } = await app.backend.read('markdown', { session })
  await app.native.saveText(name, text)
}

export async function renameSession(app: App): Promise<void> {
  const conversation = app.state.conversation
  if (conversation === null) return
  const answer = await askUser(app, { title: 'Rename this session', text: '', input: conversation.title, yes: 'Rename', danger: false })
  const title = answer?.trim() ?? ''
  if (title === '' || title === conversation.title) return
  await app.backend.call('renameSession', { session: conversation.session, title })
  const now = app.state.conversation
  if (now?.session === conversation.session) app.store.dispatch({ type: 'conversation', conversation: { ...now, title } })
}
