import { describe, expect, it } from 'vitest'
import { emptyUI, initial, type State } from '../state/state'
import { isShown, resized } from './panels'

describe('panels', () => {
  it('a collapsed panel remembers its size', () => {
    const wide = resized(emptyUI.panels, 'tree', 311)
    const collapsed = resized(wide, 'tree', 0)
    expect(collapsed.tree).toBe(0)
    expect(collapsed.sizes['tree']).toBe(311)
    expect(resized(collapsed, 'tree', 0).sizes['tree']).toBe(311)
  })
  it('a narrow window shows one side panel at most, and the timeline as usual', () => {
    const narrow: State = { ...initial, layout: { narrow: true, drawer: 'chat' } }
    expect(isShown(narrow, 'tree')).toBe(false)
    expect(isShown(narrow, 'chat')).toBe(true)
    expect(isShown(narrow, 'timeline')).toBe(true)
    expect(isShown(initial, 'tree')).toBe(true)
  })
})
