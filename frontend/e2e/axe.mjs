// Runs axe-core on a page: WCAG 2.2 A and AA, and best practices.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Fails with every violation and its place. The debugger evaluates the script, so the
 * page's content security policy does not apply to it.
 * @param {import('playwright-core').Page} page
 * @param {string} [where] CSS selector of the part to look at
 */
export async function assertAccessible(page, where) {
  await page.evaluate(source)
  const found = await page.evaluate(async (selector) => {
    const axe = /** @type {any} */ (window)['axe']
    const result = await axe.run(selector ? { include: [selector] } : document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    })
    return result.violations.map((v) => `${v.id}: ${v.help}\n${v.nodes.map((n) => `    ${n.target.join(' ')}: ${n.failureSummary.replaceAll('\n', ' ')}`).join('\n')}`)
  }, where)
  assert.deepEqual(found, [], `not accessible:\n${found.join('\n')}`)
}
