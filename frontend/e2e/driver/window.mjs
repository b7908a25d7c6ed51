// The areas of the page in the real window, which WebDriver drives: as much of them
// as its flows need, by the same names as in a browser (page.mjs).

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
    await this.window.click('input[placeholder="script:FILE"]')
    await this.window.keys(name, enter)
  }

  /** Sends a request. @param {string} request */
  async ask(request) {
    await this.focus()
    await this.window.keys(request, enter)
  }

  /** What is written in it. @returns {Promise<string>} */
  draft() {
    return this.window.execute("return document.querySelector('[data-composer]').value")
  }
}

const enter = '\uE007'

export class WindowPane {
  /** @param {Window} window */
  constructor(window) {
    this.window = window
  }

  /** What it shows, as far as it is on the screen; line ends left out. @returns {Promise<string>} */
  text() {
    return this.window.execute("return document.querySelector('.cm-content')?.textContent ?? ''")
  }

  /** Once it shows these words. @param {string} words */
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

  /** Once one has come to this ending. @param {string} status */
  ends(status) {
    return until(`a turn is ${status}`, () => this.window.execute('return document.querySelector(`[data-status="${arguments[0]}"]`) !== null', status))
  }

  /** Whether the stream of the last one is in one of these states. @param {readonly string[]} states @returns {Promise<boolean>} */
  streamIs(...states) {
    return this.window.execute("return arguments[0].includes(document.querySelector('.window').dataset.stream)", states)
  }

  /** Takes the first one back that can be. */
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

  /** Opens a file, and puts the cursor into it. @param {string} name */
  async open(name) {
    await until(`${name} is listed`, () =>
      this.window.execute("const row = [...document.querySelectorAll('[role=treeitem]')].find((e) => e.innerText.includes(arguments[0])); row?.dispatchEvent(new MouseEvent('dblclick', { bubbles: true })); row?.click(); return Boolean(row)", name))
    await until(`${name} is shown`, () => this.window.pane.click().then(() => true, () => false)) // a click is refused while the pane is laid out
  }
}

/** The figures of speed. */
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
