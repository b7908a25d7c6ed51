import { Text, type ChangeSet } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import type { Changes, Past } from '../protocol'
import { forSeeds, random, type Random } from '../testing/random'
import { isRename } from '../timeline/edits'
import { sampleEdits } from '../timeline/sample'
import { Moments, type Version } from './moment'
import { randomChange } from './testing/changes'

const never = new AbortController().signal

describe('texts at a moment', () => {
  it('are told apart exactly when an edit lies between that touches the file', () => {
    forSeeds(60, (r) => {
      const edits = sampleEdits(r, r.below(60))
      for (let i = 0; i < edits.count; i++) if (r.below(20) === 0) edits.flags[i]! |= isRename
      const moments = new Moments(() => Promise.reject(new Error('no text is needed')))
      for (let n = 0; n < 60; n++) {
        const path = r.pick([...edits.pathNames, 'untouched.go'])
        const place = r.below(edits.count + 1) - 1
        let want = 0
        for (let i = 0; i <= place; i++) {
          if (edits.pathNames[edits.paths[i]!] === path || (edits.flags[i]! & isRename) !== 0) want = edits.ids[i]!
        }
        expect(moments.version(edits, path, place)).toEqual({ path, edit: want })
      }
    })
  })

  it('are asked for at their own moments while earlier edits are still being read', () => {
    const edits = { ...sampleEdits(random(3), 40), earlier: 1000 }
    const known = { ...edits, ids: edits.ids.map((id) => id + 1000) }
    const moments = new Moments(() => Promise.reject(new Error('no text is needed')))
    expect(moments.at(known, 'untouched.go', 0)).toEqual({ path: 'untouched.go', edit: 0 })
    expect(moments.at(known, 'untouched.go', 7)).toEqual({ path: 'untouched.go', edit: 7 })
    expect(moments.at(known, 'untouched.go', 1000)).toEqual({ path: 'untouched.go', edit: 1000 })
    expect(moments.at(known, 'untouched.go', known.ids[30]!)).toEqual({ path: 'untouched.go', edit: 1000 })
    const path = known.pathNames[known.paths[30]!]!
    expect(moments.at(known, path, known.ids[30]!)).toEqual({ path, edit: known.ids[30]! })
  })

  it('are those of one answer for all the moments that it is about', async () => {
    const history = new History(random(1), 1000)
    const moments = new Moments(history.read)
    await moments.fetch(at(500), never)
    for (let edit = 500 - history.reach; edit <= 500 + history.reach; edit++) expect(moments.content(at(edit))?.text.toString()).toBe(history.texts[edit])
    expect(moments.content(at(501 + history.reach))).toBeNull()
    expect(moments.has({ path: 'b', edit: 500 })).toBe(false)
    expect(history.asked).toEqual([500])
  })

  it('are exactly those of the history, in whatever order they are looked at', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const r = random(seed)
      const history = new History(r, 1 + r.below(300))
      const moments = new Moments(history.read)
      for (let n = 0; n < 100; n++) {
        const edit = r.below(history.texts.length)
        const { text } = moments.content(at(edit)) ?? (await moments.fetch(at(edit), never))
        expect(text.toString(), `seed ${String(seed)}, edit ${String(edit)}`).toBe(history.texts[edit])
      }
      expect(history.asked.length).toBeLessThanOrEqual(2 + (history.texts.length / history.reach) * 2)
    }
  })

  it('are read again after they were crowded out, or belong to another history', async () => {
    let asked = 0
    const moments = new Moments((_path, edit) => {
      asked++
      return Promise.resolve({ from: edit, to: edit, exists: true, text: 'x'.repeat(1_000_000), steps: [] })
    })
    for (let edit = 1; edit < 30; edit++) await moments.fetch(at(edit), never)
    await moments.fetch(at(29), never)
    expect(asked).toBe(29)
    expect(moments.has(at(29))).toBe(true)
    expect(moments.has(at(1))).toBe(false)
    const late = moments.fetch(at(1), never)
    moments.forget()
    await late
    expect(moments.has(at(29)) || moments.has(at(1))).toBe(false)
  })

  it('that are likely next are some edits of the file away', () => {
    const edits = sampleEdits(random(4), 400)
    const moments = new Moments(() => Promise.reject(new Error('no text is needed')))
    const path = edits.pathNames[0]!
    const own = [...Array(400).keys()].filter((i) => edits.pathNames[edits.paths[i]!] === path)
    const middle = own[Math.floor(own.length / 2)]!
    const [after, before] = moments.next(edits, path, middle).map((v) => v.edit)
    expect(after).toBeGreaterThan(edits.ids[middle]!)
    expect(before).toBeLessThan(edits.ids[middle]!)
  })
})

function at(edit: number): Version {
  return { path: 'a', edit }
}

/** A file, changed at random, and Go's answers about it. */
class History {
  readonly texts: string[] = []
  readonly asked: number[] = []
  readonly reach = 25
  private readonly first: string
  private readonly changes: ChangeSet[] = []

  constructor(r: Random, edits: number) {
    let text = Text.of(Array.from({ length: r.below(60) + 1 }, (_, i) => `line ${String(i)}`))
    this.first = text.toString()
    this.texts.push(this.first)
    for (let n = 0; n < edits; n++) {
      const change = randomChange(r, text, r.pick(['é', '𝒳y', 'a']))
      text = change.apply(text)
      this.changes.push(change)
      this.texts.push(text.toString())
    }
  }

  readonly read = (_path: string, edit: number): Promise<Past> => {
    this.asked.push(edit)
    const from = Math.max(0, edit - this.reach)
    const to = Math.min(this.changes.length, edit + this.reach)
    const steps = this.changes.slice(from, to).map((change, i) => ({ edit: from + i + 1, changes: change.toJSON() as Changes }))
    return Promise.resolve({ from, to, exists: true, text: this.texts[from]!, steps })
  }
}
