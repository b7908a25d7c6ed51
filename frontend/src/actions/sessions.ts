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
