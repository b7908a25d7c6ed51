// The live editor: one file's text.

export class Pane {
  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.page = page
    this.content = page.locator('#pane .cm-content')
  }

  /** The lines that are drawn, as one text. */
  async text() {
    return (await this.content.locator('.cm-line').allTextContents()).join('\n')
  }

  /** @param {string} text */
  async typeAtEnd(text) {
    await this.content.click()
    await this.page.keyboard.press('Control+End')
    await this.page.keyboard.type(text)
  }
}
