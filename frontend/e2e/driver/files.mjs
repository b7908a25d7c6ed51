// The project's files, and the open ones.

import { until } from '../wait.mjs'

export class Tree {
  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.rows = page.getByRole('treeitem')
    this.list = page.getByRole('tree')
  }

  /** Waits until the first file is there. */
  ready() {
    return this.rows.first().waitFor()
  }

  /** @param {string | RegExp} name the whole name, or a pattern */
  item(name) {
    return this.list.page().getByRole('treeitem', { name, exact: true })
  }

  /** Opens a file in a permanent tab. @param {string | RegExp} name */
  open(name) {
    return this.item(name).dblclick()
  }

  /** Chooses an entry of a file's or folder's menu. @param {string | RegExp} name @param {string | RegExp} choice */
  async menu(name, choice) {
    await this.item(name).click({ button: 'right' })
    await this.list.page().getByRole('menuitem', { name: choice }).click()
  }

  isFocused() {
    return this.list.page().evaluate(() => document.activeElement?.getAttribute('role') === 'tree')
  }
}

export class Tabs {
  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.page = page
    this.all = page.getByRole('tab')
  }

  count() {
    return this.all.count()
  }

  /** Their names, with the folder if two files have the same name. */
  names() {
    return this.all.allInnerTexts()
  }

  /** @param {string | RegExp} name */
  tab(name) {
    return this.page.getByRole('tab', { name })
  }

  /** Waits until this one is shown. @param {string | RegExp} name */
  shows(name) {
    return this.tab(name).and(this.page.locator('[aria-selected=true]')).waitFor()
  }

  /** Waits until the shown file has such a name. @param {RegExp} name */
  async showsLike(name) {
    await until(`the file ${name.source} is shown`, async () => name.test((await this.page.getByRole('tab', { selected: true }).textContent()) ?? ''))
  }

  /** Whether it was opened only to follow the model, and closes if nobody uses it. @param {string | RegExp} name */
  async isPassing(name) {
    return /passing/.test((await this.tab(name).getAttribute('class')) ?? '')
  }
}
