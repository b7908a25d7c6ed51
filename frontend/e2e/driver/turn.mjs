// A request, and what became of it.

export class Turn {
  /**
   * @param {import('playwright-core').Page} page
   * @param {string} request
   */
  constructor(page, request) {
    /** What is drawn of it. */
    this.card = page.getByRole('article', { name: `Request: ${request}`, exact: true })
  }

  /** Once it has come to this ending. @param {string} status */
  ended(status) {
    return this.card.locator(`[data-status="${status}"]`).waitFor()
  }

  /** How many paragraphs of prose are drawn. */
  paragraphs() {
    return this.card.locator('.prose p').count()
  }

  /** How much of it is drawn. */
  drawn() {
    return this.card.evaluate((e) => ({ characters: e.textContent?.length ?? 0, elements: e.querySelectorAll('*').length }))
  }

  /** How many elements it has that could run, show or send something of a model's making. */
  dangers() {
    return this.card.locator('script, img, iframe, style, object, form, [onclick], [onerror], [onload]').count()
  }

  /** Where its links lead. */
  links() {
    return this.card.locator('a').evaluateAll((links) => links.map((a) => a.getAttribute('href')))
  }
}
