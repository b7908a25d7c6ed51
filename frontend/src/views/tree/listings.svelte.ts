// What the tree knows of folders, read from Go when they are opened and again
// when files change: only the open ones, a few at a time, and an answer that
// says nothing new changes nothing.

import type { App } from '../../app'
import { CallError } from '../../backend'
import type { TreeEntry } from '../../protocol'
import type { Listings } from './rows'

const again = 300 // ms between two readings of everything open

export class FolderListings {
  private known = $state.raw<Listings>(new Map())
  private readonly reading = new Set<string>()
  private timer: ReturnType<typeof setTimeout> | undefined
  private due = 0
  private last = performance.now()

  constructor(private readonly app: App) {}

  get all(): Listings {
    return this.known
  }

  /** Reads the folders that are not known yet. */
  need(folders: readonly string[]): void {
    for (const folder of folders) {
      if (this.known.has(folder)) continue
      const early = this.app.backend.early('tree', { dir: folder, bare: true })
      if (early) this.take(folder, early.entries)
      else void this.read(folder)
    }
  }

  /** Reads open folders again so long after the last time, and once for all who ask until then. */
  refresh(open: () => readonly string[], within = again): void {
    const due = this.last + within
    if (this.timer !== undefined && this.due <= due) return
    clearTimeout(this.timer)
    this.due = due
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.last = performance.now()
      this.keepOnly(open())
      for (const folder of open()) void this.read(folder)
    }, Math.max(0, due - performance.now()))
  }

  forget(): void {
    this.known = new Map()
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }

  /** A closed folder is read again when it is opened: what is known of it may be old. */
  private keepOnly(open: readonly string[]): void {
    const keep = new Set(open)
    const kept = [...this.known].filter(([folder]) => keep.has(folder))
    if (kept.length < this.known.size) this.known = new Map(kept)
  }

  private async read(folder: string): Promise<void> {
    if (this.reading.has(folder)) return
    const root = this.app.state.project?.root
    this.reading.add(folder)
    try {
      const { entries } = await this.app.backend.read('tree', { dir: folder })
      if (this.app.state.project?.root === root) this.take(folder, entries)
    } catch (error) {
      this.failed(folder, error)
    } finally {
      this.reading.delete(folder)
    }
  }

  private take(folder: string, entries: readonly TreeEntry[]): void {
    const old = this.known.get(folder)
    if (old && JSON.stringify(old) === JSON.stringify(entries)) return
    this.known = new Map(this.known).set(folder, entries)
  }

  /** A folder that went away is simply empty; its parent's listing tells. */
  private failed(folder: string, error: unknown): void {
    if (error instanceof CallError && (error.code === 'gone' || error.code === 'lost' || error.code === 'none')) return
    this.app.fail(error, folder === '' ? 'Read the project' : `Read ${folder}`)
  }
}
