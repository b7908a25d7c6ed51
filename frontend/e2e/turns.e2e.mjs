// Requests and their results: edits, steering, stopping, pausing, declined and held edits,
// and what survives failures in between.

import assert from 'node:assert/strict'
import { openPage } from './chromium.mjs'
import { start as run } from './process.mjs'
import { atRate, binary, creation, forever, insertion, makeProject } from './project.mjs'
import { serve } from './serve.mjs'
import { test } from './test.mjs'
import { equals, until } from './wait.mjs'
import { writtenStates } from './written.mjs'

const main = 'package main\n\nfunc main() {\n}\n'
const files = { 'main.go': main, 'store/store.go': 'package store\n\ntype Store struct {\n}\n', 'app.py': 'def fetch(url):\n    return url\n\n\nprint(fetch("x"))\n' }
const numbered = (n, word = 'line') => Array.from({ length: n }, (_, i) => `// ${word} ${i}`)

/** @param {import('node:test').TestContext} t */
async function start(t, options = {}) {
  const project = makeProject(t, files)
  const server = await serve(t, project)
  const page = await openPage(t, server.ui, options)
  await page.composer.ready()
  return { project, server, page }
}

/** Starts a turn that runs until something ends it, and waits for some of its lines: the first ones may have scrolled out of sight. */
async function askLong(page, project, request = 'write it', more = []) {
  await page.composer.useModel(project.script([...atRate(creation('long.go', numbered(4000)), 300), forever, ...more]))
  await page.composer.ask(request)
  await page.turns.runs()
  await page.pane.has(/^\/\/ line ([3-9]|\d\d+)$/)
}

test('turns of two sessions run side by side, and each is shown with its own', async (t) => {
  const { project, page } = await start(t)
  await askLong(page, project, 'write it')
  await page.getByRole('button', { name: 'New session', exact: true }).click()
  const others = page.getByRole('list', { name: 'Running in other sessions' })
  await others.getByText('write it').waitFor()
  await page.turns.rest()
  await page.composer.useModel(project.script(atRate(insertion('main.go', 'func main() {', ['\tserve()']), 2000)))
  await page.composer.ask('serve it')
  await page.turn('serve it').ended('completed')
  await equals('the file on disk', () => project.read('main.go'), main.replace('{\n', '{\n\tserve()\n'))
  await others.getByRole('button', { name: /write it$/ }).first().press('Enter')
  await page.turns.runs()
  await others.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New session', exact: true }).click()
  await others.getByRole('button', { name: 'Stop “write it”' }).click()
  await others.waitFor({ state: 'detached' })
})

test('a turn that a command began is shown live with its session, and is steered and stopped there', async (t) => {
  const { project, server, page } = await start(t)
  await page.composer.ask('rename fetch to tryFetch')
  await page.turn('rename fetch to tryFetch').ended('completed')
  const second = await openPage(t, server.ui)
  await second.turn('rename fetch to tryFetch').card.waitFor()
  const model = project.script([...atRate(`As the command asks.\n${creation('long.go', numbered(4000))}`, 300), forever, { steer: true }, ...atRate(creation('short.go', ['package short']), 2000), forever])
  const command = run(t, binary, ['edit', '-C', project.root, '--session', 'new', '--model', model, 'write it'], { env: project.env })
  for (const each of [page, second]) {
    await each.getByRole('list', { name: 'Running in other sessions' }).getByRole('button', { name: /write it$/ }).first().press('Enter')
    await each.turns.runs()
    await each.turn('write it').card.getByText('As the command asks.').waitFor()
    await each.pane.has(/^\/\/ line ([3-9]|\d\d+)$/)
  }
  await page.composer.focus()
  await page.composer.ask('shorter please')
  for (const each of [page, second]) await until('the receipt', async () => /^applied at edit 1$/.test(await each.turn('write it').receipt()))
  await second.pane.has('package short')
  await second.composer.focus()
  await second.keyboard.press('Escape')
  for (const each of [page, second]) await each.turn('write it').ended('stopped')
  assert.equal(await command.ended, 1, command.log())
  assert.equal(project.read('short.go'), 'package short\n')
})

test('a request becomes edits on disk and a turn of the conversation', async (t) => {
  const { project, page } = await start(t)
  const said = `Adding **one** line.\n\n${insertion('main.go', 'func main() {', ['\tserve()'])}`
  await page.composer.useModel(project.script(atRate(said, 2000)))
  await page.composer.ask('serve it')
  await page.turn('serve it').ended('completed')
  await equals('the file on disk', () => project.read('main.go'), main.replace('{\n', '{\n\tserve()\n'))
  await page.turn('serve it').bold(/^one$/).waitFor()
  await equals('the composer', () => page.composer.draft(), '')
  await page.turn('serve it').button(/^main\.go/).click()
  await page.pane.content.getByText('serve()').waitFor()

  await page.reload()
  await page.turn('serve it').ended('completed')
  await page.turn('serve it').button('Revert').click()
  await equals('the file after the revert', () => project.read('main.go'), main)
  await page.turn('serve it').card.getByText('Reverted').waitFor()
})

test('an empty conversation teaches with requests that work', async (t) => {
  const { project, page } = await start(t)
  await page.getByRole('button', { name: 'rename fetch to tryFetch' }).click()
  await equals('the composer', () => page.composer.draft(), 'rename fetch to tryFetch')
  await page.composer.press('Enter')
  await page.turn('rename fetch to tryFetch').ended('completed')
  await until('the rename is on disk', () => project.read('app.py').includes('print(tryFetch("x"))'))
})

test('a steer cuts in, is applied, and says so', async (t) => {
  const { project, page } = await start(t)
  await askLong(page, project, 'write it', [{ steer: true }, ...atRate(`As you say.\n${creation('short.go', ['package short'])}`, 2000)])
  await page.composer.ask('shorter please')
  await until('the receipt', async () => /^applied at edit 1$/.test(await page.turn('write it').receipt()))
  await page.turn('write it').ended('completed')
  assert.equal(project.read('short.go'), 'package short\n')
  const partial = project.read('long.go').split('\n')
  assert.ok(partial.length > 4 && partial.length < 4000, `${partial.length} lines of the first edit stay`)
  assert.deepEqual(partial.slice(0, 3), numbered(3))
})

test('a steer that the model never takes up hands its text back', async (t) => {
  const { project, page } = await start(t)
  await askLong(page, project)
  await page.composer.ask('never mind')
  await page.turn('write it').card.getByText('not sent; text handed back').waitFor()
  await equals('the composer', () => page.composer.draft(), 'never mind')
  await until('it says why', async () => /did not reach the model/.test(await page.composer.hint()))
})

test('a steer into a lost connection hands its text back', async (t) => {
  const { project, server, page } = await start(t, { mayLog: /WebSocket|ERR_CONNECTION|Failed to load/ })
  await askLong(page, project)
  await server.process.stop('SIGKILL')
  await page.getByText(/Reconnecting/).waitFor()
  await page.composer.ask('go left')
  await equals('the composer', () => page.composer.draft(), 'go left')
  await until('it says why', async () => /did not reach/.test(await page.composer.hint()))
})

test('Esc stops and keeps, Esc again reverts, and that can be undone', async (t) => {
  const { project, page } = await start(t)
  await askLong(page, project)
  await page.keyboard.press('Escape')
  await page.turn('write it').ended('stopped')
  const kept = await until('the partial edit is on disk', () => (project.has('long.go') ? project.read('long.go') : ''))
  assert.match(kept, /^\/\/ line 0\n\/\/ line 1\n/)
  await equals('the hint', () => page.composer.hint(), 'Stopped at edit 1, kept. Esc again reverts this turn.')
  await page.keyboard.press('Escape')
  const undo = await page.undo()
  await until('the turn is reverted', () => !project.has('long.go'))
  await page.getByRole('tab', { name: /long\.go/ }).waitFor({ state: 'detached' }) // it was opened only to follow the model
  await undo.click()
  await equals('the edit is back', () => project.has('long.go') && project.read('long.go'), kept)
})

test('a file that the user looked at keeps its tab when its turn is reverted, and says that it is gone', async (t) => {
  const { project, page } = await start(t)
  await askLong(page, project)
  await page.keyboard.press('Escape')
  await page.turn('write it').ended('stopped')
  await page.pane.scrollTo(0)
  await page.pane.content.getByText('// line 1', { exact: true }).click()
  await page.turn('write it').button('Revert').click()
  await until('the turn is reverted', () => !project.has('long.go'))
  await page.getByText('This file no longer exists.').waitFor()
  await page.getByRole('tab', { name: /long\.go/ }).waitFor()
})

test('another key withdraws the offer of Esc', async (t) => {
  const { project, page } = await start(t)
  await askLong(page, project)
  await page.keyboard.press('Escape')
  await page.turn('write it').ended('stopped')
  await page.composer.press('x')
  await page.keyboard.press('Escape')
  await until('the hint is the usual one', async () => /^Enter sends/.test(await page.composer.hint()))
  assert.ok(project.has('long.go'))
})

test('Space pauses: nothing is written until Space goes on', async (t) => {
  const { project, page } = await start(t)
  await askLong(page, project)
  await page.keyboard.press('Space')
  await page.turns.runs('paused')
  const text = () => page.pane.text()
  let seen = await text()
  let since = performance.now()
  await until('half a second without a new letter', async () => {
    const now = await text()
    if (now !== seen) since = performance.now()
    seen = now
    return performance.now() - since > 500
  })
  assert.equal(await page.turns.isPaused(), true)
  await page.keyboard.press('Space')
  await page.turns.runs()
  await until('it writes again', async () => (await text()) !== seen)
  await page.keyboard.press('Escape')
  await page.turn('write it').ended('stopped')
})

test('what the model declines says why, with requests that it would carry out', async (t) => {
  const { project, page } = await start(t)
  await page.composer.ask('make it better please')
  await page.turn('make it better please').ended('declined')
  assert.equal(await page.turn('make it better please').card.getByRole('list', { name: 'Suggested requests' }).count(), 0) // no supported request is similar
  await page.composer.ask('rename ftch to load')
  await page.turn('rename ftch to load').ended('declined')
  const near = page.turn('rename ftch to load').card.getByRole('list', { name: 'Suggested requests' }).getByRole('button')
  await equals('what is offered', () => page.turn('rename ftch to load').offers(), ['rename fetch to load: Renamed fetch to load: 2 places in 1 file.'])
  await page.composer.press('1') // in the empty field; a click does the same
  await page.turn('rename fetch to load').ended('completed')
  assert.match(project.read('app.py'), /print\(load\("x"\)\)/)
  assert.equal(await near.count(), 0) // now it would be declined
})

test('while a request is typed, the line below says what is understood, and nothing where nothing is', async (t) => {
  const { page } = await start(t)
  const keys = await page.composer.hint()
  await page.composer.type('fetch is a silly name, loadPage says what it does')
  await until('what is understood is there', async () => (await page.composer.hint()).startsWith('Perhaps: rename fetch'))
  await page.composer.fill('rename fetch to load')
  await equals('what is certain', () => page.composer.hint(), 'Understood: rename fetch, load · app.py')
  await page.composer.fill('why is the sky blue')
  await equals('nothing', () => page.composer.hint(), keys)
})

test('edits outside the fence are held until they are approved', async (t) => {
  const { project, page } = await start(t)
  const both = `*** Begin Patch\n*** Update File: main.go\n@@\n func main() {\n+\t// in\n*** Update File: store/store.go\n@@\n type Store struct {\n+\t// out\n*** End Patch\n`
  await page.composer.useModel(project.script(atRate(both, 2000)))
  await page.composer.type('change both @main.go')
  await page.composer.only('main.go')
  await equals('the text without the mention', () => page.composer.draft(), 'change both')
  await page.composer.press('Enter')
  await page.turn('change both').ended('held')
  await until('the edit inside is made', () => project.read('main.go').includes('// in'))
  assert.equal(project.read('store/store.go'), files['store/store.go'])
  await page.turn('change both').button('Approve').click()
  await until('the edit outside is made', () => project.read('store/store.go').includes('// out'))
  await page.turn('change both').ended('completed')
})

test('what the built-in model holds because of the fence is worked out once it is approved', async (t) => {
  const { project, page } = await start(t)
  await page.composer.type('rename Store to Shelf @main.go')
  await page.composer.only('main.go')
  await page.composer.press('Enter')
  await page.turn('rename Store to Shelf').ended('held')
  assert.equal(project.read('store/store.go'), files['store/store.go'])
  await page.turn('rename Store to Shelf').button('Approve').click()
  await until('it is made', () => project.read('store/store.go').includes('type Shelf struct'))
  await page.turn('rename Store to Shelf').ended('completed')
})

test('what is selected in the editor is what the request is about', async (t) => {
  const { project, page } = await start(t)
  await page.tree.open('app.py')
  await page.pane.content.getByText('print').click()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+End')
  await page.keyboard.press('Control+Shift+S')
  await page.getByRole('button', { name: 'about app.py:5' }).waitFor()
  await until('the composer has the focus', () => page.composer.isFocused())
  await page.keyboard.type('comment out the selected lines')
  await page.keyboard.press('Enter')
  await page.turn('comment out the selected lines').ended('completed')
  await until('the line is a comment', () => /^# ?print\(fetch\("x"\)\)$/m.test(project.read('app.py')))
  await page.getByRole('button', { name: 'about app.py:5' }).waitFor({ state: 'detached' })
})

test('a long session draws its last turns and keeps its place when earlier ones come', async (t) => {
  const { page } = await start(t)
  const name = (i) => `make it better number${i}`
  for (let i = 1; i <= 33; i++) {
    await page.composer.ask(name(i))
    await page.turn(name(i)).ended('declined')
  }
  await equals('the turns that are drawn', () => page.turns.count(), 30)
  await until('it stays at its end', () => page.turns.isAtEnd())
  await page.turns.toStart()
  const first = page.turn(name(4)).card
  await page.getByRole('button', { name: 'To the end' }).waitFor()
  const earlier = page.getByRole('button', { name: '3 earlier turns' })
  await earlier.hover() // the page has drawn what scrolling changed, and the button is in sight
  const before = (await first.boundingBox())?.y ?? 0
  await earlier.click()
  await page.turn(name(1)).card.waitFor({ state: 'attached' })
  await until('what was in sight stays there', async () => Math.abs(((await first.boundingBox())?.y ?? 0) - before) < 4)
  await page.getByRole('button', { name: 'To the end' }).click()
  await until('it is at its end', () => page.turns.isAtEnd())
})

test('the draft, its chips and the requests before it survive kill -9', async (t) => {
  const { project, server, page } = await start(t, { mayLog: /WebSocket|ERR_CONNECTION|Failed to load/ })
  await page.composer.ask('make it better please')
  await page.turn('make it better please').ended('declined')
  await page.composer.type('half a thought @store/')
  await page.getByRole('option', { name: /^store\// }).click()
  await page.composer.press('Shift+Enter')
  await page.composer.type('and more')
  await kept(t, server, 'half a thought\nand more')
  await server.process.stop('SIGKILL')
  await page.close()

  const again = await openPage(t, (await serve(t, project)).ui)
  await equals('the draft', () => again.composer.draft(), 'half a thought\nand more')
  await again.getByRole('button', { name: /^only store\// }).waitFor()
  await again.composer.fill('')
  await again.composer.press('ArrowUp')
  await equals('the request before', () => again.composer.draft(), 'make it better please')
  await again.turn('make it better please').ended('declined')
})

test('a long draft survives kill -9; one that cannot be sent says so, and nothing else is lost by it', async (t) => {
  const { project, server, page } = await start(t, { mayLog: /WebSocket|ERR_CONNECTION|Failed to load/ })
  const states = writtenStates(page)
  await page.reload()
  await page.composer.ready()
  const lines = (count) => `${'x'.repeat(99)}\n`.repeat(count)
  await page.composer.paste(lines(12_000))
  await page.getByRole('alert').getByText(/^This is longer than 1 MB: it cannot be sent, and is gone when Waferpair ends/).waitFor()
  await page.tree.open('app.py')
  await until('the tab is kept, without the draft', () => states.at(-1)?.active === 'app.py' && states.at(-1)?.draft === '')
  await page.composer.paste(lines(9000))
  await until('the draft is kept', () => states.at(-1)?.draft === lines(9000))
  await server.process.stop('SIGKILL')
  await page.close()

  const again = await openPage(t, (await serve(t, project)).ui)
  await again.getByRole('tab', { name: /app\.py/ }).waitFor()
  assert.equal(await again.composer.draft(), lines(9000))
})

/** Waits until Go has the draft, so that a page that is opened now starts with it. */
async function kept(t, server, draft) {
  const other = await openPage(t, server.ui)
  await other.composer.keeps(draft)
  await other.close()
}

test('refused edits, receipts and their order are there after kill -9', async (t) => {
  const { project, server, page } = await start(t, { mayLog: /WebSocket|ERR_CONNECTION|Failed to load/ })
  const nowhere = '*** Begin Patch\n*** Update File: main.go\n@@\n-nothing like it\n+something\n*** End Patch\n'
  await askLong(page, project, 'write it', [{ steer: true }, { text: `As you say.\n${nowhere}` }])
  await page.composer.ask('elsewhere please')
  await page.turn('write it').ended('conflict')
  await page.turn('write it').button('Accept').waitFor()
  const took = / · [\d.]+ m?s/ // includes the wait for Go, which is not stored
  const shown = async (on) => (await on.turn('write it').text()).replace(took, '')
  const before = await shown(page)
  assert.match(before, /long\.go.* elsewhere please applied at edit 1 As you say\. .*main\.go.* Not made: Failed to find expected lines/)
  await server.process.stop('SIGKILL')
  await page.close()

  const again = await openPage(t, (await serve(t, project)).ui)
  await again.turn('write it').ended('conflict')
  await equals('the turn', () => shown(again), before)
})

test('a turn that was running at kill -9 is told as interrupted, its edit kept', async (t) => {
  const { project, server, page } = await start(t, { mayLog: /WebSocket|ERR_CONNECTION|Failed to load/ })
  await askLong(page, project)
  // The stream is stored within a tenth of a second, so two seconds later the first lines are.
  await page.pane.has(/^\/\/ line ([2-9]\d\d|\d{4,})$/)
  await server.process.stop('SIGKILL')
  await page.close()
  const again = await openPage(t, (await serve(t, project)).ui)
  await again.turn('write it').ended('interrupted')
  await until('the partial edit', () => project.has('long.go') && project.read('long.go').startsWith('// line 0\n// line 1\n'))
})

test('a page that comes in the middle sees the turn, and a second page can stop it', async (t) => {
  const { project, server, page } = await start(t)
  await askLong(page, project)
  await page.reload()
  await page.turns.runs()
  const second = await openPage(t, server.ui)
  await second.turns.runs()
  await second.composer.focus()
  await second.keyboard.press('Escape')
  await page.turn('write it').ended('stopped')
  await second.turn('write it').ended('stopped')
  await equals('the turns', () => page.turns.count(), 1)
})

test('the figures are measured, and where nothing was measured there is none', async (t) => {
  const { project, page } = await start(t)
  const speed = page.getByRole('button', { name: /^Speed:/ })
  assert.match((await speed.textContent()) ?? '', /–/)
  const model = project.spoken() // it ends after the page has drawn an edit: otherwise nothing would be measured
  const answer = insertion('main.go', 'func main() {', numbered(40))
  const half = answer.indexOf('+// line 20')
  await page.composer.useModel(model.name)
  await page.composer.ask('measure')
  model.say(atRate(answer.slice(0, half), 1000))
  await page.pane.has(/^\/\/ line \d+$/)
  model.say(atRate(answer.slice(half), 1000))
  model.end()
  await page.turn('measure').ended('completed')
  await until('a rate', async () => /[\d,]+\s*tok\/s\s*first token\s*[<\d,. ]+ m?s/.test((await speed.textContent()) ?? ''))
  await speed.click()
  const panel = page.getByRole('dialog', { name: 'Latency breakdown' })
  for (const part of ['Queue', 'Connect', 'Context', 'Prefill', 'Decode', 'Apply', 'Paint']) {
    await until(`a time for ${part}`, async () => /[\d.]+ m?s$/.test((await panel.getByRole('row', { name: new RegExp(`^${part}`) }).textContent()) ?? ''))
  }
})

test('sessions: a new one, a name for it, and the way back', async (t) => {
  const { page } = await start(t)
  await page.composer.ask('make it better please')
  await page.turn('make it better please').ended('declined')
  await page.getByRole('button', { name: 'New session', exact: true }).click()
  await page.getByText('What should change?').waitFor()
  await page.composer.ask('improve')
  await page.turn('improve').ended('declined')
  await page.getByRole('button', { name: /^Session / }).click()
  await page.getByRole('menuitem', { name: 'Rename this session…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('The second')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Session The second' }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Session The second' }).focus()
  await until('the menu is open', async () => {
    await page.keyboard.press('ArrowDown')
    return page.getByRole('menuitem', { name: 'Go to another session…' }).isVisible()
  })
  await page.getByRole('menuitem', { name: 'Go to another session…' }).click()
  await page.getByRole('dialog', { name: 'Palette' }).getByRole('option', { name: /make it better please/ }).click()
  await page.turn('make it better please').card.waitFor()
  await page.turn('improve').card.waitFor({ state: 'detached' })
})
