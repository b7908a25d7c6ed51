// The one state, and the only way to change it. Views read store.state inside
// templates and $derived; they send actions and never assign.

import { reduce } from './reduce'
import { initial, type Action, type State } from './state'

export class Store {
  private current = $state.raw<State>(initial)
  private readonly listeners = new Set<(next: State, before: State, action: Action) => void>()

  get state(): State {
    return this.current
  }

  dispatch(action: Action): void {
    const before = this.current
    const next = reduce(before, action)
    if (next === before) return
    this.current = next
    for (const listener of this.listeners) listener(next, before, action)
  }

  /** Effects listen here; the answer ends it. */
  subscribe(listener: (next: State, before: State, action: Action) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}
