// Where requests are written.

export class Composer {
  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.page = page
    this.field = page.locator('[data-composer]')
  }

  /** Once it is there. */
  ready() {
    return this.field.waitFor()
  }

  /** What is written in it. */
  draft() {
    return this.field.inputValue()
  }

  /** Writes over what is in it. @param {string} text */
  fill(text) {
    return this.field.fill(text)
  }

  /** Sends a request. @param {string} request */
  async ask(request) {
    await this.fill(request)
    await this.field.press('Enter')
  }

  /** @param {string} name */
  async useModel(name) {
    await this.page.getByRole('button', { name: /^Model:/ }).click()
    await this.page.getByLabel('Another model').fill(name)
    await this.page.keyboard.press('Enter')
    await this.field.focus()
  }
}
