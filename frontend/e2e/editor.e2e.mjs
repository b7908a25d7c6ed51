// The live pane: typing reaches the disk and every page, a model streams into
// the same lines, the pane follows it or yields, edits are reviewed one by one.

import assert from 'node:assert/strict'
import { openPage } from './chromium.mjs'
import { makeProject } from './project.mjs'
import { serve } from './serve.mjs'
import { test } from './test.mjs'
import { equals, until } from './wait.mjs'

const functions = (n) => 'package main\n\n' + Array.from({ length: n }, (_, i) => `func f${i}() int {\n\treturn ${i}\n}\n`).join('\n')

/** @param {import('node:test').TestContext} t */
async function start(t, files, options = {}) {
  const project = makeProject(t, files)
  const server = await serve(t, project)
  const page = await openPage(t, server.ui, options)
  await ready(page)
  return { project, server, page }
}

async function ready(page) {
  await page.getByRole('treeitem').first().waitFor()
}

async function open(page, path) {
  await page.keyboard.press('Control+p')
  await page.getByRole('combobox', { name: 'Go to a file' }).fill(path)
  let found = page.getByRole('option', { selected: true })
  for (const part of path.split('/')) found = found.filter({ hasText: part })
  await found.waitFor()
  await page.keyboard.press('Enter')
  await editor(page).and(page.locator(`[aria-label="${path}"]`)).waitFor()
}

const editor = (page) => page.locator('.cm-content')
const tab = (page, name) => page.getByRole('tab', { name })

/** The text as the page has it; lines that are not drawn included. */
async function text(page) {
  await page.keyboard.press('Control+a')
  return page.evaluate(() => {
    let copied = ''
    const target = document.querySelector('.cm-content')
    const take = (event) => { copied = event.clipboardData.getData('text/plain') }
    document.addEventListener('copy', take, { once: true })
    const data = new DataTransfer()
    target?.dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true }))
    document.removeEventListener('copy', take)
    return copied || data.getData('text/plain')
  })
}

/** A command on a line of its own, as another page would give it. */
async function command(page, cmd, args) {
  return page.evaluate(async (call) => {
    const socket = new WebSocket(`ws://${location.host}/ws`, ['waferpair', `token.${sessionStorage.getItem('token')}`])
    await new Promise((resolve, reject) => {
      socket.onmessage = (event) => {
        const message = JSON.parse(event.data)
        if (message.type === 'hello') socket.send(JSON.stringify(call))
        if (message.type === 'reply') message.error ? reject(new Error(message.error.message)) : resolve(null)
      }
    })
    socket.close()
  }, { ...args, id: 1, cmd })
}

async function ask(page, text, model) {
  await command(page, 'edit', { text, model, file: '', from: 0, to: 0, scope: [] })
}

/** What is written down to come back to. */
async function keptUI(page) {
  return page.evaluate(async () => {
    const socket = new WebSocket(`ws://${location.host}/ws`, ['waferpair', `token.${sessionStorage.getItem('token')}`])
    const hello = await new Promise((resolve) => { socket.onmessage = (event) => resolve(JSON.parse(event.data)) })
    socket.close()
    return hello.ui
  })
}

/** As a model writes it: a few characters every few milliseconds. */
function pieces(patch, size = 6) {
  const lines = []
  for (let i = 0; i < patch.length; i += size) lines.push({ after_ms: 6, text: patch.slice(i, i + size) })
  return lines
}

const stream = (project, patch) => project.script(pieces(patch))

test('what is typed lands on the disk, and again after the program was killed', async (t) => {
  const { project, server, page } = await start(t, { 'a.go': 'package a\n' }, { mayLog: /WebSocket|ERR_CONNECTION/ })
  await open(page, 'a.go')
  await editor(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('\n// typed')
  await until('the typing is on the disk', () => project.read('a.go').endsWith('// typed'))
  await page.keyboard.type(' and saved')
  await page.keyboard.press('Control+s')
  await until('the typing is saved', () => project.read('a.go') === 'package a\n\n// typed and saved')
  await server.process.stop('SIGKILL')
  const again = await serve(t, project)
  const other = await openPage(t, again.ui)
  await until('the tab is there again', async () => (await editor(other).innerText()).includes('typed and saved'))
})

test('two pages and a model write into the same lines and end with the same text', async (t) => {
  const { project, server, page: one } = await start(t, { 'main.go': functions(12) })
  const two = await openPage(t, server.ui)
  await ready(two)
  const pages = [one, two]
  for (const page of pages) await open(page, 'main.go')
  const added = Array.from({ length: 60 }, (_, i) => `+\tx := ${i} // the model's line ${i}`)
  const model = project.spoken() // its lines stand still while a page clicks on one
  const say = (...lines) => model.say(pieces(lines.map((line) => `${line}\n`).join('')))
  await ask(one, 'count', model.name)
  say('*** Begin Patch', '*** Update File: main.go', '@@ func f5() int {', '-\treturn 5', ...added.slice(0, 4))
  for (const page of pages) {
    await editor(page).getByText("the model's line 3").waitFor()
    await editor(page).getByText("the model's line 1").click()
  }
  say(...added.slice(4), '+\treturn 50', '*** End Patch')
  model.end()
  for (const [i, page] of pages.entries()) await page.keyboard.type(i === 0 ? '<<one was here>>' : '<<two was here>>', { delay: 25 })
  await until('the turn is recorded', () => project.read('main.go').includes('return 50'))
  await until('the typing is recorded', () => /<<one was here>>/.test(project.read('main.go')) && /<<two was here>>/.test(project.read('main.go')))
  for (const page of pages) await equals('the pages show what is on the disk', () => text(page), project.read('main.go'))
  const disk = project.read('main.go')
  for (let i = 0; i < 60; i++) assert.ok(disk.includes(`line ${i}`), `the model's line ${i} is there`)
  assert.equal(disk.match(/was here/g)?.length, 2)
})

test('a file with CRLF keeps its line ends', async (t) => {
  const { project, page } = await start(t, { 'notes.txt': 'one\r\ntwo\r\nthree\r\n' })
  await open(page, 'notes.txt')
  await editor(page).click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('End')
  await page.keyboard.type('!')
  await page.keyboard.press('Enter')
  await page.keyboard.type('new')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Home')
  await page.keyboard.press('Backspace') // joins two lines
  await page.keyboard.press('Control+s')
  await equals('the file', () => project.read('notes.txt'), 'one!\r\nnewtwo\r\nthree\r\n')
  assert.equal(await editor(page).locator('.cm-specialChar').count(), 0, 'no line end is drawn')
})

test('the pane follows the model from file to file, yields to the user and resumes', async (t) => {
  const { project, page } = await start(t, { 'a.go': functions(80), 'b.go': functions(80) })
  await open(page, 'a.go')
  const model = project.spoken() // it is never further than the test
  const say = (...lines) => model.say(pieces(lines.map((line) => `${line}\n`).join(''), 12))
  const body = (n, from, to) => Array.from({ length: to - from }, (_, i) => `+\ty := ${from + i} // ${n} ${from + i}`)
  const head = (file) => [`*** Update File: ${file}`, '@@ func f60() int {', '-\treturn 60']
  await page.getByRole('textbox', { name: /request|ask/i }).first().focus()
  await ask(page, 'write', model.name)
  say('*** Begin Patch', ...head('a.go'), ...body('first', 0, 80))

  const first = editor(page).getByText(/first \d/).last()
  await until('the model’s line is in sight', () => first.evaluate((line) => line.getBoundingClientRect().bottom <= innerHeight && line.getBoundingClientRect().top >= 0))
  await page.locator('.cm-scroller').hover()
  await page.mouse.wheel(0, -30_000)
  const pill = page.getByRole('button', { name: /Follow the model/ })
  await pill.waitFor()
  say(...body('first', 80, 160), '+\treturn 600', ...head('b.go'), ...body('second', 0, 60))
  await until('the model is in the next file', () => project.read('a.go').includes('return 600'))
  await tab(page, /a\.go/).and(page.locator('[aria-selected=true]')).waitFor()
  await until('it stays where the user scrolled', async () => (await page.locator('.cm-scroller').evaluate((e) => e.scrollTop)) < 100)
  await page.keyboard.press('Alt+f')
  await pill.waitFor({ state: 'detached' })
  const other = tab(page, /b\.go/)
  await other.and(page.locator('[aria-selected=true]')).waitFor()
  await editor(page).getByText(/second \d/).first().waitFor()
  say(...body('second', 60, 120), '+\treturn 600', '*** End Patch')
  model.end()
  await until('the turn is done', () => project.read('b.go').includes('return 600'))
  assert.match(await other.getAttribute('class') ?? '', /passing/)
  await editor(page).click() // it is used now
  await until('the tab stays', async () => !/passing/.test(await other.getAttribute('class') ?? ''))
})

test('the pane goes to where a turn was that is over before its file is read, ten times of ten', async (t) => {
  const names = Array.from({ length: 10 }, (_, i) => `part${i}.py`)
  const body = (i) => Array.from({ length: 120 }, (_, n) => `def step_${i}_${n}():\n    return ${n}\n\n`).join('\n')
  const { project, page } = await start(t, { 'first.py': 'x = 1\n', ...Object.fromEntries(names.map((name, i) => [name, body(i)])) })
  await open(page, 'first.py')
  const composer = page.getByRole('textbox', { name: /request|ask/i }).first()
  for (const [i, name] of names.entries()) {
    await composer.fill(i % 2 === 0 ? `rename step_${i}_70 to stage_${i}` : `add a doc comment to step_${i}_70`)
    await composer.press('Enter')
    await editor(page).and(page.locator(`[aria-label="${name}"]`)).waitFor()
    const changed = editor(page).locator('.cm-line', { hasText: i % 2 === 0 ? `stage_${i}` : `step_${i}_70` })
    await until(`the change of ${name} is in sight`, () => changed.evaluate((line) => {
      const [place, pane] = [line.getBoundingClientRect(), line.closest('.cm-scroller').getBoundingClientRect()]
      return place.top >= pane.top && place.bottom <= pane.bottom
    }))
    await until('the turn is over', async () => project.read(name) !== body(i) && (await page.locator('[data-running]').count()) === 0) // before that, a request is a steer
  }
})

test('with Caps Lock the keys are the same', async (t) => {
  const { project, server, page } = await start(t, { 'a.go': functions(3) })
  await open(page, 'a.go')
  const press = (key, more = {}) => page.evaluate((init) => document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })), { key, ...more })
  await press('f', { ctrlKey: true, shiftKey: true })
  const find = page.getByRole('dialog', { name: 'Find in project' })
  await find.waitFor()
  await press('C', { altKey: true })
  await find.getByRole('button', { name: 'Match case', pressed: true }).waitFor()
  await page.keyboard.press('Escape')

  await ask(page, 'double', stream(project, ['*** Begin Patch', '*** Update File: a.go', ...['1', '2'].flatMap((n) => [`@@ func f${n}() int {`, `-\treturn ${n}`, `+\treturn ${n} * 2`]), '*** End Patch', ''].join('\n')))
  await page.getByText('2 changes to review').waitFor()
  await page.keyboard.press('Control+Shift+r')
  await page.locator('section.diff').getByText('return 1 * 2').waitFor()
  await until('the diff has the focus', () => page.evaluate(() => document.activeElement?.matches('section.diff')))
  await press('N')
  await press('A') // this change; with Shift, all of the file
  await until('one edit waits', async () => (await server.read('review', { path: '' })).hunks.length === 1)
  await page.getByText('1 change to review').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('F7')
  await until('the bar has the focus', () => page.evaluate(() => document.activeElement?.matches('[data-review-bar]')))
  await press('A')
  await until('none waits', async () => (await server.read('review', { path: '' })).hunks.length === 0)
})

test('the review shows the net change: a name that was renamed twice is one, and a restore ends it', async (t) => {
  const { project, page } = await start(t, { 'a.go': functions(6), 'b.go': functions(2) })
  await open(page, 'a.go')
  const step = (n, from, to) => stream(project, ['*** Begin Patch', '*** Update File: a.go', `@@ func f${n}() int {`, `-\treturn ${from}`, `+\treturn ${to}`, '*** End Patch', ''].join('\n'))
  const ended = async (turns) => { await until('the turn is over', async () => (await page.locator('[data-status=completed]').count()) === turns) }
  await ask(page, 'first', step(2, '2', 'two'))
  await ended(1)
  await ask(page, 'second', step(2, 'two', 'second'))
  await ended(2)
  await page.getByText('1 change to review').waitFor()
  await editor(page).locator('.cm-removed').getByText('return 2').waitFor()
  await equals('the removed lines', () => editor(page).locator('.cm-removed').count(), 1) // until the review is read, what the turn removed is marked, too
  await editor(page).locator('.cm-line', { hasText: 'return second' }).click()
  await page.getByRole('toolbar', { name: 'Change 1 of 1 to review' }).getByText('2 edits').waitFor()
  await ask(page, 'third', step(4, '4', 'four'))
  await ended(3)
  await page.getByText('2 changes to review').waitFor()
  await command(page, 'restore', { at: 0 })
  await until('the file is as it was', () => project.read('a.go') === functions(6))
  await page.getByText('to review').waitFor({ state: 'detached' })
  await until('nothing is drawn as removed', async () => (await editor(page).locator('.cm-removed').count()) === 0)
})

test('edits are reviewed with n, p, accept and revert', async (t) => {
  const { project, server, page } = await start(t, { 'a.go': functions(30), 'b.go': functions(3) })
  await open(page, 'a.go')
  const hunk = (n) => [`@@ func f${n}() int {`, `-\treturn ${n}`, `+\treturn ${n} * 2`]
  const patch = ['*** Begin Patch', '*** Update File: a.go', ...hunk(2), ...hunk(14), ...hunk(25), '*** Update File: b.go', ...hunk(1), '*** End Patch', ''].join('\n')
  await ask(page, 'double', stream(project, patch))
  await page.getByText('4 changes to review').waitFor()
  await tab(page, /a\.go/).click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('F7')
  const bar = page.getByRole('toolbar', { name: /to review/ })
  await page.getByRole('toolbar', { name: 'Change 1 of 3 to review' }).waitFor()
  await editor(page).locator('.cm-removed', { hasText: 'return 2' }).first().waitFor()
  await until('the bar has the focus', () => page.evaluate(() => document.activeElement?.matches('[data-review-bar]')))
  await page.keyboard.press('n')
  await page.getByRole('toolbar', { name: 'Change 2 of 3 to review' }).waitFor()
  await page.keyboard.press('p')
  await page.getByRole('toolbar', { name: 'Change 1 of 3 to review' }).waitFor()
  await page.keyboard.press('a')
  await until('three edits wait', async () => (await server.read('review', { path: '' })).hunks.length === 3)
  await page.getByRole('toolbar', { name: 'Change 1 of 2 to review' }).waitFor()
  await page.keyboard.press('r')
  await until('it is taken back', () => project.read('a.go').includes('\treturn 14\n'))
  assert.ok(project.read('a.go').includes('return 2 * 2'))
  await page.getByRole('toolbar', { name: 'Change 1 of 1 to review' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Alt+n')
  await tab(page, /b\.go/).and(page.locator('[aria-selected=true]')).waitFor()
  await bar.waitFor()
  await bar.getByRole('button', { name: /Revert/ }).click()
  await until('it is taken back', () => project.read('b.go').includes('\treturn 1\n'))
})

test('undo takes back what was typed here, and nothing of the model', async (t) => {
  const { project, page } = await start(t, { 'a.go': functions(6) })
  await open(page, 'a.go')
  await editor(page).click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('// mine\n')
  const patch = ['*** Begin Patch', '*** Update File: a.go', '@@ func f3() int {', '-\treturn 3', '+\treturn 33', '*** End Patch', ''].join('\n')
  await ask(page, 'change', stream(project, patch))
  await until('the model’s edit is on the disk', () => project.read('a.go').includes('return 33'))
  await editor(page).click()
  for (let i = 0; i < 5; i++) await page.keyboard.press('Control+z')
  await until('only the typing is gone', () => project.read('a.go') === functions(6).replace('return 3\n', 'return 33\n'))
  for (let i = 0; i < 5; i++) await page.keyboard.press('Control+Shift+Z')
  await until('the typing is back', () => project.read('a.go').startsWith('// mine\n') && project.read('a.go').includes('return 33'))
})

/** Puts a wire between page and server that can be cut: what is on its way in either direction is lost. */
async function wire(page) {
  const line = { cut: () => {}, deaf: false, times: 0 }
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer()
    let dead = false
    line.times++
    socket.onMessage((message) => { if (!dead) server.send(message) })
    server.onMessage((message) => { if (!dead && !line.deaf) socket.send(message) })
    line.cut = () => {
      dead = true
      void socket.close()
      void server.close()
    }
  })
  return line
}

test('what is typed around lost connections arrives once', async (t) => {
  const project = makeProject(t, { 'a.txt': 'start\n' })
  const server = await serve(t, project)
  const page = await openPage(t, 'about:blank', { mayLog: /WebSocket|ERR_/ })
  const line = await wire(page)
  await page.goto(server.ui)
  await ready(page)
  await open(page, 'a.txt')
  await editor(page).click()
  await page.keyboard.press('Control+Home')
  let expected = ''
  for (let i = 0; i < 6; i++) {
    line.deaf = i % 2 === 1 // Go takes what is typed, and the page does not hear of it
    const times = line.times
    for (const word of [`on${i} `, `off${i} `]) {
      await page.keyboard.type(word)
      expected += word
      if (word.startsWith('on')) line.cut()
    }
    line.deaf = false
    await until('it is connected again', () => line.times > times)
  }
  await until('all is confirmed', async () => !(await page.getByText(/connecting|lost/i).first().isVisible()))
  await page.keyboard.press('Control+s')
  await equals('the file', () => project.read('a.txt'), `${expected}start\n`)
})

test('hidden characters are shown, and a line of a megabyte does not freeze the pane', async (t) => {
  const { project, page } = await start(t, {
    'evil.js': 'const a = "\u202e\u2066x\u2069" // \u200b\u001b[31mred\n',
    'long.js': `const s = "${'abcdefgh '.repeat(120_000)}"\nlet end = 1\n`,
  })
  await open(page, 'evil.js')
  await equals('the marks', () => editor(page).locator('.cm-specialChar').allInnerTexts(), ['U+202E', 'U+2066', 'U+2069', 'U+200B', 'ESC'])
  await open(page, 'long.js')
  await editor(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('// typed')
  await until('it is typed', async () => (await editor(page).innerText()).includes('// typed'))
  const drawn = await editor(page).evaluate((content) => content.textContent?.length ?? 0)
  assert.ok(drawn < 50_000, `${drawn} characters of the long line are drawn`)
  await until('it is saved', () => project.read('long.js').endsWith('// typed'))
})

test('finding and replacing in the file, and going to a match', async (t) => {
  const { project, page } = await start(t, { 'a.txt': 'one two\nOne two\none three\n' })
  await open(page, 'a.txt')
  await editor(page).click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Control+f')
  const field = page.getByRole('textbox', { name: 'Find', exact: true })
  await field.fill('one')
  await page.getByText('3', { exact: true }).and(page.locator('.cm-find-count')).waitFor()
  await page.getByRole('button', { name: 'Match case' }).click()
  await field.press('Enter')
  await page.getByText('1 of 2').waitFor()
  await page.getByRole('textbox', { name: 'Replace', exact: true }).fill('1')
  await page.getByRole('button', { name: 'Replace all matches' }).click()
  await until('they are replaced on the disk', () => project.read('a.txt') === '1 two\nOne two\n1 three\n')
  await field.press('Escape')
  await field.waitFor({ state: 'detached' })
})

test('tabs: middle click, order, the closed one again, and as they were after a restart', async (t) => {
  const { project, server, page } = await start(t, { 'a.txt': functions(90), 'b/x.txt': 'b\n', 'c/x.txt': 'c\n' }, { mayLog: /WebSocket|ERR_CONNECTION/ })
  for (const path of ['b/x.txt', 'c/x.txt', 'a.txt']) await open(page, path)
  const names = () => page.getByRole('tab').allInnerTexts()
  await equals('the tabs', names, ['x.txt\nb', 'x.txt\nc', 'a.txt'])
  await page.keyboard.press('Control+Shift+PageUp')
  await equals('the tabs', names, ['x.txt\nb', 'a.txt', 'x.txt\nc'])
  await tab(page, /x\.txt, c/).click({ button: 'middle' })
  await equals('the tabs', names, ['x.txt', 'a.txt'])
  await page.keyboard.press('Control+Shift+t')
  await equals('the tabs', names, ['x.txt\nb', 'a.txt', 'x.txt\nc'])
  await tab(page, /a\.txt/).click()
  await editor(page).getByText('func f40()').waitFor({ state: 'detached' })
  await page.locator('.cm-scroller').evaluate((e) => { e.scrollTop = 2400 })
  const line = editor(page).getByText('func f32()')
  await line.click()
  await page.keyboard.press('End')
  const caret = functions(90).indexOf('func f32()') + 'func f32() int {'.length
  await until('the place is kept', async () => (await keptUI(page)).tabs.some((tab) => tab.path === 'a.txt' && tab.head === caret && tab.top > 0))
  const place = await page.locator('.cm-scroller').evaluate((e) => e.scrollTop)
  await server.process.stop('SIGKILL')
  const again = await serve(t, project)
  const other = await openPage(t, again.ui)
  await equals('the tabs', () => other.getByRole('tab').allInnerTexts(), ['x.txt\nb', 'a.txt', 'x.txt\nc'])
  await until('it is scrolled as it was', async () => Math.abs(await other.locator('.cm-scroller').evaluate((e) => e.scrollTop) - place) < 2)
  await other.getByText(`Ln ${functions(90).slice(0, caret).split('\n').length}, Col 17`).waitFor()
})

test('a file that is renamed, deleted and restored while it is open', async (t) => {
  const { project, page } = await start(t, { 'old.go': 'package old\n' })
  await open(page, 'old.go')
  await editor(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('// kept')
  await page.keyboard.press('Control+s')
  await until('it is saved', () => project.read('old.go').endsWith('// kept'))
  await command(page, 'rename', { path: 'old.go', to: 'new.go' })
  await tab(page, 'new.go').and(page.locator('[aria-selected=true]')).waitFor()
  await editor(page).and(page.locator('[aria-label="new.go"]')).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(', and typed')
  await until('it is typed', () => project.has('new.go') && project.read('new.go').endsWith('// kept, and typed'))
  await command(page, 'remove', { path: 'new.go', sum: '' })
  await page.getByText('This file no longer exists.').waitFor()
  await page.getByRole('button', { name: 'Restore it' }).click()
  await until('it is there again', () => project.has('new.go') && project.read('new.go').endsWith('// kept, and typed'))
  await page.getByText('This file no longer exists.').waitFor({ state: 'detached' })
})

test('review by keys goes from file to file, and the focus is never lost', async (t) => {
  const { project, page } = await start(t, { 'a.go': functions(3), 'b.go': functions(3) })
  await open(page, 'a.go')
  const hunk = (n) => [`@@ func f${n}() int {`, `-\treturn ${n}`, `+\treturn ${n} * 2`]
  await ask(page, 'double', stream(project, ['*** Begin Patch', '*** Update File: a.go', ...hunk(1), '*** Update File: b.go', ...hunk(2), '*** End Patch', ''].join('\n')))
  await page.getByText('2 changes to review').waitFor()
  await tab(page, /a\.go/).click()
  const focused = (selector) => page.evaluate((s) => document.activeElement?.closest(s) !== null && document.activeElement !== document.body, selector)
  await page.keyboard.press('F7')
  await until('the bar has the focus', () => focused('[data-review-bar]'))
  await page.keyboard.press('a')
  await tab(page, /b\.go/).and(page.locator('[aria-selected=true]')).waitFor()
  await until('the bar of the next file has the focus', () => focused('[data-review-bar]'))
  await page.keyboard.press('r')
  await until('it is taken back', () => project.read('b.go').includes('\treturn 2\n'))
  await until('the focus is in the pane', () => focused('#pane'))
  assert.match(project.read('a.go'), /return 1 \* 2/)
  for (let i = 0; i < 2; i++) {
    await page.keyboard.press('Alt+w')
    await until('the tab is closed', async () => (await page.getByRole('tab').count()) === 1 - i)
    await until('the focus is in the pane', () => focused('#pane'))
  }
})
