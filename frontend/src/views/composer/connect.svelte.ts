// Connects to where a language model runs as soon as the user begins to type a request to it: the handshakes are over
// when the request is sent. What they type is not sent.

import type { App } from '../../app'
import { speaks } from './models'

export function connects(app: App): void {
  let to: string | null = null // the model that this draft has connected to

  $effect(() => {
    const { ui, project, models } = app.state
    if (ui.draft.trim() === '') to = null
    else if (project !== null && to !== ui.model && speaks(models, ui.model)) {
      to = ui.model
      app.backend.read('connect', { model: ui.model }).catch(() => undefined) // the request itself will say so
    }
  })
}
