// The text of a file at a moment, for scrubbing. One answer of Go has the stretch of the history
// around the moment, so that most moves of the slider need no request. Missing stretches are read one
// at a time, the newest wish first; then what will probably be wanted next.

import type { Text } from '@codemirror/state'
import type { EditID, Past } from '../protocol'
import { indexAt, isRename, type Edits } from '../timeline/edits'
import { PathIndex } from '../timeline/steps'
import { Stretch } from './stretch'

export interface Content {
  readonly exists: boolean
  readonly text: Text
}

type Read = (path: string, at: EditID, signal: AbortSignal) => Promise<Past>

const keep = 24_000_000 // characters of text
const near = 40 // versions from the end of a stretch at which the next one is read

/** Names a version of a file: the one right after an edit, 0 as first seen. */
export interface Version {
  readonly path: string
  readonly edit: EditID
}

export class Moments {
  private readonly index = new PathIndex()
  private readonly known = new Map<string, Stretch[]>() // by path; paths, and the stretches of each, in order of use
  private size = 0
  private age = 0 // how often the cache was cleared
  private renames: { of: Float64Array; at: number[] } = { of: new Float64Array(0), at: [] }

  constructor(private readonly read: Read) {}

  /** The version of a file at a place of the timeline. */
  version(edits: Edits, path: string, place: number): Version {
    const number = edits.pathNames.indexOf(path)
    const touched = number < 0 ? -1 : this.index.last(edits, number, place)
    const last = Math.max(touched, this.renamesOf(edits).findLast((i) => i <= place) ?? -1)
    return { path, edit: last < 0 ? edits.earlier : edits.ids[last]! }
  }

  /** The version right after an edit, which may still have to be read. */
  at(edits: Edits, path: string, at: EditID): Version {
    return at < edits.earlier ? { path, edit: at } : this.version(edits, path, indexAt(edits, at))
  }

  content(version: Version): Content | null {
    const stretch = this.stretch(version)
    return stretch === null ? null : { exists: stretch.exists, text: stretch.text(version.edit) }
  }

  has(version: Version): boolean {
    return this.known.get(version.path)?.some((s) => s.has(version.edit)) === true
  }

  async fetch(version: Version, signal: AbortSignal): Promise<Content> {
    const { age } = this
    const stretch = this.stretch(version) ?? new Stretch(await this.read(version.path, version.edit, signal))
    if (!stretch.has(version.edit)) throw new Error(`Waferpair answered with edits ${String(stretch.from)} to ${String(stretch.to)} for edit ${String(version.edit)}`)
    if (age === this.age) this.add(version.path, stretch)
    return { exists: stretch.exists, text: stretch.text(version.edit) }
  }

  /** The probable next versions: a few edits of the file away, in both directions. */
  next(edits: Edits, path: string, place: number): readonly Version[] {
    const number = edits.pathNames.indexOf(path)
    if (number < 0) return []
    let [before, after] = [place, place]
    for (let n = 0; n < near; n++) {
      const next = this.index.next(edits, number, after)
      const last = this.index.last(edits, number, before)
      if (next >= 0) after = next
      if (last >= 0) before = last - 1
    }
    return [this.version(edits, path, after), this.version(edits, path, before)]
  }

  /** Must be called when edit ids get another meaning: another project, another fork. */
  forget(): void {
    this.known.clear()
    this.size = 0
    this.age++
  }

  private stretch({ path, edit }: Version): Stretch | null {
    const list = this.known.get(path)
    const at = list?.findLastIndex((s) => s.has(edit)) ?? -1
    if (list === undefined || at < 0) return null
    const [found] = list.splice(at, 1) as [Stretch]
    list.push(found)
    this.known.delete(path)
    this.known.set(path, list)
    return found
  }

  /** A rename changes the content of two paths, and the columns have only one: it counts for all. */
  private renamesOf(edits: Edits): readonly number[] {
    if (this.renames.of !== edits.ids) {
      const at: number[] = []
      edits.flags.forEach((flags, i) => { if ((flags & isRename) !== 0) at.push(i) })
      this.renames = { of: edits.ids, at }
    }
    return this.renames.at
  }

  private add(path: string, stretch: Stretch): void {
    const old = this.known.get(path) ?? []
    const list = old.filter((s) => s.from < stretch.from || s.to > stretch.to)
    for (const s of old) if (!list.includes(s)) this.size -= s.size
    list.push(stretch)
    this.size += stretch.size
    this.known.delete(path)
    this.known.set(path, list)
    this.crowdOut()
  }

  /** Keeps the newest one, however large it is. */
  private crowdOut(): void {
    for (const [path, list] of this.known) {
      while (this.size > keep && (list.length > 1 || this.known.size > 1) && list.length > 0) this.size -= list.shift()!.size
      if (list.length === 0) this.known.delete(path)
      if (this.size <= keep) return
    }
  }
}
