import { describe, expect, it } from 'vitest'
import type { FoundFile, Symbol } from '../../protocol'
import { candidates, mentionAt, replaced } from './mention'
import { stepBack, stepForth, type Recall, type Step } from './recall'

describe('recall', () => {
  it('goes back to the oldest and forth to what was being written', () => {
    const history = ['one', 'two']
    let recall: Recall | null = null
    const texts: string[] = []
    for (const go of ['back', 'back', 'back', 'forth', 'forth', 'forth'] as const) {
      const step: Step | null = go === 'back' ? stepBack(recall, history, 'draft') : stepForth(recall, history)
      if (step !== null) recall = step.recall
      texts.push(step?.text ?? '-')
    }
    expect(texts).toEqual(['two', 'one', '-', 'two', 'draft', '-'])
  })
})

describe('a mention', () => {
  it('begins with @ at the beginning of a word and ends at the caret', () => {
    expect(mentionAt('look at @tur', 12)).toEqual({ from: 8, to: 12, query: 'tur' })
    expect(mentionAt('@', 1)).toEqual({ from: 0, to: 1, query: '' })
    expect(mentionAt('(@a', 3)).toMatchObject({ query: 'a' })
    for (const text of ['mail me@example', 'no mention', '@a b', '@a@b']) expect(mentionAt(text, text.length)).toBeNull()
    expect(mentionAt('@ab', 2)).toMatchObject({ query: 'a' })
  })
  it('is replaced by a path, or goes away', () => {
    const mention = { from: 3, to: 6, query: 'tu' }
    expect(replaced('in @tu now', mention, 'app/turn.go')).toEqual({ text: 'in app/turn.go now', caret: 14 })
    expect(replaced('in @tu', mention, 'x')).toEqual({ text: 'in x ', caret: 5 })
    expect(replaced('in @tu now', mention, '')).toEqual({ text: 'in now', caret: 2 })
    expect(replaced('in @tu', mention, '')).toEqual({ text: 'in', caret: 2 })
    expect(replaced('@tu', { from: 0, to: 3, query: 'tu' }, '')).toEqual({ text: '', caret: 0 })
  })
  it('offers what is here, files, their folders, symbols and globs', () => {
    const files: readonly FoundFile[] = [{ path: 'app/server/turn.go', match: [] }]
    const symbols: readonly Symbol[] = [{ name: 'Turn', kind: 'type', container: '', path: 'e.go', line: 3, endLine: 9 }]
    const places = { selection: { path: 'a.go', from: 2, to: 4 }, active: 'a.go', files, symbols }
    expect(candidates('se', places).map((c) => c.label)).toEqual(['selection', 'turn.go', 'app/server/', 'Turn'])
    expect(candidates('', places)[0]?.chip).toEqual({ kind: 'selection', path: 'a.go', from: 2, to: 4 })
    expect(candidates('', { ...places, selection: null }).map((c) => c.detail)).toEqual(['this file', 'app/server', 'type in e.go:3'])
    expect(candidates('**/*.go', { selection: null, active: '', files: [], symbols: [] })[0]?.chip).toMatchObject({ kind: 'glob', only: true })
  })
})
