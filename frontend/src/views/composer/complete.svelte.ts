// The list under "@": suggestions for the typed text, by the newest answer only.

import type { App } from '../../app'
import { candidates, mentionAt, type Candidate, type Mention } from './mention'

const mostFiles = 6
const mostSymbols = 5

export class Completion {
  mention = $state.raw<Mention | null>(null)
  list = $state.raw<readonly Candidate[]>([])
  at = $state(0)
  private asked: AbortController | null = null
  private left = -1 // the mention that Esc closed

  constructor(private readonly app: App) {}

  get open(): boolean {
    return this.mention !== null && this.list.length > 0
  }
  get chosen(): Candidate | null {
    return this.open ? (this.list[this.at] ?? null) : null
  }

  /** The text or the caret changed. */
  look(text: string, caret: number): void {
    const mention = mentionAt(text, caret)
    if (mention === null) this.left = -1
    if (mention === null || mention.from === this.left) {
      this.close()
      return
    }
    if (mention.query === this.mention?.query && mention.from === this.mention.from) return
    this.mention = mention
    this.ask(mention)
  }

  step(by: number): void {
    const n = this.list.length
    this.at = (this.at + by + n) % n
  }

  close(): void {
    this.asked?.abort()
    this.mention = null
    this.list = []
  }

  leave(): void {
    this.left = this.mention?.from ?? -1
    this.close()
  }

  private ask(mention: Mention): void {
    this.asked?.abort()
    const asked = new AbortController()
    this.asked = asked
    this.find(mention.query, asked.signal).then((list) => {
      if (asked.signal.aborted) return
      this.list = list
      this.at = 0
    }).catch((error: unknown) => {
      if (!asked.signal.aborted) this.app.fail(error, 'Find places')
    })
  }

  private async find(query: string, signal: AbortSignal): Promise<readonly Candidate[]> {
    const { app } = this
    const q = query.replaceAll('*', '')
    const [found, named] = await Promise.all([
      q === '' ? { files: [] } : app.backend.read('find', { q, limit: mostFiles }, signal),
      q.length < 2 ? { symbols: [] } : app.backend.read('symbols', { q, path: '', limit: mostSymbols }, signal),
    ])
    const selected = app.docs.selection()
    const selection = selected !== null && selected.text !== '' ? selected : null
    return candidates(query, { selection, active: app.state.ui.active, files: found.files, symbols: named.symbols })
  }
}
