import { describe, expect, it } from 'vitest'
import { Latest } from './latest'

describe('Latest', () => {
  it('only the newest question is answered, in whatever order the answers come', async () => {
    const latest = new Latest()
    const gates: ((value: string) => void)[] = []
    const ask = (): Promise<string | null> => latest.run(() => new Promise<string>((resolve) => gates.push(resolve)))
    const first = ask()
    const second = ask()
    gates[1]?.('new')
    gates[0]?.('old')
    expect(await first).toBeNull()
    expect(await second).toBe('new')
  })
  it('a failure of an outdated question is nobody’s', async () => {
    const latest = new Latest()
    const first = latest.run(() => Promise.reject(new Error('late')))
    latest.cancel()
    expect(await first).toBeNull()
    await expect(latest.run(() => Promise.reject(new Error('now')))).rejects.toThrow('now')
  })
})
