// Two keys that depend on the focus, and so are not commands: Space pauses if the focused
// element does not use it, and any key except Esc withdraws the offer to revert a stopped turn.

import type { App } from '../app'
import { busy } from '../state/state'
import { pauseOrResume } from './turns'

export function listenForTurnKeys(app: App): () => void {
  const pressed = (event: KeyboardEvent): void => {
    if (withdraws(event) && app.state.asking.stopped !== 0) app.store.dispatch({ type: 'asking', asking: { stopped: 0 } })
    if (event.key !== ' ' || event.defaultPrevented || app.state.overlay !== null || !busy(app.state) || !restsWithSpace(event)) return
    event.preventDefault()
    app.attempt('Pause', () => pauseOrResume(app))
  }
  window.addEventListener('keydown', pressed)
  return () => { window.removeEventListener('keydown', pressed) }
}

function withdraws(event: KeyboardEvent): boolean {
  return !['Escape', 'Shift', 'Control', 'Alt', 'Meta'].includes(event.key)
}

const uses = 'button, a[href], input, textarea, select, summary, [contenteditable], [role=slider], [role=tree], [role=listbox], [role=menu], [role=tablist], [role=grid], [role=separator], dialog, [popover]'

/** A plain Space that the focused element does not use. */
export function restsWithSpace(event: Pick<KeyboardEvent, 'shiftKey' | 'altKey' | 'ctrlKey' | 'metaKey' | 'target'>): boolean {
  if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false
  return !(event.target instanceof Element) || event.target.closest(uses) === null
}
