// The real window: WebKitGTK under Xvfb, driven by WebKitWebDriver.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDisplay } from './display.mjs'
import { start } from './process.mjs'
import { binary, makeProject } from './project.mjs'
import { test } from './test.mjs'
import { equals, until } from './wait.mjs'
import { Key, openWindow } from './webkit.mjs'

const files = { 'a.txt': 'one\n', 'src/main.go': 'package main\n\nfunc main() {}\n' }

test('it shows the project, and is what it says it is', async (t) => {
  const project = makeProject(t, files)
  const display = await makeDisplay(t)
  const window = await openWindow(t, project, display)
  await until('the tree lists the file', () => window.says('a.txt'))

  await until('the title names the project', () => xdotool(display, 'getwindowname', shown(display)) === 'shop — Waferpair')
  assert.equal(xdotool(display, 'search', '--onlyvisible', '--class', '^waferpair$'), shown(display), 'the desktop entry names this class')
  const policy = await window.evaluate("return (await fetch('/')).headers.get('content-security-policy')")
  assert.match(policy, /default-src 'none'; script-src 'self';/)
})

test('the command line becomes the program that has the window, and serves the page where that is not', async (t) => {
  const project = makeProject(t, files)
  const display = await makeDisplay(t)
  const installed = project.install()
  const window = await openWindow(t, project, display, { binary: installed.binary })
  await until('the tree lists the file', () => window.says('a.txt'))
  assert.equal(readlinkSync(`/proc/${window.pid}/exe`), installed.window)
  assert.deepEqual(readFileSync(`/proc/${window.pid}/cmdline`, 'utf8').split('\0').slice(0, -1), ['waferpair', project.root])
  await window.end('SIGTERM')
  assert.doesNotMatch(window.log(), /waferpair:|CRITICAL|panic/)

  rmSync(installed.window)
  const alone = start(t, installed.binary, [project.root], { env: { ...project.env, ...display }, cwd: project.root })
  await alone.line((line) => line.includes('http://127.0.0.1'), 'the address')
  assert.match(alone.log(), /no window can be opened: waferpair-window is neither in .*; serving the page/)
  assert.equal(await alone.stop('SIGTERM'), 0, alone.log())
})

test('the figures open on a computer without a language', async (t) => {
  const project = makeProject(t, { 'main.go': 'package main\n' })
  for (const [was, is] of [['main', 'shop'], ['shop', 'main']]) {
    const patch = `*** Begin Patch\n*** Update File: main.go\n@@\n-package ${was}\n+package ${is}\n*** End Patch\n`
    execFileSync(binary, ['edit', '-C', project.root, '--model', project.script([{ text: patch }]), 'name it'], { env: project.env })
  }
  const window = await openWindow(t, project, await makeDisplay(t), { env: { LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' } })
  await until('the turns are there', async () => (await window.turns.count()) === 2)
  await window.figures.open()
  await until('two lines are drawn', async () => (await window.figures.lines()) === 2)
})

test('nothing but the page is ever shown, and links leave it only when asked', async (t) => {
  const project = makeProject(t, files)
  const window = await openWindow(t, project, await makeDisplay(t))
  const stays = async (script) => {
    await window.execute(script)
    assert.equal(await window.execute('return location.href'), 'wails://wails/', script)
  }
  await stays("location.href = 'https://example.com/'")
  await stays("location.href = 'file:///etc/passwd'")
  await stays("window.open('https://example.com/')")
  await stays("const a = document.createElement('a'); a.href = 'https://example.com/'; a.textContent = 'x'; document.body.append(a); a.click(); a.remove()")
  const refused = (url) => window.evaluate("return await window.go.window.Native.OpenExternal(args[0]).then(() => '', String)", url)
  assert.match(await refused('file:///etc/passwd'), /only http and https/)
  assert.match(await refused('javascript:alert(1)'), /only http and https/)
})

test('a nil dereference that is recovered from does not end the program', async (t) => {
  const window = await openWindow(t, makeProject(t, files), await makeDisplay(t))
  assert.equal(await window.evaluate('return await window.go.window.Probe.Faults(50)'), 50)
  assert.equal(await window.execute('return 1 + 1'), 2)
})

test('SIGTERM closes it cleanly: what was typed is on disk, its place is remembered', async (t) => {
  const project = makeProject(t, files)
  const display = await makeDisplay(t)
  const window = await openWindow(t, project, display)
  await window.tree.open('a.txt')
  await window.keys([Key.Control, Key.End], 'two')
  await window.pane.has('two')
  xdotool(display, 'windowsize', shown(display), '1100', '700')
  xdotool(display, 'windowmove', shown(display), '40', '30')
  await until('it has its new size and place', () => window.execute('return innerWidth === 1100 && innerHeight === 700 && screenX === 40 && screenY === 30'))
  await window.end('SIGTERM')
  assert.equal(project.read('a.txt'), 'one\ntwo')
  assert.doesNotMatch(window.log(), /CRITICAL|panic|did not|cannot/)

  const again = await openWindow(t, project, display)
  await equals('its size', () => again.execute('return [innerWidth, innerHeight]'), [1100, 700])
  await until('its place', () => /X=40\nY=30\n/.test(xdotool(display, 'getwindowgeometry', '--shell', shown(display))))
  await again.pane.has('two')
})

test('kill -9 while typing: the next start shows what was typed', async (t) => {
  const project = makeProject(t, files)
  const display = await makeDisplay(t)
  const window = await openWindow(t, project, display)
  await window.tree.open('a.txt')
  await window.keys([Key.Control, Key.End], 'kept whatever happens')
  await until('Go has it', () => inGo(window, 'kept whatever happens'))
  // The last tenth of a second of what follows may be lost.
  for (const since = performance.now(); performance.now() - since < 150; ) await window.keys('.')
  await window.end('SIGKILL')

  const again = await openWindow(t, project, display)
  await again.pane.has('kept whatever happens')
})

test("a folder is chosen in the desktop's dialog, or not", async (t) => {
  const project = makeProject(t, files)
  const display = await makeDisplay(t)
  const window = await openWindow(t, project, display)
  const dialog = () => xdotoolOr('', display, 'search', '--onlyvisible', '--name', 'Open a project folder')
  const choose = async (key) => {
    await until('no dialog is left', () => dialog() === '')
    await window.execute('window.chosen = undefined; window.go.window.Native.OpenFolder().then((path) => (window.chosen = { path }), (error) => (window.chosen = { error }))')
    await until('the dialog is open', dialog)
    // GTK ignores keys until everything is set up, so the key is pressed until it works.
    const { path } = await until('the dialog is done', async () => {
      const chosen = await window.execute('return window.chosen')
      if (!chosen) xdotoolOr('', display, 'search', '--onlyvisible', '--name', 'Open a project folder', 'windowfocus', 'key', key)
      return chosen
    })
    return path
  }
  assert.equal(await choose('Escape'), '')
  assert.equal(await choose('alt+o'), dirname(project.root), 'the folder that the project is in')
})

test('a folder that is dropped on the window is opened', async (t) => {
  const project = makeProject(t, files)
  const display = await makeDisplay(t)
  const window = await openWindow(t, project, display)
  await until('the project is there', () => xdotool(display, 'getwindowname', shown(display)) === 'shop — Waferpair')
  await window.evaluate('await window.go.window.Probe.Drop(args[0])', [join(project.root, 'src')])
  await until('the other folder is there', () => xdotool(display, 'getwindowname', shown(display)) === 'src — Waferpair')
})

test('a second window on the same folder brings the first one back; of another folder it does not; after a kill it opens itself', async (t) => {
  const project = makeProject(t, files)
  const other = join(dirname(project.root), 'other')
  mkdirSync(other)
  const display = await makeDisplay(t)
  const { binary } = project.install()
  const waferpair = (folder) => start(t, binary, [folder], { env: { ...project.env, ...display }, cwd: project.root })
  const visible = (name) => xdotoolOr('', display, 'search', '--onlyvisible', '--name', `^${name} — Waferpair$`)
  const first = waferpair(project.root)
  const window = await until('the first window is there', () => visible('shop'))
  xdotool(display, 'windowunmap', '--sync', window)

  waferpair(other)
  await until('the other folder has a window', () => visible('other'))
  assert.equal(visible('shop'), '', 'the window of another folder is raised')

  const second = waferpair(project.root)
  assert.equal(await second.ended, 0, second.log())
  await until('the first window is there again', () => visible('shop') === window)

  await first.stop('SIGKILL')
  await until('its window is gone', () => visible('shop') === '')
  const third = waferpair(project.root)
  await until('there is a new window', () => visible('shop'))
  assert.equal(await third.stop('SIGTERM'), 0, third.log())
})

/** Whether Go has a text, saved or not. */
const inGo = (window, text) =>
  window.evaluate(
    `const { token } = await (await fetch('/boot.json')).json()
    const query = new URLSearchParams({ text: args[0], regex: 'false', case: 'true', word: 'false', limit: '5' })
    const answer = await fetch('/api/grep?' + query, { headers: { Authorization: 'Bearer ' + token } })
    return (await answer.json()).matches.length > 0`,
    text,
  )

const xdotool = (display, ...args) => execFileSync('xdotool', args, { env: { ...process.env, ...display }, encoding: 'utf8', stdio: 'pipe' }).trim()

/** Like xdotool, but returns nothing's value if xdotool fails. */
const xdotoolOr = (nothing, display, ...args) => {
  try {
    return xdotool(display, ...args)
  } catch {
    return nothing
  }
}

/** Returns the number of the window on a display. */
const shown = (display) => xdotool(display, 'search', '--onlyvisible', '--name', 'Waferpair')
