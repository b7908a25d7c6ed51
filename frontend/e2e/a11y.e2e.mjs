// axe-core finds no violation (names, roles, contrast, order) in any main state of the
// page, in either theme.

import { assertAccessible } from './axe.mjs'
import { openPage } from './chromium.mjs'
import { atRate, creation, forever, makeProject } from './project.mjs'
import { serve } from './serve.mjs'
import { test } from './test.mjs'
import { until } from './wait.mjs'

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  test(`the page is accessible, ${colorScheme}`, async (t) => {
    const project = makeProject(t, 'config-service')
    const server = await serve(t, project)
    const page = await openPage(t, server.ui, { colorScheme, mayLog: /409 \(Conflict\)/ }) // a read that is in flight when the folder is closed
    const check = async () => assertAccessible(page)
    await page.tree.item('main.go').waitFor()
    await check() // nothing open, no conversation

    await page.tree.item('main.go').click()
    await page.getByRole('tab', { name: /main\.go/ }).waitFor()
    await check()

    const script = project.script([{ text: `I add a note.\n\n${creation('notes.md', ['# Notes', '', 'One.'])}` }])
    await ask(page, script)
    await check() // with a conversation, edits to review, a timeline

    await code(page, project, check)
    await overlays(page, check)
    await page.setViewportSize({ width: 800, height: 700 })
    await page.tree.list.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+b')
    await page.tree.list.waitFor()
    await check()
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1280, height: 800 })

    await page.getByRole('button', { name: /^Project / }).click()
    await page.getByRole('menuitem', { name: 'Close folder' }).click()
    await page.getByRole('region', { name: 'Recent folders' }).waitFor()
    await check()
  })
}

/** Checks code on tinted lines: while the model writes them, and in the selected edit. */
async function code(page, project, check) {
  const lines = ['package main', '', ...Array.from({ length: 3000 }, (_, i) => `var v${i} = "text" // a comment ${i}`)]
  await page.composer.useModel(project.script([...atRate(creation('values.go', lines), 300), forever]))
  await page.composer.ask('write values')
  const text = page.pane.content
  await page.pane.fresh.getByText(/^\/\/ a comment ([89]|\d\d+)$/).first().waitFor()
  await page.pane.still((copy) => assertAccessible(page, copy))
  await page.keyboard.press('Escape')
  await page.turns.ends('stopped')
  await page.pane.scrollTo(0) // wherever the model is by now
  await text.getByText('// a comment 3', { exact: true }).click()
  await until('the edit is looked at', () => page.pane.looksAtEdit())
  await check()
  await page.composer.focus()
}

/** Starts a turn over a separate WebSocket, as another page would. */
async function ask(page, model) {
  await page.composer.ready()
  await page.wire.ask('add a note', model)
  await page.turn('add a note').ended('completed')
  await page.getByRole('button', { name: /to review/ }).first().waitFor()
}

async function overlays(page, check) {
  const shown = async (keys, name) => {
    await page.keyboard.press(keys)
    await page.getByRole('dialog', { name }).waitFor()
    await check()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name }).waitFor({ state: 'detached' })
  }
  await shown('Control+k', 'Palette')
  await shown('Control+p', 'Palette')
  await shown('Control+Shift+f', 'Find in project')
  await shown('Control+,', 'Settings')
  await shown('F1', 'Commands and keys')
  await shown('Control+o', 'Open a folder')
  await page.getByRole('button', { name: /to review/ }).first().click()
  await page.getByText('notes.md').first().waitFor()
  await check()
  await page.keyboard.press('Escape')
}
