// Where requests are written.

import { until } from '../wait.mjs'

export class Composer {
  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.page = page
    this.field = page.locator('[data-composer]')
  }

  /** Waits until it is there. */
  ready() {
    return this.field.waitFor()
  }

  focus() {
    return this.field.focus()
  }

  isFocused() {
    return this.page.evaluate(() => document.activeElement?.matches('[data-composer]') ?? false)
  }

  /** Its text. */
  draft() {
    return this.field.inputValue()
  }

  /** Replaces its text. @param {string} text */
  fill(text) {
    return this.field.fill(text)
  }

  /** Replaces its text at once, as a paste of any size does. @param {string} text */
  paste(text) {
    return this.field.evaluate((box, all) => {
      /** @type {HTMLTextAreaElement} */ (box).value = all
      box.dispatchEvent(new Event('input', { bubbles: true }))
    }, text)
  }

  /** Types letter by letter, so that it shows completions. @param {string} text */
  type(text) {
    return this.field.pressSequentially(text)
  }

  /** @param {string} key */
  press(key) {
    return this.field.press(key)
  }

  /** Presses keys one right after the other. @param {readonly string[]} keys */
  pressAtOnce(keys) {
    return this.field.evaluate((box, all) => {
      for (const key of all) box.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    }, keys)
  }

  /** The text below the field. */
  async hint() {
    return (await this.page.locator('#composer-hint').textContent()) ?? ''
  }

  /** Sends a request. @param {string} request */
  async ask(request) {
    await this.fill(request)
    await this.press('Enter')
  }

  /** @param {string} name */
  async useModel(name) {
    await this.page.getByRole('button', { name: /^Model:/ }).click()
    await this.page.getByRole('combobox', { name: 'Model name' }).fill(name)
    await this.page.keyboard.press('Enter')
    await this.field.focus()
  }

  /** Sends a ready request. @param {string} title */
  async takeReady(title) {
    await this.page.getByRole('button', { name: 'Ready requests' }).click()
    await this.page.getByRole('menuitem', { name: title, exact: true }).click()
  }

  /** Makes the last mentioned file the only one that may change. @param {string} file */
  async only(file) {
    const begins = file.replaceAll('.', '\\.')
    await this.page.getByRole('option', { name: new RegExp(`^${begins}`) }).waitFor()
    await this.press('Enter')
    await this.page.getByRole('button', { name: `about ${file}` }).click()
    await this.page.getByRole('button', { name: new RegExp(`^only ${begins}`) }).waitFor()
  }

  /** Waits until Go has this draft, so that a page that is opened next starts with it. @param {string} draft */
  async keeps(draft) {
    await until('the draft is kept', async () => {
      await this.page.reload()
      await this.ready()
      return (await this.draft()) === draft
    })
  }
}
