// How long to wait before retrying what failed: twice as long each time, up to a limit, for
// each key separately.

const first = 1000 // ms
const longest = 30_000 // ms

export class Backoff {
  private readonly waits = new Map<string, { readonly wait: number; readonly until: number }>()

  /** Notes a failure and returns how long to wait. */
  failed(key: string, now: number): number {
    const wait = Math.min(longest, (this.waits.get(key)?.wait ?? first / 2) * 2)
    this.waits.set(key, { wait, until: now + wait })
    return wait
  }

  /** Whether a retry is due. */
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
