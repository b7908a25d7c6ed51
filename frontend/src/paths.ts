// Paths of the project: parts between slashes, the project itself is "".

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** The folders above a path, outermost first. */
export function above(path: string): readonly string[] {
  const out: string[] = []
  for (let at = parentOf(path); at !== ''; at = parentOf(at)) out.unshift(at)
  return out
}
