import { describe, expect, it } from 'vitest'
import { forSeeds } from '../testing/random'
import { leastWait, longestWait, play, type Playing } from './playing'
import { sampleEdits } from './sample'
import { shownBy } from './steps'

describe('playing', () => {
  it('comes to the same place in one step and in many', () => {
    forSeeds(60, (r) => {
      const edits = sampleEdits(r, 1 + r.below(50))
      const shown = r.below(2) === 0 ? null : shownBy(edits, { path: 'pkg/f1.go', author: '' })
      const speed = r.pick([0.5, 1, 16])
      const total = r.below(20_000)
      let at: Playing | null = { place: -1, waited: 0 }
      let left = total
      while (left > 0 && at !== null) {
        const part = Math.min(left, 1 + r.below(900))
        at = play(edits, shown, at, part, speed)
        left -= part
      }
      expect(at?.place).toBe(play(edits, shown, { place: -1, waited: 0 }, total, speed)?.place)
    })
  })

  it('waits as long as it took, a second at most, and shows only what is shown', () => {
    forSeeds(40, (r) => {
      const edits = sampleEdits(r, 2 + r.below(40))
      const shown = r.below(2) === 0 ? null : shownBy(edits, { path: 'pkg/f1.go', author: '' })
      const all = [...Array(edits.count).keys()].filter((i) => shown === null || shown[i] === 1)
      for (let n = 0; n + 1 < all.length; n++) {
        const [here, next] = [all[n]!, all[n + 1]!]
        const ms = Math.min(longestWait, Math.max(leastWait, edits.times[next]! - edits.times[here]!))
        expect(play(edits, shown, { place: here, waited: 0 }, ms - 0.5, 1)?.place).toBe(here)
        const after = play(edits, shown, { place: here, waited: 0 }, ms, 1)
        if (n + 2 < all.length) expect(after?.place).toBe(next)
        else expect(after).toBeNull()
      }
    })
  })
})
