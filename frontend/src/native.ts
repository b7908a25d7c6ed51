// What only the desktop window can do, and its replacement in a browser. The window's half is
// app/window/native.go. Wails puts it on window.go and window.runtime before the page's own script runs; only
// this file reads those.

export interface Native {
  /** Asks for a folder; null when the user cancels, or in a browser, where the page asks itself. */
  openFolder(): Promise<string | null>
  /** Saves a text as a file of this name, where the user wants it; false when the user cancels. */
  saveText(name: string, text: string): Promise<boolean>
  setTitle(title: string): void
  /** The page's background, "#rrggbb": the window shows it until the page has painted, also at the next start. */
  setBackground(colour: string): void
  quit(): void
  /** Opens http and https addresses outside the page; anything else is ignored. */
  openExternal(url: string): void
  notify(title: string, body: string): void
  /** A folder was dropped on the window. The returned function unsubscribes. */
  onDropFolder(dropped: (path: string) => void): () => void
  /** The page is about to close: send what is not sent yet. The window waits up to a second; a browser cannot. */
  onClosing(closing: () => Promise<void>): () => void
}

const web = /^https?:\/\//i

export const browser: Native = {
  openFolder: () => Promise.resolve(null),
  saveText(name, text) {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/markdown' }))
    const link = document.createElement('a')
    link.href = url
    link.download = name
    link.click()
    setTimeout(() => { URL.revokeObjectURL(url) }, 10_000) // the browser reads it meanwhile
    return Promise.resolve(true)
  },
  setTitle(title) {
    document.title = title
  },
  setBackground: () => undefined,
  quit() {
    window.close()
  },
  openExternal(url) {
    if (web.test(url)) window.open(url, '_blank', 'noopener,noreferrer')
  },
  notify(title, body) {
    if (typeof Notification === 'undefined') return
    void Notification.requestPermission().then((p) => (p === 'granted' ? new Notification(title, { body }) : null))
  },
  onDropFolder: () => () => undefined,
  onClosing: (closing) => listen('pagehide', () => { closing().catch(() => undefined) }), // nobody is left to see the error
}

/** The methods of window.go.window.Native. */
interface Bound {
  OpenFolder(): Promise<string>
  SaveText(name: string, text: string): Promise<boolean>
  SetTitle(title: string): Promise<void>
  SetBackground(colour: string): Promise<void>
  Quit(): Promise<void>
  OpenExternal(url: string): Promise<void>
  Notify(title: string, body: string): Promise<void>
  Flushed(): Promise<void>
}

/** The used part of Wails' runtime. */
interface Runtime {
  EventsOn(event: string, callback: (...data: readonly unknown[]) => void): () => void
}

declare global {
  interface Window {
    readonly go?: { readonly window?: { readonly Native?: Bound } }
    readonly runtime?: Runtime
  }
}

/** The window around this page, or the browser. failed receives the desktop's errors. */
export function findNative(failed: (message: string) => void): Native {
  const bound = window.go?.window?.Native
  const runtime = window.runtime
  return bound && runtime ? desktop(bound, runtime, failed) : browser
}

function desktop(bound: Bound, runtime: Runtime, failed: (message: string) => void): Native {
  const tell = (done: Promise<void>): void => {
    done.catch((error: unknown) => failed(error instanceof Error ? error.message : String(error)))
  }
  return {
    openFolder: () => bound.OpenFolder().then((path) => path || null),
    saveText: (name, text) => bound.SaveText(name, text),
    setTitle: (title) => tell(bound.SetTitle(title)),
    setBackground: (colour) => tell(bound.SetBackground(colour)),
    quit: () => tell(bound.Quit()),
    openExternal(url) {
      if (web.test(url)) tell(bound.OpenExternal(url))
    },
    notify: (title, body) => tell(bound.Notify(title, body)),
    onDropFolder: (dropped) => onDrop(runtime, dropped),
    onClosing: (closing) => listen('waferpair:closing', () => tell(closing().finally(() => bound.Flushed()))),
  }
}

/**
 * GTK reports the paths; the page must allow the drop. Drags inside the page are ignored: only those
 * with files count.
 */
function onDrop(runtime: Runtime, dropped: (path: string) => void): () => void {
  const admit = (event: DragEvent): void => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    if (event.type === 'dragover') event.dataTransfer.dropEffect = 'copy'
  }
  const ends = [
    listen('dragover', admit),
    listen('drop', admit),
    runtime.EventsOn('wails:file-drop', (_x, _y, paths) => {
      const first: unknown = Array.isArray(paths) ? paths[0] : undefined
      if (typeof first === 'string' && first !== '') dropped(first)
    }),
  ]
  return () => ends.forEach((end) => end())
}

function listen<K extends keyof WindowEventMap>(type: K, listener: (event: WindowEventMap[K]) => void): () => void
function listen(type: string, listener: (event: Event) => void): () => void
function listen(type: string, listener: (event: never) => void): () => void {
  window.addEventListener(type, listener as (event: Event) => void)
  return () => window.removeEventListener(type, listener as (event: Event) => void)
}
