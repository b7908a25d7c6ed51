// The only state, and the only way to change it. Views read store.state inside templates and $derived; they
// send actions and never assign.
//
// Each field of the state is a signal of its own: a stream changes the turn in every frame, and views of the
// tabs or the timeline need no update for that.

import { reduce } from './reduce'
import { initial, type Action, type State } from './state'

class Field<T> {
  value = $state.raw() as T
  constructor(value: T) {
    this.value = value
  }
}

type Fields = { readonly [K in keyof State]: Field<State[K]> }

export class Store {
  private current: State = initial
  private readonly fields = Object.fromEntries(Object.entries(initial).map(([name, value]) => [name, new Field<unknown>(value)])) as unknown as Fields
  private readonly listeners = new Set<(next: State, before: State, action: Action) => void>()

  /** The current state: its fields change under the reader. */
  readonly state: State = live(this.fields)

  dispatch(action: Action): void {
    const before = this.current
    const next = reduce(before, action)
    if (next === before) return
    this.current = next
    for (const name of Object.keys(this.fields) as (keyof State)[]) update(this.fields, name, next)
    for (const listener of this.listeners) listener(next, before, action)
  }

  /** Subscribes an effect; the returned function unsubscribes. The states it gets do not change any more. */
  subscribe(listener: (next: State, before: State, action: Action) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}

function update<K extends keyof State>(fields: Fields, name: K, next: State): void {
  if (fields[name].value !== next[name]) fields[name].value = next[name]
}

/** An object whose properties read the fields. */
function live(fields: Fields): State {
  const properties = Object.entries(fields).map(([name, field]) => [name, { enumerable: true, get: () => field.value }])
  return Object.defineProperties({}, Object.fromEntries(properties) as PropertyDescriptorMap) as State
}
