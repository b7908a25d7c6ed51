// The data of a diff: the files that differ, and the texts of visible ones. It reads again when the history grows, so that
// the diff of a running turn, or of pending edits, is never stale.

import { acceptEdits, editsToReview, revertEdits } from '../../actions/history'
import type { App } from '../../app'
import { CallError } from '../../backend'
import type { DiffFile, DiffQuery, DiffText, EditID, ReviewHunk } from '../../protocol'
import { editsOfTurn } from '../../timeline/steps'

const againAfter = 300 // ms: while edits stream in, at most this often

export interface Shown {
  readonly before: string
  readonly after: string
}

/** A file's pending edits, and the text that their places refer to; null: the text of the diff. */
export interface Places {
  readonly hunks: readonly ReviewHunk[]
  readonly live: string | null
}

export class DiffModel {
  files = $state.raw<readonly DiffFile[] | null>(null)
  error = $state('')
  /** Counts reads: a visible file then reads its texts again. */
  age = $state(0)
  /** Resolves once the files are known, or the error is. */
  readonly known: Promise<void>
  private timer: ReturnType<typeof setTimeout> | undefined
  private readonly stop: () => void

  constructor(
    readonly app: App,
    readonly query: DiffQuery,
  ) {
    this.stop = app.store.subscribe((next, before) => {
      const grown = next.head !== before.head || (query.review === true && next.review !== before.review)
      if (grown && this.changes()) this.timer ??= setTimeout(() => { void this.read() }, againAfter)
    })
    this.known = this.read()
  }

  close(): void {
    this.stop()
    clearTimeout(this.timer)
  }

  /** Two moments, and a single edit, never change. */
  private changes(): boolean {
    return this.query.review === true || this.query.turn !== undefined
  }

  private read(): Promise<void> {
    this.timer = undefined
    return this.app.backend.read('diffs', this.query).then(
      ({ files }) => {
        this.files = files
        this.error = ''
        this.age++
      },
      (error: unknown) => { this.error = error instanceof Error ? error.message : String(error) },
    )
  }

  /** The texts of a file; null when it no longer differs. */
  async texts(file: DiffFile): Promise<Shown | null> {
    try {
      const path = pathOf(file)
      const text: DiffText = await this.app.backend.read('diff', { ...this.query, path })
      return { before: text.before ?? '', after: text.after ?? '' }
    } catch (error) {
      if (error instanceof CallError && error.code === 'gone') return null
      throw error
    }
  }

  // --- review ---

  /** A file's edits that can be accepted: pending edits by the model. */
  waiting(file: DiffFile): readonly EditID[] {
    const { edit, turn, review } = this.query
    const here = this.app.state.review.filter((h) => h.path === pathOf(file) || h.path === file.path)
    if (review) return editsToReview(here)
    return [...new Set(here.flatMap((h) => h.edits.filter((id, i) => id === edit || (turn !== undefined && h.turns[i] === turn))))]
  }

  /** A file's edits that can be reverted. */
  standing(file: DiffFile): readonly EditID[] {
    const { edit, turn, review } = this.query
    const { timeline } = this.app.state
    if (edit !== undefined) return [edit]
    if (turn === undefined || timeline === null) return review ? this.waiting(file) : []
    const paths = file.to === '' || file.to === file.path ? [file.path] : [file.path, file.to]
    return [...new Set(paths.flatMap((path) => editsOfTurn(timeline, turn, path)))]
  }

  /** The places of a file's pending edits. */
  async placesOf(file: DiffFile): Promise<Places> {
    const path = pathOf(file)
    const waiting = new Set(this.waiting(file))
    if (waiting.size === 0) return { hunks: [], live: null }
    const { hunks } = await this.app.backend.read('review', { path })
    const live = this.app.docs.text(path) ?? (this.query.review ? null : await this.newest(path))
    return { hunks: hunks.filter((h) => h.edits.some((edit) => waiting.has(edit))), live }
  }

  private async newest(path: string): Promise<string> {
    return (await this.app.backend.read('file', { path, at: this.app.state.head })).text
  }

  accept(edits: readonly EditID[]): void {
    this.app.attempt('Accept', () => acceptEdits(this.app, edits))
  }

  revert(edits: readonly EditID[]): void {
    this.app.attempt('Revert', () => revertEdits(this.app, edits))
  }
}

export function pathOf(file: DiffFile): string {
  return file.kind !== 'deleted' && file.to !== '' ? file.to : file.path
}
