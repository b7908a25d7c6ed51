// The page's texts before and after a deletion.

import type { Removal } from '../protocol'

const files = (n: number): string => (n === 1 ? '1 file' : `${n} files`)

/** What is deleted, and what undoing restores. */
export function removalText(path: string, { dir, kept, total }: Removal): string {
  const what = `This deletes ${dir ? `the folder ${path} and everything in it` : path} from the disk.`
  if (total === 0) return kept === 0 ? what : `${what} ${dir ? `The history keeps its ${files(kept)}` : 'The history keeps it'}: you can undo this.`
  if (!dir) return `${what} It cannot be restored:`
  const rest = kept === 0 ? '' : ` The history keeps the other ${kept === 1 ? 'file' : files(kept)}.`
  return `${what}${rest} ${total === 1 ? 'This file' : `These ${files(total)}`} cannot be restored:`
}

/** The files that cannot be restored, and the number of further ones. */
export function lostLines({ lost, total }: Removal): readonly string[] {
  const lines = lost.map(({ path, why }) => `${path}: ${why}`)
  return total > lost.length ? [...lines, `and ${total - lost.length} more`] : lines
}

const namedMost = 3

/** What other programs created or changed meanwhile; or what could not be deleted, and why. */
export function stayedText(path: string, stayed: readonly string[], why: string): string {
  const more = stayed.length > namedMost ? ` and ${stayed.length - namedMost} more` : ''
  const what = `${stayed.slice(0, namedMost).join(', ')}${more}`
  if (why !== '') return `Deleted ${path}, but not ${stayed.length === 0 ? 'all of it' : what}: ${why}`
  return `Deleted ${path}, but for what another program wrote there meanwhile: ${what}`
}
