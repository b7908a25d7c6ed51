// A request and what becomes of it: edits, steering, stopping, pausing, what is
// declined or held, and what survives when things go wrong in between.

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
  await composer(page).waitFor()
  return { project, server, page }
}

const composer = (page) => page.locator('[data-composer]')
const turn = (page, request) => page.getByRole('article', { name: `Request: ${request}`, exact: true })
const ending = (page, request, status) => turn(page, request).locator(`[data-status="${status}"]`).waitFor()
const running = (page, state = 'running') => page.locator(`[data-running="${state}"]`)
const hint = (page) => page.locator('#composer-hint').textContent()

async function useModel(page, name) {
  await page.getByRole('button', { name: /^Model:/ }).click()
  await page.getByLabel('Another model').fill(name)
  await page.keyboard.press('Enter')
  await composer(page).focus()
}

async function ask(page, text) {
  await composer(page).fill(text)
  await composer(page).press('Enter')
}

/** A turn that runs until something ends it, with some of its lines on the screen: the first ones may have left it already. */
async function askLong(page, project, request = 'write it', more = []) {
  await useModel(page, project.script([...atRate(creation('long.go', numbered(4000)), 300), forever, ...more]))
  await ask(page, request)
  await running(page).waitFor()
  await page.locator('.cm-content').getByText(/^\/\/ line ([3-9]|\d\d+)$/).first().waitFor()
}

test('turns of two sessions run side by side, and each is shown with its own', async (t) => {
  const { project, page } = await start(t)
  await askLong(page, project, 'write it')
  await page.getByRole('button', { name: 'New session', exact: true }).click()
  const others = page.getByRole('list', { name: 'Running in other sessions' })
  await others.getByText('write it').waitFor()
  await running(page).waitFor({ state: 'detached' })
  await useModel(page, project.script(atRate(insertion('main.go', 'func main() {', ['\tserve()']), 2000)))
  await ask(page, 'serve it')
  await ending(page, 'serve it', 'completed')
  await equals('the file on disk', () => project.read('main.go'), main.replace('{\n', '{\n\tserve()\n'))
  await others.getByRole('button', { name: /write it$/ }).first().press('Enter')
  await running(page).waitFor()
  await others.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New session', exact: true }).click()
  await others.getByRole('button', { name: 'Stop “write it”' }).click()
  await others.waitFor({ state: 'detached' })
})

test('a turn that a command began is shown live with its session, and is steered and stopped there', async (t) => {
  const { project, server, page } = await start(t)
  await ask(page, 'rename fetch to tryFetch')
  await ending(page, 'rename fetch to tryFetch', 'completed')
  const second = await openPage(t, server.ui)
  await turn(second, 'rename fetch to tryFetch').waitFor()
  const model = project.script([...atRate(`As the command asks.\n${creation('long.go', numbered(4000))}`, 300), forever, { steer: true }, ...atRate(creation('short.go', ['package short']), 2000), forever])
  const command = run(t, binary, ['edit', '-C', project.root, '--session', 'new', '--model', model, 'write it'], { env: project.env })
  for (const each of [page, second]) {
    await each.getByRole('list', { name: 'Running in other sessions' }).getByRole('button', { name: /write it$/ }).first().press('Enter')
    await running(each).waitFor()
    await turn(each, 'write it').getByText('As the command asks.').waitFor()
    await each.locator('.cm-content').getByText(/^\/\/ line ([3-9]|\d\d+)$/).first().waitFor()
  }
  await composer(page).focus()
  await ask(page, 'shorter please')
  for (const each of [page, second]) await until('the receipt', async () => /^applied at edit 1$/.test((await turn(each, 'write it').locator('[data-state]').textContent()) ?? ''))
  await second.locator('.cm-content').getByText('package short').waitFor()
  await composer(second).focus()
  await second.keyboard.press('Escape')
  for (const each of [page, second]) await ending(each, 'write it', 'stopped')
  assert.equal(await command.ended, 1, command.log())
  assert.equal(project.read('short.go'), 'package short\n')
})

test('a request becomes edits on disk and a turn of the conversation', async (t) => {
  const { project, page } = await start(t)
  const said = `Adding **one** line.\n\n${insertion('main.go', 'func main() {', ['\tserve()'])}`
  await useModel(page, project.script(atRate(said, 2000)))
  await ask(page, 'serve it')
  await ending(page, 'serve it', 'completed')
  await equals('the file on disk', () => project.read('main.go'), main.replace('{\n', '{\n\tserve()\n'))
  await turn(page, 'serve it').locator('strong', { hasText: /^one$/ }).waitFor()
  await equals('the composer', () => composer(page).inputValue(), '')
  await turn(page, 'serve it').getByRole('button', { name: /^main\.go/ }).click()
  await page.locator('.cm-content').getByText('serve()').waitFor()

  await page.reload()
  await ending(page, 'serve it', 'completed')
  await turn(page, 'serve it').getByRole('button', { name: 'Revert', exact: true }).click()
  await equals('the file after the revert', () => project.read('main.go'), main)
  await turn(page, 'serve it').getByText('Reverted').waitFor()
})

test('an empty conversation teaches with requests that work', async (t) => {
  const { project, page } = await start(t)
  await page.getByRole('button', { name: 'rename fetch to tryFetch' }).click()
  await equals('the composer', () => composer(page).inputValue(), 'rename fetch to tryFetch')
  await composer(page).press('Enter')
  await ending(page, 'rename fetch to tryFetch', 'completed')
  await until('the rename is on disk', () => project.read('app.py').includes('print(tryFetch("x"))'))
})

test('a steer cuts in, is applied, and says so', async (t) => {
  const { project, page } = await start(t)
  await askLong(page, project, 'write it', [{ steer: true }, ...atRate(`As you say.\n${creation('short.go', ['package short'])}`, 2000)])
  await ask(page, 'shorter please')
  const receipt = turn(page, 'write it').locator('[data-state]')
  await until('the receipt', async () => /^applied at edit 1$/.test((await receipt.textContent()) ?? ''))
  await ending(page, 'write it', 'completed')
  assert.equal(project.read('short.go'), 'package short\n')
  const partial = project.read('long.go').split('\n')
  assert.ok(partial.length > 4 && partial.length < 4000, `${partial.length} lines of the first edit stay`)
  assert.deepEqual(partial.slice(0, 3), numbered(3))
})

test('a steer that the model never takes up hands its text back', async (t) => {
  const { project, page } = await start(t)
  await askLong(page, project)
  await ask(page, 'never mind')
  await turn(page, 'write it').getByText('not sent; text handed back').waitFor()
  await equals('the composer', () => composer(page).inputValue(), 'never mind')
  await until('it says why', async () => /did not reach the model/.test((await hint(page)) ?? ''))
})

test('a steer into a lost connection hands its text back', async (t) => {
  const { project, server, page } = await start(t, { mayLog: /WebSocket|ERR_CONNECTION|Failed to load/ })
  await askLong(page, project)
  await server.process.stop('SIGKILL')
  await page.getByText(/Reconnecting/).waitFor()
  await ask(page, 'go left')
  await equals('the composer', () => composer(page).inputValue(), 'go left')
  await until('it says why', async () => /did not reach/.test((await hint(page)) ?? ''))
})

test('Esc stops and keeps, Esc again reverts, and that can be undone', async (t) => {
  const { project, page } = await start(t)
  await askLong(page, project)
  await page.keyboard.press('Escape')
  await ending(page, 'write it', 'stopped')
  const kept = await until('the partial edit is on disk', () => (project.has('long.go') ? project.read('long.go') : ''))
  assert.match(kept, /^\/\/ line 0\n\/\/ line 1\n/)
  await equals('the hint', () => hint(page), 'Stopped at edit 1, kept. Esc again reverts this turn.')
  await page.keyboard.press('Escape')
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.hover() // it stays as long as the pointer is on it
  await until('the turn is reverted', () => !project.has('long.go'))
  await page.getByRole('tab', { name: /long\.go/ }).waitFor({ state: 'detached' }) // only following opened it
  await undo.click()
  await equals('the edit is back', () => project.has('long.go') && project.read('long.go'), kept)
})

test('a file that the user looked at keeps its tab when its turn is reverted, and says that it is gone', async (t) => {
  const { project, page } = await start(t)
  await askLong(page, project)
  await page.keyboard.press('Escape')
  await ending(page, 'write it', 'stopped')
  await page.locator('.cm-scroller').evaluate((e) => { e.scrollTop = 0 })
  await page.locator('.cm-content').getByText('// line 1', { exact: true }).click()
  await turn(page, 'write it').getByRole('button', { name: 'Revert', exact: true }).click()
  await until('the turn is reverted', () => !project.has('long.go'))
  await page.getByText('This file no longer exists.').waitFor()
  await page.getByRole('tab', { name: /long\.go/ }).waitFor()
})

test('another key withdraws the offer of Esc', async (t) => {
  const { project, page } = await start(t)
  await askLong(page, project)
  await page.keyboard.press('Escape')
  await ending(page, 'write it', 'stopped')
  await composer(page).press('x')
  await page.keyboard.press('Escape')
  await until('the hint is the usual one', async () => /^Enter sends/.test((await hint(page)) ?? ''))
  assert.ok(project.has('long.go'))
})

test('Space pauses: nothing is written until Space goes on', async (t) => {
  const { project, page } = await start(t)
  await askLong(page, project)
  await page.keyboard.press('Space')
  await running(page, 'paused').waitFor()
  const text = () => page.locator('.cm-content').innerText()
  let seen = await text()
  let since = performance.now()
  await until('half a second without a new letter', async () => {
    const now = await text()
    if (now !== seen) since = performance.now()
    seen = now
    return performance.now() - since > 500
  })
  assert.equal(await running(page, 'paused').count(), 1)
  await page.keyboard.press('Space')
  await running(page).waitFor()
  await until('it writes again', async () => (await text()) !== seen)
  await page.keyboard.press('Escape')
  await ending(page, 'write it', 'stopped')
})

test('what the model declines says why, with requests that it would carry out', async (t) => {
  const { project, page } = await start(t)
  await ask(page, 'make it better please')
  await ending(page, 'make it better please', 'declined')
  assert.equal(await turn(page, 'make it better please').getByRole('list', { name: 'Suggested requests' }).count(), 0) // nothing here comes near
  await ask(page, 'rename ftch to load')
  await ending(page, 'rename ftch to load', 'declined')
  const near = turn(page, 'rename ftch to load').getByRole('list', { name: 'Suggested requests' }).getByRole('button')
  await equals('what is offered', () => near.allTextContents(), ['rename fetch to load'])
  await near.click()
  await equals('the composer', () => composer(page).inputValue(), 'rename fetch to load')
  await composer(page).press('Enter')
  await ending(page, 'rename fetch to load', 'completed')
  assert.match(project.read('app.py'), /print\(load\("x"\)\)/)
  assert.equal(await near.count(), 0) // it would be declined now
})

test('edits outside the fence are held until they are approved', async (t) => {
  const { project, page } = await start(t)
  const both = `*** Begin Patch\n*** Update File: main.go\n@@\n func main() {\n+\t// in\n*** Update File: store/store.go\n@@\n type Store struct {\n+\t// out\n*** End Patch\n`
  await useModel(page, project.script(atRate(both, 2000)))
  await composer(page).pressSequentially('change both @main.go')
  await page.getByRole('option', { name: /^main\.go/ }).waitFor()
  await composer(page).press('Enter')
  await page.getByRole('button', { name: 'about main.go' }).click()
  await page.getByRole('button', { name: /^only main\.go/ }).waitFor()
  await equals('the text without the mention', () => composer(page).inputValue(), 'change both')
  await composer(page).press('Enter')
  await ending(page, 'change both', 'held')
  await until('the edit inside is made', () => project.read('main.go').includes('// in'))
  assert.equal(project.read('store/store.go'), files['store/store.go'])
  await turn(page, 'change both').getByRole('button', { name: 'Approve' }).click()
  await until('the edit outside is made', () => project.read('store/store.go').includes('// out'))
  await ending(page, 'change both', 'completed')
})

test('what the built-in model holds because of the fence is worked out once it is approved', async (t) => {
  const { project, page } = await start(t)
  await composer(page).pressSequentially('rename Store to Shelf @main.go')
  await page.getByRole('option', { name: /^main\.go/ }).waitFor()
  await composer(page).press('Enter')
  await page.getByRole('button', { name: 'about main.go' }).click()
  await page.getByRole('button', { name: /^only main\.go/ }).waitFor()
  await composer(page).press('Enter')
  await ending(page, 'rename Store to Shelf', 'held')
  assert.equal(project.read('store/store.go'), files['store/store.go'])
  await turn(page, 'rename Store to Shelf').getByRole('button', { name: 'Approve' }).click()
  await until('it is made', () => project.read('store/store.go').includes('type Shelf struct'))
  await ending(page, 'rename Store to Shelf', 'completed')
})

test('what is selected in the editor is what the request is about', async (t) => {
  const { project, page } = await start(t)
  await page.getByRole('treeitem', { name: 'app.py' }).dblclick()
  await page.locator('.cm-content').getByText('print').click()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+End')
  await page.keyboard.press('Control+Shift+S')
  await page.getByRole('button', { name: 'about app.py:5' }).waitFor()
  await until('the composer has the focus', () => page.evaluate(() => document.activeElement?.matches('[data-composer]')))
  await page.keyboard.type('comment out the selected lines')
  await page.keyboard.press('Enter')
  await ending(page, 'comment out the selected lines', 'completed')
  await until('the line is a comment', () => /^# ?print\(fetch\("x"\)\)$/m.test(project.read('app.py')))
  await page.getByRole('button', { name: 'about app.py:5' }).waitFor({ state: 'detached' })
})

test('a long session draws its last turns and keeps its place when earlier ones come', async (t) => {
  const { page } = await start(t)
  const name = (i) => `make it better number${i}`
  for (let i = 1; i <= 33; i++) {
    await ask(page, name(i))
    await ending(page, name(i), 'declined')
  }
  const log = page.getByRole('log')
  await equals('the turns that are drawn', () => page.getByRole('article').count(), 30)
  await until('it stays at its end', () => log.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight < 2))
  await log.evaluate((e) => { e.scrollTop = 0 })
  const first = turn(page, name(4))
  await page.getByRole('button', { name: 'To the end' }).waitFor()
  const earlier = page.getByRole('button', { name: '3 earlier turns' })
  await earlier.hover() // what scrolling changes has been drawn, and the button is in sight
  const before = (await first.boundingBox())?.y ?? 0
  await earlier.click()
  await turn(page, name(1)).waitFor({ state: 'attached' })
  await until('what was in sight stays there', async () => Math.abs(((await first.boundingBox())?.y ?? 0) - before) < 4)
  await page.getByRole('button', { name: 'To the end' }).click()
  await until('it is at its end', () => log.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight < 2))
})

test('the draft, its chips and the requests before it survive kill -9', async (t) => {
  const { project, server, page } = await start(t, { mayLog: /WebSocket|ERR_CONNECTION|Failed to load/ })
  await ask(page, 'make it better please')
  await ending(page, 'make it better please', 'declined')
  await composer(page).pressSequentially('half a thought @store/')
  await page.getByRole('option', { name: /^store\// }).click()
  await composer(page).press('Shift+Enter')
  await composer(page).pressSequentially('and more')
  await kept(t, server, 'half a thought\nand more')
  await server.process.stop('SIGKILL')
  await page.close()

  const again = await openPage(t, (await serve(t, project)).ui)
  await equals('the draft', () => composer(again).inputValue(), 'half a thought\nand more')
  await again.getByRole('button', { name: /^only store\// }).waitFor()
  await composer(again).fill('')
  await composer(again).press('ArrowUp')
  await equals('the request before', () => composer(again).inputValue(), 'make it better please')
  await ending(again, 'make it better please', 'declined')
})

test('a long draft survives kill -9; one that cannot be sent says so, and nothing else is lost by it', async (t) => {
  const { project, server, page } = await start(t, { mayLog: /WebSocket|ERR_CONNECTION|Failed to load/ })
  const states = writtenStates(page)
  await page.reload()
  await composer(page).waitFor()
  const lines = (count) => `${'x'.repeat(99)}\n`.repeat(count)
  const fill = async (text) => {
    await composer(page).evaluate((box, all) => {
      /** @type {HTMLTextAreaElement} */ (box).value = all
      box.dispatchEvent(new Event('input', { bubbles: true }))
    }, text)
  }
  await fill(lines(12_000))
  await page.getByRole('alert').getByText(/^This is longer than 1 MB: it cannot be sent, and is gone when Waferpair ends/).waitFor()
  await page.getByRole('treeitem', { name: 'app.py', exact: true }).dblclick()
  await until('the tab is kept, without the draft', () => states.at(-1)?.active === 'app.py' && states.at(-1)?.draft === '')
  await fill(lines(9000))
  await until('the draft is kept', () => states.at(-1)?.draft === lines(9000))
  await server.process.stop('SIGKILL')
  await page.close()

  const again = await openPage(t, (await serve(t, project)).ui)
  await again.getByRole('tab', { name: /app\.py/ }).waitFor()
  assert.equal(await composer(again).inputValue(), lines(9000))
})

/** Waits until Go has it: a page that is opened now begins with it. */
async function kept(t, server, draft) {
  const other = await openPage(t, server.ui)
  await until('the draft is kept', async () => {
    await other.reload()
    await composer(other).waitFor()
    return (await composer(other).inputValue()) === draft
  })
  await other.close()
}

test('refused edits, receipts and their order are there after kill -9', async (t) => {
  const { project, server, page } = await start(t, { mayLog: /WebSocket|ERR_CONNECTION|Failed to load/ })
  const nowhere = '*** Begin Patch\n*** Update File: main.go\n@@\n-nothing like it\n+something\n*** End Patch\n'
  await askLong(page, project, 'write it', [{ steer: true }, { text: `As you say.\n${nowhere}` }])
  await ask(page, 'elsewhere please')
  await ending(page, 'write it', 'conflict')
  await turn(page, 'write it').getByRole('button', { name: 'Accept', exact: true }).waitFor()
  const took = / · [\d.]+ m?s/ // counts the wait for Go, which is not kept
  const shown = async (on) => (await turn(on, 'write it').innerText()).replace(/\s+/g, ' ').replace(took, '')
  const before = await shown(page)
  assert.match(before, /long\.go.* elsewhere please applied at edit 1 As you say\. .*main\.go.* Not made: Failed to find expected lines/)
  await server.process.stop('SIGKILL')
  await page.close()

  const again = await openPage(t, (await serve(t, project)).ui)
  await ending(again, 'write it', 'conflict')
  await equals('the turn', () => shown(again), before)
})

test('a turn that was running at kill -9 is told as interrupted, its edit kept', async (t) => {
  const { project, server, page } = await start(t, { mayLog: /WebSocket|ERR_CONNECTION|Failed to load/ })
  await askLong(page, project)
  // Two seconds of the stream later the first lines are kept, by the promise of a tenth.
  await page.locator('.cm-content').getByText(/^\/\/ line ([2-9]\d\d|\d{4,})$/).first().waitFor()
  await server.process.stop('SIGKILL')
  await page.close()
  const again = await openPage(t, (await serve(t, project)).ui)
  await ending(again, 'write it', 'interrupted')
  await until('the partial edit', () => project.has('long.go') && project.read('long.go').startsWith('// line 0\n// line 1\n'))
})

test('a page that comes in the middle sees the turn, and a second page can stop it', async (t) => {
  const { project, server, page } = await start(t)
  await askLong(page, project)
  await page.reload()
  await running(page).waitFor()
  const second = await openPage(t, server.ui)
  await running(second).waitFor()
  await composer(second).focus()
  await second.keyboard.press('Escape')
  await ending(page, 'write it', 'stopped')
  await ending(second, 'write it', 'stopped')
  await equals('the turns', () => page.getByRole('article').count(), 1)
})

test('the figures are measured, and where nothing was measured there is none', async (t) => {
  const { project, page } = await start(t)
  const speed = page.getByRole('button', { name: /^Speed:/ })
  assert.match((await speed.textContent()) ?? '', /–\s*tok\/s\s*– to first edit/)
  const model = project.spoken() // it ends after the page has shown an edit: only what was drawn is measured
  const answer = insertion('main.go', 'func main() {', numbered(40))
  const half = answer.indexOf('+// line 20')
  await useModel(page, model.name)
  await ask(page, 'measure')
  model.say(atRate(answer.slice(0, half), 1000))
  await page.locator('.cm-content').getByText(/^\/\/ line \d+$/).first().waitFor()
  model.say(atRate(answer.slice(half), 1000))
  model.end()
  await ending(page, 'measure', 'completed')
  await until('a rate', async () => /[\d,]+\s*tok\/s\s*[\d,.]+ m?s/.test((await speed.textContent()) ?? ''))
  await speed.click()
  const panel = page.getByRole('dialog', { name: 'Latency breakdown' })
  for (const part of ['Queue', 'Connect', 'Context', 'Prefill', 'Decode', 'Apply', 'Paint']) {
    await until(`a time for ${part}`, async () => /[\d.]+ m?s$/.test((await panel.getByRole('row', { name: new RegExp(`^${part}`) }).textContent()) ?? ''))
  }
})

test('sessions: a new one, a name for it, and the way back', async (t) => {
  const { page } = await start(t)
  await ask(page, 'make it better please')
  await ending(page, 'make it better please', 'declined')
  await page.getByRole('button', { name: 'New session', exact: true }).click()
  await page.getByText('What should change?').waitFor()
  await ask(page, 'improve')
  await ending(page, 'improve', 'declined')
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
  await turn(page, 'make it better please').waitFor()
  await turn(page, 'improve').waitFor({ state: 'detached' })
})
