// Takes the README's pictures: the real window with the example project, on a virtual
// display. `make screenshots` writes them to docs/pictures.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDisplay } from './display.mjs'
import { atRate, makeProject, repository } from './project.mjs'
import { provide } from './provider.mjs'
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

/** What a provider's model says in the pictures: an answer in words, and a review. */
const explanation = `The file is watched in \`config/watch.go:39\`, by its **modification time**:

| Step | Where |
|---|---|
| a tick | \`config/watch.go:41\` |
| the time moved | \`config/watch.go:50\` |
| read it again | \`config/watch.go:54\` |

A file that \`LoadConfig\` rejects is skipped, so the old settings stay. The first reading, in \`main.go:20\`, is the only one that ends the program.
`
const review = `## warning config/watch.go:50
> if err != nil || !info.ModTime().After(last) {
An older file is not seen.

Whoever restores a backup gives the file an older time, and the service goes on with the new settings.

\`\`\`suggestion
		if err != nil || info.ModTime().Equal(last) {
\`\`\`
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
  await connect(project)
  const window = await openWindow(t, project, await makeDisplay(t, { width: 1360, height: 850 }))
  await until('the tree is there', () => window.execute("return document.querySelector('aside.tree')?.innerText.includes('main.go')"))

  await choose(window, 'spark')
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
  await theme(window, 'Light')
  await answers(window)
}

/** A provider with two answers, in the project's config.toml. */
async function connect(project) {
  const gap = { gap_ms: 12 }
  const provider = await provide(t, [{ items: [{ text: explanation }], ...gap }, { items: [{ text: review }], ...gap }])
  project.env['WORK_KEY'] = provider.key
  const config = join(project.home, 'config/waferpair')
  mkdirSync(config, { recursive: true })
  writeFileSync(join(config, 'config.toml'), `[model_providers.work]
base_url = "${provider.url}"
env_key = "WORK_KEY"

[model_providers.work.models."gpt-5.5"]
context = 128000
price = { input = 1.25, cached = 0.125, output = 10 }
`)
}

/** An answer of a provider's model, and its review of the changes, with a finding at its line. */
async function answers(window) {
  await choose(window, 'work/gpt-5.5')
  await window.keys([Key.Control, Key.Shift, 'j'])
  await window.click('form.composer textarea')
  await window.keys([Key.Alt, 'm'])
  await ask(window, 'how does the service notice a new configuration?')
  await window.click("button[aria-label='Ready requests']")
  await window.keys(Key.Enter)
  await until('a finding is there', () => window.execute("return document.querySelector('[data-finding]') !== null"))
  await ended(window)
  await window.click('[data-finding] a')
  await until('it stands at its line', () => window.execute("return document.querySelector('.cm-comment') !== null"))
  await picture(window, 'answers')
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
