// Everything the page knows except the documents, which are in CodeMirror (editor/). One plain value;
// reduce.ts computes the next one.

import type {
  Author,
  BlameRun,
  Conversation,
  Doc,
  DiffQuery,
  EditID,
  Finding,
  Frame,
  Hello,
  Kind,
  ModelInfo,
  Notice,
  Outcome,
  Part,
  Prefs,
  Progress,
  Project,
  Recent,
  RunningTurn,
  ReviewHunk,
  ThreeWay,
  TurnLive,
  UIState,
} from '../protocol'
import type { Link } from '../backend'
import type { Edits } from '../timeline/edits'

export interface State {
  readonly link: Link
  readonly native: boolean
  readonly project: Project | null
  readonly folderGone: boolean
  readonly unrecorded: string // the message while nothing can be recorded; "" when it can
  readonly recent: readonly Recent[]
  readonly ui: UIState
  readonly prefs: Prefs
  readonly files: Readonly<Record<string, OpenFile>> // by path, of the tabs
  readonly asking: Asking
  readonly turn: TurnView | null // of the shown session: the running turn, or the last one of this run
  readonly running: readonly RunningTurn[] // of all sessions
  readonly ended: readonly TurnView[] // earlier turns of this run, as this page saw them
  readonly conversation: Conversation | null // of the project's session; its last turn may be `turn`
  readonly head: EditID
  readonly timeline: Edits | null
  readonly review: readonly ReviewHunk[] // of all files; without positions where the file is not open
  readonly findings: readonly Finding[] // of reviews: those that are open or accepted
  readonly models: readonly ModelInfo[]
  readonly spent: number // dollars, today in all projects
  readonly budget: number // dollars, of a day; 0: none
  readonly normal: string // the model of requests that name none; '': not read yet
  readonly mistake: string // why that one cannot be asked; ''
  readonly main: Main
  readonly overlay: Overlay | null
  readonly layout: Layout
  readonly cursor: Cursor
  readonly notices: readonly Toast[]
  readonly progress: readonly Progress[]
  readonly treeAge: number // counts changes of the list of files
  readonly historyOf: { readonly path: string } | null // the file to which the timeline was filtered
  readonly blame: boolean // shown beside the text
  readonly unsent: readonly string[] // files with typing that Go has not confirmed for a while
}

/** A shown notice, with an action for the user. */
export interface Toast extends Notice {
  readonly id: number
  readonly action?: ToastAction
}

export interface ToastAction {
  readonly label: string // "Undo"
  readonly run: () => void
}

/** The window's layout beside ui.panels, which is stored. */
export interface Layout {
  readonly narrow: boolean // too narrow for three columns: the side panels lie over the middle
  readonly drawer: 'tree' | 'chat' | null // the one that does
}

/** What is known of an open file, except its text. */
export type OpenFile = Omit<Doc, 'text' | 'version' | 'doc'>

/** The content of the middle of the window. */
export type Main =
  | { readonly kind: 'editor' }
  | { readonly kind: 'diff'; readonly query: DiffQuery; readonly title: string }
  | { readonly kind: 'conflict'; readonly files: readonly ThreeWay[]; readonly rest: readonly EditID[] } // rest: what is to be taken back in other files

/** The overlay; at most one. */
export type Overlay =
  | { readonly kind: 'palette'; readonly mode: 'commands' | 'files' | 'symbols' | 'lines' | 'forks' | 'sessions' | 'recent'; readonly text: string }
  | { readonly kind: 'grep' }
  | { readonly kind: 'settings' }
  | { readonly kind: 'keys' }
  | { readonly kind: 'folder' } // choose a project, in a browser
  | { readonly kind: 'providers'; readonly view: ProvidersView; readonly name: string } // name: of the one to edit
  | { readonly kind: 'model'; readonly name: string } // the page of a model file
  | { readonly kind: 'ask'; readonly ask: Ask }

/** What the dialog of providers begins with. */
export type ProvidersView = 'add' | 'list' | 'edit'

/** A modal question: for a name, or a yes. */
export interface Ask {
  readonly title: string
  readonly text: string
  readonly list?: readonly string[] // what the question is about, one by one
  readonly input: string | null // the suggested name; null asks for a yes
  readonly yes: string // label of the button
  readonly danger: boolean
  readonly answer: (value: string) => void
}

export interface Cursor {
  readonly line: number
  readonly column: number
  readonly selected: number // characters
  readonly fromLine: number // of the selection
  readonly toLine: number
}

/** A turn of this run, from Go's deltas. */
export interface TurnView {
  readonly turn: number
  readonly session: number
  readonly request: string
  readonly model: string
  readonly mode: UIState['mode']
  readonly kind: Kind | '' // of task; '': the mode's own
  readonly auto: string // why "auto" chose the model; ''
  readonly started: number
  readonly parts: readonly Part[] // what the conversation shows, in order
  readonly live: TurnLive
  readonly outcome: Outcome | null
  readonly stopping: boolean // Esc was pressed, the end has not arrived
  readonly unsure: boolean // the connection was lost since; Go may not run it any more
  readonly edits: readonly EditID[] // that are recorded
  readonly firstPaint: number // ms from the request to the first painted edit; 0 before
  readonly paint: Paint | null // measured when it ended
}

/** How long painting a turn's edits took, in ms from a frame's arrival to the next drawn one. */
export interface Paint {
  readonly last: number // of the last frame: what the user waited for at the end
  readonly worst: number
  readonly frames: number
}

/** The request being written, except its draft and chips, which are in UIState. */
export interface Asking {
  readonly sending: boolean
  readonly unwanted: boolean // Esc came before Go had answered
  readonly error: string // why the last one was refused
  readonly steers: readonly SentSteer[] // of this page, with an open outcome
  readonly again: number // the turn whose request is edited in the composer, to be sent again from before it; 0 for none
  readonly stopped: number // the turn that Esc stopped, and that Esc again reverts; 0 for none
}

export interface SentSteer {
  readonly id: number
  readonly turn: number
  readonly text: string
  readonly steer: number // its number in the turn, once Go has answered; its receipts tell the rest. 0 until then
}

/** Blame of the open file is the pane's own; this is what a view asks about a line. */
export type Blame = readonly BlameRun[]

export type Action =
  | { readonly type: 'link'; readonly link: Link }
  | { readonly type: 'hello'; readonly hello: Hello }
  | { readonly type: 'frame'; readonly frame: Frame } // all of it but the documents
  | { readonly type: 'opened'; readonly doc: Doc } // a document arrived
  | { readonly type: 'eol'; readonly path: string; readonly eol: Doc['eol'] } // another program gave it other line ends
  | { readonly type: 'closed'; readonly path: string }
  | { readonly type: 'moved'; readonly from: string; readonly to: string }
  | { readonly type: 'ui'; readonly ui: Partial<UIState> }
  | { readonly type: 'prefs'; readonly prefs: Partial<Prefs> }
  | { readonly type: 'conversation'; readonly conversation: Conversation | null }
  | { readonly type: 'timeline'; readonly timeline: Edits | null }
  | { readonly type: 'review'; readonly hunks: readonly ReviewHunk[] }
  | { readonly type: 'findings'; readonly findings: readonly Finding[] }
  | { readonly type: 'models'; readonly models: readonly ModelInfo[]; readonly spent: number; readonly budget: number; readonly normal: string; readonly mistake: string }
  | { readonly type: 'main'; readonly main: Main }
  | { readonly type: 'overlay'; readonly overlay: Overlay | null }
  | { readonly type: 'cursor'; readonly cursor: Cursor }
  | { readonly type: 'notice'; readonly level: Notice['level']; readonly text: string; readonly action?: ToastAction }
  | { readonly type: 'forgotten'; readonly root: string } // a recent folder
  | { readonly type: 'historyOf'; readonly path: string }
  | { readonly type: 'layout'; readonly layout: Partial<Layout> }
  | { readonly type: 'dismiss'; readonly id: number }
  | { readonly type: 'stopping' }
  | { readonly type: 'firstPaint'; readonly ms: number }
  | { readonly type: 'painted'; readonly turn: number; readonly paint: Paint }
  | { readonly type: 'asking'; readonly asking: Partial<Asking> }
  | { readonly type: 'blame'; readonly on: boolean }
  | { readonly type: 'unsent'; readonly paths: readonly string[] }

export const emptyUI: UIState = {
  tabs: [],
  active: '',
  draft: '',
  scope: [],
  model: '',
  mode: 'edit',
  pins: [],
  without: [],
  at: null,
  zoom: null,
  axis: 'time',
  speed: 1,
  hop: true,
  diff: 'side',
  follow: true,
  wrap: false,
  removed: true,
  panels: { tree: 240, chat: 380, timeline: 132, sizes: {} },
  open: [],
  history: [],
  view: null,
}

export const defaultPrefs: Prefs = { theme: 'system', density: 'comfortable', fontSize: 13, notify: true }

export const initial: State = {
  link: 'connecting',
  native: false,
  project: null,
  folderGone: false,
  unrecorded: '',
  recent: [],
  ui: emptyUI,
  prefs: defaultPrefs,
  files: {},
  asking: { sending: false, unwanted: false, error: '', steers: [], again: 0, stopped: 0 },
  turn: null,
  running: [],
  ended: [],
  conversation: null,
  head: 0,
  timeline: null,
  review: [],
  findings: [],
  models: [],
  spent: 0,
  normal: '',
  mistake: '',
  budget: 0,
  main: { kind: 'editor' },
  overlay: null,
  layout: { narrow: false, drawer: null },
  cursor: { line: 1, column: 1, selected: 0, fromLine: 1, toLine: 1 },
  notices: [],
  progress: [],
  treeAge: 0,
  historyOf: null,
  blame: false,
  unsent: [],
}

/** The running turns of other sessions than the shown one. */
export function elsewhere(state: State): readonly RunningTurn[] {
  return state.running.filter((t) => t.session !== state.project?.session)
}

/** The turn is running or paused. */
export function busy(state: State): boolean {
  return state.turn !== null && state.turn.outcome === null
}

export const authorName: Readonly<Record<Author, string>> = {
  user: 'You',
  model: 'Model',
  outside: 'Other program',
  revert: 'Revert',
  recovery: 'Recovery',
}
