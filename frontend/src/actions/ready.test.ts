import { expect, it } from 'vitest'
import type { App } from '../app'
import { initial } from '../state/state'
import { placeLabel, placeOf } from './ready'

const chip = { kind: 'file', path: 'a.go', from: 0, to: 0 } as const
const fence = { kind: 'folder', path: 'lib', from: 0, to: 0, only: true } as const

function appWith(scope: readonly (typeof chip | typeof fence)[], active: string, selected: { path: string; from: number; to: number; text: string } | null): App {
  return { state: { ...initial, ui: { ...initial.ui, scope, active } }, docs: { selection: () => selected } } as unknown as App
}

it('a ready request is about the chips, else the selected lines, else the file in front', () => {
  const selected = { path: 'b.go', from: 3, to: 5, text: 'x' }
  expect(placeLabel(appWith([chip], 'b.go', selected))).toBe('a.go')
  expect(placeLabel(appWith([], 'b.go', selected))).toBe('b.go:3–5')
  expect(placeLabel(appWith([], 'b.go', { ...selected, text: '' }))).toBe('b.go')
  expect(placeLabel(appWith([], '', null))).toBe('')
  expect(placeOf(appWith([fence], 'b.go', null))).toEqual([{ ...chip, path: 'b.go' }, fence]) // the fence stays one
})
