// A model file: its page, and what the emulated wafer would have done beside a turn of it.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { assertAccessible } from './axe.mjs'
import { openPage } from './chromium.mjs'
import { binary, makeProject, repository } from './project.mjs'
import { serve } from './serve.mjs'
import { test } from './test.mjs'
import { until } from './wait.mjs'

/**
 * A project with a model file that answers with these lines, under the name coder.
 * @param {import('node:test').TestContext} t
 * @param {readonly string[]} lines
 */
async function start(t, lines, options = {}) {
  const project = makeProject(t, { 'main.go': 'package main\n' })
  const file = join(project.home, 'answers.gguf')
  execFileSync('go', ['run', './build/modelfile', '-o', file, ...lines], { cwd: repository })
  execFileSync(binary, ['models', 'add', file, '--name', 'coder'], { env: project.env })
  const server = await serve(t, project)
  const page = await openPage(t, server.ui, options)
  await page.composer.ready()
  return { project, file, server, page }
}

test('a turn of a model file has its estimate beside it, also after a reload', async (t) => {
  const { page } = await start(t, ['It has one line.', 'That is all.'])
  await page.composer.useModel('coder')
  await page.keyboard.press('Alt+m')
  await page.composer.ask('what is here?')
  await page.turn('what is here?').ended('completed')
  const estimate = /wafer estimate ≈ [\d,]+ tok\/s/
  const shown = async () => estimate.exec(await page.turn('what is here?').text())?.[0]
  await until('the estimate of the turn', async () => (await shown()) !== undefined)
  const first = await shown()
  await page.getByRole('button', { name: /^Speed:.*wafer estimate/ }).click()
  const panel = page.getByRole('region', { name: 'Emulated wafer, an estimate' })
  const told = (await panel.innerText()).replace(/\s+/g, ' ')
  for (const words of [/By assumptions [\d,]+ to [\d,]+/, /SRAM of the fullest core [\d.]+ of 48 KiB/, /WSE-3, 1 wafer, 1 region/]) assert.match(told, words)
  await page.keyboard.press('Escape')
  await page.reload()
  await page.turn('what is here?').ended('completed')
  assert.equal(await shown(), first)
})

test('a model file has a page: reached by the picker, the palette and a key, with what can be done to it', async (t) => {
  const { file, page } = await start(t, ['It has one line.'], { reducedMotion: 'reduce', mayLog: /404 \(Not Found\).*\/api\/(context|modelState)/ }) // once its file has gone
  const dialog = page.getByRole('dialog', { name: 'Model coder' })
  await page.getByRole('button', { name: /^Model:/ }).click()
  await page.getByRole('button', { name: 'Show coder' }).click()
  await dialog.getByText('Not loaded: its next answer loads it').waitFor()
  await dialog.getByText('Nothing was measured here yet', { exact: false }).waitFor()
  await dialog.getByRole('button', { name: 'Run the decode step' }).waitFor() // it does not move by itself
  await dialog.getByText('the token is looked up', { exact: false }).waitFor()
  await dialog.getByRole('slider', { name: 'Place in the decode step' }).press('End')
  await dialog.getByText('the next token is chosen', { exact: false }).waitFor()
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.hasTheme(colorScheme)
    await assertAccessible(page)
  }
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await page.keyboard.press('Control+Alt+m')
  await page.keyboard.type('coder')
  await page.keyboard.press('Control+Alt+i')
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await page.composer.focus()
  await page.keyboard.press('Control+Alt+i')
  await dialog.getByRole('button', { name: 'Use this model' }).click()
  await page.getByRole('button', { name: 'Model: coder' }).waitFor()
  await page.composer.focus()
  await page.keyboard.press('Alt+m')
  await page.composer.ask('what is here?')
  await page.turn('what is here?').ended('completed')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('show the model file')
  await page.keyboard.press('Enter')
  await dialog.getByText('Measured: its answer in this project.', { exact: false }).waitFor()
  await dialog.getByText('In memory', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Unload from memory' }).click()
  await dialog.getByText('Not loaded: its next answer loads it').waitFor()

  rmSync(file)
  await dialog.getByRole('alert').getByText('no such file', { exact: false }).waitFor()
  await dialog.getByRole('button', { name: 'Remove…' }).click()
  await page.getByRole('dialog', { name: 'Remove coder?' }).getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Model: spark' }).waitFor()
})
