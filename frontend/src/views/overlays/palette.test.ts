import { describe, expect, it } from 'vitest'
import type { Command } from '../../commands/command'
import { initial } from '../../state/state'
import { groupsOf } from './keylist'
import { commandItems, modeTyped, placeTyped } from './palette'

const run = (): void => undefined
const commands: readonly Command[] = [
  { id: 'a', title: 'Close folder', group: 'Project', run, when: (s) => s.project !== null },
  { id: 'b', title: 'Larger text', group: 'View', keys: ['Mod-='], run },
  { id: 'c', title: 'Stop the model', group: 'Request', keys: ['Escape'], run },
]

describe('the palette', () => {
  it('lists commands that make sense now, by group, with their keys', () => {
    const items = commandItems(commands, initial, '')
    expect(items.map((i) => [i.group, i.label, i.keys])).toEqual([
      ['Request', 'Stop the model', 'Esc'],
      ['View', 'Larger text', 'Ctrl+='],
    ])
  })
  it('ranks them by the typed letters and marks these', () => {
    const [first] = commandItems(commands, initial, 'lt')
    expect(first?.label).toBe('Larger text')
    expect(first?.at).toEqual([0, 7])
    expect(commandItems(commands, initial, 'xyz')).toEqual([])
  })
  it('changes its mode by a prefix', () => {
    expect(modeTyped('>stop')).toEqual({ mode: 'commands', rest: 'stop' })
    expect(modeTyped('@')).toEqual({ mode: 'symbols', rest: '' })
    expect(modeTyped('main.go')).toBeNull()
  })
  it('understands places', () => {
    expect(placeTyped('12')).toEqual({ line: 12, column: 0 })
    expect(placeTyped(' 12:5 ')).toEqual({ line: 12, column: 4 })
    expect(placeTyped('12:')).toEqual({ line: 12, column: 0 })
    expect(placeTyped('0')).toEqual({ line: 1, column: 0 })
    expect(placeTyped('x')).toBeNull()
  })
})

describe('the list of keys', () => {
  it('is searched by name and by key', () => {
    expect(groupsOf(commands, 'esc').map((g) => g.name)).toEqual(['Request'])
    expect(groupsOf(commands, 'larger ctrl').flatMap((g) => g.commands.map((c) => c.id))).toEqual(['b'])
    expect(groupsOf(commands, '').length).toBe(3)
  })
})
