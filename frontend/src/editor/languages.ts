// The grammars by file name; each is loaded with the first such file.

import type { LanguageSupport } from '@codemirror/language'

type Load = () => Promise<LanguageSupport>

/** A Map, because a file may be called "constructor". */
function table<T>(entries: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(entries))
}

const javascript = (jsx: boolean, typescript: boolean): Load => async () =>
  (await import('@codemirror/lang-javascript')).javascript({ jsx, typescript })
const cpp: Load = async () => (await import('@codemirror/lang-cpp')).cpp()
const html: Load = async () => (await import('@codemirror/lang-html')).html()
const xml: Load = async () => (await import('@codemirror/lang-xml')).xml()
const yaml: Load = async () => (await import('@codemirror/lang-yaml')).yaml()
const json: Load = async () => (await import('@codemirror/lang-json')).json()
const python: Load = async () => (await import('@codemirror/lang-python')).python()
const css: Load = async () => (await import('@codemirror/lang-css')).css()
const markdown: Load = async () => {
  const { markdown, markdownLanguage } = await import('@codemirror/lang-markdown')
  return markdown({ base: markdownLanguage })
}

const byEnding = table<readonly [string, Load]>({
  go: ['Go', async () => (await import('@codemirror/lang-go')).go()],
  js: ['JavaScript', javascript(true, false)],
  mjs: ['JavaScript', javascript(false, false)],
  cjs: ['JavaScript', javascript(false, false)],
  jsx: ['JSX', javascript(true, false)],
  ts: ['TypeScript', javascript(false, true)],
  mts: ['TypeScript', javascript(false, true)],
  cts: ['TypeScript', javascript(false, true)],
  tsx: ['TSX', javascript(true, true)],
  py: ['Python', python],
  pyi: ['Python', python],
  json: ['JSON', json],
  jsonc: ['JSON', json],
  html: ['HTML', html],
  htm: ['HTML', html],
  svelte: ['Svelte', html],
  vue: ['Vue', html],
  css: ['CSS', css],
  scss: ['SCSS', css],
  md: ['Markdown', markdown],
  markdown: ['Markdown', markdown],
  rs: ['Rust', async () => (await import('@codemirror/lang-rust')).rust()],
  c: ['C', cpp],
  h: ['C', cpp],
  cc: ['C++', cpp],
  cpp: ['C++', cpp],
  cxx: ['C++', cpp],
  hpp: ['C++', cpp],
  hh: ['C++', cpp],
  java: ['Java', async () => (await import('@codemirror/lang-java')).java()],
  sql: ['SQL', async () => (await import('@codemirror/lang-sql')).sql()],
  xml: ['XML', xml],
  svg: ['SVG', xml],
  yaml: ['YAML', yaml],
  yml: ['YAML', yaml],
  php: ['PHP', async () => (await import('@codemirror/lang-php')).php()],
})

/** Languages that Go colours by spans: only the name is known here. */
const otherNames = table<string>({
  sh: 'Shell', bash: 'Shell', zsh: 'Shell', toml: 'TOML', rb: 'Ruby', kt: 'Kotlin', swift: 'Swift', cs: 'C#', lua: 'Lua',
  pl: 'Perl', r: 'R', jl: 'Julia', ex: 'Elixir', exs: 'Elixir', hs: 'Haskell', ml: 'OCaml', scala: 'Scala', dart: 'Dart',
  zig: 'Zig', nix: 'Nix', tf: 'Terraform', proto: 'Protocol Buffers', graphql: 'GraphQL', ini: 'INI', mod: 'Go module',
  sum: 'Go checksums', mk: 'Make', cmake: 'CMake', s: 'Assembly', txt: 'Text', csv: 'CSV', diff: 'Diff', patch: 'Diff',
})

const namesOfFiles = table<string>({ makefile: 'Make', dockerfile: 'Dockerfile', 'go.mod': 'Go module' })

export interface Language {
  readonly name: string // "Go", "Text"
  readonly load: Load | null // null: no grammar here; Go may have spans
}

export function languageOf(path: string): Language {
  const file = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const ending = file.slice(file.lastIndexOf('.') + 1)
  const own = byEnding.get(ending)
  if (own) return { name: own[0], load: own[1] }
  return { name: namesOfFiles.get(file) ?? otherNames.get(ending) ?? 'Text', load: null }
}
