// The examples for the open project, read once, and again when another file is shown: its names come first.

import type { App } from '../../app'
import { examplesFor } from './examples'

let shown = $state.raw<readonly string[]>([])
let of = '' // their project and file

export function examples(app: App): { readonly value: readonly string[] } {
  $effect(() => {
    const { project, ui, link } = app.state
    const place = `${project?.root ?? ''} ${ui.active}`
    if (project === null || link !== 'open' || place === of) return
    of = place
    read(app, ui.active).then((list) => { if (of === place) shown = list }).catch(() => { if (of === place) of = '' })
  })
  return {
    get value() {
      return shown
    },
  }
}

async function read(app: App, path: string): Promise<readonly string[]> {
  const [{ operations }, ofFile, all] = await Promise.all([
    app.backend.read('operations', {}),
    path === '' ? { symbols: [] } : app.backend.read('symbols', { q: '', path, limit: 100 }),
    app.backend.read('symbols', { q: '', path: '', limit: 100 }),
  ])
  const requests = examplesFor(operations, [...ofFile.symbols, ...all.symbols])
  if (requests.length === 0) return []
  return (await app.backend.read('working', { path, requests })).requests
}
