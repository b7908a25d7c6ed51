// The page as `waferpair serve` serves it to a browser.

import assert from 'node:assert/strict'
import { openPage } from './chromium.mjs'
import { makeProject } from './project.mjs'
import { serve } from './serve.mjs'
import { test } from './test.mjs'
import { until } from './wait.mjs'

test('the page loads, from this server alone, and keeps no token in sight', async (t) => {
  const project = makeProject(t, { 'a.txt': 'a\n' })
  const served = await serve(t, project)
  const page = await openPage(t, 'about:blank')
  const foreign = []
  page.on('request', (r) => {
    if (!r.url().startsWith(`${served.origin}/`)) foreign.push(r.url())
  })
  await page.goto(served.ui)
  await page.tree.item('a.txt').waitFor()
  assert.deepEqual(foreign, [])
  assert.equal(await page.evaluate(() => location.hash), '', 'the token stays in the address bar')
})

test('Ctrl-C ends it, and what was typed is on disk', async (t) => {
  const project = makeProject(t, { 'a.txt': 'one\n' })
  const served = await serve(t, project)
  const page = await openPage(t, served.ui, { mayLog: /WebSocket|ERR_CONNECTION/ })
  await page.tree.open('a.txt')
  await page.pane.typeAtEnd('two')
  await until('the typing has arrived', async () => (await page.pane.text()).includes('two'))
  assert.equal(await served.process.stop('SIGINT'), 0)
  assert.equal(project.read('a.txt'), 'one\ntwo')
})
