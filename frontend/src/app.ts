// The page's middle: it holds the store, the line to Go and the documents, and
// carries effects out. Views get it by useApp(); what the user can do is in
// commands/, how it is done in actions/.

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

  /** Shows what went wrong. A lost connection is shown by the status bar, once. */
  fail(error: unknown, doing = ''): void {
    if (error instanceof CallError && error.code === 'lost') return
    const text = error instanceof Error ? error.message : String(error)
    this.store.dispatch({ type: 'notice', level: 'error', text: doing === '' ? text : `${doing}: ${text}` })
  }

  /** Runs an effect whose failure is the user's to see. */
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
