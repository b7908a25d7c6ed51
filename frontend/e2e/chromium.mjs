// Debian's Chromium, driven by playwright-core: one browser for each test file, one profile
// for each page. A page's errors fail the test that opened it.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after } from 'node:test'
import { chromium } from 'playwright-core'
import { drive } from './driver/page.mjs'
import { atEnd } from './ending.mjs'
import { witness } from './test.mjs'
import { patience } from './wait.mjs'

const candidates = [process.env['WAFERPAIR_CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** @type {Promise<import('playwright-core').Browser> | undefined} */
let shared

function browser() {
  shared ??= launch()
  return shared
}

async function launch() {
  const executablePath = candidates.find((path) => path && existsSync(path))
  assert.ok(executablePath, 'Chromium is not installed: apt-get install chromium, or set WAFERPAIR_CHROMIUM')
  // Nobody looks at it: without the process that emulates a graphics card, a flow takes a
  // tenth less processor time. Chromium refuses to sandbox itself for root.
  const args = ['--disable-gpu', '--disable-software-rasterizer', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
  return chromium.launch({ executablePath, args })
}

// Registered here, it runs after the file; inside a test it would run after that test.
after(async () => (await shared)?.close())

/**
 * Opens a page. After the test it is closed, and the test fails if the page
 * threw, logged an error, or broke its content security policy.
 * @param {{ after(f: () => Promise<unknown>): void }} t
 * @param {string} url
 * @param {import('playwright-core').BrowserContextOptions & { mayLog?: RegExp }} [options] mayLog: errors that the test provokes
 * @returns {Promise<import('./driver/page.mjs').Page>}
 */
export async function openPage(t, url, options = {}) {
  const { mayLog, ...contextOptions } = options
  const context = await (await browser()).newContext({ viewport: { width: 1280, height: 800 }, ...contextOptions })
  context.setDefaultTimeout(patience)
  const page = drive(await context.newPage())
  const problems = watch(page, mayLog)
  atEnd(t, async () => {
    await context.close()
    assert.deepEqual(problems, [], 'the page had errors')
  })
  witness(t, () => page.locator('body').ariaSnapshot({ timeout: 5000 }))
  await page.goto(url)
  return page
}

// Browsers log every response other than 200. A read that is in flight when the folder is
// closed or changed gets a 409, which the page ignores.
const overtaken = /status of 409 \(Conflict\) \(http:\/\/[^/]+\/api\//

function watch(page, mayLog) {
  const problems = []
  const add = (text) => {
    if (!mayLog?.test(text) && !overtaken.test(text)) problems.push(text)
  }
  page.on('pageerror', (error) => add(`uncaught: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') add(`console: ${message.text()} (${message.location().url})`)
  })
  return problems
}
