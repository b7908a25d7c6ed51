// What only the desktop window can do, and what a browser does instead.

export interface Native {
  /** Asks for a folder; null when the user cancels, or in a browser, where the page asks itself. */
  openFolder(): Promise<string | null>
  setTitle(title: string): void
  quit(): void
  /** Opens http and https addresses outside the page; anything else is ignored. */
  openExternal(url: string): void
  notify(title: string, body: string): void
  /** A folder was dropped on the window. The answer ends it. */
  onDropFolder(dropped: (path: string) => void): () => void
}

export const browser: Native = {
  openFolder: () => Promise.resolve(null),
  setTitle(title) {
    document.title = title
  },
  quit() {
    window.close()
  },
  openExternal(url) {
    if (/^https?:/.test(url)) window.open(url, '_blank', 'noopener,noreferrer')
  },
  notify(title, body) {
    if (typeof Notification === 'undefined') return
    void Notification.requestPermission().then((p) => (p === 'granted' ? new Notification(title, { body }) : null))
  },
  onDropFolder: () => () => undefined,
}
