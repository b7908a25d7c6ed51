// @vitest-environment jsdom
import { afterEach, expect, test, vi } from 'vitest'
import { findNative } from './native'

/** What Wails puts on the window, as far as native.ts uses it. */
function wails() {
  const events = new Map<string, (...data: readonly unknown[]) => void>()
  const done = () => vi.fn((..._: readonly string[]) => Promise.resolve())
  const bound = {
    OpenFolder: vi.fn(() => Promise.resolve('')),
    SaveText: vi.fn((_name: string, _text: string) => Promise.resolve(true)),
    SetTitle: done(),
    SetBackground: done(),
    Quit: done(),
    OpenExternal: done(),
    Notify: done(),
    Flushed: done(),
  }
  const runtime = {
    EventsOn(event: string, callback: (...data: readonly unknown[]) => void) {
      events.set(event, callback)
      return () => void events.delete(event)
    },
  }
  Object.assign(window, { go: { window: { Native: bound } }, runtime })
  return { bound, events }
}

afterEach(() => {
  Reflect.deleteProperty(window, 'go')
  Reflect.deleteProperty(window, 'runtime')
  vi.restoreAllMocks()
})

const nothing = () => undefined

test('without a window the page asks for the folder itself', async () => {
  expect(await findNative(nothing).openFolder()).toBeNull()
})

test('a cancelled dialog is no folder', async () => {
  const { bound } = wails()
  const native = findNative(nothing)
  expect(await native.openFolder()).toBeNull()
  bound.OpenFolder.mockResolvedValue('/home/me/shop')
  expect(await native.openFolder()).toBe('/home/me/shop')
})

test.each(['javascript:alert(1)', 'file:///etc/passwd', 'https:evil', ' http://a', 'wails://wails/'])('%s is not opened', (url) => {
  const { bound } = wails()
  const open = vi.spyOn(window, 'open').mockReturnValue(null)
  findNative(nothing).openExternal(url)
  expect(bound.OpenExternal).not.toHaveBeenCalled()
  Reflect.deleteProperty(window, 'go')
  findNative(nothing).openExternal(url)
  expect(open).not.toHaveBeenCalled()
})

test('web links are opened outside, without a way back', () => {
  const open = vi.spyOn(window, 'open').mockReturnValue(null)
  findNative(nothing).openExternal('https://go.dev')
  expect(open).toHaveBeenCalledWith('https://go.dev', '_blank', 'noopener,noreferrer')
  const { bound } = wails()
  findNative(nothing).openExternal('https://go.dev')
  expect(bound.OpenExternal).toHaveBeenCalledWith('https://go.dev')
})

test('a dropped folder is told until nobody listens', () => {
  const { events } = wails()
  const dropped: string[] = []
  const end = findNative(nothing).onDropFolder((path) => dropped.push(path))
  const drop = events.get('wails:file-drop')
  drop?.(10, 20, ['/home/me/shop', '/home/me/other'])
  drop?.(10, 20, null)
  drop?.(10, 20, [''])
  expect(dropped).toEqual(['/home/me/shop'])
  end()
  expect(events.size).toBe(0)
})

test('only drags that carry files are let in', () => {
  wails()
  findNative(nothing).onDropFolder(nothing)
  const drag = (types: readonly string[]) => {
    const event = Object.assign(new Event('dragover', { cancelable: true }), { dataTransfer: { types, dropEffect: 'none' } })
    window.dispatchEvent(event)
    return [event.defaultPrevented, event.dataTransfer.dropEffect]
  }
  expect(drag(['Files'])).toEqual([true, 'copy'])
  expect(drag(['text/plain'])).toEqual([false, 'none'])
})

test('the window is told when the page has sent everything, also when that failed', async () => {
  const { bound } = wails()
  const failures: string[] = []
  const native = findNative((message) => failures.push(message))
  let send: (() => void) | undefined
  const end = native.onClosing(() => new Promise((resolve) => (send = resolve)))
  window.dispatchEvent(new Event('waferpair:closing'))
  expect(bound.Flushed).not.toHaveBeenCalled()
  send?.()
  await vi.waitFor(() => expect(bound.Flushed).toHaveBeenCalledOnce())
  end()
  native.onClosing(() => Promise.reject(new Error('no connection')))
  window.dispatchEvent(new Event('waferpair:closing'))
  await vi.waitFor(() => expect(failures).toEqual(['no connection']))
  expect(bound.Flushed).toHaveBeenCalledTimes(2)
})

test('what the desktop refuses is said', async () => {
  const { bound } = wails()
  bound.Notify.mockRejectedValue('show a notification: no session bus')
  const failures: string[] = []
  findNative((message) => failures.push(message)).notify('a', 'b')
  await vi.waitFor(() => expect(failures).toEqual(['show a notification: no session bus']))
})
