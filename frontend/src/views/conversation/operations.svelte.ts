// What the built-in model can do, read once.

import type { App } from '../../app'
import type { Operation } from '../../protocol'

let known = $state.raw<readonly Operation[]>([])
let asked = false

export function operations(app: App): { readonly value: readonly Operation[] } {
  if (!asked) {
    asked = true
    app.backend.read('operations', {}).then((answer) => (known = answer.operations)).catch(() => (asked = false))
  }
  return {
    get value() {
      return known
    },
  }
}
