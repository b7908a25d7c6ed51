// Completes paths in the folder chooser. Pure.

/** "/home/ada/pro" asks for names that begin with "pro" in "/home/ada". */
export function splitPath(path: string): { readonly folder: string; readonly last: string } {
  const slash = path.lastIndexOf('/')
  if (slash < 0) return { folder: '', last: path }
  return { folder: path.slice(0, slash) || '/', last: path.slice(slash + 1) }
}

export function joined(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`
}

export function parentOf(folder: string): string {
  return folder.slice(0, Math.max(0, folder.lastIndexOf('/'))) || '/'
}

/** The folders that begin with the letters; hidden ones only if the letters begin with a dot. */
export function shownFolders(folders: readonly string[], letters: string): readonly string[] {
  const low = letters.toLowerCase()
  return folders.filter((f) => f.toLowerCase().startsWith(low) && (low.startsWith('.') || !f.startsWith('.')))
}

/** Extends the letters as far as all the folders agree; a single folder gets its slash. */
export function completed(folders: readonly string[], letters: string): string {
  const first = folders[0]
  if (first === undefined) return letters
  if (folders.length === 1) return `${first}/`
  let n = letters.length
  while (n < first.length && folders.every((f) => f[n] === first[n])) n++
  return first.slice(0, Math.max(n, letters.length))
}
