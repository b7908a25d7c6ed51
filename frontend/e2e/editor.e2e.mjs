// The live pane: typing reaches the disk and every page, a model streams into the same
// lines, the pane follows it or leaves the view to the user, edits are reviewed one by one.

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
  await page.tree.ready()
  return { project, server, page }
}

/** Like a model: a few characters every few milliseconds. */
function pieces(patch, size = 6) {
  const lines = []
  for (let i = 0; i < patch.length; i += size) lines.push({ after_ms: 6, text: patch.slice(i, i + size) })
  return lines
}

const stream = (project, patch) => project.script(pieces(patch))

test('what is typed lands on the disk, and again after the program was killed', async (t) => {
  const { project, server, page } = await start(t, { 'a.go': 'package a\n' }, { mayLog: /WebSocket|ERR_CONNECTION/ })
  await page.palette.open('a.go')
  await page.pane.typeAtEnd('\n// typed')
  await until('the typing is on the disk', () => project.read('a.go').endsWith('// typed'))
  await page.keyboard.type(' and saved')
  await page.keyboard.press('Control+s')
  await until('the typing is saved', () => project.read('a.go') === 'package a\n\n// typed and saved')
  await server.process.stop('SIGKILL')
  const again = await serve(t, project)
  const other = await openPage(t, again.ui)
  await until('the tab is there again', async () => (await other.pane.text()).includes('typed and saved'))
})

test('two pages and a model write into the same lines and end with the same text', async (t) => {
  const { project, server, page: one } = await start(t, { 'main.go': functions(12) })
  const two = await openPage(t, server.ui)
  await two.tree.ready()
  const pages = [one, two]
  for (const page of pages) await page.palette.open('main.go')
  const added = Array.from({ length: 60 }, (_, i) => `+\tx := ${i} // the model's line ${i}`)
  const model = project.spoken() // its lines do not move while a page clicks on one
  const say = (...lines) => model.say(pieces(lines.map((line) => `${line}\n`).join('')))
  await one.wire.ask('count', model.name)
  say('*** Begin Patch', '*** Update File: main.go', '@@ func f5() int {', '-\treturn 5', ...added.slice(0, 4))
  for (const page of pages) {
    await page.pane.has("the model's line 3")
    await page.pane.content.getByText("the model's line 1").click()
  }
  say(...added.slice(4), '+\treturn 50', '*** End Patch')
  model.end()
  for (const [i, page] of pages.entries()) await page.keyboard.type(i === 0 ? '<<one was here>>' : '<<two was here>>', { delay: 25 })
  await until('the turn is recorded', () => project.read('main.go').includes('return 50'))
  await until('the typing is recorded', () => /<<one was here>>/.test(project.read('main.go')) && /<<two was here>>/.test(project.read('main.go')))
  for (const page of pages) await equals('the pages show what is on the disk', () => page.pane.whole(), project.read('main.go'))
  const disk = project.read('main.go')
  for (let i = 0; i < 60; i++) assert.ok(disk.includes(`line ${i}`), `the model's line ${i} is there`)
  assert.equal(disk.match(/was here/g)?.length, 2)
})

test('a file with CRLF keeps its line ends', async (t) => {
  const { project, page } = await start(t, { 'notes.txt': 'one\r\ntwo\r\nthree\r\n' })
  await page.palette.open('notes.txt')
  await page.pane.click()
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
  assert.deepEqual(await page.pane.marks(), [], 'no line end is drawn')
})

test('the pane follows the model from file to file, yields to the user and resumes', async (t) => {
  const { project, page } = await start(t, { 'a.go': functions(80), 'b.go': functions(80) })
  await page.palette.open('a.go')
  const model = project.spoken() // it writes only when the test says so
  const say = (...lines) => model.say(pieces(lines.map((line) => `${line}\n`).join(''), 12))
  const body = (n, from, to) => Array.from({ length: to - from }, (_, i) => `+\ty := ${from + i} // ${n} ${from + i}`)
  const head = (file) => [`*** Update File: ${file}`, '@@ func f60() int {', '-\treturn 60']
  await page.composer.focus()
  await page.wire.ask('write', model.name)
  say('*** Begin Patch', ...head('a.go'), ...body('first', 0, 80))

  const first = page.pane.content.getByText(/first \d/).last()
  await until('the model’s line is in sight', () => page.pane.isInSight(first))
  await page.pane.scroller.hover()
  await page.mouse.wheel(0, -30_000)
  const pill = page.getByRole('button', { name: /Follow the model/ })
  await pill.waitFor()
  say(...body('first', 80, 160), '+\treturn 600', ...head('b.go'), ...body('second', 0, 60))
  await until('the model is in the next file', () => project.read('a.go').includes('return 600'))
  await page.tabs.shows(/a\.go/)
  await until('it stays where the user scrolled', async () => (await page.pane.scrolled()) < 100)
  await page.keyboard.press('Alt+f')
  await pill.waitFor({ state: 'detached' })
  await page.tabs.shows(/b\.go/)
  await page.pane.has(/second \d/)
  say(...body('second', 60, 120), '+\treturn 600', '*** End Patch')
  model.end()
  await until('the turn is done', () => project.read('b.go').includes('return 600'))
  assert.equal(await page.tabs.isPassing(/b\.go/), true)
  await page.pane.click() // now the user has used it
  await until('the tab stays', async () => !(await page.tabs.isPassing(/b\.go/)))
})

test('the pane goes to where a turn was that is over before its file is read, ten times of ten', async (t) => {
  const names = Array.from({ length: 10 }, (_, i) => `part${i}.py`)
  const body = (i) => Array.from({ length: 120 }, (_, n) => `def step_${i}_${n}():\n    return ${n}\n\n`).join('\n')
  const { project, page } = await start(t, { 'first.py': 'x = 1\n', ...Object.fromEntries(names.map((name, i) => [name, body(i)])) })
  await page.palette.open('first.py')
  for (const [i, name] of names.entries()) {
    await page.composer.ask(i % 2 === 0 ? `rename step_${i}_70 to stage_${i}` : `add a doc comment to step_${i}_70`)
    await page.pane.shows(name)
    const changed = page.pane.line(i % 2 === 0 ? `stage_${i}` : `step_${i}_70`)
    await until(`the change of ${name} is in sight`, () => page.pane.isInSight(changed))
    await until('the turn is over', async () => project.read(name) !== body(i) && !(await page.turns.isRunning())) // before that, a request is a steer
  }
})

test('with Caps Lock the keys are the same', async (t) => {
  const { project, server, page } = await start(t, { 'a.go': functions(3) })
  await page.palette.open('a.go')
  await page.pressAs('f', { ctrlKey: true, shiftKey: true })
  const find = page.getByRole('dialog', { name: 'Find in project' })
  await find.waitFor()
  await page.pressAs('C', { altKey: true })
  await find.getByRole('button', { name: 'Match case', pressed: true }).waitFor()
  await page.keyboard.press('Escape')

  await page.wire.ask('double', stream(project, ['*** Begin Patch', '*** Update File: a.go', ...['1', '2'].flatMap((n) => [`@@ func f${n}() int {`, `-\treturn ${n}`, `+\treturn ${n} * 2`]), '*** End Patch', ''].join('\n')))
  await page.review.waiting(2)
  await page.keyboard.press('Control+Shift+r')
  await page.diff.has('return 1 * 2')
  await until('the diff has the focus', () => page.diff.isFocused())
  await page.pressAs('N')
  await page.pressAs('A') // this change; with Shift, all changes of the file
  await until('one edit waits', async () => (await server.read('review', { path: '' })).hunks.length === 1)
  await page.review.waiting(1)
  await page.keyboard.press('Escape')
  await page.keyboard.press('F7')
  await until('the bar has the focus', () => page.review.isFocused())
  await page.pressAs('A')
  await until('none waits', async () => (await server.read('review', { path: '' })).hunks.length === 0)
})

test('the review shows the net change: a name that was renamed twice is one, and a restore ends it', async (t) => {
  const { project, page } = await start(t, { 'a.go': functions(6), 'b.go': functions(2) })
  await page.palette.open('a.go')
  const step = (n, from, to) => stream(project, ['*** Begin Patch', '*** Update File: a.go', `@@ func f${n}() int {`, `-\treturn ${from}`, `+\treturn ${to}`, '*** End Patch', ''].join('\n'))
  const ended = async (turns) => { await until('the turn is over', async () => (await page.turns.ended('completed')) === turns) }
  await page.wire.ask('first', step(2, '2', 'two'))
  await ended(1)
  await page.wire.ask('second', step(2, 'two', 'second'))
  await ended(2)
  await page.review.waiting(1)
  await until('only the first line is drawn as removed', async () => { // until the review is loaded, the lines that the turn removed are marked, too
    const removed = await page.pane.removed.allTextContents()
    return removed.length === 1 && removed[0]?.endsWith('return 2')
  })
  await page.pane.line('return second').click()
  await page.review.change(1, 1).getByText('2 edits').waitFor()
  await page.wire.ask('third', step(4, '4', 'four'))
  await ended(3)
  await page.review.waiting(2)
  await page.wire.command('restore', { at: 0 })
  await until('the file is as it was', () => project.read('a.go') === functions(6))
  await page.getByText('to review').waitFor({ state: 'detached' })
  await until('nothing is drawn as removed', async () => (await page.pane.removed.count()) === 0)
})

test('edits are reviewed with n, p, accept and revert', async (t) => {
  const { project, server, page } = await start(t, { 'a.go': functions(30), 'b.go': functions(3) })
  await page.palette.open('a.go')
  const hunk = (n) => [`@@ func f${n}() int {`, `-\treturn ${n}`, `+\treturn ${n} * 2`]
  const patch = ['*** Begin Patch', '*** Update File: a.go', ...hunk(2), ...hunk(14), ...hunk(25), '*** Update File: b.go', ...hunk(1), '*** End Patch', ''].join('\n')
  await page.wire.ask('double', stream(project, patch))
  await page.review.waiting(4)
  await page.tabs.tab(/a\.go/).click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('F7')
  await page.review.change(1, 3).waitFor()
  await page.pane.removed.filter({ hasText: 'return 2' }).first().waitFor()
  await until('the bar has the focus', () => page.review.isFocused())
  await page.keyboard.press('n')
  await page.review.change(2, 3).waitFor()
  await page.keyboard.press('p')
  await page.review.change(1, 3).waitFor()
  await page.keyboard.press('a')
  await until('three edits wait', async () => (await server.read('review', { path: '' })).hunks.length === 3)
  await page.review.change(1, 2).waitFor()
  await until('the bar has the focus again', () => page.review.isFocused())
  await page.keyboard.press('r')
  await until('it is taken back', () => project.read('a.go').includes('\treturn 14\n'))
  assert.ok(project.read('a.go').includes('return 2 * 2'))
  await page.review.change(1, 1).waitFor()
  await until('the bar has the focus once more', () => page.review.isFocused())
  await page.keyboard.press('Escape')
  await page.keyboard.press('Alt+n')
  await page.tabs.shows(/b\.go/)
  await page.review.bar.waitFor()
  await page.review.bar.getByRole('button', { name: /Revert/ }).click()
  await until('it is taken back', () => project.read('b.go').includes('\treturn 1\n'))
})

test('undo takes back what was typed here, and nothing of the model', async (t) => {
  const { project, page } = await start(t, { 'a.go': functions(6) })
  await page.palette.open('a.go')
  await page.pane.typeAtStart('// mine\n')
  const patch = ['*** Begin Patch', '*** Update File: a.go', '@@ func f3() int {', '-\treturn 3', '+\treturn 33', '*** End Patch', ''].join('\n')
  await page.wire.ask('change', stream(project, patch))
  await until('the model’s edit is on the disk', () => project.read('a.go').includes('return 33'))
  await page.pane.click()
  for (let i = 0; i < 5; i++) await page.keyboard.press('Control+z')
  await until('only the typing is gone', () => project.read('a.go') === functions(6).replace('return 3\n', 'return 33\n'))
  for (let i = 0; i < 5; i++) await page.keyboard.press('Control+Shift+Z')
  await until('the typing is back', () => project.read('a.go').startsWith('// mine\n') && project.read('a.go').includes('return 33'))
})

/**
 * Puts a connection between page and server that can be cut: messages in flight in either
 * direction are lost. A deaf connection delivers nothing more to the page; the next one does.
 */
async function wire(page) {
  const line = { cut: () => {}, deafen: () => {}, times: 0 }
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer()
    let dead = false
    let deaf = false
    line.times++
    socket.onMessage((message) => { if (!dead) server.send(message) })
    server.onMessage((message) => { if (!dead && !deaf) socket.send(message) })
    line.deafen = () => { deaf = true }
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
  await page.tree.ready()
  await page.palette.open('a.txt')
  await page.pane.click()
  await page.keyboard.press('Control+Home')
  let expected = ''
  for (let i = 0; i < 6; i++) {
    if (i % 2 === 1) line.deafen() // Go accepts what is typed, but the page gets no reply
    const times = line.times
    for (const word of [`on${i} `, `off${i} `]) {
      await page.keyboard.type(word)
      expected += word
      if (word.startsWith('on')) line.cut()
    }
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
  await page.palette.open('evil.js')
  await equals('the marks', () => page.pane.marks(), ['U+202E', 'U+2066', 'U+2069', 'U+200B', 'ESC'])
  await page.palette.open('long.js')
  await page.pane.typeAtEnd('// typed')
  await until('it is typed', async () => (await page.pane.text()).includes('// typed'))
  const drawn = await page.pane.drawn()
  assert.ok(drawn < 50_000, `${drawn} characters of the long line are drawn`)
  await until('it is saved', () => project.read('long.js').endsWith('// typed'))
})

test('finding and replacing in the file, and going to a match', async (t) => {
  const { project, page } = await start(t, { 'a.txt': 'one two\nOne two\none three\n' })
  await page.palette.open('a.txt')
  await page.pane.click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Control+f')
  const field = page.getByRole('textbox', { name: 'Find', exact: true })
  await field.fill('one')
  await page.pane.found(3)
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
  for (const path of ['b/x.txt', 'c/x.txt', 'a.txt']) await page.palette.open(path)
  const names = () => page.tabs.names()
  await equals('the tabs', names, ['x.txt\nb', 'x.txt\nc', 'a.txt'])
  await page.keyboard.press('Control+Shift+PageUp')
  await equals('the tabs', names, ['x.txt\nb', 'a.txt', 'x.txt\nc'])
  await page.tabs.tab(/x\.txt, c/).click({ button: 'middle' })
  await equals('the tabs', names, ['x.txt', 'a.txt'])
  await page.keyboard.press('Control+Shift+t')
  await equals('the tabs', names, ['x.txt\nb', 'a.txt', 'x.txt\nc'])
  await page.tabs.tab(/a\.txt/).click()
  await page.pane.content.getByText('func f40()').waitFor({ state: 'detached' })
  await page.pane.scrollTo(2400)
  const line = page.pane.content.getByText('func f32()')
  await line.click()
  await page.keyboard.press('End')
  const caret = functions(90).indexOf('func f32()') + 'func f32() int {'.length
  await until('the place is kept', async () => (await page.wire.hello()).ui.tabs.some((tab) => tab.path === 'a.txt' && tab.head === caret && tab.top > 0))
  const place = await page.pane.scrolled()
  await server.process.stop('SIGKILL')
  const again = await serve(t, project)
  const other = await openPage(t, again.ui)
  await equals('the tabs', () => other.tabs.names(), ['x.txt\nb', 'a.txt', 'x.txt\nc'])
  await until('it is scrolled as it was', async () => Math.abs(await other.pane.scrolled() - place) < 2)
  await other.getByText(`Ln ${functions(90).slice(0, caret).split('\n').length}, Col 17`).waitFor()
})

test('a file that is renamed, deleted and restored while it is open', async (t) => {
  const { project, page } = await start(t, { 'old.go': 'package old\n' })
  await page.palette.open('old.go')
  await page.pane.typeAtEnd('// kept')
  await page.keyboard.press('Control+s')
  await until('it is saved', () => project.read('old.go').endsWith('// kept'))
  await page.wire.command('rename', { path: 'old.go', to: 'new.go' })
  await page.tabs.shows('new.go')
  await page.pane.of('new.go').click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(', and typed')
  await until('it is typed', () => project.has('new.go') && project.read('new.go').endsWith('// kept, and typed'))
  await page.wire.command('remove', { path: 'new.go', sum: '' })
  await page.getByText('This file no longer exists.').waitFor()
  await page.getByRole('button', { name: 'Restore it' }).click()
  await until('it is there again', () => project.has('new.go') && project.read('new.go').endsWith('// kept, and typed'))
  await page.getByText('This file no longer exists.').waitFor({ state: 'detached' })
})

test('review by keys goes from file to file, and the focus is never lost', async (t) => {
  const { project, page } = await start(t, { 'a.go': functions(3), 'b.go': functions(3) })
  await page.palette.open('a.go')
  const hunk = (n) => [`@@ func f${n}() int {`, `-\treturn ${n}`, `+\treturn ${n} * 2`]
  await page.wire.ask('double', stream(project, ['*** Begin Patch', '*** Update File: a.go', ...hunk(1), '*** Update File: b.go', ...hunk(2), '*** End Patch', ''].join('\n')))
  await page.review.waiting(2)
  await page.tabs.tab(/a\.go/).click()
  await page.keyboard.press('F7')
  await until('the bar has the focus', () => page.review.isFocused())
  await page.keyboard.press('a')
  await page.tabs.shows(/b\.go/)
  await until('the bar of the next file has the focus', () => page.review.isFocused())
  await page.keyboard.press('r')
  await until('it is taken back', () => project.read('b.go').includes('\treturn 2\n'))
  await until('the focus is in the pane', () => page.pane.hasFocus())
  assert.match(project.read('a.go'), /return 1 \* 2/)
  for (let i = 0; i < 2; i++) {
    await page.keyboard.press('Alt+w')
    await until('the tab is closed', async () => (await page.tabs.count()) === 1 - i)
    await until('the focus is in the pane', () => page.pane.hasFocus())
  }
})
