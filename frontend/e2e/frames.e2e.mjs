// The pace of a stream in the real window: however fast the model is, Go sends at most one
// frame in 16 ms, never a frame before the previous one was shown, and all of the text. The
// flow counts frames and measures no times, because a slow computer sends fewer.

import assert from 'node:assert/strict'
import { makeDisplay } from './display.mjs'
import { atRate, insertion, makeProject } from './project.mjs'
import { test } from './test.mjs'
import { until } from './wait.mjs'
import { openWindow } from './webkit.mjs'

const old = Array.from({ length: 3000 }, (_, i) => `\tline${i} := ${i} * ${i}`)
const added = Array.from({ length: 1200 }, (_, i) => `\tfresh${i} := compute(${i}, "a value that the model wrote")`)

/** Counts the page's acknowledgements: one for each frame that it has shown. */
const count = `
  const send = WebSocket.prototype.send
  window.counted = { acks: 0, began: 0, ended: 0 }
  WebSocket.prototype.send = function (message) {
    if (String(message).startsWith('{"ack"')) {
      counted.acks++
      counted.began ||= performance.now()
      counted.ended = performance.now()
    }
    return send.call(this, message)
  }`

test('20,000 tokens at 5,000 a second arrive in at most a frame per 16 ms', async (t) => {
  const project = makeProject(t, { 'big.go': `package big\n\nfunc all() {\n${old.join('\n')}\n}\n` })
  const answer = insertion('big.go', old[1500] ?? '', added)
  const model = project.script(atRate(answer, 5000))
  const window = await openWindow(t, project, await makeDisplay(t))

  await window.composer.useModel(model)
  await window.execute(count)
  await window.composer.ask('go on')
  await until('the turn has ended', () => window.turns.streamIs('ended'), 60_000)

  const { acks, began, ended } = await window.execute('return window.counted')
  const tokens = answer.length / 4
  assert.ok(acks <= (ended - began) / 16 + 10, `${acks} frames in ${Math.round(ended - began)} ms`)
  assert.ok(acks < tokens / 10, `${acks} frames for ${tokens} tokens`)
  await until('the file on disk is whole', () => project.read('big.go') === `package big\n\nfunc all() {\n${[...old.slice(0, 1501), ...added, ...old.slice(1501)].join('\n')}\n}\n`)
  await window.pane.has('fresh1199')
})
