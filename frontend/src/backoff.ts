// How long to wait before asking again what failed: twice as long each time, up
// to a limit, for each key on its own.

const first = 1000 // ms
const longest = 30_000 // ms

export class Backoff {
  private readonly waits = new Map<string, { readonly wait: number; readonly until: number }>()

  /** It failed; the answer is how long to wait. */
  failed(key: string, now: number): number {
    const wait = Math.min(longest, (this.waits.get(key)?.wait ?? first / 2) * 2)
    this.waits.set(key, { wait, until: now + wait })
    return wait
  }

  /** Whether it may be asked. */
  ready(key: string, now: number): boolean {
    return now >= (this.waits.get(key)?.until ?? 0)
  }

  forget(key: string): void {
    this.waits.delete(key)
  }

  clear(): void {
    this.waits.clear()
  }
}
