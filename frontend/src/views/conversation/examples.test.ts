import { expect, it } from 'vitest'
import type { Operation, Symbol } from '../../protocol'
import { examplesFor } from './examples'

const op = (name: string, example: string): Operation => ({ name, help: '', example, languages: [] })
const symbol = (name: string, kind: string, path: string): Symbol => ({ name, kind, container: '', path, line: 1, endLine: 2 })
const operations = [op('rename', 'rename a to b'), op('doc', 'doc c'), op('set', 'set d to 5')]

it('examples name what the project has, and begin in no test', () => {
  const tests = ['x_test.go', 'tests/a.py', 'test_a.py', 'src/a.test.ts', 'src/a.spec.tsx', 'testdata/p/a.go'].map((path) => symbol('Fake', 'func', path))
  const symbols = [...tests, symbol('README', 'heading', 'README.md'), symbol('main', 'func', 'main.go'), symbol('TestLoad', 'func', 'x_test.go'), symbol('Load', 'func', 'app/x.go'), symbol('save_all', 'function', 'y.py')]
  expect(examplesFor(operations, symbols)).toEqual(['rename Load to TryLoad', 'add doc comments to exported functions in app/x.go'])
})

it('there are no examples where no name fits', () => {
  expect(examplesFor(operations, [symbol('Fake', 'func', 'x_test.go')])).toEqual([])
  expect(examplesFor([], [])).toEqual([])
})
