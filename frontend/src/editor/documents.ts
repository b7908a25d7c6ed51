// What the rest of the page may ask of the open documents. The implementation
// is a client of Go's buffers: it keeps what is typed here and not confirmed
// yet, and rebases it over what others did meanwhile.

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
  /** Opens a document, or does nothing when it is open. Answers its own path: that of the file a link leads to. Rejects with a CallError. */
  open(path: string): Promise<string>
  close(path: string): Promise<void>
  isOpen(path: string): boolean
  /** Takes one frame's news in; kept once they are shown. */
  receive(news: readonly DocDelta[]): Promise<void>
  /** After a lost connection: every document is brought up to date, nothing typed is lost. */
  reconnected(): Promise<void>
  /** Resolves once everything typed is confirmed by Go. */
  settled(): Promise<void>
  /** The text as the page has it, unconfirmed typing included; null when it is not open. */
  text(path: string): string | null
  /** Scroll and selection of the tabs, to be kept. */
  places(): ReadonlyMap<string, { top: number; offset: number; anchor: number; head: number }>
  /** Goes to a place of an open document, as soon as the pane shows it. */
  reveal(path: string, place: Place, focus: boolean): void
  /** The selected text and its lines in the active document. */
  selection(): { path: string; from: number; to: number; text: string } | null
  focus(): void
  /** Shows a file as it was, read-only; null: it did not exist. The live document goes on unseen. */
  showMoment(path: string, text: Text | null): void
  /** Back to the live document. */
  showNow(): void
  /** The editor that shows them; the pane puts it into the page. */
  readonly screen: Screen
  get(path: string): LiveDoc | undefined
}
