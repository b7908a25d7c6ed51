// Boot: finds the server, connects, and mounts the page.

import './styles/base.css'

import { mount, unmount } from 'svelte'
import { BuildWatch } from './actions/build'
import { Sync } from './actions/sync'
import { listenForTurnKeys } from './actions/turnkeys'
import { watchTurns } from './actions/turnwatch'
import { App } from './app'
import { Backend, findServer, type BackendEvents } from './backend'
import { OpenDocuments } from './editor/open'
import { warmup } from './editor/warmup'
import { findNative } from './native'
import type { Hello } from './protocol'
import { defaultPrefs } from './state/state'
import { Store } from './state/store.svelte'
import { applyLook } from './views/look'
import Root from './views/Root.svelte'
import Unreachable from './views/Unreachable.svelte'

const drawAfter = 300 // ms without a hello: then the page draws what it can without Go

async function boot(target: HTMLElement): Promise<void> {
  applyLook(defaultPrefs, matchMedia('(prefers-color-scheme: dark)').matches)
  const address = await findServer()
  const store = new Store()
  const events: BackendEvents = {
    link: (link) => store.dispatch({ type: 'link', link }),
    hello: (hello) => void greeted(hello),
    refused: (message) => { refused(message) },
    frame: (frame) => sync.frame(frame),
  }
  const backend = new Backend(address, events)
  const docs = new OpenDocuments(store, backend)
  const native = findNative((text) => store.dispatch({ type: 'notice', level: 'error', text }))
  const app = new App(store, backend, docs, native)
  const sync = new Sync(app)
  watchTurns(app)
  listenForTurnKeys(app)
  native.onClosing(() => sync.leave())
  void sync.begun.then(() => warmup(app))
  let root: Record<string, unknown> | null = null
  const draw = (): void => { root ??= mount(Root, { target, props: { app, sync } }) }
  const late = setTimeout(draw, drawAfter)
  const builds = new BuildWatch(sessionStorage, () => { location.reload() }, () => sync.leave())
  let known = false

  async function greeted(hello: Hello): Promise<void> {
    known = true
    clearTimeout(late)
    await sync.hello(hello, draw)
    await builds.greeted(app, hello)
  }

  /** A page that was connected stays: the user may want to copy from it. */
  function refused(message: string): void {
    if (known) app.fail(new Error(message), 'This page cannot reach Waferpair')
    else {
      clearTimeout(late)
      if (root !== null) void unmount(root)
      unreachable(target, message)
    }
  }

  backend.connect()
}

function unreachable(target: HTMLElement, message: string): void {
  mount(Unreachable, { target, props: { message } })
}

const target = document.getElementById('app')
if (target) {
  boot(target).catch((error: unknown) => {
    unreachable(target, error instanceof Error ? error.message : String(error))
  })
}
