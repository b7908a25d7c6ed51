// What can go wrong around an open project: its folder and files disappear, are replaced,
// are links, or have misleading names. The page must stay correct, and say what happened.

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
  await page.tree.ready()
  return { project, server, page }
}

const firstLine = async (page, path) => {
  await page.pane.shows(path)
  return (await page.pane.lines())[0]
}
const lastLine = async (page, path) => {
  await page.pane.shows(path)
  return (await page.pane.lines()).at(-1)
}
const missing = /404|Failed to load/ // reads of a missing folder

test('a link and the file that it leads to are one document', async (t) => {
  const { project, page } = await start(t, { 'real.txt': 'one\n' }, { links: { 'link.txt': 'real.txt' } })
  await page.tree.open('real.txt')
  await page.pane.shows('real.txt')
  await page.pane.typeAtEnd('A')
  await page.tree.open(/^link\.txt/)
  await until('one tab', async () => (await page.tabs.count()) === 1)
  await page.pane.typeAtEnd('B')
  await page.tree.open(/^real\.txt/)
  await page.pane.typeAtEnd('C')
  await equals('the pane', () => lastLine(page, 'real.txt'), 'ABC')
  await equals('the disk', () => project.read('real.txt'), 'one\nABC')
  await page.reload()
  await equals('the pane after a reload', () => lastLine(page, 'real.txt'), 'ABC')
})

test('names that mislead are written out, and open what they name', async (t) => {
  const names = ['constructor', '__proto__', 'a.constructor', 'gpj\u202Etxt.exe', ' blank', 'two\nlines', '%41#?.txt']
  const { project, page } = await start(t, { 'a.txt': 'a\n' })
  for (const name of names) project.write(name, 'text\n')
  await until('all are in the tree', async () => (await page.tree.rows.count()) === names.length + 1)
  const rows = await page.tree.rows.allTextContents()
  assert.ok(rows.some((r) => r.includes('gpj[U+202E]txt.exe')))
  for (let i = 0; i < rows.length; i++) {
    await page.tree.rows.nth(i).dblclick()
    await until('its tab', async () => (await page.tabs.count()) === i + 1)
    await page.pane.typeAtEnd('typed')
  }
  await page.getByRole('tab', { name: 'gpj[U+202E]txt.exe' }).waitFor()
  for (const name of names) await equals(JSON.stringify(name), () => project.read(name), 'text\ntyped')
})

test('a file that is binary for a while is shown again', async (t) => {
  const { project, page } = await start(t, { 'a.txt': 'one\n' }, { mayLog: /500|Failed to load/ })
  await page.tree.open('a.txt')
  await page.pane.typeAtEnd('typed')
  await until('it is recorded', () => project.read('a.txt') === 'one\ntyped')
  writeFileSync(join(project.root, 'a.txt'), Buffer.from([0, 1, 255, 0]))
  await page.getByText(/^This file is binary/).waitFor()
  project.write('a.txt', 'text again\n')
  await equals('the pane', () => firstLine(page, 'a.txt'), 'text again')
  await page.getByText(/^This file is binary/).waitFor({ state: 'detached' })
})

test('an open file that another program renames keeps its tab, its typing and its history', async (t) => {
  const { project, page } = await start(t, { 'a.txt': 'one\n', 'b.txt': 'b\n', 'd/c.txt': 'c\n' })
  await page.tree.open('b.txt')
  await page.tree.open('a.txt')
  await page.pane.typeAtEnd('typed')
  renameSync(join(project.root, 'a.txt'), join(project.root, 'd/new.txt'))
  await page.pane.shows('d/new.txt')
  await page.keyboard.type(' and more')
  await equals('the disk', () => project.read('d/new.txt'), 'one\ntyped and more')
  assert.deepEqual((await page.tabs.all.allTextContents()).map((text) => text.trim()), ['b.txt', 'new.txt'])
  assert.equal(await page.getByText(/no longer exists/).count(), 0)
  assert.equal(project.has('a.txt'), false)
  await page.reload()
  await equals('the pane after a reload', () => lastLine(page, 'd/new.txt'), 'typed and more')
})

test('a folder that was moved away keeps what is typed until it is back', async (t) => {
  const { project, page } = await start(t, { 'a.txt': 'one\n' }, { mayLog: missing })
  await page.tree.open('a.txt')
  await page.pane.shows('a.txt')
  renameSync(project.root, `${project.root}.away`)
  await page.getByText('The project folder is gone.').waitFor()
  await page.pane.typeAtEnd('while away')
  await page.composer.ask('add a line')
  await until('it says why not', async () => /the project folder was moved or deleted[^]*then send the request again/.test(await page.composer.hint()))
  assert.equal(await page.composer.draft(), 'add a line')
  assert.equal(await page.turns.count(), 0)
  renameSync(`${project.root}.away`, project.root)
  await equals('the disk', () => project.read('a.txt'), 'one\nwhile away')
  await page.getByText('The project folder is gone.').waitFor({ state: 'detached' })
})

test('a folder that was deleted and made anew is taken up when the user says so', async (t) => {
  const { project, page } = await start(t, { 'a.txt': 'one\n', 'b.txt': 'b\n' }, { mayLog: missing })
  await page.tree.open('a.txt')
  await page.pane.shows('a.txt')
  rmSync(project.root, { recursive: true })
  await page.getByText('The project folder is gone.').waitFor()
  mkdirSync(project.root)
  project.write('a.txt', 'new\n')
  project.write('c.txt', 'c\n')
  await page.getByRole('button', { name: /Another folder is in the project's place/ }).click()
  await page.getByRole('dialog', { name: 'Use this other folder?' }).getByRole('button', { name: 'Use this folder' }).click()
  await page.tree.item(/^c\.txt/).waitFor()
  await equals('the pane', () => firstLine(page, 'a.txt'), 'new')
  await page.tree.item(/^b\.txt/).waitFor({ state: 'detached' })
  await page.pane.typeAtEnd('typed')
  await equals('the disk', () => readFileSync(join(project.root, 'a.txt'), 'utf8'), 'new\ntyped')
})

test('Esc right after Enter stops the request, however soon', async (t) => {
  const { project, page } = await start(t, { 'a.txt': 'one\n' })
  const model = project.script(atRate(creation('long.txt', Array.from({ length: 2000 }, (_, i) => `line ${i}`)), 300))
  await page.composer.useModel(model)
  await page.composer.fill('write it')
  await page.composer.pressAtOnce(['Enter', 'Escape'])
  await until('nothing runs, and nothing will', async () => {
    const stopped = await page.turns.ended('stopped')
    const draft = await page.composer.draft()
    return (stopped === 1 || draft === 'write it') && !(await page.turns.isRunning()) && !(await page.getByText('Sending…').isVisible())
  })
  assert.equal(project.has('long.txt') && project.read('long.txt').length > 2000, false)
})

test('a paste that is too large is taken out again, and typing goes on', async (t) => {
  const { project, page } = await start(t, { 'a.txt': 'one\n' })
  await page.tree.open('a.txt')
  await page.pane.typeAtEnd('before')
  await until('it is recorded', () => project.read('a.txt') === 'one\nbefore')
  await page.pane.paste(`${'x'.repeat(99)}\n`, 200_000)
  await page.getByText(/could not be kept: it is more than 16 MB at once/).waitFor()
  await page.pane.typeAtEnd(' after')
  await equals('the disk', () => project.read('a.txt'), 'one\nbefore after')
  assert.equal(await page.getByText(/Reconnecting/).count(), 0)
})
