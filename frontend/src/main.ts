// Boot: finds the server, connects, and mounts the page.

import './styles/base.css'

import { mount } from 'svelte'
import { Sync } from './actions/sync'
import { watchTurns } from './actions/turnwatch'
import { App } from './app'
import { Backend, findServer, type BackendEvents } from './backend'
import { OpenDocuments } from './editor/open'
import { findNative } from './native'
import { Store } from './state/store.svelte'
import Root from './views/Root.svelte'
import Unreachable from './views/Unreachable.svelte'

async function boot(target: HTMLElement): Promise<void> {
  const address = await findServer()
  const store = new Store()
  const events: BackendEvents = {
    link: (link) => store.dispatch({ type: 'link', link }),
    hello: (hello) => void sync.hello(hello),
    frame: (frame) => sync.frame(frame),
  }
  const backend = new Backend(address, events)
  const docs = new OpenDocuments(store, backend)
  const native = findNative((text) => store.dispatch({ type: 'notice', level: 'error', text }))
  const app = new App(store, backend, docs, native)
  const sync = new Sync(app)
  watchTurns(app)
  mount(Root, { target, props: { app, sync } })
  backend.connect()
}

const target = document.getElementById('app')
if (target) {
  boot(target).catch((error: unknown) => {
    mount(Unreachable, { target, props: { message: error instanceof Error ? error.message : String(error) } })
  })
}
