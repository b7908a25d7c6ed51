import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { App } from '../../app'
import { CallError } from '../../backend'
import type { TreeEntry } from '../../protocol'
import { FolderListings } from './listings.svelte'

type Answer = () => readonly TreeEntry[]

/** Folders of a project whose reading comes to what answer says. */
function folders(answer: { now: Answer }): { listings: FolderListings; asked: string[] } {
  const asked: string[] = []
  const app = {
    state: { project: { root: '/p' } },
    backend: {
      early: () => undefined,
      read: (_what: string, { dir }: { dir: string }) => {
        asked.push(dir)
        return new Promise((resolve) => { resolve({ entries: answer.now() }) })
      },
    },
  } as unknown as App
  return { listings: new FolderListings(app), asked }
}

function refuse(code: 'failed' | 'gone'): Answer {
  return () => { throw new CallError(code, 'permission denied') }
}

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => { vi.useRealTimers() })

/** Files change all the time, for so long. */
async function busyFor(listings: FolderListings, ms: number): Promise<void> {
  for (let t = 0; t < ms; t += 100) {
    listings.refresh(() => ['', 'src'])
    await vi.advanceTimersByTimeAsync(100)
  }
}

describe('a folder that cannot be read', () => {
  it.each(['failed', 'gone'] as const)('is asked for ever less often, %s', async (code) => {
    const { listings, asked } = folders({ now: refuse(code) })
    listings.need(['', 'src'])
    await busyFor(listings, 60_000)
    expect(asked.length).toBeGreaterThanOrEqual(10)
    expect(asked.length).toBeLessThanOrEqual(14) // at 0, 1, 3, 7, 15, 31 s, of each
  })

  it('is told once, and no more once it can be', async () => {
    const answer = { now: refuse('failed') }
    const { listings } = folders(answer)
    listings.need([''])
    await vi.advanceTimersByTimeAsync(5000)
    expect(listings.trouble).toEqual({ folder: '', message: 'permission denied' })
    answer.now = () => []
    await vi.advanceTimersByTimeAsync(5000) // nobody asks: it is tried again by itself
    expect(listings.trouble).toBeUndefined()
    expect(listings.all.get('')).toEqual([])
  })

  it('is read at once when the user says so', async () => {
    const answer = { now: refuse('failed') }
    const { listings, asked } = folders(answer)
    listings.need([''])
    await vi.advanceTimersByTimeAsync(20_000)
    const before = asked.length
    answer.now = () => []
    listings.retry()
    await vi.advanceTimersByTimeAsync(0)
    expect(asked.length).toBe(before + 1)
    expect(listings.trouble).toBeUndefined()
  })

  it('does not matter once it is closed', async () => {
    const { listings, asked } = folders({ now: refuse('failed') })
    listings.need(['', 'src'])
    await vi.advanceTimersByTimeAsync(100)
    listings.need([''])
    expect(listings.trouble?.folder).toBe('')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(asked.filter((a) => a === 'src')).toHaveLength(1)
    listings.stop()
  })
})
