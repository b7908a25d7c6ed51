// The areas of the page in the real window, which WebDriver drives: the parts that its flows
// need, with the same names as in a browser (page.mjs).

import { until } from '../wait.mjs'

/** @typedef {import('../webkit.mjs').Window} Window */

export class WindowComposer {
  /** @param {Window} window */
  constructor(window) {
    this.window = window
  }

  focus() {
    return this.window.click('[data-composer]')
  }

  /** @param {string} name */
  async useModel(name) {
    await this.window.click('button[aria-label^="Model:"]')
    await this.window.click('input[aria-label="Model name"]')
    await this.window.keys(name, enter)
  }

  /** Sends a request. @param {string} request */
  async ask(request) {
    await this.focus()
    await this.window.keys(request, enter)
  }

  /** Its text. @returns {Promise<string>} */
  draft() {
    return this.window.execute("return document.querySelector('[data-composer]').value")
  }

  /** Waits until Go has stored it as the draft. @param {string} draft */
  keeps(draft) {
    return until('the draft is kept', async () => (await this.stored()) === draft)
  }

  /** The draft with which a window would start that is opened now. @returns {Promise<string>} */
  stored() {
    return this.window.evaluate(`
      const { ws, token } = await (await fetch('/boot.json')).json()
      const socket = new WebSocket(ws, ['waferpair', 'token.' + token])
      const hello = await new Promise((resolve, reject) => {
        socket.onmessage = (event) => resolve(JSON.parse(event.data))
        socket.onerror = () => reject(new Error('no greeting'))
      })
      socket.close()
      return hello.ui?.draft ?? ''`)
  }
}

const enter = '\uE007'

export class WindowPane {
  /** @param {Window} window */
  constructor(window) {
    this.window = window
  }

  /** The text on the screen, without line ends. @returns {Promise<string>} */
  text() {
    return this.window.execute("return document.querySelector('.cm-content')?.textContent ?? ''")
  }

  /** Waits until it shows these words. @param {string} words */
  has(words) {
    return until(`the pane shows "${words}"`, async () => (await this.text()).includes(words))
  }

  click() {
    return this.window.click('.cm-content')
  }
}

export class WindowTurns {
  /** @param {Window} window */
  constructor(window) {
    this.window = window
  }

  /** @returns {Promise<number>} */
  count() {
    return this.window.execute("return document.querySelectorAll('article').length")
  }

  /** Waits until one has ended so. @param {string} status */
  ends(status) {
    return until(`a turn is ${status}`, () => this.window.execute('return document.querySelector(`[data-status="${arguments[0]}"]`) !== null', status))
  }

  /** Whether the stream of the last one is in one of these states. @param {readonly string[]} states @returns {Promise<boolean>} */
  streamIs(...states) {
    return this.window.execute("return arguments[0].includes(document.querySelector('.window').dataset.stream)", states)
  }

  /** Reverts the first one that can be reverted. */
  revert() {
    return until('a turn can be taken back', () =>
      this.window.execute("const revert = [...document.querySelectorAll('article button')].find((b) => b.innerText.trim() === 'Revert'); revert?.click(); return Boolean(revert)"))
  }
}

export class WindowTree {
  /** @param {Window} window */
  constructor(window) {
    this.window = window
  }

  /** Opens a file, and places the cursor in it. @param {string} name */
  async open(name) {
    await until(`${name} is listed`, () =>
      this.window.execute("const row = [...document.querySelectorAll('[role=treeitem]')].find((e) => e.innerText.includes(arguments[0])); row?.dispatchEvent(new MouseEvent('dblclick', { bubbles: true })); row?.click(); return Boolean(row)", name))
    await until(`${name} is shown`, () => this.window.pane.click().then(() => true, () => false)) // clicks fail while the pane is being laid out
  }
}

/** The display of speeds. */
export class WindowFigures {
  /** @param {Window} window */
  constructor(window) {
    this.window = window
  }

  open() {
    return this.window.execute("[...document.querySelectorAll('button')].find((b) => b.textContent.trim().startsWith('Speed:')).click()")
  }

  /** How many lines are drawn. @returns {Promise<number>} */
  lines() {
    return this.window.execute("return [...document.querySelectorAll('figure polyline')].filter((l) => l.getAttribute('points') !== '').length")
  }
}
