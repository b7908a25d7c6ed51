// What the tree knows of folders, read from Go when they are opened and again
// when files change: only the open ones, a few at a time, and an answer that
// says nothing new changes nothing. What cannot be read is asked for again ever
// less often, however often the files change.

import type { App } from '../../app'
import { Backoff } from '../../backoff'
import { CallError } from '../../backend'
import type { TreeEntry } from '../../protocol'
import type { Listings } from './rows'

const again = 300 // ms between two readings of everything open

/** A folder that could not be read, and why. */
export interface Trouble {
  readonly folder: string
  readonly message: string
}

export class FolderListings {
  private known = $state.raw<Listings>(new Map())
  private failures = $state.raw<readonly Trouble[]>([])
  private readonly reading = new Set<string>()
  private readonly backoff = new Backoff()
  private readonly retries = new Map<string, ReturnType<typeof setTimeout>>()
  private wanted: readonly string[] = []
  private timer: ReturnType<typeof setTimeout> | undefined
  private due = 0
  private last = performance.now()

  constructor(private readonly app: App) {}

  get all(): Listings {
    return this.known
  }

  /** The first folder that could not be read; it is tried again by and by. */
  get trouble(): Trouble | undefined {
    return this.failures[0]
  }

  /** Reads what failed at once. */
  retry(): void {
    this.backoff.clear()
    for (const { folder } of this.failures) void this.read(folder)
  }

  /** Reads the folders that are not known yet. */
  need(folders: readonly string[]): void {
    this.wanted = folders
    this.dropTrouble((t) => !folders.includes(t.folder))
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
    this.failures = []
    this.backoff.clear()
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    for (const retry of this.retries.values()) clearTimeout(retry)
    this.retries.clear()
  }

  /** A closed folder is read again when it is opened: what is known of it may be old. */
  private keepOnly(open: readonly string[]): void {
    const keep = new Set(open)
    const kept = [...this.known].filter(([folder]) => keep.has(folder))
    if (kept.length < this.known.size) this.known = new Map(kept)
  }

  private async read(folder: string): Promise<void> {
    if (this.reading.has(folder) || !this.backoff.ready(folder, performance.now())) return
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
    this.backoff.forget(folder)
    this.dropTrouble((t) => t.folder === folder)
    const old = this.known.get(folder)
    if (old && JSON.stringify(old) === JSON.stringify(entries)) return
    this.known = new Map(this.known).set(folder, entries)
  }

  /** A folder that went away is simply empty; its parent's listing tells. A connection that is made again reads everything. */
  private failed(folder: string, error: unknown): void {
    const code = error instanceof CallError ? error.code : 'failed'
    if (code === 'lost') return
    const wait = this.backoff.failed(folder, performance.now())
    clearTimeout(this.retries.get(folder))
    this.retries.set(folder, setTimeout(() => { if (this.wanted.includes(folder)) void this.read(folder) }, wait))
    const trouble = { folder, message: error instanceof Error ? error.message : String(error) }
    if (code === 'gone' || code === 'none') this.dropTrouble((t) => t.folder === folder)
    else if (this.failures.some((t) => t.folder === folder)) this.failures = this.failures.map((t) => (t.folder === folder ? trouble : t))
    else this.failures = [...this.failures, trouble]
  }

  private dropTrouble(over: (t: Trouble) => boolean): void {
    if (this.failures.some(over)) this.failures = this.failures.filter((t) => !over(t))
  }
}
