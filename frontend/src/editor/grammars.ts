// Grammars as editor extensions. Very long lines and very large files get none:
// a parser that lags behind costs frames.

import type { Extension, Text } from '@codemirror/state'
import { inView } from './inview'
import { languageOf } from './languages'

export const longLine = 10_000 // UTF-16 units
const largeText = 2_000_000

/** Whether a text is too long for highlighting and wrapping. */
export function heavy(doc: Text): boolean {
  if (doc.length > largeText) return true
  if (doc.length < longLine) return false
  for (const lines = doc.iterLines(); !lines.next().done; ) if (lines.value.length > longLine) return true
  return false
}

export async function grammarFor(path: string, doc: Text): Promise<Extension | null> {
  const { load } = languageOf(path)
  return load === null || heavy(doc) ? null : inView(await load())
}
