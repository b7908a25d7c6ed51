// The window around the editor: the tree, the palette, search, panels and settings, files,
// folders that come and go, and the connection.

import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { assertAccessible } from './axe.mjs'
import { openPage } from './chromium.mjs'
import { makeProject } from './project.mjs'
import { serve } from './serve.mjs'
import { test } from './test.mjs'
import { until } from './wait.mjs'

const files = {
  'main.go': 'package main\n\nfunc main() {\n\tserve()\n}\n',
  'server.go': 'package main\n\n// serve answers requests.\nfunc serve() {}\n',
  'store/store.go': 'package store\n\n// Store keeps things.\ntype Store struct{}\n',
  'store/cache/cache.go': 'package cache\n',
  '.gitignore': 'out/\n',
  'out/log.txt': 'ignored\n',
}

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} [more]
 * @param {RegExp} [mayLog]
 */
async function start(t, more = {}, mayLog = undefined) {
  const project = makeProject(t, { ...files, ...more })
  const server = await serve(t, project)
  const page = await openPage(t, server.ui, { mayLog })
  await page.tree.item('main.go').waitFor()
  return { project, server, page }
}

test('the tree is walked by the keyboard alone', async (t) => {
  const { page, project } = await start(t)
  await page.tree.list.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('s') // the next name that begins with it
  await until('the letter goes to a name', async () => /^s(erver|tore)/.test(await page.chosen()))
  await page.keyboard.press('Home')
  while (!(await page.chosen()).startsWith('store')) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await page.tree.item('store.go').waitFor()
  await page.keyboard.press('ArrowRight')
  await until('the first child', async () => (await page.chosen()) === 'cache')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.tabs.showsLike(/store\.go/)
  await page.tree.list.focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await page.tree.item('store.go').waitFor({ state: 'detached' })
  project.write('made-outside.txt', 'by another program')
  await page.tree.item(/^made-outside/).waitFor()
  assert.equal(await page.chosen(), 'store', 'the tree lost its place')
  assert.match((await page.tree.item(/^out/).getAttribute('aria-label')) ?? '', /ignored/)
})

test('the palette goes to files, symbols and lines, and runs commands', async (t) => {
  const { page } = await start(t)
  await page.keyboard.press('Control+p')
  await page.keyboard.type('cach')
  await page.keyboard.press('Enter') // before the list has results
  await page.tabs.showsLike(/cache\.go/)

  await page.keyboard.press('Control+p')
  await page.keyboard.type('@Store')
  await page.palette.dialog.getByRole('option', { name: /Store/ }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.tabs.showsLike(/store\.go/)

  await page.keyboard.press('Control+p')
  await page.keyboard.type('main.go')
  await page.keyboard.press('Enter')
  await page.tabs.showsLike(/main\.go/)
  await page.keyboard.press('Control+g')
  await page.keyboard.type('4:2')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Ln 4, Col 2' }).waitFor()

  await page.keyboard.press('Control+k')
  for (const group of ['Request', 'Go', 'File', 'Project', 'View', 'Help']) await page.palette.dialog.getByText(group, { exact: true }).first().waitFor()
  await page.keyboard.type('theme dark')
  await until('the best match is first', async () => /Theme: dark/.test(await page.chosen()))
  await page.keyboard.press('Enter')
  await page.hasTheme('dark')
  await page.palette.dialog.waitFor({ state: 'detached' })
})

test('found text is opened at its place, unsaved typing included', async (t) => {
  const { page } = await start(t)
  await page.keyboard.press('Control+Shift+f')
  const find = page.getByRole('dialog', { name: 'Find in project' })
  await page.keyboard.type('serve')
  await find.getByText(/matches in 2 files/).waitFor()
  await find.getByRole('button', { name: 'Whole words' }).click()
  await find.getByLabel('Only in these files').fill('server.go')
  await find.getByText('2 matches in 1 file').waitFor()
  await find.getByLabel('Text to find').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.tabs.showsLike(/server\.go/)
  await page.getByRole('button', { name: /Ln 4, Col .*5 selected/ }).waitFor()
})

test('panels and settings are as they were left', async (t) => {
  const { page } = await start(t)
  await page.keyboard.press('Control+j')
  await page.timeline.region.waitFor({ state: 'detached' })
  const edge = page.getByRole('separator', { name: 'Width of the file tree' })
  await edge.focus()
  for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowRight')
  const width = await edge.getAttribute('aria-valuenow')
  assert.equal(width, '288')
  await page.tree.item('store').click()
  await page.tree.item('store.go').waitFor()
  await page.keyboard.press('Control+,')
  await page.getByText('Compact', { exact: true }).click()
  await page.getByRole('button', { name: 'Larger text' }).click()
  await page.keyboard.press('Escape')
  await until('the server has it', async () => {
    const hello = await page.wire.hello()
    return hello.ui?.panels.tree === 288 && hello.prefs?.fontSize === 14
  })

  await page.reload()
  await page.tree.item('store.go').waitFor()
  assert.equal(await edge.getAttribute('aria-valuenow'), '288')
  assert.equal(await page.timeline.region.count(), 0)
  assert.equal(await page.isCompact(), true)
  assert.equal(await page.textSize(), '14px')
  await edge.dblclick()
  await until('a double click gives the usual width', async () => (await edge.getAttribute('aria-valuenow')) === '240')
  await page.keyboard.press('Control+0')
  await page.setViewportSize({ width: 800, height: 700 })
  await page.tree.list.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+b')
  await page.tree.list.waitFor()
  await page.keyboard.press('Escape')
  await page.tree.list.waitFor({ state: 'detached' })
})

test('a file is made, renamed in its place, deleted, and brought back', async (t) => {
  const { page, project } = await start(t)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('new file')
  await page.keyboard.press('Enter')
  const ask = page.getByRole('dialog', { name: 'New file' })
  await ask.getByRole('textbox').fill('notes/todo.md')
  await page.keyboard.press('Enter')
  await until('it is on the disk', () => project.has('notes/todo.md'))
  await page.tabs.showsLike(/todo\.md/)
  await page.pane.focused()
  await page.keyboard.type('buy milk')
  await until('what was typed is on the disk', () => project.read('notes/todo.md').includes('buy milk'))

  await page.tree.item('notes').click()
  await page.tree.item(/^todo\.md/).click()
  await page.tree.list.focus()
  await page.keyboard.press('F2')
  await page.getByLabel('New name of todo.md').fill('done.md')
  await page.keyboard.press('Enter')
  await until('it has its new name on the disk', () => project.has('notes/done.md') && !project.has('notes/todo.md'))
  await page.tree.item(/^done\.md/).waitFor()
  await page.tabs.showsLike(/done\.md/)

  await page.tree.menu(/^done\.md/, /Delete/)
  await page.getByRole('dialog', { name: 'Delete done.md?' }).getByRole('button', { name: 'Delete' }).click()
  const undo = await page.undo()
  await until('it is gone from the disk', () => !project.has('notes/done.md'))
  await undo.click()
  await until('it is back', () => project.has('notes/done.md') && project.read('notes/done.md').includes('buy milk'))
})

test('a folder is deleted after what cannot be brought back is named', async (t) => {
  const { page, project } = await start(t, {}, /400 \(Bad Request\)/) // the repository is refused
  project.write('lib/a.txt', 'a\n')
  project.write('lib/deep/logo.bin', '\0\u0001')
  project.write('lib/.env', 'KEY=1\n')
  await page.tree.menu(/^lib/, /Delete/)
  const ask = page.getByRole('dialog', { name: 'Delete lib?' })
  await ask.getByText('The history keeps the other file. These 2 files cannot be restored:').waitFor()
  const lines = await ask.getByRole('listitem').allTextContents()
  assert.deepEqual(lines.map((line) => line.split(':')[0]), ['lib/.env', 'lib/deep/logo.bin'])
  project.write('lib/.env', 'KEY=2, which was not shown\n')
  await ask.getByRole('button', { name: 'Delete' }).click()
  await page.getByText(/check them again, then delete/).first().waitFor()
  assert.equal(project.has('lib/a.txt') && project.has('lib/deep/logo.bin'), true)
  await page.tree.menu(/^lib/, /Delete/)
  await ask.getByRole('button', { name: 'Delete' }).click()
  await until('it is gone from the disk', () => !project.has('lib'))
  project.write('repo/.git/config', '[core]\n')
  await page.tree.menu(/^repo/, /Delete/)
  await page.getByText(/a git repository is there/).first().waitFor()
  assert.equal(project.has('repo/.git/config'), true)
})

test('a key moves on, and leaving gives the focus back', async (t) => {
  const { page } = await start(t)
  await page.tree.item('main.go').click()
  await page.tabs.showsLike(/main\.go/)
  await page.tree.list.focus()
  await page.keyboard.press('Control+k')
  await page.palette.dialog.waitFor()
  await page.keyboard.press('Escape')
  await page.palette.dialog.waitFor({ state: 'detached' })
  await until('the tree has the focus again', () => page.tree.isFocused())
  const regions = new Set()
  for (let n = 0; n < 8; n++) {
    await page.keyboard.press('F6')
    regions.add(await page.focusedRegion())
  }
  assert.equal(regions.size, await page.regions())

  await page.tree.item('server.go').click({ button: 'right' })
  await page.keyboard.type('show')
  await page.keyboard.press('Enter')
  await page.tabs.showsLike(/server\.go/)
  await page.getByRole('button', { name: 'Filter edits' }).click()
  await page.getByRole('menuitemradio', { name: 'Only server.go', checked: true }).waitFor()
})

test('the filter finds one of many files at every key', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`data/part${i % 30}/record_${i}.json`, '{}\n']))
  const { page } = await start(t, many)
  await page.keyboard.press('Control+Shift+e')
  await page.keyboard.type('rec2999')
  const list = page.getByRole('listbox', { name: 'Matching files' })
  await page.keyboard.press('Enter')
  await list.getByRole('option', { name: /record_2999\.json/ }).waitFor()
  await page.tabs.showsLike(/record_2999/)
  await page.keyboard.press('Control+Shift+e')
  await page.keyboard.press('Escape')
  await page.tree.item('main.go').waitFor()
})

test('a folder is chosen in the page, and is in the list of recent ones', async (t) => {
  const { page, project } = await start(t)
  await page.keyboard.press('Control+o')
  const dialog = page.getByRole('dialog', { name: 'Open a folder' })
  await dialog.getByRole('combobox').fill(`${project.root}/sto`)
  await dialog.getByRole('option', { name: 'store' }).waitFor()
  await page.keyboard.press('Tab')
  await until('the path is completed', async () => (await dialog.getByRole('combobox').inputValue()) === `${project.root}/store/`)
  await page.keyboard.press('Control+Enter')
  await page.getByRole('button', { name: 'Project store' }).click()
  await page.getByRole('menuitem', { name: /^shop/ }).click()
  await page.getByRole('button', { name: 'Project shop' }).click()
  await page.getByRole('menuitem', { name: 'Close folder' }).click()
  const recent = page.getByRole('region', { name: 'Recent folders' })
  await recent.getByRole('button', { name: 'Remove store from the list' }).click()
  await until('it is off the list', async () => (await recent.getByRole('listitem').count()) === 1)
  await recent.getByRole('button', { name: /^shop/ }).click()
  await page.tree.item('main.go').waitFor()
})

test('a lost connection is told, and everything goes on after it', async (t) => {
  const project = makeProject(t, files)
  const server = await serve(t, project)
  const page = await openPage(t, 'about:blank', { mayLog: /WebSocket|Failed to load resource/ })
  let cut = () => {}
  let down = false
  await page.routeWebSocket(/\/ws$/, (socket) => {
    if (down) {
      void socket.close()
      return
    }
    const real = socket.connectToServer()
    cut = () => {
      void socket.close()
      void real.close()
    }
  })
  await page.goto(server.ui)
  await page.tree.item('main.go').click()
  await page.tabs.showsLike(/main\.go/)
  down = true
  cut()
  await page.getByText(/Reconnecting/).waitFor()
  await page.pane.typeAtStart('// typed while it was away\n')
  assert.ok(!project.read('main.go').includes('typed'))
  down = false
  await page.getByText(/Reconnecting/).waitFor({ state: 'detached' })
  await until('it is on the disk', () => project.read('main.go').startsWith('// typed while it was away\n'))
})

test('while nothing can be recorded, a banner says so in full, and what is not kept is told no second time', async (t) => {
  const project = makeProject(t, files)
  const server = await serve(t, project)
  const page = await openPage(t, 'about:blank')
  await page.setViewportSize({ width: 900, height: 600 })
  let tell = (_says) => {}
  let refuse = false
  let kept = 0
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const real = socket.connectToServer()
    let seq = 0
    real.onMessage((message) => {
      seq = JSON.parse(String(message)).seq ?? seq
      socket.send(message)
    })
    tell = (says) => { socket.send(JSON.stringify({ type: 'frame', seq, unrecorded: says })) }
    socket.onMessage((message) => {
      const { cmd, id } = JSON.parse(String(message))
      if (cmd === 'setUI') kept++
      if (cmd === 'setUI' && refuse) socket.send(JSON.stringify({ type: 'reply', re: id, error: { code: 'failed', message: 'it could not be written to the history' } }))
      else real.send(message)
    })
  })
  await page.goto(server.ui)
  await page.tree.item('main.go').click()
  await page.pane.shows()
  const path = `/home/somebody/${'state/'.repeat(30)}shop.unrecorded`
  const before = kept
  refuse = true
  await page.tree.item('server.go').click()
  await until('the tabs were to be kept', () => kept > before)
  tell(`What you type cannot be recorded now. It is kept in ${path}, and is recorded when this is over: the disk is full.`)
  const banner = page.getByRole('alert').filter({ hasText: 'cannot be recorded' })
  await banner.waitFor()
  const seen = await page.banner(banner)
  assert.ok(seen.text?.endsWith('the disk is full.') && seen.whole && seen.right <= 900, JSON.stringify(seen))
  await assertAccessible(page)
  await until('the tabs were to be kept again', () => kept > before + 1)
  await page.pane.click()
  await page.keyboard.type('// typed meanwhile\n')
  await until('typing went on', () => project.read('server.go').includes('// typed meanwhile'))
  assert.equal(await page.getByText(/Keep the tabs/).count(), 0)
  refuse = false
  const refused = kept
  tell('')
  await banner.waitFor({ state: 'detached' })
  await until('the tabs are kept', () => kept > refused)
})

test('a page of another version reloads itself once', async (t) => {
  const project = makeProject(t, files)
  const server = await serve(t, project)
  const page = await openPage(t, 'about:blank', { mayLog: /WebSocket/ })
  let connections = 0
  let cut = () => {}
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const real = socket.connectToServer()
    const another = ++connections > 1
    cut = () => void socket.close()
    real.onMessage((message) => socket.send(another ? String(message).replace(/^(\{"type":"hello","build":")[^"]*/, '$1another') : message))
  })
  await page.goto(server.ui)
  await page.tree.item('main.go').waitFor()
  const reloaded = page.waitForEvent('load')
  cut()
  await reloaded
  await page.tree.item('main.go').waitFor()
  assert.equal(connections, 3) // the first, the one of another version, the one after the reload
})

test('a project folder that disappears and comes back', async (t) => {
  const { page, project } = await start(t)
  await page.tree.item('main.go').click()
  await page.pane.shows()
  renameSync(project.root, `${project.root}-away`)
  await page.getByText(/The project folder is gone/).waitFor()
  renameSync(`${project.root}-away`, project.root)
  await page.getByText(/The project folder is gone/).waitFor({ state: 'detached' })
  await page.pane.typeAtEnd('// back')
  await until('typing is saved again', () => project.read('main.go').includes('// back'))
})

test('a page without the right token says what to do', async (t) => {
  const project = makeProject(t, files)
  const server = await serve(t, project)
  const wrong = await openPage(t, `${server.origin}/#token=wrong`, { mayLog: /401|WebSocket/ })
  await wrong.getByRole('heading', { name: 'Cannot reach Waferpair' }).waitFor()
  await wrong.getByText(/token/).first().waitFor()
  const missing = await openPage(t, server.origin)
  await missing.getByText(/needs its token/).waitFor()
})
