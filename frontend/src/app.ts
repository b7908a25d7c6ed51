// The middle of the page: it holds the store, the connection to Go and the documents, and
// carries out effects. Views get it from useApp(); commands/ lists what the user can do,
// actions/ does it.

import { getContext, setContext } from 'svelte'
import { CallError, type Backend } from './backend'
import type { Documents } from './editor/documents'
import type { Native } from './native'
import type { Store } from './state/store.svelte'
import type { State } from './state/state'

export class App {
  constructor(
    readonly store: Store,
    readonly backend: Backend,
    readonly docs: Documents,
    readonly native: Native,
  ) {}

  get state(): State {
    return this.store.state
  }

  /** Shows an error. The status bar shows a lost connection, once. */
  fail(error: unknown, doing = ''): void {
    if (error instanceof CallError && error.code === 'lost') return
    const text = error instanceof Error ? error.message : String(error)
    this.store.dispatch({ type: 'notice', level: 'error', text: doing === '' ? text : `${doing}: ${text}` })
  }

  /** Runs an effect and shows its error to the user. */
  attempt(doing: string, effect: () => Promise<unknown>): void {
    effect().catch((error: unknown) => {
      this.fail(error, doing)
    })
  }
}

const key = Symbol('app')

export function provideApp(app: App): void {
  setContext(key, app)
}

export function useApp(): App {
  return getContext<App>(key)
}
