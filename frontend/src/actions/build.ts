// A page that stayed open while Waferpair was replaced by another version may not understand
// it. The page reloads itself, once for each version, when Go has everything that was typed;
// if Go cannot take it, the user decides.

import type { App } from '../app'
import type { Hello } from '../protocol'

const key = 'reloaded for'
const leavingTakes = 5000 // ms at most, for Go to receive what the page has

export class BuildWatch {
  private first: string | null = null

  constructor(
    private readonly memory: Pick<Storage, 'getItem' | 'setItem'>,
    private readonly reload: () => void,
    private readonly leave: () => Promise<void>, // sends what Go does not have yet
  ) {}

  /** Notes the build of a hello, and reloads the page when it is another one than before. */
  async greeted(app: App, { build }: Pick<Hello, 'build'>): Promise<void> {
    this.first ??= build
    if (build === this.first) return
    if (this.memory.getItem(key) === build) {
      this.offer(app, `This page is of another version than Waferpair (${build}): reload it, or open the address that Waferpair prints.`)
      return
    }
    if (!(await this.left())) {
      this.offer(app, `Waferpair is another version now (${build}), and does not take what you typed here last. Copy that, then reload the page.`)
      return
    }
    this.memory.setItem(key, build)
    this.reload()
  }

  private offer(app: App, text: string): void {
    app.store.dispatch({ type: 'notice', level: 'warning', text, action: { label: 'Reload', run: this.reload } })
  }

  private async left(): Promise<boolean> {
    const all = this.leave().then(() => true, () => false)
    const late = new Promise<false>((resolve) => setTimeout(() => { resolve(false) }, leavingTakes))
    return Promise.race([all, late])
  }
}
