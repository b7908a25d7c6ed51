// Opens files and runs commands.

export class Palette {
  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.page = page
    this.dialog = page.getByRole('dialog', { name: 'Palette' })
  }

  /** Opens a file, and waits for its text. @param {string} path */
  async open(path) {
    await this.page.keyboard.press('Control+p')
    await this.page.getByRole('combobox', { name: 'Go to a file' }).fill(path)
    let found = this.page.getByRole('option', { selected: true })
    for (const part of path.split('/')) found = found.filter({ hasText: part })
    await found.waitFor()
    await this.page.keyboard.press('Enter')
    await this.page.locator(`.cm-content[aria-label="${path}"]`).waitFor()
  }

  /** Runs a command. @param {string} title */
  async run(title) {
    await this.page.keyboard.press('Control+k')
    await this.page.getByRole('combobox', { name: 'Run a command' }).fill(title)
    await this.page.getByRole('option', { selected: true }).filter({ hasText: title }).waitFor()
    await this.page.keyboard.press('Enter')
  }
}
