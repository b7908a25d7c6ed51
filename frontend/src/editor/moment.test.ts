import { describe, expect, it } from 'vitest'
import { forSeeds, random } from '../testing/random'
import { isRename } from '../timeline/edits'
import { sampleEdits } from '../timeline/sample'
import { Moments, type Version } from './moment'

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

  it('are read once, and again only after they were crowded out', async () => {
    const asked: string[] = []
    const moments = new Moments((path, at) => {
      asked.push(`${path}@${String(at)}`)
      return Promise.resolve({ exists: true, text: 'x'.repeat(1_000_000) })
    })
    const version = (edit: number): Version => ({ path: 'a', edit })
    await moments.fetch(version(1), never)
    await moments.fetch(version(1), never)
    expect(asked).toEqual(['a@1'])
    for (let edit = 2; edit < 30; edit++) await moments.fetch(version(edit), never)
    expect(moments.known(version(29))).not.toBeNull()
    expect(moments.known(version(1))).toBeNull()
  })

  it('around a place are those of the nearest edits of the file', () => {
    const edits = sampleEdits(random(4), 400)
    const moments = new Moments(() => Promise.reject(new Error('no text is needed')))
    const path = edits.pathNames[0]!
    const own = [...Array(400).keys()].filter((i) => edits.pathNames[edits.paths[i]!] === path)
    const middle = own[Math.floor(own.length / 2)]!
    const near = moments.neighbours(edits, path, middle).map((v) => v.edit)
    const at = own.indexOf(middle)
    for (const k of [-3, -1, 1, 3]) expect(near).toContain(edits.ids[own[at + k]!])
  })
})
