// The examples for the open project, and again for another file that is shown: its names come first. To find those
// that work, the built-in model tries them out, which takes processors a second or more. So they wait until nobody
// changes files any more: a turn that writes in many files shows one after the other.

import type { App } from '../../app'
import { busy } from '../../state/state'
import { Latest } from '../../ui/latest'
import { examplesFor } from './examples'

const pause = 300 // ms in which nothing changes

let shown = $state.raw<readonly string[]>([])
let of = '' // their project and file
const latest = new Latest()

export function examples(app: App): { readonly value: readonly string[] } {
  $effect(() => {
    const { project, ui, link, running } = app.state
    const path = ui.active
    const place = `${project?.root ?? ''} ${path}`
    if (project === null || link !== 'open' || place === of) return
    if (running.length > 0 || busy(app.state)) {
      latest.cancel()
      return
    }
    const timer = setTimeout(() => {
      if (place === of) return // the composer asks, too
      of = place
      latest.run((signal) => read(app, path, signal)).then((list) => {
        if (list !== null) shown = list
        else if (of === place) of = ''
      }).catch(() => { if (of === place) of = '' })
    }, pause)
    return () => { clearTimeout(timer) }
  })
  return {
    get value() {
      return shown
    },
  }
}

async function read(app: App, path: string, signal: AbortSignal): Promise<readonly string[]> {
  const [{ operations }, ofFile, all] = await Promise.all([
    app.backend.read('operations', {}, signal),
    path === '' ? { symbols: [] } : app.backend.read('symbols', { q: '', path, limit: 100 }, signal),
    app.backend.read('symbols', { q: '', path: '', limit: 100 }, signal),
  ])
  const requests = examplesFor(operations, [...ofFile.symbols, ...all.symbols])
  if (requests.length === 0) return []
  return (await app.backend.read('working', { path, requests }, signal)).requests
}
