// What the page stores must fit Go's limit, or nothing of it would be kept: parts that are too large are left
// out.

import type { KeptView, UIState } from '../protocol'
import type { Main } from './state'

/** The longest request that Go takes, in bytes; a longer draft can be neither sent nor kept. */
export const longestRequest = 1 << 20

const longestHistory = 512 << 10 // characters of earlier requests

const encoder = new TextEncoder()

export function tooLong(draft: string): boolean {
  if (draft.length * 3 <= longestRequest) return false // however it is encoded
  return draft.length > longestRequest || encoder.encode(draft).length > longestRequest
}

/** The state with the parts for which there is room. */
export function fitting(ui: UIState): UIState {
  return { ...ui, draft: tooLong(ui.draft) ? '' : ui.draft, history: newest(ui.history) }
}

/** The newest requests that fit together. */
function newest(history: readonly string[]): readonly string[] {
  let room = longestHistory
  const from = history.findLastIndex((request) => (room -= request.length) < 0)
  return from < 0 ? history : history.slice(from + 1)
}

/** What replaces the editor, to be opened again. */
export function viewOf(main: Main): KeptView | null {
  switch (main.kind) {
    case 'editor':
      return null
    case 'diff':
      return main
    case 'conflict':
      return { ...main, files: main.files.map(({ path, reverts }) => ({ path, reverts })) }
  }
}
