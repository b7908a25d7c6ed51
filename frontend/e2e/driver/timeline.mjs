// The moments of the project.

import { until } from '../wait.mjs'

export class Timeline {
  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.page = page
    this.slider = page.getByRole('slider', { name: 'Moment' })
    this.region = page.getByRole('region', { name: 'Timeline' })
  }

  /** How many edits there are. */
  async edits() {
    return Number(await this.slider.getAttribute('aria-valuemax'))
  }

  /** After how many of them the moment is that is shown. */
  async place() {
    return Number(await this.slider.getAttribute('aria-valuenow'))
  }

  /** What the slider says of that moment. */
  async says() {
    return (await this.slider.getAttribute('aria-valuetext')) ?? ''
  }

  /** Once it has so many edits, or any. @param {number} [edits] */
  async ready(edits) {
    await this.slider.waitFor()
    await until('the timeline to be there', async () => (edits === undefined ? (await this.edits()) > 0 : (await this.edits()) === edits))
  }

  /** Whether nothing of it is cut off. */
  fits() {
    return this.region.evaluate((e) => e.scrollWidth <= e.clientWidth)
  }

  /** Whether the moment is readable above the slider. */
  namesMoment() {
    return this.region.locator('.where').evaluate((e) => e.clientWidth > 0 && e.scrollWidth <= e.clientWidth && e.getBoundingClientRect().right <= (e.parentElement?.getBoundingClientRect().right ?? 0))
  }

  async isAtNow() {
    return (await this.place()) === (await this.edits())
  }

  /** Goes so many edits back from now, by keys. @param {number} edits */
  async goBack(edits) {
    await this.slider.focus()
    await this.page.keyboard.press('End')
    for (let i = 0; i < edits; i++) await this.page.keyboard.press('ArrowLeft')
  }

  /** Chooses something of the menu of the moment that is shown. @param {string} choice */
  async menu(choice) {
    await this.page.keyboard.press('Shift+F10')
    await this.page.getByRole('menuitem', { name: choice }).click()
  }

  /** Steps without changing the file that is shown. */
  async stayInFile() {
    await this.page.getByRole('button', { name: 'Edit actions' }).click()
    await this.choice(/Stepping opens/).click()
  }

  /** One of a menu that stays chosen. @param {string | RegExp} name */
  choice(name) {
    return this.page.getByRole('menuitemcheckbox', { name }).or(this.page.getByRole('menuitemradio', { name }))
  }
}
