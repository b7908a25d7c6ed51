// Changes, shown side by side or unified, and the bar over a change in the pane, with which
// the user accepts or reverts it.

export class Diff {
  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.page = page
    this.view = page.locator('section.diff')
    this.scroller = page.locator('.diff .files')
  }

  /** Waits until it shows these changes. @param {string | RegExp} name */
  shows(name) {
    return this.page.getByRole('region', { name }).waitFor()
  }

  /** @param {string | RegExp} text */
  has(text) {
    return this.view.getByText(text).waitFor()
  }

  /** @param {'Unified' | 'Side by side'} mode */
  use(mode) {
    return this.view.locator('header').getByText(mode, { exact: true }).click()
  }

  /** The lines of the newer text. */
  lines() {
    return this.view.locator('.cm-content').last().locator('.cm-line').allTextContents()
  }

  /** The invisible characters, which are drawn as marks. */
  marks() {
    return this.view.locator('.cm-specialChar').allTextContents()
  }

  /** The number of added lines that it shows. */
  async added() {
    return Number(/\+(\d+)/.exec((await this.page.locator('.diff .sum').textContent()) ?? '')?.[1])
  }

  /** A line with these words in one of the editable texts. @param {import('playwright-core').Locator} text @param {string} words */
  lineOf(text, words) {
    return text.locator('.cm-line').filter({ hasText: words })
  }

  isFocused() {
    return this.page.evaluate(() => document.activeElement?.matches('section.diff') ?? false)
  }

  /** Waits until no file is drawn as two columns. */
  isUnified() {
    return this.page.locator('.cm-mergeView').first().waitFor({ state: 'detached' })
  }

  /** Whether it can scroll, and a change is in sight. */
  isLong() {
    return this.scroller.evaluate((e) => e.querySelector('.cm-changedLine') !== null && e.scrollHeight > e.clientHeight + 100)
  }

  scrolled() {
    return this.scroller.evaluate((e) => e.scrollTop)
  }

  /** @param {number} pixels */
  scrollTo(pixels) {
    return this.scroller.evaluate((e, to) => { e.scrollTop = to }, pixels)
  }
}

export class Review {
  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.page = page
    this.bar = page.getByRole('toolbar', { name: /to review/ })
  }

  /** Waits until the project has so many pending changes. @param {number} n */
  waiting(n) {
    return this.page.getByText(`${n} change${n === 1 ? '' : 's'} to review`).waitFor()
  }

  /** The bar over one change of the file. @param {number} n @param {number} of */
  change(n, of) {
    return this.page.getByRole('toolbar', { name: `Change ${n} of ${of} to review` })
  }

  isFocused() {
    return this.page.evaluate(() => document.activeElement?.closest('[data-review-bar]') != null)
  }
}
