// The program that typecheck runs in Node: it answers each line of its input, a question about an
// edit, with a line. It keeps source files and programs from question to question, because an edit
// changes few of them. It writes nothing, and loads nothing but TypeScript, which it hands a few
// of Node's modules: none that reaches a network or starts a process.
'use strict'
const fs = require('fs')
const path = require('path')
const [lib] = process.argv.slice(1)
const parent = process.ppid
const allowed = new Set(['fs', 'path', 'os', 'crypto', 'perf_hooks', 'buffer'])
let ts // TypeScript, once it is asked for something

function load(file) {
  const module = { exports: {} }
  const some = (name) => {
    const plain = name.replace(/^node:/, '')
    if (!allowed.has(plain)) throw new Error(name + ' is not available here')
    return require(plain)
  }
  for (const name of ['getBuiltinModule', 'binding', '_linkedBinding', 'dlopen', 'mainModule']) delete process[name]
  for (const name of ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']) delete globalThis[name]
  const source = fs.readFileSync(file, 'utf8')
  new Function('exports', 'require', 'module', '__filename', '__dirname', source)(
    module.exports, some, module, file, path.dirname(file))
  if (typeof module.exports.createProgram !== 'function') throw new Error('this TypeScript cannot be asked for errors')
  return module.exports
}

// quietly returns what do returns, or otherwise where it may not read.
function quietly(otherwise, run) {
  try {
    return run()
  } catch {
    return otherwise
  }
}

// Files: those on disk, with the edited ones laid over them.

const parsed = new Map() // path -> the last source files of it
const disk = new Map() // path -> the text on disk, with what tells whether it is still that
let overlay = new Map() // path -> text, or null for a file that is not there

function exists(file) {
  if (overlay.has(file)) return overlay.get(file) !== null
  return quietly(false, () => ts.sys.fileExists(file))
}

function read(file) {
  if (overlay.has(file)) return overlay.get(file) ?? undefined
  return quietly(undefined, () => readDisk(file))
}

function readDisk(file) {
  const { mtimeMs, ctimeMs, size } = fs.statSync(file)
  const last = disk.get(file)
  const young = Date.now() - mtimeMs < 2000 // it may be written twice within the resolution of its time
  if (last && !young && last.mtimeMs === mtimeMs && last.ctimeMs === ctimeMs && last.size === size) return last.text
  const text = ts.sys.readFile(file)
  disk.set(file, { mtimeMs, ctimeMs, size, text })
  return text
}

// entries lists a folder, with the overlay's files.
function entries(folder) {
  const found = { files: [], directories: [] }
  for (const e of quietly([], () => fs.readdirSync(folder || '.', { withFileTypes: true }))) {
    const file = e.isSymbolicLink() ? quietly(e, () => fs.statSync(path.join(folder, e.name))) : e
    if (file.isDirectory()) found.directories.push(e.name)
    else if (overlay.get(path.posix.join(folder, e.name)) !== null) found.files.push(e.name)
  }
  for (const [file, text] of overlay) {
    const name = path.posix.basename(file)
    if (text !== null && path.posix.dirname(file) === folder && !found.files.includes(name)) found.files.push(name)
  }
  return found
}

// A link may lead to where nothing may be read: then the file is read by the path of the link.
function real(file) {
  return quietly(file, () => {
    const at = fs.realpathSync(file)
    return process.permission.has('fs.read', at) ? at : file
  })
}

function list(folder, extensions, excludes, includes, depth) {
  if (!ts.matchFiles) return ts.sys.readDirectory(folder, extensions, excludes, includes, depth) // without new files
  return ts.matchFiles(folder, extensions, excludes, includes, ts.sys.useCaseSensitiveFileNames, folder, depth,
    entries, real)
}

function parseFile(file, how) {
  const text = read(file)
  if (text === undefined) return undefined
  const key = JSON.stringify(typeof how === 'object' ? [how.languageVersion, how.impliedNodeFormat, how.jsDocParsingMode] : how)
  const before = parsed.get(file) ?? []
  let one = before.find((p) => p.key === key && p.text === text)
  if (!one) one = { key, text, tree: ts.createSourceFile(file, text, how) }
  parsed.set(file, [one, ...before.filter((p) => p !== one)].slice(0, 2)) // before and after the edit
  return one.tree
}

function hostOf(folder) {
  const libs = path.posix.dirname(lib)
  return {
    getSourceFile: parseFile,
    getDefaultLibFileName: (o) => libs + '/' + ts.getDefaultLibFileName(o),
    getDefaultLibLocation: () => libs,
    writeFile: () => {},
    getCurrentDirectory: () => folder,
    getDirectories: (d) => entries(d).directories,
    getCanonicalFileName: (f) => (ts.sys.useCaseSensitiveFileNames ? f : f.toLowerCase()),
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getNewLine: () => '\n',
    fileExists: exists,
    readFile: read,
    directoryExists: (d) => quietly(false, () => ts.sys.directoryExists(d)),
    realpath: real,
  }
}

// Configurations: the nearest one that has a file in it, or that refers to one that does.

function configOf(file) {
  const host = { useCaseSensitiveFileNames: ts.sys.useCaseSensitiveFileNames, fileExists: exists, readFile: read,
    readDirectory: list }
  const text = ts.readConfigFile(file, read)
  const found = ts.parseJsonConfigFileContent(text.config ?? {}, host, path.posix.dirname(file), undefined, file)
  Object.assign(found.options, { noEmit: true, incremental: false, composite: false, tsBuildInfoFile: undefined,
    plugins: undefined })
  return found
}

function refersTo(file, config, seen) {
  const all = []
  for (const ref of config.projectReferences ?? []) {
    const to = quietly(undefined, () => ts.resolveProjectReferencePath(ref))
    if (to && !seen.has(to) && exists(to)) {
      seen.add(to)
      const other = configOf(to)
      all.push([to, other], ...refersTo(to, other, seen))
    }
  }
  return all
}

// configsFor returns the configurations that have the file in them, each with its path.
function configsFor(file, root) {
  for (let folder = path.posix.dirname(file); ; folder = path.posix.dirname(folder)) {
    for (const name of ['tsconfig.json', 'jsconfig.json']) {
      const at = folder + '/' + name
      if (!exists(at)) continue
      const config = configOf(at)
      const has = [[at, config], ...refersTo(at, config, new Set([at]))].filter(([p, c]) => covers(p, c, file))
      if (has.length > 0) return has
      break
    }
    if (folder === root || folder === path.posix.dirname(folder)) return []
  }
}

// covers reports whether a configuration has the file in it. One that lists files has what they import, too.
function covers(at, config, file) {
  return config.fileNames.includes(file) || !!config.raw?.files && !!programOf(at, config).getSourceFile(file)
}

// Programs.

const programs = new Map() // configuration -> the last program

function programOf(at, config) {
  const host = hostOf(path.posix.dirname(at))
  const program = ts.createProgram({ rootNames: config.fileNames, options: config.options, host,
    oldProgram: programs.get(at) })
  programs.set(at, program)
  return program
}

// own are the files of a program that belong to the project.
function own(program) {
  return program.getSourceFiles().filter((f) => !program.isSourceFileFromExternalLibrary(f) &&
    !program.isSourceFileDefaultLibrary(f) && !f.fileName.includes('/node_modules/'))
}

// importers maps each file to those that import it.
function importers(program) {
  const checker = program.getTypeChecker()
  const by = new Map()
  for (const file of own(program)) {
    for (const name of file.imports ?? []) {
      const module = quietly(undefined, () => checker.getSymbolAtLocation(name))
      for (const d of module?.declarations ?? []) {
        if (!ts.isSourceFile(d)) continue
        if (!by.has(d.fileName)) by.set(d.fileName, new Set())
        by.get(d.fileName).add(file)
      }
    }
  }
  return by
}

// affected are the files that an edit may break, the edited ones first, then those that import
// them, then those that import these. What a script or a global declaration declares is seen by all.
function affected(program, edited) {
  const starts = edited.map((e) => program.getSourceFile(e.path)).filter(Boolean)
  const everywhere = edited.some((e) => e.after === null || /\bdeclare\s+(global|module)\b/.test(e.before + e.after)) ||
    starts.some((f) => !f.imports || !ts.isExternalModule(f) && !f.commonJsModuleIndicator)
  if (everywhere) return [...new Set([...starts, ...own(program)])]
  const by = importers(program)
  const all = new Set(starts)
  for (const file of all) for (const one of by.get(file.fileName) ?? []) all.add(one) // a set goes on with what is added
  return [...all]
}

function deadlineToken(deadline) {
  let asked = 0
  return {
    isCancellationRequested: () => {
      if (++asked % 64 !== 0) return false
      if (process.ppid !== parent) process.exit()
      return Date.now() > deadline
    },
    throwIfCancellationRequested() {
      if (this.isCancellationRequested()) throw new ts.OperationCanceledException()
    },
  }
}

function errorsIn(program, file, token) {
  const all = [...program.getSyntacticDiagnostics(file, token), ...program.getSemanticDiagnostics(file, token)]
  if (program.getCompilerOptions().declaration) all.push(...program.getDeclarationDiagnostics(file, token))
  return all.filter((d) => d.category === ts.DiagnosticCategory.Error && d.file && d.start !== undefined).map((d) => ({
    file: d.file.fileName, start: d.start, line: lineOf(d.file, d.start), code: d.code,
    text: ts.flattenDiagnosticMessageText(d.messageText, ' ').slice(0, 400), unused: !!d.reportsUnnecessary }))
}

function lineOf(file, at) {
  return file && at <= file.end ? file.getLineAndCharacterOfPosition(at).line + 1 : 0
}

// moved is where a place before the edit is after it.
function moved(edit, at) {
  let shift = 0
  for (const [from, to, inserted] of edit?.changes ?? []) {
    if (at >= to && to > from || at > from && to === from) shift += inserted - (to - from)
    else if (at > from) return from + shift
    else break
  }
  return at + shift
}

// fresh are the errors that were not there before: not at the same place, not with the same words
// in the file, not in the same line, which may point at another part of it for another reason, and
// not with the same words in a file that lost them.
function fresh(now, before, edited, program) {
  const edits = new Map(edited.map((e) => [e.path, e]))
  const old = before.map((d) => {
    const start = moved(edits.get(d.file), d.start)
    return { ...d, start, line: lineOf(program.getSourceFile(d.file), start) }
  })
  let rest = now
  for (const same of [
    (a, b) => a.file === b.file && a.code === b.code && a.start === b.start,
    (a, b) => a.file === b.file && a.code === b.code && a.text === b.text,
    (a, b) => a.file === b.file && a.code === b.code && a.line === b.line,
    (a, b) => a.code === b.code && a.text === b.text,
  ]) {
    rest = rest.filter((d) => {
      const i = old.findIndex((o) => same(o, d))
      if (i >= 0) old.splice(i, 1)
      return i < 0
    })
  }
  return rest
}

const unresolved = new Set([2307, 2792, 7016]) // an import leads nowhere, or to what has no types

// certain leaves out errors that may come from types which are not there, because an import led nowhere
// before the edit, too: what is implicitly any.
function certain(errors, before) {
  const blind = new Set(before.filter((d) => unresolved.has(d.code)).map((d) => d.file))
  return errors.filter((d) => !(blind.has(d.file) && d.code >= 7000 && d.code < 7100))
}

function lay(edited, which) {
  overlay = new Map(edited.map((e) => [e.path, e[which]]))
}

// errorsAfter are the errors that the edit's files and those that it affects have now.
function errorsAfter(program, edited, deadline, answer) {
  const token = deadlineToken(deadline)
  const now = []
  const files = affected(program, edited)
  answer.files += files.length
  answer.late ||= !inTime(() => {
    for (const file of files) {
      if (Date.now() > deadline) throw new ts.OperationCanceledException()
      now.push(...errorsIn(program, file, token))
      answer.checked++
    }
  })
  return now
}

// inTime runs what may be cancelled; false if it was.
function inTime(run) {
  try {
    run()
    return true
  } catch (e) {
    if (!(e instanceof ts.OperationCanceledException)) throw e
    return false
  }
}

// check compares a configuration's program after the edit with the one before it, as far as the
// first has errors.
function check(at, edited, question, deadline, answer) {
  lay(edited, 'after')
  const program = programOf(at, configOf(at))
  const now = errorsAfter(program, edited, deadline, answer)
  if (now.length === 0) return []
  lay(edited, 'before')
  const old = programOf(at, configOf(at))
  programs.set(at, program) // the next edit is one of this
  const before = []
  const token = deadlineToken(deadline + question.budget / 4)
  const known = inTime(() => {
    for (const name of new Set([...now.map((d) => d.file), ...edited.map((e) => e.path)])) {
      const file = old.getSourceFile(name)
      if (file) before.push(...errorsIn(old, file, token))
    }
  })
  if (known) return certain(fresh(now, before, edited, program), before)
  answer.late = true
  return []
}

function answerTo(question) {
  ts ??= load(lib)
  const { edited, root, budget } = question
  const answer = { by: ts.version, files: 0, checked: 0, late: false, errors: [] }
  const deadline = Date.now() + budget
  const configs = new Set()
  for (const e of edited) {
    lay(edited, e.after === null ? 'before' : 'after')
    for (const [at] of configsFor(e.path, root)) configs.add(at)
  }
  const found = new Map()
  for (const at of configs) {
    for (const e of check(at, edited, question, deadline, answer)) found.set([e.file, e.start, e.code].join(), e)
  }
  answer.errors = [...found.values()].map(({ file, line, code, text, unused }) => ({ file, line, code, text, unused }))
  return answer
}

let input = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (some) => {
  input += some
  for (let end = input.indexOf('\n'); end >= 0; end = input.indexOf('\n')) {
    const line = input.slice(0, end)
    input = input.slice(end + 1)
    let answer
    try {
      answer = answerTo(JSON.parse(line))
    } catch (e) {
      answer = { failed: String(e?.message ?? e).slice(0, 400) }
    }
    process.stdout.write(JSON.stringify(answer) + '\n')
  }
})
process.stdin.on('end', () => process.exit())
