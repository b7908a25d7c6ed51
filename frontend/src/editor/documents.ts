// The interface of the open documents for the rest of the page. The implementation is a client of
// Go's buffers: it keeps unconfirmed typing, and rebases it over what others did meanwhile.

import type { Text } from '@codemirror/state'
import type { DocDelta } from '../protocol'
import type { LiveDoc } from './live'
import type { Screen } from './screen'

export interface Place {
  readonly line: number // from 1
  readonly column: number // UTF-16 units, from 0
  readonly length: number // to be selected
}

export interface Documents {
  /** Opens a document, unless it is open. Returns its real path: that of the file a link leads to. Rejects with a CallError. */
  open(path: string): Promise<string>
  close(path: string): Promise<void>
  isOpen(path: string): boolean
  /** Applies one frame's changes; resolves once they are shown. */
  receive(news: readonly DocDelta[]): Promise<void>
  /** After a lost connection: brings every document up to date, and loses nothing typed. */
  reconnected(): Promise<void>
  /** Resolves once Go has confirmed everything typed. */
  settled(): Promise<void>
  /** The page's text, including unconfirmed typing; null when it is not open. */
  text(path: string): string | null
  /** Scroll and selection of the tabs, to be stored. */
  places(): ReadonlyMap<string, { top: number; offset: number; anchor: number; head: number }>
  /** Goes to a place of an open document, as soon as the pane shows it. */
  reveal(path: string, place: Place, focus: boolean): void
  /** The selected text and its lines in the active document. */
  selection(): { path: string; from: number; to: number; text: string } | null
  focus(): void
  /** Shows a file as it was, read-only; null: it did not exist. The live document continues in the background. */
  showMoment(path: string, text: Text | null): void
  /** Back to the live document. */
  showNow(): void
  /** The editor that shows them; the pane puts it into the page. */
  readonly screen: Screen
  get(path: string): LiveDoc | undefined
}
