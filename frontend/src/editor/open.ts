import type { Backend } from '../backend'
import type { DocNews } from '../protocol'
import type { Store } from '../state/store.svelte'
import type { Documents, Place } from './documents'

export class OpenDocuments implements Documents {
  constructor(
    private readonly store: Store,
    private readonly backend: Backend,
  ) {}
  async open(path: string): Promise<void> {
    const doc = await this.backend.call('open', { path })
    this.store.dispatch({ type: 'opened', doc })
  }
  async close(path: string): Promise<void> {
    await this.backend.call('close', { path })
  }
  isOpen(path: string): boolean {
    return path in this.store.state.files
  }
  receive(_news: readonly DocNews[]): Promise<void> {
    return Promise.resolve()
  }
  reconnected(): Promise<void> {
    return Promise.resolve()
  }
  settled(): Promise<void> {
    return Promise.resolve()
  }
  text(_path: string): string | null {
    return null
  }
  places(): ReadonlyMap<string, { top: number; offset: number; anchor: number; head: number }> {
    return new Map()
  }
  reveal(_path: string, _place: Place, _focus: boolean): void {}
  selection(): { path: string; from: number; to: number; text: string } | null {
    return null
  }
  focus(): void {}
}
