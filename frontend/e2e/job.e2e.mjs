// The main job in the real window: a request streams into a file in which the user types
// meanwhile, and is reverted; everything is there again after the window was closed, or
// killed in the middle of a turn.

import assert from 'node:assert/strict'
import { makeDisplay } from './display.mjs'
import { atRate, insertion, makeProject } from './project.mjs'
import { test } from './test.mjs'
import { equals, until } from './wait.mjs'
import { Key, openWindow } from './webkit.mjs'

const main = 'package main\n\nfunc main() {\n}\n'
const calls = (n) => Array.from({ length: n }, (_, i) => `\tstep(${i})`)

/** Returns the highest step on the screen, or -1 before the first. */
const step = async (window) => Math.max(-1, ...Array.from((await window.pane.text()).matchAll(/step\((\d+)\)/g), (m) => Number(m[1])))

test('a request streams while the user types in the same file; taken back, the typing stays', async (t) => {
  const project = makeProject(t, { 'main.go': main })
  const display = await makeDisplay(t)
  const window = await openWindow(t, project, display)
  const model = project.spoken() // it says its last words only after the typing
  const answer = insertion('main.go', 'func main() {', calls(400))
  const last = answer.lastIndexOf('+\tstep(399)')
  await window.composer.useModel(model.name)
  await window.composer.ask('take steps')
  model.say(atRate(answer.slice(0, last), 600))
  await until('the edit is streaming', async () => (await step(window)) >= 2)

  await window.pane.click()
  await window.keys([Key.Control, Key.Home])
  const mine = '// typed while it streams'
  await window.keys(mine, Key.Enter)
  model.say(atRate(answer.slice(last), 600))
  model.end()
  await window.turns.ends('completed')
  const both = `${mine}\n${main.replace('{\n', `{\n${calls(400).join('\n')}\n`)}`
  await equals('the file on disk', () => project.read('main.go'), both)

  await window.turns.revert()
  await equals('the file after the revert', () => project.read('main.go'), `${mine}\n${main}`)

  await window.end()
  const again = await openWindow(t, project, display)
  await again.pane.has(mine)
  await until('so is the conversation', () => again.says('take steps', 'Reverted'))
})

test('a window that is closed in the middle of a turn stops it and keeps what was written', async (t) => {
  const project = makeProject(t, { 'main.go': main })
  const display = await makeDisplay(t)
  const window = await openWindow(t, project, display)
  await window.composer.useModel(project.script(atRate(insertion('main.go', 'func main() {', calls(4000)), 300)))
  await window.composer.ask('take many steps')
  await until('the edit is streaming', async () => (await step(window)) >= 5)
  await window.execute('window.go.window.Native.Quit()')
  await until('the program has ended', () => window.pid === 0)
  assert.doesNotMatch(window.log(), /CRITICAL|not done after/)
  assert.match(project.read('main.go'), /step\(5\)\n/)

  const again = await openWindow(t, project, display)
  await again.turns.ends('stopped')
})

test('kill -9 in the middle of a turn: what was written is there, and the turn is marked', async (t) => {
  const project = makeProject(t, { 'main.go': main })
  const display = await makeDisplay(t)
  const window = await openWindow(t, project, display)
  await window.composer.useModel(project.script(atRate(insertion('main.go', 'func main() {', calls(4000)), 300)))
  await window.composer.ask('take many steps')
  await until('the edit is streaming', async () => (await step(window)) >= 20)
  await window.composer.focus()
  await window.keys('a draft for later')
  await window.composer.keeps('a draft for later')
  const then = await step(window)
  await until('a second has passed in the stream: what was written is kept by then', async () => (await step(window)) >= then + 100)
  await window.end('SIGKILL')

  const again = await openWindow(t, project, display)
  await again.turns.ends('interrupted')
  await again.pane.has('step(')
  const written = project.read('main.go').match(/step\(\d+\)/g) ?? []
  assert.deepEqual(written.slice(0, 20), calls(20).map((line) => line.trim()))
  assert.ok(written.length < 4000)
  await equals('the draft', () => again.composer.draft(), 'a draft for later')

  await again.turns.revert()
  await equals('the file after taking it back', () => project.read('main.go'), main)
})
