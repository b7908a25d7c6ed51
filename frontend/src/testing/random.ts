// Seeded random numbers for property tests: a failure prints its seed and can
// be run again.

export interface Random {
  /** A whole number from 0 up to, not including, n. */
  below(n: number): number
  /** A number from 0 up to 1. */
  next(): number
  pick<T>(list: readonly T[]): T
}

/** The generator "mulberry32". */
export function random(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (n: number): number => Math.floor(next() * n)
  return { next, below, pick: (list) => list[below(list.length)]! }
}

/** Runs a property for many seeds and names the one that broke it. */
export function forSeeds(count: number, property: (r: Random, seed: number) => void): void {
  for (let seed = 1; seed <= count; seed++) {
    try {
      property(random(seed), seed)
    } catch (error) {
      if (error instanceof Error) error.message = `seed ${String(seed)}: ${error.message}`
      throw error
    }
  }
}
