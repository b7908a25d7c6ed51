// The files of a conflict while the user works on them: the current state of each, and the user's work. Applied files
// leave the list.

import { carry, type Beginning } from '../../diff/carry'
import { clashesOf, type ClashRange } from '../../diff/clashes'
import type { Work } from '../../diff/threeway'
import type { ThreeWay } from '../../protocol'

export interface Item {
  readonly file: ThreeWay
  readonly begin: Beginning | null // the earlier result, over a change of the file
  readonly open: number // unanswered conflicts; -1: not opened yet
}

export function itemOf(file: ThreeWay): Item {
  return { file, begin: null, open: -1 }
}

/** What the user made of a file so far. */
export type Works = ReadonlyMap<ThreeWay, Work>

/** The number of missing answers. */
export function left(items: readonly Item[]): number {
  return items.reduce((n, { open }) => n + (open < 0 ? 1 : open), 0)
}

export interface Applied {
  readonly items: readonly Item[] // that are still to be applied
  readonly error: Error | null // that stopped it
}

/** Writes each result; resolve returns the current file when it changed meanwhile. */
export async function applyAll(items: readonly Item[], works: Works, resolve: (file: ThreeWay, text: string) => Promise<ThreeWay | null>): Promise<Applied> {
  const again: Item[] = []
  for (const [i, item] of items.entries()) {
    try {
      const made = resultOf(item, works)
      const fresh = await resolve(item.file, made.text)
      if (fresh !== null) again.push({ file: fresh, begin: carry(item.file, fresh, made.text, made.answered), open: -1 })
    } catch (error) {
      return { items: [...again, ...items.slice(i)], error: error instanceof Error ? error : new Error(String(error)) }
    }
  }
  return { items: again, error: null }
}

function resultOf({ file }: Item, works: Works): { text: string; answered: readonly ClashRange[] } {
  const work = works.get(file)
  if (work === undefined) throw new Error(`${file.path} was not shown yet: look at it before you apply`)
  return { text: work.state.doc.toString(), answered: clashesOf(work.state) }
}

/** The message about a file that changed meanwhile; '' when it did not. */
export function meanwhile({ file, begin, open }: Item): string {
  if (begin === null) return ''
  const clashes = open < 0 ? begin.clashes.filter((c) => c.choice === 'open').length : open
  if (clashes > 0) return `This file changed while you worked. Your result is merged with it; ${clashes === 1 ? 'one place conflicts' : `${String(clashes)} places conflict`}.`
  if (file.clashes.length === 0) return 'This file changed while you worked, and nothing conflicts any more. Your result is kept: check it, then apply or cancel.'
  return 'This file changed while you worked. Your result is merged with it: check it, then apply.'
}
