// A session is one conversation: requests go to the project's current one.

import type { App } from '../app'
import { focusComposer } from './turns'

export async function newSession(app: App): Promise<void> {
  await app.backend.call('newSession', {})
  focusComposer()
}

export async function useSession(app: App, session: number): Promise<void> {
  if (session === app.state.project?.session) return
  await app.backend.call('useSession', { session })
}

export function renameSession(app: App): void {
  const conversation = app.state.conversation
  if (conversation === null) return
  app.store.dispatch({
    type: 'overlay',
    overlay: {
      kind: 'ask',
      ask: {
        title: 'Rename this session',
        text: '',
        input: conversation.title,
        yes: 'Rename',
        danger: false,
        answer: (title) => { app.attempt('Rename the session', () => renamed(app, conversation.session, title)) },
      },
    },
  })
}

async function renamed(app: App, session: number, title: string): Promise<void> {
  if (title.trim() === '') return
  await app.backend.call('renameSession', { session, title: title.trim() })
  const conversation = app.state.conversation
  if (conversation?.session === session) app.store.dispatch({ type: 'conversation', conversation: { ...conversation, title: title.trim() } })
}
