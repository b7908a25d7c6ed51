// The page as a user meets it: what a flow does, it does through an area of the
// page, or by what is written on things (getByRole, getByText) and by the keyboard.
//
//	page.tree        the files                         files.mjs
//	page.tabs        what is open                      files.mjs
//	page.palette     going to files, running commands  palette.mjs
//	page.pane        the live editor                   pane.mjs
//	page.composer    where requests are written        composer.mjs
//	page.turn(text)  what became of one                turn.mjs
//	page.turns       all of them                       turn.mjs
//	page.timeline    the moments                       timeline.mjs
//	page.diff        changes, shown                    diff.mjs
//	page.review      the bar over a change             diff.mjs
//	page.wire        the page's own connection         wire.mjs
//
// Areas wait for what a user would see. How the page is made, its classes and
// attributes, is known here alone: a flow with a CSS selector in it fails the linter.

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
    /** The button that takes the last thing back. @returns {Promise<Locator>} */
    undo: async () => {
      const button = page.getByRole('button', { name: 'Undo' })
      await button.hover() // it stays as long as the pointer is on it
      return button
    },
    /** What an alert says, whether all of that is drawn, and where it ends on the right. @param {Locator} alert */
    banner: (alert) => alert.locator('.says').evaluate((e) => ({ text: e.textContent, whole: e.scrollWidth <= e.clientWidth, right: e.getBoundingClientRect().right })),
    /** Once the whole page has it. @param {'light' | 'dark'} theme */
    hasTheme: (theme) => page.locator(`html[data-theme=${theme}]`).waitFor(),
    isCompact: async () => (await page.locator('html[data-density=compact]').count()) === 1,
    /** How large text is, as CSS has it. */
    textSize: () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--size')),
    /** The parts of the page that F6 goes through: how many there are, and in which one the focus is. */
    regions: () => page.locator('[data-region]').count(),
    focusedRegion: () => page.evaluate(() => [...document.querySelectorAll('[data-region]')].findLastIndex((r) => r.contains(document.activeElement))),
    /** What the focused list has chosen. */
    chosen: () => page.evaluate(() => document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.textContent?.trim() ?? ''),
    /** What a model's answer did that ran something: nothing. */
    ran: () => page.evaluate(() => /** @type {any} */ (window)['ran']),
    /** A key with what a keyboard layout, or Caps Lock, makes of it. @param {string} key @param {KeyboardEventInit} [more] */
    pressAs: (key, more = {}) => page.evaluate((init) => { document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })) }, /** @type {any} */ ({ key, ...more })),
    /** Kept when the page has begun so many frames more. @param {number} n */
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
