// The live editor: one file's text, and what is drawn in it.

export class Pane {
  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.page = page
    this.content = page.locator('#pane .cm-content')
    this.scroller = page.locator('#pane .cm-scroller')
  }

  /** Waits until it shows this file, or any. @param {string} [path] */
  shows(path) {
    return (path === undefined ? this.content : this.of(path)).waitFor()
  }

  /** The text of this file, if it is shown. @param {string} path */
  of(path) {
    return this.content.and(this.page.locator(`[aria-label="${path}"]`))
  }

  focused() {
    return this.content.and(this.page.locator(':focus')).waitFor()
  }

  /** Whether the focus is somewhere in it. */
  hasFocus() {
    return this.page.evaluate(() => document.activeElement !== document.body && document.activeElement?.closest('#pane') !== null)
  }

  /** The lines that are drawn. */
  lines() {
    return this.content.locator('.cm-line').allTextContents()
  }

  /** The lines that are drawn, as one text. */
  async text() {
    return (await this.lines()).join('\n')
  }

  /** All of the text as the page has it, including lines that are not drawn. */
  async whole() {
    await this.page.keyboard.press('Control+a')
    return this.page.evaluate(() => {
      let copied = ''
      const target = document.querySelector('#pane .cm-content')
      const take = (event) => { copied = event.clipboardData.getData('text/plain') }
      document.addEventListener('copy', take, { once: true })
      const data = new DataTransfer()
      target?.dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true }))
      document.removeEventListener('copy', take)
      return copied || data.getData('text/plain')
    })
  }

  /** The line with these words. @param {string} words */
  line(words) {
    return this.content.locator('.cm-line', { hasText: words })
  }

  /** The first place with these words, once it is drawn. @param {string | RegExp} words */
  async has(words) {
    await this.content.getByText(words).first().waitFor()
  }

  /** The pane, for the mouse. */
  click() {
    return this.content.click()
  }

  /** @param {string} text */
  async typeAtEnd(text) {
    await this.content.click()
    await this.page.keyboard.press('Control+End')
    await this.page.keyboard.type(text)
  }

  /** @param {string} text */
  async typeAtStart(text) {
    await this.content.click()
    await this.page.keyboard.press('Control+Home')
    await this.page.keyboard.type(text)
  }

  /** Pastes a text that repeats a piece. @param {string} piece @param {number} times */
  paste(piece, times) {
    return this.content.evaluate((target, [what, often]) => {
      const data = new DataTransfer()
      data.setData('text/plain', what.repeat(often))
      target.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    }, /** @type {[string, number]} */ ([piece, times]))
  }

  /** How many pixels of it are above the visible part. */
  scrolled() {
    return this.scroller.evaluate((e) => e.scrollTop)
  }

  /** @param {number} pixels */
  scrollTo(pixels) {
    return this.scroller.evaluate((e, to) => { e.scrollTop = to }, pixels)
  }

  /** Whether all of a line is in sight. @param {import('playwright-core').Locator} line */
  isInSight(line) {
    return line.evaluate((line) => {
      const scroller = line.closest('.cm-scroller')
      const [place, pane] = [line.getBoundingClientRect(), /** @type {Element} */ (scroller).getBoundingClientRect()]
      return place.top >= pane.top && place.bottom <= pane.bottom
    })
  }

  /** How many characters are drawn. */
  drawn() {
    return this.content.evaluate((content) => content.textContent?.length ?? 0)
  }

  /** The invisible characters, which are drawn as marks. */
  marks() {
    return this.content.locator('.cm-specialChar').allInnerTexts()
  }

  /** The lines that are drawn as removed. */
  get removed() {
    return this.content.locator('.cm-removed')
  }

  /** The text that a model has just written. */
  get fresh() {
    return this.content.locator('.cm-fresh')
  }

  /**
   * Shows a copy of it, made while something in it is fresh, to a tool that cannot read a
   * changing text. look gets the CSS selector of the copy's lines.
   * @param {(copy: string) => Promise<void>} look
   */
  async still(look) {
    await this.page.waitForFunction(() => {
      const editor = /** @type {Element} */ (document.querySelector('.cm-editor'))
      if (editor.querySelector('.cm-fresh') === null) return false
      const still = document.createElement('div')
      still.id = 'still'
      still.style.cssText = `position: fixed; inset: 0; z-index: 100; height: ${editor.clientHeight}px`
      still.append(editor.cloneNode(true))
      document.body.append(still)
      return true
    })
    await look('#still .cm-line')
    await this.page.evaluate(() => { document.querySelector('#still')?.remove() })
  }

  /** Whether the edit at the cursor is selected, and nothing is fresh. */
  async looksAtEdit() {
    return (await this.content.locator('.cm-hunk-active').count()) > 0 && (await this.fresh.count()) === 0
  }

  /** The marks of the model's lines at the side. */
  get writtenByModel() {
    return this.page.locator('.cm-blame-run.cm-by-model')
  }

  /** Waits until the search bar shows so many matches. @param {number} n */
  found(n) {
    return this.page.getByText(String(n), { exact: true }).and(this.page.locator('.cm-find-count')).waitFor()
  }

  /** Waits until it shows this file as it was at an edit. @param {string} path @param {number} edit */
  showsMoment(path, edit) {
    return this.page.locator(`[data-shown="${edit}"][data-path="${path}"]`).waitFor()
  }
}
