// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { watchDrags } from './drops'

function send(name: string, types: readonly string[] = ['Files'], target: EventTarget = document.body): void {
  target.dispatchEvent(Object.assign(new Event(name, { bubbles: true }), { dataTransfer: { types } }))
}

describe('a drag over the window', () => {
  let seen: boolean[] = []
  let stop = (): void => undefined
  beforeEach(() => {
    vi.useFakeTimers()
    seen = []
    stop = watchDrags((over) => seen.push(over))
  })
  afterEach(() => {
    stop()
    vi.useRealTimers()
  })

  it('is told when it carries files, and when it has left', () => {
    send('dragover')
    expect(seen).toEqual([true])
    send('dragleave') // an element, for the next one
    send('dragover')
    vi.advanceTimersByTime(1000)
    expect(seen).toEqual([true, true])
    send('dragleave')
    vi.advanceTimersByTime(1000)
    expect(seen).toEqual([true, true, false])
  })
  it('ends with the drop, also one that something else takes', () => {
    document.body.addEventListener('drop', (event) => { event.stopPropagation() }, { once: true })
    send('dragover')
    send('drop')
    expect(seen.at(-1)).toBe(false)
  })
  it('is nothing to tell when it is a tab or a text', () => {
    send('dragover', ['text/plain'])
    expect(seen).toEqual([])
  })
})
