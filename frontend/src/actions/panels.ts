// The three panels round the editor: their sizes are kept with the project; a
// collapsed one comes back as it was. In a narrow window the side panels lie
// over the editor, one at a time.

import type { App } from '../app'
import type { Panels } from '../protocol'
import { emptyUI, type State } from '../state/state'

export type Panel = 'tree' | 'chat' | 'timeline'

export const narrowBelow = 900 // px

export function isShown(state: State, panel: Panel): boolean {
  if (state.layout.narrow && panel !== 'timeline') return state.layout.drawer === panel
  return state.ui.panels[panel] > 0
}

export function usualSize(panel: Panel): number {
  return emptyUI.panels[panel]
}

/** The panels after one was sized, or collapsed with 0. Pure. */
export function resized(panels: Panels, panel: Panel, size: number): Panels {
  const sizes = { ...panels.sizes, [panel]: size > 0 ? size : panels[panel] || (panels.sizes[panel] ?? 0) }
  return { ...panels, [panel]: size, sizes }
}

export function resize(app: App, panel: Panel, size: number): void {
  app.store.dispatch({ type: 'ui', ui: { panels: resized(app.state.ui.panels, panel, size) } })
}

export function show(app: App, panel: Panel, shown: boolean): void {
  const { layout, ui } = app.state
  if (isShown(app.state, panel) === shown) return
  if (layout.narrow && panel !== 'timeline') {
    app.store.dispatch({ type: 'layout', layout: { drawer: shown ? panel : null } })
    return
  }
  resize(app, panel, shown ? ui.panels.sizes[panel] || usualSize(panel) : 0)
}

export function toggle(app: App, panel: Panel): void {
  show(app, panel, !isShown(app.state, panel))
}
