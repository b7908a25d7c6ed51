// The files of the project.

export class Tree {
  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.page = page
  }

  /** @param {string | RegExp} name exactly, or a pattern */
  item(name) {
    return this.page.getByRole('treeitem', { name, exact: true })
  }

  /** Opens a file to stay open. @param {string | RegExp} name */
  open(name) {
    return this.item(name).dblclick()
  }
}
