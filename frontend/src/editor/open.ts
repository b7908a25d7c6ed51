// The open documents: what the page sends to Go and receives for each, and which of them the editor
// shows.
//
//   updates --queue--> one transaction per document and frame --> LiveDoc
//   keys --> LiveDoc.client --one push at a time--> Go --own update--> confirmed

import type { Text } from '@codemirror/state'
import { CallError, type Backend } from '../backend'
import type { Doc, DocDelta, Update } from '../protocol'
import type { Store } from '../state/store.svelte'
import type { Documents, Place } from './documents'
import { inNextFrame } from './frame'
import { grammarFor } from './grammars'
import { LiveDoc } from './live'
import { caretGone, modelCaret, marks } from './marks'
import { Pusher } from './pusher'
import { Screen } from './screen'
import { access, accessOf, grammar } from './setup'

const pushAgainAfter = 1000 // ms, when Go could not be reached although the connection is open

/** Updates that wait for the next frame. */
interface Queued {
  readonly news: DocDelta
  readonly live: LiveDoc | undefined // for its path when this arrived
  readonly accepted: boolean // the push in flight was accepted before this arrived
  readonly shown: () => void
}

export class OpenDocuments implements Documents {
  readonly screen: Screen
  private readonly pusher: Pusher
  private readonly docs = new Map<string, LiveDoc>()
  private readonly opening = new Map<string, Promise<string>>()
  private readonly closing = new Set<string>()
  private queue: Queued[] = []
  private page = '' // the name of this connection, or of the last one
  private pageBefore = ''
  private waiting: (() => void)[] = [] // resolved when everything is confirmed
  private writingIn: LiveDoc | null = null

  constructor(
    private readonly store: Store,
    private readonly backend: Backend,
  ) {
    this.pusher = new Pusher(store, backend, this.docs, {
      stale: (path) => { this.bringUpToDate(path) },
      dropped: () => { this.wake() },
    })
    this.screen = new Screen((doc) => { this.pusher.send(doc) })
    store.subscribe((next, before, action) => {
      if (action.type === 'hello') this.connectedAs(action.hello.page)
      if (next.project?.root !== before.project?.root) this.forgetAll()
      if (action.type === 'moved') this.rename(action.from, action.to)
      if (next.ui.active !== before.ui.active) this.show()
      if (next.turn?.outcome && !before.turn?.outcome) this.modelLeft(null)
    })
  }

  async open(path: string): Promise<string> {
    this.closing.delete(path)
    if (this.docs.has(path)) return path
    const under = this.opening.get(path)
    if (under) return under
    const now = this.fetch(path).finally(() => this.opening.delete(path))
    this.opening.set(path, now)
    return now
  }

  /** A link opens the file that it leads to: two names for one text would each treat the other's typing as its own. */
  private async fetch(asked: string): Promise<string> {
    const doc = await this.backend.call('open', { path: asked })
    const { path } = doc
    if (this.docs.has(path)) {
      this.closing.delete(path)
      this.replace(doc, null)
    } else {
      const place = this.store.state.ui.tabs.find((t) => t.path === asked)
      const live = new LiveDoc(doc, place)
      this.docs.set(path, live)
      void this.loadGrammar(live)
    }
    this.store.dispatch({ type: 'opened', doc })
    if (this.store.state.ui.active === path) this.show()
    return path
  }

  private async loadGrammar(live: LiveDoc): Promise<void> {
    const extension = await grammarFor(live.path, live.state.doc)
    if (extension !== null) live.update({ effects: grammar.reconfigure(extension) })
  }

  async close(path: string): Promise<void> {
    const live = this.docs.get(path)
    if (!live) return
    this.closing.add(path)
    await this.settledOne(live)
    if (!this.closing.delete(path)) return // it was opened again
    this.forget(path, live)
    this.store.dispatch({ type: 'closed', path })
    await this.backend.call('close', { path })
  }

  private forget(path: string, live: LiveDoc): void {
    this.docs.delete(path)
    if (this.screen.doc === live) this.screen.show(null)
    if (this.writingIn === live) this.writingIn = null
  }

  private forgetAll(): void {
    for (const [path, live] of this.docs) this.forget(path, live)
    this.opening.clear()
    this.wake()
  }

  isOpen(path: string): boolean {
    return this.docs.has(path)
  }

  get(path: string): LiveDoc | undefined {
    return this.docs.get(path)
  }

  /** Shows the active tab in the editor. */
  show(): void {
    this.screen.show(this.docs.get(this.store.state.ui.active) ?? null)
  }

  receive(news: readonly DocDelta[]): Promise<void> {
    if (news.length === 0) return Promise.resolve()
    return new Promise((resolve) => {
      if (this.queue.length === 0) inNextFrame(() => { this.flush() })
      const last = news.length - 1
      this.queue.push(...news.map((one, i) => this.queued(one, i === last ? resolve : () => undefined)))
    })
  }

  private queued(news: DocDelta, shown: () => void): Queued {
    const live = this.docs.get(pathOf(news))
    return { news, live, accepted: live?.accepted ?? false, shown }
  }

  private connectedAs(page: string): void {
    if (page === this.page) return
    this.pageBefore = this.page
    this.page = page
  }

  private flush(): void {
    const queue = this.queue
    this.queue = []
    for (const one of queue) {
      try {
        this.take(one)
      } catch (error) {
        console.error(error)
        this.bringUpToDate(pathOf(one.news))
      }
    }
    this.wake()
    for (const { shown } of queue) shown()
  }

  private take({ news, live: then, accepted }: Queued): void {
    const live = then ?? this.docs.get(pathOf(news))
    if ('reset' in news) this.replace(news.reset, accepted)
    else if ('updates' in news) this.updates(live, news)
  }

  private updates(live: LiveDoc | undefined, news: Extract<DocDelta, { updates: readonly Update[] }>): void {
    if (!live || live.doc !== news.doc || news.to < live.client.version) return
    if (live.client.version !== news.from) {
      this.bringUpToDate(live.path) // an update in between was missed
      return
    }
    live.receive(news.updates, news.to, this.store.state.ui.follow)
    if (news.updates.some((u) => u.own)) live.accepted = false
    this.follow(live, news.updates)
    if (news.updates.some(({ author }) => author !== 'user' && author !== 'model')) this.endsAgain(live)
    this.pusher.send(live)
  }

  /** Only users and models keep to the existing line ends. */
  private endsAgain(live: LiveDoc): void {
    const eol = live.lookAtEnds()
    if (eol !== null) this.store.dispatch({ type: 'eol', path: live.path, eol })
  }

  /** Only one document has the model's caret. */
  private follow(live: LiveDoc, updates: readonly Update[]): void {
    if (!updates.some((u) => u.author === 'model')) return
    if (this.writingIn !== live) this.modelLeft(live)
    this.screen.modelWrote(live)
  }

  private modelLeft(next: LiveDoc | null): void {
    if (this.writingIn !== null && modelCaret(this.writingIn.state.field(marks)) !== null) this.writingIn.update({ effects: caretGone.of(null) })
    this.writingIn = next
  }

  private replace(doc: Doc, arrived: boolean | null): void {
    const live = this.docs.get(doc.path)
    if (!live) return
    live.replace(doc, arrived)
    this.pusher.send(live)
  }

  private rename(from: string, to: string): void {
    const live = this.docs.get(from)
    if (!live) return
    this.docs.delete(from)
    this.docs.set(to, live)
    live.path = to
    const file = this.store.state.files[to]
    if (file) live.update({ effects: access.reconfigure(accessOf({ ...file, path: to })) })
    void this.loadGrammar(live)
  }

  /** Opens it again, and keeps what was typed. */
  private bringUpToDate(path: string): void {
    const live = this.docs.get(path)
    if (!live) return
    this.again(live).catch((error: unknown) => {
      if (error instanceof CallError && error.code === 'lost') return
      setTimeout(() => { this.bringUpToDate(path) }, pushAgainAfter)
    })
  }

  private async again(live: LiveDoc): Promise<void> {
    const doc = await this.backend.call('open', { path: live.path })
    if (this.docs.get(live.path) !== live) return
    this.store.dispatch({ type: 'opened', doc })
    this.replace(doc, null)
    this.wake()
  }

  async reconnected(): Promise<void> {
    this.flush()
    const all = [...this.docs.values()].sort((a, b) => Number(b === this.screen.doc) - Number(a === this.screen.doc))
    for (const live of all) {
      await this.goOn(live).catch((error: unknown) => {
        if (!(error instanceof CallError && error.code === 'lost')) throw error
      })
    }
  }

  /** Continues from the page's version; the whole document is needed only if Go was restarted. */
  private async goOn(live: LiveDoc): Promise<void> {
    live.asking = true
    const { path, doc } = live
    const there = await this.backend.call('reopen', { path, doc, version: live.client.version, page: this.pageBefore })
    if (!there) await this.again(live)
  }

  async settled(): Promise<void> {
    while ([...this.docs.values()].some((d) => !d.client.settled)) await this.change()
  }

  private async settledOne(live: LiveDoc): Promise<void> {
    while (!live.client.settled && this.docs.get(live.path) === live && this.store.state.link === 'open') await this.change()
  }

  private change(): Promise<void> {
    return new Promise((resolve) => { this.waiting.push(resolve) })
  }

  private wake(): void {
    const waiting = this.waiting
    this.waiting = []
    for (const go of waiting) go()
  }

  text(path: string): string | null {
    return this.docs.get(path)?.state.doc.toString() ?? null
  }

  places(): ReadonlyMap<string, { top: number; offset: number; anchor: number; head: number }> {
    this.screen.remember()
    return new Map([...this.docs].map(([path, live]) => {
      const { anchor, head } = live.state.selection.main
      return [path, { ...live.scroll, anchor, head }]
    }))
  }

  reveal(path: string, place: Place, focus: boolean): void {
    const live = this.docs.get(path)
    if (live) this.screen.reveal(live, place, focus)
  }

  selection(): { path: string; from: number; to: number; text: string } | null {
    const live = this.screen.doc
    if (!live) return null
    const { doc, selection } = live.state
    const { from, to } = selection.main
    return { path: live.path, from: doc.lineAt(from).number, to: doc.lineAt(to).number, text: doc.sliceString(from, to) }
  }

  focus(): void {
    this.screen.focus()
  }

  showMoment(path: string, text: Text | null): void {
    this.screen.showMoment(path, text)
  }

  showNow(): void {
    this.screen.showNow()
  }
}

function pathOf(news: DocDelta): string {
  return 'reset' in news ? news.reset.path : news.path
}
