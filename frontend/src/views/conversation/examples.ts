// Requests that may work in this project: operations of the built-in model with names from the project. Go says which
// of them work.

import type { Operation, Symbol } from '../../protocol'

/** Examples for a project, of different kinds; none where no name fits. */
export function examplesFor(operations: readonly Operation[], symbols: readonly Symbol[]): readonly string[] {
  const known = new Set(operations.map((o) => o.name))
  const func = symbols.find(isFunction)
  const other = symbols.find((s) => isFunction(s) && s.name !== func?.name) ?? func
  const type = symbols.find((s) => s.kind === 'type' && !isTest(s.path) && s.path.endsWith('.go'))
  const made: (readonly [string, string | undefined])[] = [
    ['rename', func && `rename ${func.name} to ${renamed(func.name)}`],
    ['doc', func && `add doc comments to exported functions in ${func.path}`],
    ['log-entry', other && `log at entry of ${other.name}`],
    ['add-test', func && `add a test for ${func.name}`],
    ['json-tags', type && `add json tags to ${type.name}`],
    ['remove-imports', 'remove unused imports'],
  ]
  return made.flatMap(([name, text]) => (known.has(name) && text !== undefined ? [text] : []))
}

function isFunction(s: Symbol): boolean {
  return !isTest(s.path) && /^func/.test(s.kind) && /\.(go|py|ts|tsx|js|jsx|mjs)$/.test(s.path) && s.name.length > 3 && !/^(main|init)$|^_|^Test|^test|^Benchmark|^Fuzz/.test(s.name)
}

/** Whether a file holds tests: nobody wants to start there. */
function isTest(path: string): boolean {
  return /(^|\/)(tests?|testdata|__tests__|e2e)\/|_test\.go$|(^|\/)test_[^/]*\.py$|_test\.py$|(^|\/)conftest\.py$|\.(test|spec)\.[cm]?[jt]sx?$/.test(path)
}

/** load -> tryLoad, Load -> TryLoad, load_all -> try_load_all. */
function renamed(name: string): string {
  if (name.includes('_')) return `try_${name}`
  const upper = name.charAt(0).toUpperCase() + name.slice(1)
  return upper === name ? `Try${upper}` : `try${upper}`
}
