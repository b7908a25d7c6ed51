// Models of providers: one is connected in the dialog, asked a question, and what goes wrong says what to do.

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assertAccessible } from './axe.mjs'
import { openPage } from './chromium.mjs'
import { atRate, creation, makeProject } from './project.mjs'
import { provide } from './provider.mjs'
import { serve } from './serve.mjs'
import { test } from './test.mjs'
import { equals, until } from './wait.mjs'

const files = { 'main.go': 'package main\n\nfunc main() {\n\tserve()\n}\n\nfunc serve() {\n}\n' }

/** @param {import('node:test').TestContext} t */
async function start(t) {
  const project = makeProject(t, files)
  const server = await serve(t, project)
  const page = await openPage(t, server.ui)
  await page.composer.ready()
  return { project, server, page }
}

test('a provider is connected in the dialog: a wrong key says so, the right one lists its models', async (t) => {
  const { project, server, page } = await start(t)
  const provider = await provide(t, [{ items: [{ text: 'Hello.' }] }])
  await page.composer.ask('what could be improved in the error handling of this program?')
  await page.turn('what could be improved in the error handling of this program?').ended('declined')
  await page.composer.press('0') // from the decline of the built-in model, one key leads there
  const dialog = page.getByRole('dialog', { name: 'Providers' })
  await dialog.getByRole('button', { name: /^Other/ }).click()
  await dialog.getByLabel('Base URL').fill(provider.url)
  await dialog.getByLabel('API key').fill('sk-wrong-wrong-wrong')
  await page.keyboard.press('Enter')
  await dialog.getByRole('alert').getByText('does not take this key (401)').waitFor()
  assert.doesNotMatch((await dialog.getByRole('alert').textContent()) ?? '', /sk-wrong/)
  await dialog.getByLabel('API key').fill(provider.key)
  await page.keyboard.press('Enter')
  await dialog.getByText(/^2 models · answered in/).waitFor()
  await dialog.getByRole('checkbox', { name: 'small' }).uncheck()
  await dialog.getByRole('button', { name: 'Measure gpt-5.5' }).click()
  await dialog.getByRole('cell', { name: / ms$/ }).first().waitFor()
  await dialog.getByText(/used from now on/).waitFor()
  await dialog.getByRole('button', { name: 'Use 1 model' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Model: gpt-5.5' }).waitFor()
  await equals('the request is there again', () => page.composer.draft(), 'what could be improved in the error handling of this program?')

  const config = readFileSync(join(project.home, 'config/waferpair/config.toml'), 'utf8')
  assert.match(config, /gpt-5\.5/)
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML]))
  const said = [config, kept, server.process.log(), JSON.stringify(await server.read('providers'))].join('\n')
  assert.doesNotMatch(said, new RegExp(provider.key))

  await page.keyboard.press('Control+Alt+m')
  await page.getByRole('option', { name: /gpt-5\.5.*first after/s }).waitFor() // as it was just measured
  await page.keyboard.type('spark')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Model: spark' }).waitFor()
  await page.keyboard.press('Control+Alt+m')
  await page.getByRole('option', { name: /^Change providers/ }).click()
  await dialog.getByRole('button', { name: /^Remove / }).click()
  await dialog.getByRole('button', { name: 'Remove, with its key' }).click()
  await dialog.getByText('No provider yet').waitFor()
})

test('a question is answered in Markdown, and its places open the file at the line', async (t) => {
  const { project, page } = await start(t)
  await page.composer.useModel(project.script(atRate('It starts in `main.go:4`, which calls **serve** (main.go:7). See gone.go:9.\n', 2000)))
  await page.keyboard.press('Alt+m')
  await page.composer.ask('where does it start?')
  const turn = page.turn('where does it start?')
  await turn.ended('completed')
  await turn.card.getByText('Question', { exact: true }).waitFor()
  await turn.bold(/^serve$/).waitFor()
  await turn.card.getByText('Not in the project: gone.go:9').waitFor()
  await turn.card.getByRole('link', { name: 'main.go:7' }).click()
  await page.getByRole('button', { name: 'Ln 7, Col 1' }).waitFor()
  assert.equal(await turn.card.getByRole('link', { name: 'gone.go:9' }).count(), 0)
  await turn.button('Copy').waitFor()
  await page.reload()
  await turn.card.getByRole('link', { name: 'main.go:4' }).press('Enter')
  await page.getByRole('button', { name: 'Ln 4, Col 1' }).waitFor()
  await until('the mode is kept', async () => (await page.getByRole('radio', { name: 'Ask' }).isChecked()))
})

/** @param {import('./project.mjs').Project} project @param {string} text */
function writeConfig(project, text) {
  const folder = join(project.home, 'config/waferpair')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'config.toml'), text)
}

/** A page whose model is of a provider that gives these answers. */
async function connected(t, answers, options = {}, context = 128_000) {
  const provider = await provide(t, answers)
  const project = makeProject(t, files)
  project.env['BOX_KEY'] = provider.key
  writeConfig(project, `[model_providers.box]\nname = "The box"\nbase_url = "${provider.url}"\nenv_key = "BOX_KEY"\nwire_api = "chat"\n\n[model_providers.box.models."gpt-5.5"]\ncontext = ${context}\nprice = { input = 2, cached = 0.5, output = 8 }\n`)
  const server = await serve(t, project)
  const page = await openPage(t, server.ui, options)
  await page.composer.ready()
  await page.composer.useModel('box/gpt-5.5')
  await page.getByRole('button', { name: 'Model: gpt-5.5' }).waitFor()
  return { project, page }
}

test('an edit by a provider’s model streams, is steered in the middle, and its figures are those of a language model', async (t) => {
  const long = creation('long.go', Array.from({ length: 400 }, (_, i) => `// line ${i}`))
  const { project, page } = await connected(t, [{ items: [{ text: long }], gap_ms: 8 }, { items: [{ text: `As you say.\n${creation('short.go', ['package short'])}` }] }])
  const bar = page.getByRole('button', { name: /^Context: [\d.]+k? of 128k tokens$/ })
  await bar.click()
  const context = page.getByRole('dialog', { name: 'Context of the request' })
  await context.getByRole('button', { name: /^Map/ }).press('Delete')
  await context.getByRole('region', { name: 'Left out' }).getByRole('button', { name: 'Put map in' }).click()
  await context.getByRole('button', { name: /^Instructions/ }).click()
  await until('the text of the part', async () => ((await context.getByLabel('Text of instructions').textContent()) ?? '').length > 100)
  await page.keyboard.press('Escape')
  await page.composer.focus()
  await page.composer.ask('write it')
  await page.turns.runs()
  await page.pane.has(/^\/\/ line ([3-9]|\d\d+)$/)
  await page.composer.ask('shorter please')
  await page.turn('write it').ended('completed')
  await until('the receipt', async () => /^applied at edit 1$/.test(await page.turn('write it').receipt()))
  assert.equal(project.read('short.go'), 'package short\n')
  const lines = project.read('long.go').split('\n')
  assert.ok(lines.length > 4 && lines.length < 400, `${lines.length} lines of the first edit stay`)
  const speed = page.getByRole('button', { name: /^Speed:/ })
  await until('tokens, first token, cached share and cost', async () => /tok\/s.*first token.*% cached.*\$/s.test((await speed.textContent()) ?? ''))
})

test('a provider that refuses is asked again with a countdown; what fails says why, and is tried again or continued', async (t) => {
  const { page } = await connected(t, [
    { refuse: { status: 429, code: 'rate_limit_exceeded', message: 'Slow down.', retry_after: '2' } },
    { items: [{ text: 'The first answer.' }] },
    { refuse: { status: 401, code: 'invalid_api_key', message: 'Incorrect API key provided.' } },
    { items: [{ text: 'The second answer.' }] },
    { items: [{ text: 'The third answer has a beginning, and then the connection ends.' }], die_after: 6 },
    { items: [{ text: 'And this is its end.' }] },
  ])
  await page.keyboard.press('Alt+m')
  await page.composer.ask('one?')
  await page.turn('one?').card.getByText(/Trying again in [12] s: /).waitFor()
  await page.turn('one?').ended('completed')
  await page.turn('one?').card.getByText('The first answer.').waitFor()

  await page.composer.ask('two?')
  await page.turn('two?').ended('failed')
  await page.turn('two?').card.getByText(/401/).waitFor()
  await page.turn('two?').button('Change key…').waitFor()
  await page.turn('two?').button('Retry').click()
  await page.turns.log.getByText('The second answer.').waitFor()

  await page.composer.ask('three?')
  await page.turn('three?').ended('failed')
  await page.turn('three?').card.getByText(/^The third/).waitFor()
  await page.reload()
  await page.turn('three?').button('Continue').click()
  await page.turns.log.getByText('And this is its end.').waitFor()
})

test('a request is edited and sent again from before its turn; the conversation is exported', async (t) => {
  const { project, page } = await connected(t, [{ items: [{ text: creation('first.go', ['package first']) }] }, { items: [{ text: creation('second.go', ['package second']) }] }])
  await page.composer.ask('make a file')
  await page.turn('make a file').ended('completed')
  await page.turn('make a file').card.getByRole('button', { name: 'Turn actions' }).click()
  await page.getByRole('menuitem', { name: /^Edit and send again/ }).click()
  await equals('the request is there', () => page.composer.draft(), 'make a file')
  await page.composer.ask('make another file')
  await page.turn('make another file').ended('completed')
  assert.ok(project.has('second.go') && !project.has('first.go'), 'the first file is on its own line')
  await page.turn('make a file').card.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Session / }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Export as Markdown…' }).click()])
  assert.match(readFileSync(await file.path(), 'utf8'), /## Turn 2[^]*> make another file/)
})

test('changes are reviewed: a finding is a comment on its lines, dismissed, and another one fixed', async (t) => {
  const review = '## error main.go:4\n> \tserve()\nThe error is lost.\n\nNobody sees why it ends.\n\n```suggestion\n\tlog.Fatal(serve())\n```\n\n## note long.go:1\n> package long\nA name says little.\n'
  const { project, page } = await connected(t, [{ items: [{ text: creation('long.go', ['package long']) }] }, { items: [{ text: review }] }, { items: [{ text: 'It serves: main.go:4.' }] }])
  await page.composer.ask('write a file')
  await page.turn('write a file').ended('completed')
  await page.composer.takeReady('Review the changes')
  const list = page.turns.log.getByRole('list', { name: 'Findings' })
  const lost = list.getByRole('listitem').filter({ hasText: 'The error is lost.' })
  const name = list.getByRole('listitem').filter({ hasText: 'A name says little.' })
  await name.getByRole('button', { name: 'Dismiss' }).click()
  await name.getByText('Dismissed').waitFor()
  await lost.getByRole('link', { name: 'main.go:4' }).click()
  const comment = page.getByRole('note', { name: 'Error: The error is lost.' })
  await comment.getByText('Nobody sees why it ends.').waitFor()
  await assertAccessible(page)
  await comment.getByRole('button', { name: 'Fix' }).click()
  await lost.getByText(/^Fixed by turn/).waitFor()
  await comment.waitFor({ state: 'detached' })
  assert.match(project.read('main.go'), /\tlog\.Fatal\(serve\(\)\)\n}/)
  await page.composer.takeReady('Explain') // of the file in front
  await page.turns.log.getByText('It serves: ').waitFor()
})

test('auto says why it chose a model, and one key leads to another one', async (t) => {
  const { page } = await connected(t, [{ items: [{ text: creation('new.go', ['package x']) }] }])
  await page.composer.useModel('auto')
  await page.composer.ask('rename serve to listen everywhere')
  await page.turn('rename serve to listen everywhere').card.getByText('Model chosen: built-in, certain').waitFor()
  await page.turn('rename serve to listen everywhere').ended('completed')
  await page.composer.ask('make it nicer')
  await page.turn('make it nicer').ended('completed')
  await page.turn('make it nicer').card.getByText('Model chosen: box/gpt-5.5, because the built-in declined').waitFor()
  await page.composer.press('0')
  await page.getByRole('combobox', { name: 'Model name' }).waitFor()
  await equals('the request is there again', () => page.composer.draft(), 'make it nicer')
})

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  test(`what is of providers is accessible, ${colorScheme}`, async (t) => {
    const { page } = await connected(t, [
      { items: [{ text: 'It is **there**: `main.go:4`, not gone.go:9.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n' }] },
      { items: [{ text: 'A part, and then the connection ends.' }], die_after: 6 },
      { refuse: { status: 401, code: 'invalid_api_key', message: 'Incorrect API key provided.' } },
      { items: [{ text: 'ready and able' }] },
    ], { colorScheme, viewport: { width: 1100, height: 700 } })
    const check = () => assertAccessible(page)
    const dialog = page.getByRole('dialog', { name: 'Providers' })
    await page.keyboard.press('Alt+m')
    await page.composer.ask('one?')
    await page.turn('one?').ended('completed')
    await page.composer.ask('two?')
    await page.turn('two?').ended('failed')
    await page.turn('two?').button('Continue').waitFor()
    await check() // an answer with a place that is not there, a turn that was cut off
    await page.composer.ask('three?')
    await page.turn('three?').ended('failed')
    await page.turn('three?').button('Change key…').waitFor()
    await check()
    await page.getByRole('button', { name: /^Context:/ }).click()
    await page.getByRole('button', { name: /^Map/ }).press('Delete')
    await page.getByRole('region', { name: 'Left out' }).waitFor()
    await check()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Speed:/ }).click()
    await page.getByRole('dialog', { name: 'Latency breakdown' }).waitFor()
    await check()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+Alt+m')
    await page.getByRole('option', { name: /^Change providers/ }).waitFor()
    await check()
    await page.getByRole('option', { name: /^Change providers/ }).click()
    await dialog.getByRole('button', { name: 'Measure box' }).click()
    await dialog.getByText(/used from now on/).waitFor()
    await check()
    await dialog.getByRole('button', { name: 'Change box' }).click()
    await dialog.getByLabel('Base URL').waitFor()
    await check()
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: /^Use / }).waitFor()
    await check()
    await dialog.getByRole('button', { name: 'Back' }).click()
    await dialog.getByLabel('Base URL').fill('http://127.0.0.1:1/v1')
    await page.keyboard.press('Enter')
    await dialog.getByRole('alert').waitFor()
    await check()
    await dialog.getByRole('button', { name: 'Back' }).click()
    await dialog.getByRole('button', { name: /^Add a provider/ }).click()
    await dialog.getByRole('button', { name: /^Other/ }).waitFor()
    await check()
  })
}

test('a summary that the model writes stands for the oldest turns; the panel shows it, and takes it back', async (t) => {
  const story = { items: [{ text: `It is long. ${'And so on. '.repeat(560)}` }] }
  const { page } = await connected(t, [story, story, story, { items: [{ text: 'They told each other stories. '.repeat(4) }], gap_ms: 100 }, { items: [{ text: 'The end.' }] }], {}, 8000)
  await page.keyboard.press('Alt+m')
  for (const n of [1, 2, 3]) {
    await page.composer.ask(`tell the story ${n}`)
    await page.turn(`tell the story ${n}`).ended('completed')
  }
  const bar = page.getByRole('button', { name: /^Context: / })
  await bar.click()
  const context = page.getByRole('dialog', { name: 'Context of the request' })
  await context.getByText(/the model is first asked for a summary of it$/).first().waitFor()
  await page.keyboard.press('Escape')
  await page.composer.ask('how does it end?')
  await page.getByText(/^Writing a summary of turns 1 to \d, to save room$/).first().waitFor()
  const turn = page.turn('how does it end?')
  await turn.ended('completed')
  await turn.card.getByText(/^a summary stands for turns 1 to \d now, to save room/i).waitFor()
  assert.equal(await turn.card.getByText('They told each other stories').count(), 0)
  await bar.click()
  await context.getByRole('button', { name: /^Summary of turns 1 to / }).click()
  await context.getByText('They told each other stories').waitFor()
  await context.getByRole('button', { name: 'Use the turns themselves again' }).click()
  await context.getByRole('button', { name: /^Summary of/ }).waitFor({ state: 'detached' })
  await context.getByText(/you took its summary back$/).first().waitFor()
})
