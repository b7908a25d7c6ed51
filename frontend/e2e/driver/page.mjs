// The page as a user meets it: what a flow does, it does through an area of the
// page, or by what is written on things (getByRole, getByText) and by the keyboard.
//
//	page.tree        the files                      tree.mjs
//	page.pane        the live editor                pane.mjs
//	page.composer    where requests are written     composer.mjs
//	page.turn(text)  what became of one             turn.mjs
//
// How the page is made, its classes and attributes, is known here alone: a CSS
// selector in a flow that goes through the areas fails the linter.

import { Composer } from './composer.mjs'
import { Pane } from './pane.mjs'
import { Tree } from './tree.mjs'
import { Turn } from './turn.mjs'

/** @typedef {import('playwright-core').Page} Browsed */
/** @typedef {Browsed & ReturnType<typeof areas>} Page */

/** @param {Browsed} page */
function areas(page) {
  return {
    tree: new Tree(page),
    pane: new Pane(page),
    composer: new Composer(page),
    /** @param {string} request */
    turn: (request) => new Turn(page, request),
    /** What a model's answer did that ran something: nothing. */
    ran: () => page.evaluate(() => /** @type {any} */ (window)['ran']),
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
