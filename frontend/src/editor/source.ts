// The origin of a transaction. Changes from Go are annotated: they were not typed here, are not sent back,
// and undo does not touch them.

import { Annotation, Transaction } from '@codemirror/state'

/** The transaction follows Go's buffer, or a moment of the past. */
export const fromGo = Annotation.define<true>()

/** What a transaction from Go carries beside its changes. */
export const goAnnotations: readonly Annotation<unknown>[] = [
  fromGo.of(true),
  Transaction.addToHistory.of(false),
  Transaction.remote.of(true),
]

export function typedHere(tr: Transaction): boolean {
  return tr.docChanged && tr.annotation(fromGo) === undefined
}
