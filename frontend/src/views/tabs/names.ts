// The names of tabs: the file's name; if two files share it, with the shortest distinguishing end of the folder. As shown.

import { visible } from '../../visible'

export interface TabName {
  readonly name: string
  readonly folder: string // "" when the name is enough
}

export function tabNames(paths: readonly string[]): readonly TabName[] {
  return paths.map((path) => {
    const parts = path.split('/')
    const name = parts.at(-1) ?? path
    const same = paths.filter((p) => p !== path && (p.split('/').at(-1) ?? p) === name)
    return { name: visible(name), folder: same.length === 0 ? '' : visible(folderOf(parts, same)) }
  })
}

/** The fewest folders, from the file upward, that no other path ends with. */
function folderOf(parts: readonly string[], others: readonly string[]): string {
  for (let n = 2; n <= parts.length; n++) {
    const end = parts.slice(-n).join('/')
    if (!others.some((o) => o === end || o.endsWith(`/${end}`))) return parts.slice(-n, -1).join('/')
  }
  return parts.length > 1 ? parts.slice(0, -1).join('/') : '.'
}
