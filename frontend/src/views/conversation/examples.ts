// Which examples suit what the user looks at.

import type { Operation } from '../../protocol'

const languageOf: Readonly<Record<string, string>> = { go: 'go', py: 'python', js: 'javascript', jsx: 'javascript', mjs: 'javascript', ts: 'typescript', tsx: 'typescript' }

/** Examples of different kinds, those that the language of the file has first. */
export function examplesFor(operations: readonly Operation[], path: string, most: number): readonly string[] {
  const language = languageOf[path.slice(path.lastIndexOf('.') + 1).toLowerCase()] ?? ''
  const suits = (o: Operation): boolean => language === '' || o.languages.length === 0 || o.languages.some((l) => l.toLowerCase() === language)
  const out = new Set<string>()
  for (const o of [...operations.filter(suits), ...operations]) if (o.example !== '' && out.size < most) out.add(o.example)
  return [...out]
}
