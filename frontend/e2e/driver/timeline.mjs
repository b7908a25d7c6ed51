// The project's moments.

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

  /** The number of edits before the shown moment. */
  async place() {
    return Number(await this.slider.getAttribute('aria-valuenow'))
  }

  /** The slider's text for the shown moment. */
  async says() {
    return (await this.slider.getAttribute('aria-valuetext')) ?? ''
  }

  /** Waits until it has so many edits, or some. @param {number} [edits] */
  async ready(edits) {
    await this.slider.waitFor()
    await until('the timeline to be there', async () => (edits === undefined ? (await this.edits()) > 0 : (await this.edits()) === edits))
  }

  /** Whether all of it is in sight. */
  fits() {
    return this.region.evaluate((e) => e.scrollWidth <= e.clientWidth)
  }

  /** Whether the moment's name is readable above the slider. */
  namesMoment() {
    return this.region.locator('.where').evaluate((e) => e.clientWidth > 0 && e.scrollWidth <= e.clientWidth && e.getBoundingClientRect().right <= (e.parentElement?.getBoundingClientRect().right ?? 0))
  }

  async isAtNow() {
    return (await this.place()) === (await this.edits())
  }

  /** Moves back by so many edits from now, with keys. @param {number} edits */
  async goBack(edits) {
    await this.slider.focus()
    await this.page.keyboard.press('End')
    for (let i = 0; i < edits; i++) await this.page.keyboard.press('ArrowLeft')
  }

  /** Chooses an entry of the shown moment's menu. @param {string} choice */
  async menu(choice) {
    await this.page.keyboard.press('Shift+F10')
    await this.page.getByRole('menuitem', { name: choice }).click()
  }

  /** Makes stepping keep the shown file. */
  async stayInFile() {
    await this.page.getByRole('button', { name: 'Edit actions' }).click()
    await this.choice(/Stepping opens/).click()
  }

  /** A menu entry that can be checked. @param {string | RegExp} name */
  choice(name) {
    return this.page.getByRole('menuitemcheckbox', { name }).or(this.page.getByRole('menuitemradio', { name }))
  }
}
