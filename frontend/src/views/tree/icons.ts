// Quiet icons by kind of file: enough to tell code from data at a glance.

import Braces from '@lucide/svelte/icons/braces'
import FileCode from '@lucide/svelte/icons/file-code'
import FileIcon from '@lucide/svelte/icons/file'
import FileLock from '@lucide/svelte/icons/file-lock'
import FileTerminal from '@lucide/svelte/icons/file-terminal'
import FileText from '@lucide/svelte/icons/file-text'
import Folder from '@lucide/svelte/icons/folder'
import FolderOpen from '@lucide/svelte/icons/folder-open'
import ImageIcon from '@lucide/svelte/icons/image'
import type { TreeEntry } from '../../protocol'
import type { Icon } from '../../ui/icon'

const kinds: readonly (readonly [Icon, string])[] = [
  [FileCode, 'go ts tsx js jsx mjs cjs py rs c h cc cpp hpp java kt swift rb php cs scala lua zig sql svelte vue html css scss'],
  [Braces, 'json yaml yml toml xml ini env mod sum lock csv proto'],
  [FileText, 'md txt rst adoc tex org'],
  [FileTerminal, 'sh bash zsh fish ps1 bat mk'],
  [ImageIcon, 'png jpg jpeg gif svg webp ico avif bmp'],
]

const byEnding = new Map(kinds.flatMap(([icon, endings]) => endings.split(' ').map((e) => [e, icon] as const)))
const byName = new Map<string, Icon>([['makefile', FileTerminal], ['dockerfile', FileTerminal], ['readme', FileText], ['license', FileText]])

export function iconOf(entry: Pick<TreeEntry, 'name' | 'dir' | 'held'>, open: boolean): Icon {
  if (entry.dir) return open ? FolderOpen : Folder
  if (entry.held) return FileLock
  const low = entry.name.toLowerCase()
  return byName.get(low) ?? byEnding.get(low.slice(low.lastIndexOf('.') + 1)) ?? FileIcon
}
