// What Go stores for the page without reading it: these types are the page's own. All other types that cross
// the connection are in protocol.ts, generated from Go.

import type { DiffQuery, EditID } from './protocol'

/** What a page stores in order to come back exactly. Go only stores it. */
export interface UIState {
  readonly tabs: readonly TabState[]
  readonly active: string // path
  readonly draft: string // of the composer
  readonly scope: readonly Chip[]
  readonly model: string
  readonly mode: 'edit' | 'ask' // what the next request is
  readonly pins: readonly string[] // files that its prompt has in any case
  readonly without: readonly string[] // parts that it has not
  readonly at: EditID | null // timeline position; null is now
  readonly zoom: readonly [number, number] | null // of the timeline, as a part of its length
  readonly axis: 'time' | 'edits' // of the timeline; long pauses are folded
  readonly speed: number // of playing
  readonly hop: boolean // stepping through edits shows the file of each
  readonly diff: 'side' | 'unified'
  readonly follow: boolean // the pane goes where the model writes
  readonly wrap: boolean // long lines
  readonly removed: boolean // what edits that are not reviewed removed is shown in the text
  readonly panels: Panels
  readonly open: readonly string[] // folders of the tree
  readonly history: readonly string[] // requests, oldest first
  readonly view: KeptView | null // in place of the editor
}

/** A diff, or a conflict of which nothing is written yet: its files are read anew. */
export type KeptView =
  | { readonly kind: 'diff'; readonly query: DiffQuery; readonly title: string }
  | { readonly kind: 'conflict'; readonly files: readonly { readonly path: string; readonly reverts: readonly EditID[] }[]; readonly rest: readonly EditID[] }

export interface TabState {
  readonly path: string
  readonly top: number // first visible position, UTF-16 units
  readonly offset: number // px below it
  readonly anchor: number
  readonly head: number
  readonly passing?: boolean // opened by following the model, and not used since
}

export interface Chip {
  readonly kind: 'selection' | 'file' | 'folder' | 'glob'
  readonly path: string // or the glob
  readonly from: number // lines, for a selection
  readonly to: number
  readonly only?: true // edits elsewhere are held; left out: a place to look at
}

export interface Panels {
  readonly tree: number // px; 0 when collapsed
  readonly chat: number
  readonly timeline: number
  readonly sizes: Readonly<Record<string, number>> // what a collapsed panel comes back to
}

export interface Prefs {
  readonly theme: 'system' | 'light' | 'dark'
  readonly density: 'comfortable' | 'compact'
  readonly fontSize: number
  readonly notify: boolean
}
