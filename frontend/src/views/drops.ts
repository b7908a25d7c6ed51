// A browser does not tell a page where a dropped folder is, and would open a dropped file in place of the page. So the page
// handles the drop and says why it cannot open it.

import type { App } from '../app'

const lingers = 120 // ms without an event; a drag over the window has them more often

/** Reports when files are dragged over the window, and when they no longer are. Leaving an element is not leaving the window. */
export function watchDrags(shown: (over: boolean) => void): () => void {
  let ending: ReturnType<typeof setTimeout> | undefined
  const end = (): void => {
    clearTimeout(ending)
    shown(false)
  }
  const over = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes('Files') !== true) return
    clearTimeout(ending)
    shown(true)
  }
  const leave = (): void => {
    clearTimeout(ending)
    ending = setTimeout(end, lingers)
  }
  const listeners = { dragover: over, dragleave: leave, drop: end, dragend: end } as const
  for (const [name, listener] of Object.entries(listeners)) window.addEventListener(name, listener as (event: Event) => void, true)
  return () => {
    clearTimeout(ending)
    for (const [name, listener] of Object.entries(listeners)) window.removeEventListener(name, listener as (event: Event) => void, true)
  }
}

export function refuseDrops(app: App): () => void {
  const over = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes('Files') === true) event.preventDefault()
  }
  const drop = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes('Files') !== true) return
    event.preventDefault()
    app.store.dispatch({
      type: 'notice',
      level: 'warning',
      text: 'A browser does not say where a dropped folder is. Choose it by path.',
      action: { label: 'Open folder…', run: () => { app.store.dispatch({ type: 'overlay', overlay: { kind: 'folder' } }) } },
    })
  }
  window.addEventListener('dragover', over)
  window.addEventListener('drop', drop)
  return () => {
    window.removeEventListener('dragover', over)
    window.removeEventListener('drop', drop)
  }
}
