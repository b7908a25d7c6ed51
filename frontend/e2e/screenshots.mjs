// Takes the README's pictures: the real window with the example project, on a virtual
// display. `make screenshots` writes them to docs/pictures.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDisplay } from './display.mjs'
import { atRate, makeProject, repository } from './project.mjs'
import { until } from './wait.mjs'
import { Key, openWindow } from './webkit.mjs'

const folder = join(repository, 'docs/pictures')

/** What the model says in the pictures: a reload that detects what changed. */
const answer = `The watcher compares the settings, so that callers hear of real changes only.
*** Begin Patch
*** Update File: config/watch.go
@@
 import (
 	"os"
+	"slices"
+	"strings"
 	"time"
 )
+
+// Change is one setting that differs between two configurations.
+type Change struct {
+	Key      string
+	Old, New string
+}
+
+// Diff lists the settings in which after differs from before, by key. A
+// setting that is missing on one side is empty there.
+func Diff(before, after *Config) []Change {
+	var out []Change
+	for key, value := range after.Values {
+		if was := before.Values[key]; was != value {
+			out = append(out, Change{Key: key, Old: was, New: value})
+		}
+	}
+	for key, was := range before.Values {
+		if _, kept := after.Values[key]; !kept {
+			out = append(out, Change{Key: key, Old: was})
+		}
+	}
+	slices.SortFunc(out, func(a, b Change) int {
+		return strings.Compare(a.Key, b.Key)
+	})
+	return out
+}
*** End Patch
`

/** Runs the clean-up functions in reverse order. */
const ends = []
const t = { after: (end) => { ends.unshift(end) } }

try {
  await take()
} finally {
  for (const end of ends) await end()
}

async function take() {
  mkdirSync(folder, { recursive: true })
  const project = makeProject(t, 'config-service')
  const window = await openWindow(t, project, await makeDisplay(t, { width: 1360, height: 850 }))
  await until('the tree is there', () => window.execute("return document.querySelector('aside.tree')?.innerText.includes('main.go')"))

  await ask(window, 'rename ParseConfig to LoadConfig everywhere')
  await ask(window, 'set DefaultPort to 9090')
  await choose(window, project.script(atRate(answer, 60)))
  await ask(window, 'tell callers what changed', 'running')
  await until('the model is in the middle', () => window.execute("return document.querySelector('.cm-content')?.innerText.includes('was != value')"))
  await picture(window, 'streaming')
  await ended(window)

  await window.keys([Key.Control, Key.Shift, 'r'])
  await until('the diff is there', () => window.execute("return document.querySelectorAll('.cm-mergeView, .cm-merge-b, .cm-changedLine').length > 0"))
  await picture(window, 'review')
  await window.keys(Key.Escape)

  await theme(window, 'Dark')
  await window.execute("document.querySelector('[role=slider]').focus()")
  await window.keys(Key.Left, Key.Left, Key.Left)
  await until('a moment is shown', () => window.execute("return document.body.innerText.includes('You are looking at')"))
  await picture(window, 'timeline')
  await window.keys(Key.Escape)
  await window.keys([Key.Control, 'k'])
  await until('the palette is there', () => window.execute("return document.querySelector('dialog [role=combobox]') !== null"))
  await picture(window, 'palette')
  await window.keys(Key.Escape)
}

/** @param {'ended' | 'running'} state */
async function ask(window, request, state = 'ended') {
  await window.click('form.composer textarea')
  await window.keys(request, Key.Enter)
  await until(`${request} began`, () => window.execute('return document.body.innerText.includes(arguments[0])', request))
  if (state === 'ended') await ended(window)
}

function ended(window) {
  return until('the turn has ended', () => stream(window, 'ended'))
}

function stream(window, ...states) {
  return window.execute("return arguments[0].includes(document.querySelector('.window').dataset.stream)", states)
}

async function choose(window, model) {
  await window.click("button[aria-label^='Model:']")
  await window.click("input[aria-label='Model name']")
  await window.keys(model, Key.Enter)
}

async function theme(window, name) {
  await window.keys([Key.Control, ','])
  await until('the settings are there', () => window.execute("const it = [...document.querySelectorAll('dialog label')].find((e) => e.textContent.trim() === arguments[0]); it?.click(); return Boolean(it)", name))
  await window.keys(Key.Escape)
}

/** Waits until only what should move still moves, and takes a picture. */
async function picture(window, name) {
  await window.execute('return document.fonts.ready.then(() => true)')
  await new Promise((resolve) => setTimeout(resolve, name === 'streaming' ? 0 : 700)) // marks have faded, lists are loaded
  writeFileSync(join(folder, `${name}.png`), await window.screenshot())
  console.log(`docs/pictures/${name}.png`)
}
