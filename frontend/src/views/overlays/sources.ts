// The sources of the palette's items: Go for files, symbols and sessions, the state for the rest.

import { openFile } from '../../actions/files'
import { switchFork } from '../../actions/history'
import { openProject, shortPath } from '../../actions/project'
import { useSession } from '../../actions/sessions'
import type { App } from '../../app'
import { commands } from '../../commands'
import type { FoundFile, SessionInfo, Symbol } from '../../protocol'
import { timeWords } from '../../timeline/words'
import { commandItems, placeTyped, ranked, type Item, type Mode } from './palette'

const most = 60 // items; more are found by typing more

/** The items for the typed text, at once or from Go. */
export function itemsFor(app: App, mode: Mode, query: string, signal: AbortSignal): readonly Item[] | Promise<readonly Item[]> {
  switch (mode) {
    case 'commands':
      return commandItems(commands, app.state, query)
    case 'files':
      return files(app, query, signal)
    case 'symbols':
      return symbols(app, query, signal)
    case 'lines':
      return lines(app, query)
    case 'forks':
      return forks(app, query)
    case 'sessions':
      return sessions(app, query, signal)
    case 'recent':
      return recent(app, query)
  }
}

const none = { at: [], detail: '', keys: '', group: '' } as const

async function files(app: App, query: string, signal: AbortSignal): Promise<readonly Item[]> {
  if (app.state.project === null) return recent(app, query)
  const found = await app.backend.read('find', { q: query, limit: most }, signal)
  if (query !== '') return found.files.map((f) => fileItem(f, ''))
  const tabs = app.state.ui.tabs.filter((t) => t.path !== app.state.ui.active).map((t) => ({ path: t.path, match: [] }))
  const open = new Set(tabs.map((t) => t.path))
  const rest = found.files.filter((f) => !open.has(f.path))
  return [...tabs.map((f) => fileItem(f, 'Open')), ...rest.map((f) => fileItem(f, 'Files'))]
}

/** The name first, the folder small beside it; the matched letters are those of the name. */
function fileItem(file: FoundFile, group: string): Item {
  const cut = file.path.lastIndexOf('/') + 1
  return {
    ...none,
    id: file.path,
    label: file.path.slice(cut),
    at: file.match.filter((i) => i >= cut).map((i) => i - cut),
    detail: file.path.slice(0, Math.max(0, cut - 1)),
    group,
    run: (app) => openFile(app, file.path),
  }
}

async function symbols(app: App, query: string, signal: AbortSignal): Promise<readonly Item[]> {
  const path = query === '' ? app.state.ui.active : ''
  if (path === '' && query === '') return []
  const found = await app.backend.read('symbols', { q: query, path, limit: most }, signal)
  return found.symbols.map((s, i) => symbolItem(s, i, path === ''))
}

function symbolItem(symbol: Symbol, index: number, withPath: boolean): Item {
  const where = withPath ? `${symbol.path}:${String(symbol.line)}` : `line ${String(symbol.line)}`
  const name = symbol.container === '' ? symbol.name : `${symbol.container}.${symbol.name}`
  return {
    ...none,
    id: `${String(index)} ${symbol.path}:${String(symbol.line)} ${symbol.name}`,
    label: name,
    detail: `${symbol.kind} · ${where}`,
    run: (app) => openFile(app, symbol.path, { line: symbol.line, column: 0, length: 0 }),
  }
}

function lines(app: App, query: string): readonly Item[] {
  const place = placeTyped(query)
  const path = app.state.ui.active
  if (place === null || path === '') return []
  const label = `Go to line ${String(place.line)}${place.column > 0 ? `, column ${String(place.column + 1)}` : ''}`
  return [{ ...none, id: 'line', label, detail: path, run: (a) => openFile(a, path, { ...place, length: 0 }) }]
}

function forks(app: App, query: string): readonly Item[] {
  const { forks: names = [], fork = '' } = app.state.project ?? {}
  return ranked(names, query, (n) => n).map(({ one, at }) => ({
    ...none,
    id: one,
    label: one,
    at,
    detail: one === fork ? 'this one' : '',
    run: async (a) => {
      if (one !== fork) await switchFork(a, one)
    },
  }))
}

async function sessions(app: App, query: string, signal: AbortSignal): Promise<readonly Item[]> {
  const { sessions: all, current } = await app.backend.read('sessions', {}, signal)
  return ranked(all, query, titleOf).map(({ one, at }) => ({
    ...none,
    id: String(one.id),
    label: titleOf(one),
    at,
    detail: one.id === current ? 'this one' : `${String(one.turns)} ${one.turns === 1 ? 'turn' : 'turns'} · ${timeWords(one.last, Date.now())}`,
    run: (a) => useSession(a, one.id),
  }))
}

function titleOf(session: SessionInfo): string {
  return session.title === '' ? `Session ${String(session.id)}` : session.title
}

function recent(app: App, query: string): readonly Item[] {
  const home = app.state.project?.home ?? ''
  return ranked(app.state.recent.filter((r) => !r.gone && r.root !== app.state.project?.root), query, (r) => r.name).map(({ one, at }) => ({
    ...none,
    id: one.root,
    label: one.name,
    at,
    detail: shortPath(one.root, home),
    run: (a) => openProject(a, one.root),
  }))
}
