// Every main state of the page, in both themes, has nothing that axe-core
// finds: names, roles, contrast, order.

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
    const page = await openPage(t, server.ui, { colorScheme, mayLog: /409 \(Conflict\)/ }) // a read that is on its way when the folder is closed
    const check = async () => assertAccessible(page)
    await page.getByRole('treeitem', { name: 'main.go' }).waitFor()
    await check() // nothing open, no conversation

    await page.getByRole('treeitem', { name: 'main.go' }).click()
    await page.getByRole('tab', { name: /main\.go/ }).waitFor()
    await check()

    const script = project.script([{ text: `I add a note.\n\n${creation('notes.md', ['# Notes', '', 'One.'])}` }])
    await ask(page, script)
    await check() // with a conversation, edits to review, a timeline

    await code(page, project, check)
    await overlays(page, check)
    await page.setViewportSize({ width: 800, height: 700 })
    await page.getByRole('tree').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+b')
    await page.getByRole('tree').waitFor()
    await check()
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1280, height: 800 })

    await page.getByRole('button', { name: /^Project / }).click()
    await page.getByRole('menuitem', { name: 'Close folder' }).click()
    await page.getByRole('region', { name: 'Recent folders' }).waitFor()
    await check()
  })
}

/** Code on tints: while the model writes it, and in the edit that is looked at. */
async function code(page, project, check) {
  const lines = ['package main', '', ...Array.from({ length: 3000 }, (_, i) => `var v${i} = "text" // a comment ${i}`)]
  await page.getByRole('button', { name: /^Model:/ }).click()
  await page.getByLabel('Another model').fill(project.script([...atRate(creation('values.go', lines), 300), forever]))
  await page.keyboard.press('Enter')
  await page.locator('[data-composer]').fill('write values')
  await page.locator('[data-composer]').press('Enter')
  const text = page.locator('.cm-content')
  await text.locator('.cm-fresh').getByText(/^\/\/ a comment ([89]|\d\d+)$/).first().waitFor()
  await checkStill(page)
  await page.keyboard.press('Escape')
  await page.locator('[data-status="stopped"]').waitFor()
  await page.locator('.cm-scroller').evaluate((e) => { e.scrollTop = 0 }) // however far the model came
  await text.getByText('// a comment 3', { exact: true }).click()
  await until('the edit is looked at', async () => (await text.locator('.cm-hunk-active').count()) > 0 && (await text.locator('.cm-fresh').count()) === 0)
  await check()
  await page.locator('[data-composer]').focus()
}

/** Looks at a copy of the editor's text, made while something in it is fresh: axe-core loses its way in one that changes. */
async function checkStill(page) {
  await page.waitForFunction(() => {
    const editor = /** @type {Element} */ (document.querySelector('.cm-editor'))
    if (editor.querySelector('.cm-fresh') === null) return false
    const still = document.createElement('div')
    still.id = 'still'
    still.style.cssText = `position: fixed; inset: 0; z-index: 100; height: ${editor.clientHeight}px`
    still.append(editor.cloneNode(true))
    document.body.append(still)
    return true
  })
  await assertAccessible(page, '#still .cm-line')
  await page.evaluate(() => { document.querySelector('#still')?.remove() })
}

/** Makes a turn through the server's own line, as another page would. */
async function ask(page, model) {
  await page.getByRole('textbox', { name: /request|ask/i }).first().waitFor()
  await page.evaluate(async (m) => {
    const token = sessionStorage.getItem('token')
    const socket = new WebSocket(`ws://${location.host}/ws`, ['waferpair', `token.${token}`])
    await new Promise((resolve, reject) => {
      socket.onmessage = (event) => {
        const message = JSON.parse(event.data)
        if (message.type === 'hello') socket.send(JSON.stringify({ id: 1, cmd: 'edit', text: 'add a note', model: m, file: '', from: 0, to: 0, scope: [] }))
        if (message.type === 'frame') socket.send(JSON.stringify({ ack: message.seq }))
        if (message.type === 'reply' && message.error) reject(new Error(message.error.message))
        if (message.turn?.live.state === 'ended') resolve(null)
      }
    })
    socket.close()
  }, model)
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
