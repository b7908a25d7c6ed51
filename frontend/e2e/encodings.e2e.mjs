// Files in other encodings and with other line ends: the page shows their characters, now
// and at every moment, and the disk has their bytes.

import assert from 'node:assert/strict'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPage } from './chromium.mjs'
import { atRate, makeProject } from './project.mjs'
import { serve } from './serve.mjs'
import { test } from './test.mjs'
import { equals, until } from './wait.mjs'

const encoders = {
  'UTF-16 LE': (/** @type {string} */ text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16 BE': (/** @type {string} */ text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'Latin-1': (/** @type {string} */ text) => Buffer.from(text, 'latin1'),
  'UTF-8 with BOM': (/** @type {string} */ text) => Buffer.from(`\ufeff${text}`, 'utf8'),
}

const path = 'text.txt'

/**
 * Makes a project with a file of these lines in an encoding, and opens a page that shows it.
 * @param {import('node:test').TestContext} t
 * @param {keyof typeof encoders} encoding
 * @param {string} eol
 * @param {readonly string[]} lines
 */
async function start(t, encoding, eol, lines) {
  const project = makeProject(t, {})
  const file = join(project.root, path)
  const bytes = (/** @type {readonly string[]} */ of) => encoders[encoding](of.join(eol))
  const holds = (/** @type {readonly string[]} */ of) => readFileSync(file).equals(bytes(of))
  writeFileSync(file, bytes(lines))
  const server = await serve(t, project)
  const page = await openPage(t, server.ui)
  await page.tree.open(path)
  await page.pane.shows(path)
  return { project, server, page, holds }
}

async function ask(page, model, request) {
  await page.composer.useModel(model)
  await page.composer.ask(request)
  await page.turn(request).ended('completed')
}

for (const [encoding, eol, special] of /** @type {const} */ ([
  ['UTF-16 LE', '\r\n', '\u4e0a \u010a \u{1f600}'], // 0x0A bytes that do not end a line
  ['UTF-16 BE', '\n', '\u0a0a \u4e0a'],
  ['Latin-1', '\r\n', '\u00ff \u00a9'],
  ['UTF-8 with BOM', '\r\n', '\u4e0a'],
])) {
  test(`${encoding} with ${eol === '\n' ? 'LF' : 'CRLF'}: an edit streams in, is typed around, looked at and taken back`, async (t) => {
    const before = ['na\u00efve', special, 'three', 'four', 'five', '']
    const after = ['na\u00efve', special, 'three', 'FOUR \u00e9', 'new \u00fc', 'five', '']
    const { project, server, page, holds } = await start(t, encoding, eol, before)
    const patch = `*** Begin Patch\n*** Update File: ${path}\n@@\n three\n-four\n+FOUR \u00e9\n+new \u00fc\n five\n*** End Patch\n`
    await ask(page, project.script(atRate(patch, 500)), 'change it')
    await until('the edit is on the disk, in its encoding', () => holds(after))
    await equals('the pane', async () => (await page.pane.lines()).filter((line) => line !== 'four'), after)
    assert.deepEqual(await server.read('blame', { path }).then(({ runs }) => runs.map(({ line, lines, edit }) => [line, lines, edit])), [[1, 3, 0], [4, 2, 1], [6, 1, 0]])
    await until('the edit is counted by lines', async () => {
      const { added, removed } = await server.read('timeline', { after: 0 })
      return added[0] === 2 && removed[0] === 1
    })

    const typed = [...after.slice(0, -1), 'typed \u00f6', '']
    await page.pane.typeAtEnd('typed \u00f6\n')
    await until('what was typed is on the disk, with the line ends of the file', () => holds(typed))

    for (const mode of /** @type {const} */ (['Unified', 'Side by side'])) {
      await page.keyboard.press('Control+Shift+r')
      await page.diff.use(mode)
      await equals(`the diff, ${mode}`, () => page.diff.lines(), typed)
      assert.deepEqual(await page.diff.marks(), [])
      await page.keyboard.press('Escape')
    }

    await page.turn('change it').button('Revert').click()
    const back = [...before.slice(0, -1), 'typed \u00f6', '']
    await until('the edit is taken back, what was typed stays', () => holds(back))
    await equals('the pane', () => page.pane.lines(), back)

    await page.timeline.slider.press('Home')
    await equals('the file, as it was first', () => page.pane.lines(), before)
    await page.timeline.slider.press('ArrowRight')
    await equals('the first edit, as it was', () => page.pane.lines(), after)
    assert.deepEqual(await page.pane.marks(), [])
    assert.ok(holds(back), 'looking writes nothing')
  })
}

test('line ends that another program changed are those of the file from then on, and the change is to be seen', async (t) => {
  const { page, project } = await start(t, 'Latin-1', '\n', ['one \u00ff', 'two', ''])
  const bytes = encoders['Latin-1']
  // In one step: a file that is seen while it is written anew is an edit that empties it, and another one.
  writeFileSync(`${project.root}.new`, bytes('one \u00ff\r\ntwo\r\n'))
  renameSync(`${project.root}.new`, join(project.root, path))
  await page.getByText('Latin-1 · CRLF').waitFor()
  assert.deepEqual(await page.pane.marks(), [])
  await page.pane.typeAtEnd('three\n')
  await until('it ends as the others do', () => readFileSync(join(project.root, path)).equals(bytes('one \u00ff\r\ntwo\r\nthree\r\n')))

  await page.timeline.slider.press('Home')
  await page.timeline.slider.press('ArrowRight')
  await page.getByText('You are looking at').waitFor()
  await page.palette.run('Show the diff of this edit')
  await equals('the ends of the lines after it', () => page.diff.marks(), ['CR', 'CR'])
})
