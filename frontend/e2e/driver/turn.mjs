// A request and its result.

export class Turn {
  /**
   * @param {import('playwright-core').Page} page
   * @param {string} request
   */
  constructor(page, request) {
    /** Its card. */
    this.card = page.getByRole('article', { name: `Request: ${request}`, exact: true })
  }

  /** Waits until it has ended so. @param {string} status */
  ended(status) {
    return this.card.locator(`[data-status="${status}"]`).waitFor()
  }

  /** The state of its steer. */
  async receipt() {
    return (await this.card.locator('[data-state]').textContent()) ?? ''
  }

  /** One of its buttons. @param {string | RegExp} name */
  button(name) {
    return this.card.getByRole('button', { name, exact: typeof name === 'string' })
  }

  /** The requests that it offers, each with what it would do. */
  async offers() {
    const rows = await this.card.getByRole('list', { name: 'Suggested requests' }).locator('li').all()
    return Promise.all(rows.map(async (row) => `${(await row.locator('button span').textContent()) ?? ''}: ${(await row.locator('p').textContent()) ?? ''}`))
  }

  /** Its text, as one line. */
  async text() {
    return (await this.card.innerText()).replace(/\s+/g, ' ')
  }

  /** Bold words. @param {RegExp} words */
  bold(words) {
    return this.card.locator('strong', { hasText: words })
  }

  /** How many paragraphs of prose are drawn. */
  paragraphs() {
    return this.card.locator('.prose p').count()
  }

  /** How many characters and elements of it are drawn. */
  drawn() {
    return this.card.evaluate((e) => ({ characters: e.textContent?.length ?? 0, elements: e.querySelectorAll('*').length }))
  }

  /** How many of its elements could run, show or send something that a model wrote. */
  dangers() {
    return this.card.locator('script, img, iframe, style, object, form, [onclick], [onerror], [onload]').count()
  }

  /** The targets of its links. */
  links() {
    return this.card.locator('a').evaluateAll((links) => links.map((a) => a.getAttribute('href')))
  }
}

/** The conversation. */
export class Turns {
  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.page = page
    this.all = page.getByRole('article')
    this.log = page.getByRole('log')
  }

  count() {
    return this.all.count()
  }

  /** The requests, oldest first. */
  requests() {
    return this.all.evaluateAll((all) => all.map((a) => (a.getAttribute('aria-label') ?? '').replace('Request: ', '')))
  }

  /** How many ended so. @param {string} status */
  ended(status) {
    return this.page.locator(`[data-status="${status}"]`).count()
  }

  /** Waits until one of them has ended so. @param {string} status */
  ends(status) {
    return this.page.locator(`[data-status="${status}"]`).first().waitFor()
  }

  /** Waits until one of this session runs, or is paused. @param {'running' | 'paused'} [state] */
  runs(state = 'running') {
    return this.page.locator(`[data-running="${state}"]`).waitFor()
  }

  /** Waits until none of this session runs. */
  rest() {
    return this.page.locator('[data-running="running"]').waitFor({ state: 'detached' })
  }

  async isPaused() {
    return (await this.page.locator('[data-running="paused"]').count()) === 1
  }

  async isRunning() {
    return (await this.page.locator('[data-running]').count()) > 0
  }

  isAtEnd() {
    return this.log.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight < 2)
  }

  toStart() {
    return this.log.evaluate((e) => { e.scrollTop = 0 })
  }
}
