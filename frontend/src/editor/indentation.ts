// Finds the indentation of a file from its first lines, for Tab and new lines.

import { indentUnit } from '@codemirror/language'
import { EditorState, type Extension, type Text } from '@codemirror/state'
import { languageOf } from './languages'

const looked = 400 // lines
const tabsByHabit = new Set(['Go', 'Make'])
const tabWidth = 4

/** One step of indentation. */
export function indentOf(doc: Text, path: string): string {
  const steps = new Map<number, number>() // width of a step in spaces to how often; 0 is a tab
  let before = 0
  const lines = doc.iterLines(1, Math.min(doc.lines, looked) + 1)
  while (!lines.next().done) {
    const blank = /^[ \t]*/.exec(lines.value)?.[0] ?? ''
    if (blank.length === lines.value.trimEnd().length) continue
    if (blank.startsWith('\t')) count(steps, 0)
    else if (Math.abs(blank.length - before) > 1) count(steps, Math.abs(blank.length - before))
    before = blank.length
  }
  const best = [...steps].filter(([width]) => width <= 8).sort((a, b) => b[1] - a[1])[0]
  if (best === undefined) return tabsByHabit.has(languageOf(path).name) ? '\t' : '  '
  return best[0] === 0 ? '\t' : ' '.repeat(best[0])
}

function count(steps: Map<number, number>, width: number): void {
  steps.set(width, (steps.get(width) ?? 0) + 1)
}

export function indentation(doc: Text, path: string): Extension {
  return [indentUnit.of(indentOf(doc, path)), EditorState.tabSize.of(tabWidth)]
}
