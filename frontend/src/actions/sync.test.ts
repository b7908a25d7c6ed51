import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { App } from '../app'
import type { Conversation, Project } from '../protocol'
import { reduce } from '../state/reduce'
import { initial, type Action, type State } from '../state/state'
import { Sync } from './sync'

/** An app whose reads of the conversation are answered when the test says so. */
function makeApp() {
  let state: State = { ...initial, project: { root: '/p', session: 3 } as Project }
  const answers: ((conversation: Conversation) => void)[] = []
  const dispatch = (action: Action): void => { state = reduce(state, action) }
  const app = {
    get state() { return state },
    store: { dispatch, subscribe: () => () => undefined },
    docs: { screen: { watch: () => undefined } },
    attempt: (_what: string, how: () => Promise<void>) => { void how() },
    backend: { read: () => new Promise<Conversation>((resolve) => answers.push(resolve)) },
  } as unknown as App
  return { app, answers, dispatch, title: () => state.conversation?.title }
}

const titled = (title: string): Conversation => ({ session: 3, title, turns: [] })

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => { vi.useRealTimers() })

describe('the conversation', () => {
  it('that was renamed while it was read keeps its name', async () => {
    const { app, answers, dispatch, title } = makeApp()
    new Sync(app).readConversation()
    await vi.runAllTimersAsync()
    dispatch({ type: 'conversation', conversation: titled('renamed') })
    answers[0]!(titled('as it was when it was asked for'))
    await vi.runAllTimersAsync()
    expect(title()).toBe('renamed')
    answers[1]!(titled('renamed'))
    await vi.runAllTimersAsync()
    expect(answers.length).toBe(2)
    expect(title()).toBe('renamed')
  })
})
