// The next state. Pure: effects are in app.ts.

import type { Frame, Hello, Progress, TabState } from '../protocol'
import { defaultPrefs, emptyUI, initial, type Action, type OpenFile, type State, type Toast } from './state'
import { turnDelta } from './turn'

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'link':
      return { ...state, link: action.link }
    case 'hello':
      return hello(state, action.hello)
    case 'frame':
      return frame(state, action.frame)
    case 'opened': {
      const { text: _text, version: _version, doc: _doc, ...file } = action.doc
      return { ...state, files: { ...state.files, [file.path]: file } }
    }
    case 'eol': {
      const file = state.files[action.path]
      return file ? { ...state, files: { ...state.files, [action.path]: { ...file, eol: action.eol } } } : state
    }
    case 'closed':
      return { ...state, files: without(state.files, action.path) }
    case 'moved':
      return moved(state, action.from, action.to)
    case 'ui':
      return { ...state, ui: { ...state.ui, ...action.ui } }
    case 'prefs':
      return { ...state, prefs: { ...state.prefs, ...action.prefs } }
    case 'conversation':
      return { ...state, conversation: action.conversation, turn: stillRunning(state.turn, action.conversation) }
    case 'timeline':
      return { ...state, timeline: action.timeline }
    case 'review':
      return { ...state, review: action.hunks }
    case 'findings':
      return { ...state, findings: action.findings }
    case 'models':
      return { ...state, models: action.models, spent: action.spent, budget: action.budget, normal: action.normal, mistake: action.mistake }
    case 'main':
      return { ...state, main: action.main }
    case 'overlay':
      return { ...state, overlay: action.overlay }
    case 'cursor':
      return { ...state, cursor: action.cursor }
    case 'notice':
      return { ...state, notices: addNotices(state.notices, [{ ...action, at: Date.now() }]) }
    case 'forgotten':
      return { ...state, recent: state.recent.filter((r) => r.root !== action.root) }
    case 'historyOf':
      return { ...state, historyOf: { path: action.path } }
    case 'layout':
      return { ...state, layout: { ...state.layout, ...action.layout } }
    case 'dismiss':
      return { ...state, notices: state.notices.filter((n) => n.id !== action.id) }
    case 'stopping':
      return state.turn ? { ...state, turn: { ...state.turn, stopping: true } } : state
    case 'firstPaint':
      return state.turn ? { ...state, turn: { ...state.turn, firstPaint: action.ms } } : state
    case 'painted':
      return state.turn?.turn === action.turn ? { ...state, turn: { ...state.turn, paint: action.paint } } : state
    case 'asking':
      return { ...state, asking: { ...state.asking, ...action.asking } }
    case 'blame':
      return { ...state, blame: action.on }
    case 'unsent':
      return { ...state, unsent: action.paths }
  }
}

/** Another fork has turns of its own; ended turns are in its history. */
function onFork(state: State, project: State['project']): State {
  if (project === null || project.root !== state.project?.root || project.fork === state.project.fork) return state
  return { ...state, turn: state.turn?.outcome ? null : state.turn, ended: [], asking: { ...state.asking, again: 0, stopped: 0 } }
}

/** Another session has turns of its own; the server sends its newest one. */
function inSession(state: State, project: State['project'] | undefined): State {
  if (!project || project.root !== state.project?.root || project.session === state.project.session) return state
  const left = state.turn
  if (left === null || left.session === project.session) return state
  return { ...state, turn: null, ended: left.outcome ? [...state.ended, left].slice(-maxEnded) : state.ended, asking: { ...state.asking, again: 0, stopped: 0 } }
}

/** A connection was made: the first one, or after a loss. */
function hello(before: State, h: Hello): State {
  const state = onFork(before, h.project)
  const again = state.project !== null && h.project?.root === state.project.root
  if (again) {
    const turn = state.turn && !state.turn.outcome ? { ...state.turn, unsure: true } : state.turn
    const project = h.project && state.project?.session ? { ...h.project, session: state.project.session } : h.project // see Sync.hello
    return { ...state, running: [], native: h.native, recent: h.recent, project, head: h.project?.head ?? 0, treeAge: state.treeAge + 1, unrecorded: h.unrecorded, turn }
  }
  return {
    ...initial,
    link: state.link,
    native: h.native,
    project: h.project,
    recent: h.recent,
    ui: { ...emptyUI, ...h.ui },
    prefs: { ...defaultPrefs, ...h.prefs },
    head: h.project?.head ?? 0,
    unrecorded: h.unrecorded,
    notices: state.notices,
    layout: state.layout,
    treeAge: state.treeAge + 1,
  }
}

/** A turn from before a lost connection continues only if the history does not say that it ended. */
function stillRunning(turn: State['turn'], conversation: State['conversation']): State['turn'] {
  const past = turn?.unsure ? conversation?.turns.find((t) => t.turn === turn.turn) : undefined
  return past === undefined || past.status === '' ? turn : null
}

const maxEnded = 30

function frame(before: State, f: Frame): State {
  const state = inSession(onFork(before, f.project ?? null), f.project)
  const turn = f.turn ? turnDelta(state.turn, f.turn) : state.turn
  const left = state.turn?.outcome && state.turn.turn !== turn?.turn ? [state.turn] : []
  return {
    ...state,
    turn,
    running: f.running?.turns ?? state.running,
    ended: left.length > 0 ? [...state.ended, ...left].slice(-maxEnded) : state.ended,
    head: f.head ?? state.head,
    project: f.project === undefined ? state.project : f.project,
    folderGone: f.folderGone ?? state.folderGone,
    unrecorded: f.unrecorded ?? state.unrecorded,
    treeAge: f.files ? state.treeAge + 1 : state.treeAge,
    notices: f.notices ? addNotices(state.notices, f.notices) : state.notices,
    progress: f.progress ? addProgress(state.progress, f.progress) : state.progress,
  }
}

let nextNotice = 1
const maxNotices = 50

/** Adds notices; repeated text counts once. */
function addNotices(list: State['notices'], more: readonly Omit<Toast, 'id'>[]): State['notices'] {
  const fresh = more.map(({ level, text, at, action }) => ({ level, text, at, id: nextNotice++, ...(action ? { action } : {}) }))
  const repeated = new Set(fresh.map((n) => n.text))
  return [...list.filter((n) => !repeated.has(n.text)), ...fresh].slice(-maxNotices)
}

function addProgress(list: readonly Progress[], more: readonly Progress[]): readonly Progress[] {
  const next = new Map(list.map((p) => [p.what, p]))
  for (const p of more) {
    if (p.total > 0 && p.done >= p.total) next.delete(p.what)
    else next.set(p.what, p)
  }
  return [...next.values()]
}

function moved(state: State, from: string, to: string): State {
  const file = state.files[from]
  const files = without(state.files, from)
  return {
    ...state,
    files: file ? { ...files, [to]: { ...file, path: to } } : files,
    ui: {
      ...state.ui,
      active: state.ui.active === from ? to : state.ui.active,
      tabs: renamed(state.ui.tabs, from, to),
    },
  }
}

/** One tab for one file: a second one is closed. */
function renamed(tabs: readonly TabState[], from: string, to: string): readonly TabState[] {
  if (tabs.some((t) => t.path === to)) return tabs.filter((t) => t.path !== from)
  return tabs.map((t) => (t.path === from ? { ...t, path: to } : t))
}

function without(files: State['files'], path: string): Readonly<Record<string, OpenFile>> {
  const { [path]: _gone, ...rest } = files
  return rest
}
