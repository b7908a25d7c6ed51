// The filter over the tree: what is typed, what Go found for it, and which of
// that is chosen. Every key asks; the newest answer wins.

import { openFile } from '../../actions/files'
import type { App } from '../../app'
import type { FoundFile } from '../../protocol'
import { Latest } from '../../ui/latest'

const most = 200 // files shown; more are found by typing more

export class FileFilter {
  text = $state('')
  chosen = $state(0)
  private answer = $state.raw<{ text: string; files: readonly FoundFile[]; total: number } | null>(null)
  private entered = false // Enter came before the answer to the text
  private readonly latest = new Latest()

  constructor(private readonly app: App) {}

  get found(): { readonly files: readonly FoundFile[]; readonly total: number } | null {
    return this.answer
  }

  /** Asks for the files that the text names; to be called when it changed. */
  look(text: string): void {
    this.entered = false
    this.ask(text)
  }

  /** Asks again: files came or went. What was chosen stays chosen if it is still found. */
  again(): void {
    if (this.text !== '' && this.answer?.text === this.text) this.ask(this.text)
  }

  private ask(text: string): void {
    if (text === '') {
      this.latest.cancel()
      this.answer = null
      return
    }
    this.app.attempt('Filter the files', async () => {
      const found = await this.latest.run((signal) => this.app.backend.read('find', { q: text, limit: most }, signal))
      if (found !== null) this.take(text, found)
    })
  }

  private take(text: string, found: { files: readonly FoundFile[]; total: number }): void {
    const chosen = this.answer?.text === text ? this.answer.files[this.chosen]?.path : undefined
    this.answer = { text, ...found }
    this.chosen = Math.max(0, found.files.findIndex((f) => f.path === chosen))
    if (this.entered) this.open()
    this.entered = false
  }

  move(by: number): void {
    const last = (this.answer?.files.length ?? 1) - 1
    this.chosen = Math.max(0, Math.min(last, this.chosen + by))
  }

  /** What is opened answers what was typed, however fast that was. */
  enter(): void {
    this.entered = this.answer?.text !== this.text
    if (!this.entered) this.open()
  }

  open(path = this.answer?.files[this.chosen]?.path): void {
    if (path !== undefined) this.app.attempt(`Open ${path}`, () => openFile(this.app, path))
  }
}
