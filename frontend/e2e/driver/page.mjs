// The page as a user sees it. A flow uses the areas of the page, the texts on it (getByRole,
// getByText) and the keyboard.
//
//	page.tree        the files                         files.mjs
//	page.tabs        the open files                    files.mjs
//	page.palette     opening files, running commands   palette.mjs
//	page.pane        the live editor                   pane.mjs
//	page.composer    the field for requests            composer.mjs
//	page.turn(text)  a request and its result          turn.mjs
//	page.turns       all of them                       turn.mjs
//	page.timeline    the moments                       timeline.mjs
//	page.diff        shown changes                     diff.mjs
//	page.review      the bar over a change             diff.mjs
//	page.wire        the page's own connection         wire.mjs
//
// Areas wait for what a user would see. Only they know the page's classes and attributes: the
// linter refuses a flow with a CSS selector.

import { Composer } from './composer.mjs'
import { Diff, Review } from './diff.mjs'
import { Tabs, Tree } from './files.mjs'
import { Palette } from './palette.mjs'
import { Pane } from './pane.mjs'
import { Timeline } from './timeline.mjs'
import { Turn, Turns } from './turn.mjs'
import { Wire } from './wire.mjs'

/** @typedef {import('playwright-core').Page} Browsed */
/** @typedef {import('playwright-core').Locator} Locator */
/** @typedef {Browsed & ReturnType<typeof areas>} Page */

/** @param {Browsed} page */
function areas(page) {
  return {
    tree: new Tree(page),
    tabs: new Tabs(page),
    palette: new Palette(page),
    pane: new Pane(page),
    composer: new Composer(page),
    turns: new Turns(page),
    timeline: new Timeline(page),
    diff: new Diff(page),
    review: new Review(page),
    wire: new Wire(page),
    /** @param {string} request */
    turn: (request) => new Turn(page, request),
    /** The undo button of the last action. @returns {Promise<Locator>} */
    undo: async () => {
      const button = page.getByRole('button', { name: 'Undo' })
      await button.hover() // it stays as long as the pointer is on it
      return button
    },
    /** An alert's text, whether all of it is drawn, and its right edge. @param {Locator} alert */
    banner: (alert) => alert.locator('.says').evaluate((e) => ({ text: e.textContent, whole: e.scrollWidth <= e.clientWidth, right: e.getBoundingClientRect().right })),
    /** Waits until the whole page has this theme. @param {'light' | 'dark'} theme */
    hasTheme: (theme) => page.locator(`html[data-theme=${theme}]`).waitFor(),
    isCompact: async () => (await page.locator('html[data-density=compact]').count()) === 1,
    /** The size of text, as in CSS. */
    textSize: () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--size')),
    /** The number of parts of the page through which F6 moves the focus, and the focused one. */
    regions: () => page.locator('[data-region]').count(),
    focusedRegion: () => page.evaluate(() => [...document.querySelectorAll('[data-region]')].findLastIndex((r) => r.contains(document.activeElement))),
    /** The selected entry of the focused list. */
    chosen: () => page.evaluate(() => document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.textContent?.trim() ?? ''),
    /** What a model's answer has run; it must be nothing. */
    ran: () => page.evaluate(() => /** @type {any} */ (window)['ran']),
    /** Presses a key as a keyboard layout, or Caps Lock, changes it. @param {string} key @param {KeyboardEventInit} [more] */
    pressAs: (key, more = {}) => page.evaluate((init) => { document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })) }, /** @type {any} */ ({ key, ...more })),
    /** Resolves after so many more frames of the page. @param {number} n */
    frames: (n) => page.evaluate(async (count) => { for (let i = 0; i < count; i++) await new Promise(requestAnimationFrame) }, n),
  }
}

/**
 * The areas, added to a browser's page.
 * @param {Browsed} page
 * @returns {Page}
 */
export function drive(page) {
  return Object.assign(page, areas(page))
}
