// A model's answer is text, whatever it contains: nothing in it runs, hides, reverses other
// text, or stops the page.

import assert from 'node:assert/strict'
import { openPage } from './chromium.mjs'
import { creation, makeProject } from './project.mjs'
import { serve } from './serve.mjs'
import { test } from './test.mjs'
import { equals, until } from './wait.mjs'

/** @param {import('node:test').TestContext} t */
async function answerWith(t, pieces, request = 'go') {
  const project = makeProject(t, { 'main.go': 'package main\n' })
  const server = await serve(t, project)
  const page = await openPage(t, server.ui)
  await page.composer.ready()
  await page.composer.useModel(project.script(pieces.map((text) => ({ after_ms: 1, text }))))
  await page.composer.ask(request)
  const turn = page.turn(request)
  await turn.ended('completed')
  return { project, page, turn, card: turn.card }
}

const scripts = [
  '<script>window.ran = 1</script>',
  '<img src=x onerror="window.ran = 2">',
  '<svg onload="window.ran = 3"></svg>',
  '<iframe srcdoc="<script>parent.ran = 4</script>"></iframe>',
  '<style>* { display: none !important }</style>',
  '[a link](javascript:window.ran=5)',
  '[another](data:text/html,<script>window.ran=6</script>)',
  '![a picture](https://example.invalid/track.png)',
]

test('HTML, scripts and links of a model are text', async (t) => {
  const patch = creation('<img src=x onerror=window.ran=7>.md', ['<script>window.ran = 8</script>'])
  const { page, turn, card } = await answerWith(t, [scripts.join('\n\n'), '\n\n[good](https://example.com/)\n\n', patch], '<b onclick="window.ran=9">go</b>')
  for (const text of ['<script>window.ran = 1</script>', 'onerror="window.ran = 2"', '<style>', 'javascript:window.ran=5', 'track.png', '<b onclick="window.ran=9">', 'onerror=window.ran=7']) {
    await until(`"${text}" is shown`, async () => ((await card.textContent()) ?? '').includes(text))
  }
  assert.equal(await turn.dangers(), 0)
  assert.deepEqual(await turn.links(), ['https://example.com/'])
  const opened = page.waitForEvent('popup')
  await card.getByRole('link', { name: 'good' }).click()
  assert.match((await opened).url(), /example\.com|about:blank|chrome-error/)
  assert.equal(new URL(page.url()).hostname, '127.0.0.1')
  assert.equal(await page.ran(), undefined)
})

test('what cannot be seen is written out', async (t) => {
  const { card } = await answerWith(t, ['red: \u001b[31mX\u001b[0m\n\n', 'bidi: a\u202Eb\u2066c\n\n', 'zero: pass\u200Bword\u2060\n\n', '```\n\u202E\u001b]8;;x\n```\n'])
  await card.getByText('␛]8;;x').waitFor()
  const text = (await card.textContent()) ?? ''
  for (const shown of ['␛[31mX␛[0m', 'a[U+202E]b[U+2066]c', 'pass[U+200B]word[U+2060]', '[U+202E]␛]8;;x']) assert.ok(text.includes(shown), `${shown} in ${text}`)
  assert.doesNotMatch(text, /[\u001b\u202e\u2066\u200b\u2060]/)
})

test('lines of a megabyte do not freeze the page, and say how much is left out', async (t) => {
  const long = 'x'.repeat(1_000_000)
  const { project, page, turn, card } = await answerWith(t, [`${long}\n\n`, `\`\`\`\n${long}\n\`\`\`\n\n`, `${'_a_'.repeat(20_000)}\n\n`, `${'>'.repeat(50_000)}\n\nthe end\n\n`, creation('long.txt', [long])])
  await card.getByText('the end').waitFor()
  await equals('how often something is left out', () => card.getByText('more characters are not shown').count(), 4)
  const drawn = await turn.drawn()
  assert.ok(drawn.characters < 100_000 && drawn.elements < 10_000, `${JSON.stringify(drawn)} of it are drawn`)
  assert.equal(project.read('long.txt'), `${long}\n`)
  await page.composer.fill('still here')
  await equals('the composer', () => page.composer.draft(), 'still here')
})

test('a thousand paragraphs are there, a part of them at first', async (t) => {
  const { turn, card } = await answerWith(t, Array.from({ length: 100 }, (_, i) => Array.from({ length: 10 }, (_, k) => `Paragraph ${i * 10 + k}.\n\n`).join('')))
  await card.getByText('Paragraph 0.').waitFor()
  await equals('the paragraphs at first', () => turn.paragraphs(), 100)
  await card.getByRole('button', { name: '900 more paragraphs' }).click()
  await equals('the paragraphs', () => turn.paragraphs(), 200)
})
