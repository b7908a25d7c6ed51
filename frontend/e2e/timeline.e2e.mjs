// The timeline: it shows every moment exactly as it was, and looking at one writes nothing.
// Reverting, restoring, forking, naming, playing; diffs and conflicts.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { assertAccessible } from './axe.mjs'
import { openPage } from './chromium.mjs'
import { binary, makeProject } from './project.mjs'
import { serve } from './serve.mjs'
import { test } from './test.mjs'
import { equals, until } from './wait.mjs'
import { writtenStates } from './written.mjs'

const names = ['alpha.go', 'beta.go', 'gamma.go']
const original = (name) => `package shop\n\n// ${name} has three steps.\n\nfunc one() {}\n\nfunc two() {}\n\nfunc three() {}\n`

/** Makes a project in which a model made some turns, each a few lines in some files. */
function madeByModel(t, turns = 4) {
  const project = makeProject(t, Object.fromEntries(names.map((name) => [name, original(name)])))
  for (let turn = 1; turn <= turns; turn++) {
    const steps = ['one', 'two', 'three'].map((step) => `@@\n func ${step}() {}\n+// turn ${turn}, after ${step}\n`).join('')
    const files = names.filter((_, i) => (i + turn) % 3 !== 0)
    model(project, `turn ${turn}`, `*** Begin Patch\n${files.map((f) => `*** Update File: ${f}\n${steps}`).join('')}*** End Patch\n`)
  }
  return project
}

function model(project, request, patch) {
  const name = project.script([{ text: patch }])
  const done = spawnSync(binary, ['edit', '-C', project.root, '--model', name, request], { env: project.env, encoding: 'utf8' })
  assert.equal(done.status, 0, done.stderr)
}

async function start(t, project, options = {}) {
  const server = await serve(t, project)
  const page = await openPage(t, server.ui, options)
  await page.timeline.ready()
  return { server, page }
}

async function accessible(page) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.hasTheme(colorScheme)
    await assertAccessible(page, 'main')
  }
}

/** Returns the contents and modification time of every file of the project. */
function disk(project) {
  return readdirSync(project.root).sort().map((name) => {
    const at = join(project.root, name)
    const { mtimeMs, isFile, ino } = { ...statSync(at), isFile: statSync(at).isFile() }
    return [name, mtimeMs, ino, isFile ? createHash('sha256').update(readFileSync(at)).digest('hex') : '']
  })
}

test('the timeline is as wide as its place, and names the moment, also when the window gets narrower', async (t) => {
  const { page } = await start(t, madeByModel(t))
  const place = page.timeline.region
  for (const width of [1280, 1000, 900, 880, 1100]) {
    await page.setViewportSize({ width, height: 700 })
    await until(`it fits into a window of ${width} px`, async () => {
      const [outer, inner] = [await place.boundingBox(), await page.timeline.slider.boundingBox()]
      if (outer === null || inner === null || outer.x + outer.width > width) return false
      const right = outer.x + outer.width - inner.x - inner.width
      return right >= 0 && right < 40 && await page.timeline.fits() && await page.timeline.namesMoment()
    })
  }
})

test('dragging shows every moment exactly as it was, and writes nothing', async (t) => {
  const project = madeByModel(t)
  const { server, page } = await start(t, project)
  await page.palette.open('beta.go')
  const { ids } = await server.read('timeline', { after: 0 })
  const before = disk(project)
  const box = /** @type {{ x: number, y: number, width: number }} */ (await page.timeline.slider.boundingBox())
  const y = box.y + 30
  await page.mouse.move(box.x + box.width - 1, y)
  await page.mouse.down()
  let seed = 7
  for (let n = 0; n < 25; n++) {
    seed = (seed * 1103515245 + 12345) % 2147483648
    await page.mouse.move(box.x + 1 + (seed % (box.width - 2)), y)
    await page.frames(2) // the slider moves at most once a frame
    const at = await page.timeline.place()
    const id = at === 0 ? 0 : ids[at - 1]
    if (at === ids.length) continue // now: the live text
    const want = await server.read('file', { path: 'beta.go', at: id })
    await equals(`beta.go at edit ${id}`, () => page.pane.text(), want.text)
  }
  await page.mouse.up()
  await page.keyboard.press('Escape')
  await equals('the live text again', () => page.pane.text(), project.read('beta.go'))
  assert.deepEqual(disk(project), before, 'looking at the past wrote something')
})

test('a file that was not there says so, and nothing can be typed in the past', async (t) => {
  const project = madeByModel(t, 1)
  model(project, 'a new file', '*** Begin Patch\n*** Add File: delta.go\n+package shop\n*** End Patch\n')
  const { server, page } = await start(t, project)
  const { ids } = await server.read('timeline', { after: 0 })
  await page.palette.open('delta.go')
  await page.timeline.stayInFile()
  await page.timeline.goBack(2)
  await page.getByText('This file did not exist then').waitFor()
  await page.keyboard.press('End')
  await equals('the live text', () => page.pane.text(), project.read('delta.go'))

  await page.palette.open('beta.go')
  await page.timeline.goBack(2)
  await page.pane.showsMoment('beta.go', ids.at(-3))
  const then = await page.pane.text()
  await page.pane.click()
  await page.keyboard.type('typed into the past')
  assert.equal(await page.pane.text(), then)
  await page.getByRole('button', { name: 'Back to now' }).click()
  await equals('the slider is at the end', () => page.timeline.isAtNow(), true)
  assert.equal(project.read('beta.go').includes('typed'), false)
})

test('restoring brings all files back, and Undo takes that back', async (t) => {
  const project = madeByModel(t)
  const newest = names.map((name) => project.read(name))
  const { server, page } = await start(t, project)
  const { ids } = await server.read('timeline', { after: 0 })
  await page.timeline.goBack(10)
  const id = ids[(await page.timeline.place()) - 1]
  const then = await Promise.all(names.map(async (path) => (await server.read('file', { path, at: id })).text))
  await accessible(page)
  await page.getByRole('button', { name: 'Restore here' }).click()
  const undo = await page.undo()
  await equals('the files as they were', () => names.map((name) => project.read(name)), then)
  await undo.click()
  await equals('the files as they are', () => names.map((name) => project.read(name)), newest)
})

test('one edit and one turn are taken back from the timeline', async (t) => {
  const project = madeByModel(t)
  const { page } = await start(t, project)
  const mine = (turn) => names.filter((name) => project.read(name).includes(`// turn ${turn},`)).length
  await page.timeline.goBack(0)
  await page.timeline.menu('Revert this edit')
  await until('the last edit to be gone', () => names.some((name) => !project.read(name).includes('// turn 4, after three') && project.read(name).includes('// turn 4, after one')))
  await equals('taking back is an edit too', () => page.timeline.edits(), 25)
  await page.timeline.goBack(10)
  const turn = await until('the slider names a turn', async () => /turn (\d)/.exec(await page.timeline.says())?.[1])
  assert.ok(mine(turn) > 0)
  await page.timeline.menu('Revert this turn')
  await equals('the turn is gone from all files', () => mine(turn), 0)
})

test('a conflict is resolved in three columns, and nothing is written before', async (t) => {
  const project = makeProject(t, { 'alpha.go': original('alpha.go'), 'beta.go': original('beta.go') })
  const line = (name) => `*** Update File: ${name}\n@@\n func one() {}\n+// by the model\n`
  model(project, 'say who', `*** Begin Patch\n${line('alpha.go')}${line('beta.go')}*** End Patch\n`)
  const { page } = await start(t, project)
  const changed = project.read('alpha.go').replace('// by the model', '// by the model and by hand')
  project.write('alpha.go', changed)
  await page.timeline.ready(3)
  await page.timeline.goBack(1)
  await page.timeline.menu('Revert this turn')
  await page.getByRole('button', { name: '1 left' }).waitFor()
  assert.equal(project.read('alpha.go'), changed)
  assert.equal(project.read('beta.go').includes('by the model'), true)
  await accessible(page)
  await page.getByRole('button', { name: 'Use reverted' }).click()
  await page.getByRole('button', { name: 'Keep current' }).click()
  assert.equal(project.read('alpha.go'), changed)
  const result = page.getByRole('textbox', { name: 'Result of alpha.go' })
  await page.diff.lineOf(result, 'by the model and by hand').click()
  await page.keyboard.press('End')
  await page.keyboard.type(', kept')
  await page.getByRole('button', { name: 'Apply' }).click()
  await equals('the result', () => project.read('alpha.go'), changed.replace('by hand', 'by hand, kept'))
  await equals('the other file is taken back too', () => project.read('beta.go'), original('beta.go'))
})

test('a conflict or a diff that was open at kill -9 is open again, and nothing was written', async (t) => {
  const project = makeProject(t, { 'alpha.go': original('alpha.go'), 'beta.go': original('beta.go') })
  const line = (name) => `*** Update File: ${name}\n@@\n func one() {}\n+// by the model\n`
  model(project, 'say who', `*** Begin Patch\n${line('alpha.go')}${line('beta.go')}*** End Patch\n`)
  const killed = { mayLog: /WebSocket|ERR_CONNECTION|Failed to load/ }
  const { server, page } = await start(t, project, killed)
  const changed = project.read('alpha.go').replace('// by the model', '// by the model and by hand')
  project.write('alpha.go', changed)
  await page.timeline.ready(3)
  const states = writtenStates(page)
  await page.reload()
  await page.timeline.ready(3)
  await page.timeline.goBack(1)
  await page.palette.run('Revert this turn')
  await page.getByRole('button', { name: '1 left' }).waitFor()
  await until('the conflict is written down', () => states.at(-1)?.view?.kind === 'conflict')
  await server.process.stop('SIGKILL')
  await page.close()

  const second = await start(t, project, killed)
  await second.page.getByRole('button', { name: 'Use reverted' }).waitFor()
  assert.deepEqual([project.read('alpha.go'), project.read('beta.go').includes('by the model')], [changed, true])
  await second.page.getByRole('button', { name: 'Use reverted' }).click()
  await second.page.getByRole('button', { name: 'Apply' }).click()
  await equals('the file', () => project.read('alpha.go'), original('alpha.go'))
  await equals('the other file', () => project.read('beta.go'), original('beta.go'))

  const later = writtenStates(second.page)
  await second.page.reload()
  await until('the timeline is there again', async () => (await second.page.timeline.edits()) > 3)
  await second.page.timeline.goBack(1)
  await second.page.palette.run('Show the diff of this edit')
  await until('the diff is written down', () => later.at(-1)?.view?.kind === 'diff')
  await second.server.process.stop('SIGKILL')
  await second.page.close()
  const third = await start(t, project)
  await third.page.getByRole('region', { name: /^Changes: / }).waitFor()
})

test('a file that changes while its conflict is resolved keeps what the user made of it', async (t) => {
  const project = makeProject(t, { 'alpha.go': original('alpha.go') })
  model(project, 'say who', '*** Begin Patch\n*** Update File: alpha.go\n@@\n func one() {}\n+// by the model\n*** End Patch\n')
  const { page } = await start(t, project)
  const recorded = (n) => page.timeline.ready(n)
  project.write('alpha.go', project.read('alpha.go').replace('by the model', 'by the model and by hand'))
  await recorded(2)
  await page.timeline.goBack(1)
  await page.timeline.menu('Revert this turn')
  const result = page.getByRole('textbox', { name: 'Result of alpha.go' })
  await page.diff.lineOf(result, 'by hand').click()
  await page.keyboard.press('End')
  await page.keyboard.type(', kept')

  const outside = project.read('alpha.go').replace('by hand', 'by another hand').replace('func three', 'func four')
  project.write('alpha.go', outside)
  await recorded(3)
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText(/This file changed while.*one place conflicts/).waitFor()
  const shown = await result.innerText()
  assert.match(shown, /by the model and by hand, kept/)
  assert.match(shown, /func four/)
  assert.equal(project.read('alpha.go'), outside, 'nothing was written')
  await accessible(page)
  await page.getByRole('button', { name: 'Keep my resolution' }).click()

  const gone = outside.replace('// by the model and by another hand\n', '')
  project.write('alpha.go', gone) // nothing is left to revert, and so there is no conflict
  await recorded(4)
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText(/This file changed while/).waitFor()
  assert.match(await result.innerText(), /by the model and by hand, kept/)
  assert.equal(project.read('alpha.go'), gone, 'nothing was written')
  await page.getByRole('button', { name: 'Keep my resolution' }).click()
  await page.getByRole('button', { name: 'Apply' }).click()
  await equals('the result', () => project.read('alpha.go'), outside.replace('by another hand', 'by hand, kept'))
})

test('a fork goes on from a moment, and one comes back from it', async (t) => {
  const project = madeByModel(t)
  const newest = project.read('beta.go')
  const { page } = await start(t, project)
  const turns = () => page.turns.requests()
  await page.composer.ask('make it better please')
  const said = ['turn 1', 'turn 2', 'turn 3', 'turn 4', 'make it better please']
  await equals('the turns', turns, said)
  await page.turns.ends('declined')
  await page.timeline.goBack(12)
  await page.getByRole('button', { name: 'Fork from here' }).click()
  await page.getByRole('textbox', { name: 'Fork from here' }).fill('other way')
  await page.getByRole('button', { name: 'Fork', exact: true }).click()
  await until('the files of that moment', () => !project.read('beta.go').includes('turn 4'))
  await until('fewer edits on the fork', async () => (await page.timeline.edits()) < 24)
  await equals('the turns up to there', turns, said.slice(0, 2))
  await page.reload()
  await page.timeline.slider.waitFor()
  await equals('the turns up to there, in a new page', turns, said.slice(0, 2))
  await page.palette.run('Switch fork')
  await page.getByRole('option').filter({ hasNotText: 'other way' }).filter({ hasNotText: 'Switch fork' }).click()
  await equals('the newest text', () => project.read('beta.go'), newest)
  await until('all edits again', async () => (await page.timeline.edits()) === 24)
  await equals('all turns again', turns, said)
})

test('a moment gets a name, is found by its flag, and is there after a reload', async (t) => {
  const project = madeByModel(t)
  const { server, page } = await start(t, project)
  await page.timeline.goBack(7)
  const at = await page.timeline.place()
  await page.getByRole('button', { name: 'Name…' }).click()
  await page.getByRole('textbox', { name: 'Name this moment' }).fill('before the break')
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  const flag = page.getByRole('button', { name: 'before the break' })
  await flag.waitFor()
  await page.keyboard.press('Escape')
  await until('now', async () => (await page.timeline.place()) > at)
  await flag.click()
  await equals('the place of the flag', () => page.timeline.place(), at)
  await equals('the position is kept', async () => (await page.wire.hello()).ui.at, (await server.read('timeline', { after: 0 })).ids[at - 1])
  await page.reload()
  await flag.waitFor()
  await equals('the same moment', () => page.timeline.place(), at)
})

test('playing goes through the edits to now, and pauses', async (t) => {
  const project = madeByModel(t)
  const { page } = await start(t, project)
  await page.palette.open('beta.go')
  await page.timeline.slider.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  await until('some edits', async () => (await page.timeline.place()) >= 3)
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Play history' }).waitFor()
  const paused = await page.timeline.place()
  await page.getByRole('button', { name: 'Speed 1×' }).click()
  assert.equal(await page.timeline.place(), paused)
  await page.timeline.choice('64×').click()
  await page.getByRole('button', { name: 'Play history' }).click()
  await until('the end', () => page.timeline.isAtNow())
  await page.getByRole('button', { name: 'Play history' }).waitFor()
})

test('blame leads from a line to its edit', async (t) => {
  const project = madeByModel(t, 2)
  const { server, page } = await start(t, project)
  await page.palette.open('beta.go')
  await page.palette.run('Toggle blame')
  const runs = (await server.read('blame', { path: 'beta.go' })).runs
  const run = runs.find((r) => r.author === 'model')
  const { ids } = await server.read('timeline', { after: 0 })
  await page.pane.writtenByModel.first().click()
  await equals('the edit of the line', () => page.timeline.place(), ids.indexOf(run.edit) + 1)
})

test('the review is walked through with keys, and decided change by change', async (t) => {
  const project = madeByModel(t, 1)
  const { server, page } = await start(t, project)
  const waiting = async () => (await server.read('review', { path: '' })).hunks.length
  const all = await waiting()
  await page.getByText('changes to review').waitFor()
  let goOn = () => {}
  const held = new Promise((resolve) => { goOn = () => { resolve(null) } })
  await page.route('**/api/diffs?*', async (route) => { await held; await route.continue() })
  await page.palette.run('Show pending edits')
  await page.getByRole('region', { name: 'Changes: Pending edits' }).waitFor()
  await page.getByRole('status').getByText('Loading changes…').waitFor()
  await page.keyboard.press('n') // before the files are loaded
  goOn()
  await page.getByRole('group', { name: 'This change' }).waitFor()
  await accessible(page)
  await page.keyboard.press('a')
  await equals('one is accepted', waiting, all - 1)
  const text = names.map((name) => project.read(name)).join('')
  await equals('the accepted change has left the diff', () => page.diff.added(), all - 1)
  await page.keyboard.press('n')
  await page.getByRole('group', { name: 'This change' }).waitFor()
  await page.keyboard.press('r')
  await equals('one is taken back', waiting, all - 2)
  await until('its text to leave the file', () => names.map((name) => project.read(name)).join('').length < text.length)
  await page.keyboard.press('u')
  await page.diff.isUnified()
  await page.keyboard.press('Escape')
  await page.getByRole('region', { name: 'Changes: Pending edits' }).waitFor({ state: 'detached' })
})

test('the diff of a running turn grows, and stays where it was scrolled to', async (t) => {
  const steps = Array.from({ length: 40 }, (_, i) => `step${i}`)
  const project = makeProject(t, { 'long.go': `package shop\n\n${steps.map((step) => `func ${step}() {}\n`).join('\n')}` })
  const hunks = (from, to) => steps.slice(from, to).map((step) => `@@\n func ${step}() {}\n+// said of ${step}\n`).join('')
  const model = project.spoken() // it writes only when the test says so
  const say = (text) => { model.say((text.match(/[^]{1,16}/g) ?? []).map((piece) => ({ after_ms: 5, text: piece }))) }
  const server = await serve(t, project)
  const page = await openPage(t, server.ui)
  await page.timeline.slider.waitFor()
  say(`*** Begin Patch\n*** Update File: long.go\n${hunks(0, 20)}`)
  await page.wire.ask('say something of each step', model.name)
  await until('the first edits', async () => (await page.timeline.edits()) > 4)
  await page.timeline.goBack(0)
  await page.timeline.menu('Show the diff of this turn')
  await until('something to scroll', () => page.diff.isLong())
  await page.diff.scrollTo(60)
  say(hunks(20, 30))
  await until('more of it', async () => (await page.diff.added()) > 25)
  assert.equal(await page.diff.scrolled(), 60)
  say(`${hunks(30, steps.length)}*** End Patch\n`)
  model.end()
  await equals('all of it', () => page.diff.added(), steps.length)
})
