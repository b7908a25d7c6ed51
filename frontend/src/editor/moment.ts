// The text of a file at a moment, for scrubbing. Most moves of the slider change
// other files than the one that is shown: the text of a file is known by the
// last edit that touched it, so those moves need nothing new. What is not known
// is read, one request at a time, the newest wish first; then the versions
// around it, so that the next moves find theirs.

import type { EditID } from '../protocol'
import { isRename, type Edits } from '../timeline/edits'
import { PathIndex } from '../timeline/steps'

export interface Content {
  readonly exists: boolean
  readonly text: string
}

type Read = (path: string, at: EditID, signal: AbortSignal) => Promise<Content>

const keep = 24_000_000 // characters of text
const around = 4 // versions read ahead on each side

/** Which version of a file is meant: the one right after an edit, 0 as first seen. */
export interface Version {
  readonly path: string
  readonly edit: EditID
}

export class Moments {
  private readonly index = new PathIndex()
  private readonly texts = new Map<string, Content>() // least recently used first
  private size = 0
  private renames: { of: Float64Array; at: number[] } = { of: new Float64Array(0), at: [] }

  constructor(private readonly read: Read) {}

  /** The version of a file that is there at a place of the timeline. */
  version(edits: Edits, path: string, place: number): Version {
    const number = edits.pathNames.indexOf(path)
    const touched = number < 0 ? -1 : this.index.last(edits, number, place)
    const last = Math.max(touched, this.renamesOf(edits).findLast((i) => i <= place) ?? -1)
    return { path, edit: last < 0 ? 0 : edits.ids[last]! }
  }

  known(version: Version): Content | null {
    const key = keyOf(version)
    const content = this.texts.get(key)
    if (content === undefined) return null
    this.texts.delete(key) // to the end: used last
    this.texts.set(key, content)
    return content
  }

  async fetch(version: Version, signal: AbortSignal): Promise<Content> {
    const content = this.known(version) ?? (await this.read(version.path, version.edit, signal))
    this.add(keyOf(version), content)
    return content
  }

  /** The versions of a file before and after a place, nearest first. */
  neighbours(edits: Edits, path: string, place: number): readonly Version[] {
    const number = edits.pathNames.indexOf(path)
    if (number < 0) return []
    const out: Version[] = []
    let before = place
    let after = place
    for (let n = 0; n < around; n++) {
      const next = this.index.next(edits, number, after)
      if (next >= 0) out.push(this.version(edits, path, (after = next)))
      const last = this.index.last(edits, number, before)
      if (last >= 0) out.push(this.version(edits, path, (before = last - 1)))
    }
    return out
  }

  forget(): void {
    this.texts.clear()
    this.size = 0
  }

  /** A rename changes what two paths hold, and the columns tell only one: it counts for all. */
  private renamesOf(edits: Edits): readonly number[] {
    if (this.renames.of !== edits.ids) {
      const at: number[] = []
      edits.flags.forEach((flags, i) => { if ((flags & isRename) !== 0) at.push(i) })
      this.renames = { of: edits.ids, at }
    }
    return this.renames.at
  }

  private add(key: string, content: Content): void {
    if (!this.texts.has(key)) this.size += content.text.length + 200
    this.texts.set(key, content)
    for (const [old, { text }] of this.texts) {
      if (this.size <= keep || old === key) return
      this.texts.delete(old)
      this.size -= text.length + 200
    }
  }
}

function keyOf(version: Version): string {
  return `${String(version.edit)} ${version.path}`
}
