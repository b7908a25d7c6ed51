import { expect, it } from 'vitest'
import type { Operation, Symbol } from '../../protocol'
import { examplesFor } from './examples'

const op = (name: string, example: string): Operation => ({ name, help: '', example, languages: [] })
const symbol = (name: string, kind: string, path: string): Symbol => ({ name, kind, container: '', path, line: 1, endLine: 2 })
const operations = [op('rename', 'rename a to b'), op('doc', 'doc c'), op('set', 'set d to 5')]

it('examples name what the project has', () => {
  const symbols = [symbol('README', 'heading', 'README.md'), symbol('main', 'func', 'main.go'), symbol('TestLoad', 'func', 'x_test.go'), symbol('Load', 'func', 'app/x.go'), symbol('save_all', 'function', 'y.py')]
  expect(examplesFor(operations, symbols)).toEqual(['rename Load to TryLoad', 'add doc comments to exported functions in app/x.go', 'rename a to b', 'doc c', 'set d to 5'])
})

it('examples are the operations’ own where no name fits', () => {
  expect(examplesFor(operations, [])).toEqual(['rename a to b', 'doc c', 'set d to 5'])
  expect(examplesFor([], [])).toEqual([])
})
