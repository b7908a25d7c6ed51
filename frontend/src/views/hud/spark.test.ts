// @vitest-environment jsdom
import { mount, unmount } from 'svelte'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { nearest, pointsOf } from './spark'

describe('the small line', () => {
  afterEach(() => { vi.restoreAllMocks(); vi.unstubAllGlobals() })

  it('can be drawn where the computer has no language', async () => {
    vi.spyOn(navigator, 'language', 'get').mockReturnValue('C') // WebKit says so under LANG=C.UTF-8, and it is no language tag
    vi.stubGlobal('ResizeObserver', class { observe(): void { /* nothing has a size here */ } unobserve(): void { /* nothing to do */ } disconnect(): void { /* nothing to do */ } })
    vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }))
    const { default: Spark } = await import('./Spark.svelte')
    const spark = mount(Spark, { target: document.body, props: { label: 'Whole turn', values: [1, null, 3], format: (n: number | null) => `${String(n)} ms` } })
    expect(document.body.textContent).toContain('last 3 ms · most 3 ms')
    await unmount(spark)
  })
  it('has a point for each value that was measured, the larger the higher, all in its box', () => {
    const points = pointsOf([0, null, 50, 100], 300, 40)
    expect(points.map((p) => p.turn)).toEqual([0, 2, 3])
    expect(points[0]!.y).toBeGreaterThan(points[1]!.y)
    for (const p of points) expect(p.x >= 0 && p.x <= 300 && p.y >= 0 && p.y <= 40).toBe(true)
    expect(nearest(points, 250)?.turn).toBe(3)
    expect(nearest(points, 120)?.turn).toBe(2)
    expect(nearest([], 1)).toBeNull()
  })
})
