// A browser does not tell a page where a dropped folder is, and would open a
// dropped file in place of the page. So the page takes the drop and says why
// it can do nothing with it.

import type { App } from '../app'

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
      text: 'A browser does not tell where a dropped folder is. Choose it by its path instead.',
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
