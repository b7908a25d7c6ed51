// What goes wrong around an open project: its folder and its files are taken
// away, replaced, linked to, named to mislead. The page stays right, and says so.

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPage } from './chromium.mjs'
import { atRate, creation, makeProject } from './project.mjs'
import { serve } from './serve.mjs'
import { test } from './test.mjs'
import { equals, until } from './wait.mjs'

/**
 * @param {import('node:test').TestContext} t
 * @param {Readonly<Record<string, string>>} files
 * @param {{ mayLog?: RegExp | undefined, links?: Record<string, string> }} [options]
 */
async function start(t, files, { mayLog = undefined, links = {} } = {}) {
  const project = makeProject(t, files)
  for (const [name, to] of Object.entries(links)) symlinkSync(to, join(project.root, name))
  const server = await serve(t, project)
  const page = await openPage(t, server.ui, { mayLog })
  await page.getByRole('treeitem').first().waitFor()
  return { project, server, page }
}

const composer = (page) => page.locator('[data-composer]')
const pane = (page, path) => page.locator(`.pane .cm-content[aria-label="${path}"]`)
const item = (page, name) => page.getByRole('treeitem', { name, exact: true })
const missing = /404|Failed to load/ // reads of a folder that is not there

async function typeAtEnd(page, text) {
  await page.locator('.pane .cm-content').click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(text)
}

test('a link and the file that it leads to are one document', async (t) => {
  const { project, page } = await start(t, { 'real.txt': 'one\n' }, { links: { 'link.txt': 'real.txt' } })
  await item(page, 'real.txt').dblclick()
  await pane(page, 'real.txt').waitFor()
  await typeAtEnd(page, 'A')
  await page.getByRole('treeitem', { name: /^link\.txt/ }).dblclick()
  await until('one tab', async () => (await page.getByRole('tab').count()) === 1)
  await typeAtEnd(page, 'B')
  await page.getByRole('treeitem', { name: /^real\.txt/ }).dblclick()
  await typeAtEnd(page, 'C')
  await equals('the pane', () => pane(page, 'real.txt').locator('.cm-line').last().textContent(), 'ABC')
  await equals('the disk', () => project.read('real.txt'), 'one\nABC')
  await page.reload()
  await equals('the pane after a reload', () => pane(page, 'real.txt').locator('.cm-line').last().textContent(), 'ABC')
})

test('names that mislead are written out, and open what they name', async (t) => {
  const names = ['constructor', '__proto__', 'a.constructor', 'gpj\u202Etxt.exe', ' blank', 'two\nlines', '%41#?.txt']
  const { project, page } = await start(t, { 'a.txt': 'a\n' })
  for (const name of names) project.write(name, 'text\n')
  await until('all are in the tree', async () => (await page.getByRole('treeitem').count()) === names.length + 1)
  const rows = await page.getByRole('treeitem').allTextContents()
  assert.ok(rows.some((r) => r.includes('gpj[U+202E]txt.exe')))
  for (let i = 0; i < rows.length; i++) {
    await page.getByRole('treeitem').nth(i).dblclick()
    await until('its tab', async () => (await page.getByRole('tab').count()) === i + 1)
    await typeAtEnd(page, 'typed')
  }
  await page.getByRole('tab', { name: 'gpj[U+202E]txt.exe' }).waitFor()
  for (const name of names) await equals(JSON.stringify(name), () => project.read(name), 'text\ntyped')
})

test('a file that is binary for a while is shown again', async (t) => {
  const { project, page } = await start(t, { 'a.txt': 'one\n' }, { mayLog: /500|Failed to load/ })
  await item(page, 'a.txt').dblclick()
  await typeAtEnd(page, 'typed')
  await until('it is recorded', () => project.read('a.txt') === 'one\ntyped')
  writeFileSync(join(project.root, 'a.txt'), Buffer.from([0, 1, 255, 0]))
  await page.getByText(/^This file is binary/).waitFor()
  project.write('a.txt', 'text again\n')
  await equals('the pane', () => pane(page, 'a.txt').locator('.cm-line').first().textContent(), 'text again')
  await page.getByText(/^This file is binary/).waitFor({ state: 'detached' })
})

test('an open file that another program renames keeps its tab, its typing and its history', async (t) => {
  const { project, page } = await start(t, { 'a.txt': 'one\n', 'b.txt': 'b\n', 'd/c.txt': 'c\n' })
  await item(page, 'b.txt').dblclick()
  await item(page, 'a.txt').dblclick()
  await typeAtEnd(page, 'typed')
  renameSync(join(project.root, 'a.txt'), join(project.root, 'd/new.txt'))
  await pane(page, 'd/new.txt').waitFor()
  await page.keyboard.type(' and more')
  await equals('the disk', () => project.read('d/new.txt'), 'one\ntyped and more')
  assert.deepEqual((await page.getByRole('tab').allTextContents()).map((text) => text.trim()), ['b.txt', 'new.txt'])
  assert.equal(await page.getByText(/no longer exists/).count(), 0)
  assert.equal(project.has('a.txt'), false)
  await page.reload()
  await equals('the pane after a reload', () => pane(page, 'd/new.txt').locator('.cm-line').last().textContent(), 'typed and more')
})

test('a folder that was moved away keeps what is typed until it is back', async (t) => {
  const { project, page } = await start(t, { 'a.txt': 'one\n' }, { mayLog: missing })
  await item(page, 'a.txt').dblclick()
  await pane(page, 'a.txt').waitFor()
  renameSync(project.root, `${project.root}.away`)
  await page.getByText('The project folder is gone.').waitFor()
  await typeAtEnd(page, 'while away')
  await composer(page).fill('add a line')
  await composer(page).press('Enter')
  await until('it says why not', async () => /the project folder was moved or deleted[^]*then send the request again/.test((await page.locator('#composer-hint').textContent()) ?? ''))
  assert.equal(await composer(page).inputValue(), 'add a line')
  assert.equal(await page.getByRole('article').count(), 0)
  renameSync(`${project.root}.away`, project.root)
  await equals('the disk', () => project.read('a.txt'), 'one\nwhile away')
  await page.getByText('The project folder is gone.').waitFor({ state: 'detached' })
})

test('a folder that was deleted and made anew is taken up when the user says so', async (t) => {
  const { project, page } = await start(t, { 'a.txt': 'one\n', 'b.txt': 'b\n' }, { mayLog: missing })
  await item(page, 'a.txt').dblclick()
  await pane(page, 'a.txt').waitFor()
  rmSync(project.root, { recursive: true })
  await page.getByText('The project folder is gone.').waitFor()
  mkdirSync(project.root)
  project.write('a.txt', 'new\n')
  project.write('c.txt', 'c\n')
  await page.getByRole('button', { name: /Another folder is in the project's place/ }).click()
  await page.getByRole('dialog', { name: 'Use this other folder?' }).getByRole('button', { name: 'Use this folder' }).click()
  await page.getByRole('treeitem', { name: /^c\.txt/ }).waitFor()
  await equals('the pane', () => pane(page, 'a.txt').locator('.cm-line').first().textContent(), 'new')
  await page.getByRole('treeitem', { name: /^b\.txt/ }).waitFor({ state: 'detached' })
  await typeAtEnd(page, 'typed')
  await equals('the disk', () => readFileSync(join(project.root, 'a.txt'), 'utf8'), 'new\ntyped')
})

test('Esc right after Enter stops the request, however soon', async (t) => {
  const { project, page } = await start(t, { 'a.txt': 'one\n' })
  const model = project.script(atRate(creation('long.txt', Array.from({ length: 2000 }, (_, i) => `line ${i}`)), 300))
  await page.getByRole('button', { name: /^Model:/ }).click()
  await page.getByLabel('Another model').fill(model)
  await page.keyboard.press('Enter')
  await composer(page).fill('write it')
  await composer(page).evaluate((box) => {
    for (const key of ['Enter', 'Escape']) box.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
  })
  await until('nothing runs, and nothing will', async () => {
    const stopped = await page.locator('[data-status="stopped"]').count()
    const draft = await composer(page).inputValue()
    return (stopped === 1 || draft === 'write it') && (await page.locator('[data-running]').count()) === 0 && !(await page.getByText('Sending…').isVisible())
  })
  assert.equal(project.has('long.txt') && project.read('long.txt').length > 2000, false)
})

test('a paste that is too large is taken out again, and typing goes on', async (t) => {
  const { project, page } = await start(t, { 'a.txt': 'one\n' })
  await item(page, 'a.txt').dblclick()
  await typeAtEnd(page, 'before')
  await until('it is recorded', () => project.read('a.txt') === 'one\nbefore')
  await page.evaluate(() => {
    const data = new DataTransfer()
    data.setData('text/plain', `${'x'.repeat(99)}\n`.repeat(200_000))
    document.querySelector('.pane .cm-content')?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  })
  await page.getByText(/could not be kept: it is more than 16 MB at once/).waitFor()
  await typeAtEnd(page, ' after')
  await equals('the disk', () => project.read('a.txt'), 'one\nbefore after')
  assert.equal(await page.getByText(/Reconnecting/).count(), 0)
})
