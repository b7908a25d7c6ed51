// A page that stayed open while Waferpair was replaced by another version may
// not understand it. It reloads itself, once for each version, after what was
// typed is confirmed.

import type { App } from '../app'
import type { Hello } from '../protocol'

const key = 'reloaded for'
const typingWaits = 5000 // ms

export class BuildWatch {
  private first: string | null = null

  constructor(
    private readonly memory: Pick<Storage, 'getItem' | 'setItem'>,
    private readonly reload: () => void,
  ) {}

  /** Takes a greeting's build in, and reloads the page when it is another one than before. */
  async greeted(app: App, { build }: Pick<Hello, 'build'>): Promise<void> {
    this.first ??= build
    if (build === this.first) return
    if (this.memory.getItem(key) === build) {
      app.store.dispatch({ type: 'notice', level: 'warning', text: `This page is of another version than Waferpair (${build}): reload it, or open the address that Waferpair prints.` })
      return
    }
    await Promise.race([app.docs.settled(), new Promise((resolve) => setTimeout(resolve, typingWaits))])
    this.memory.setItem(key, build)
    this.reload()
  }
}
