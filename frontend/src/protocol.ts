// What crosses the WebSocket and /api, typed once. app/server/protocol.go is
// the other half; the fields have the same names there.
//
//   page -> server   Call   {id, cmd, ...arguments}    answered by one Reply with that id
//                    Ack    {ack: seq}                 the page has shown the frame with that number
//   server -> page   Hello, first, and again when another folder was opened or
//                    closed: then nothing of the one before is open any more;
//                    Reply; Frame, at most one in flight
//
// A Frame holds everything that happened since the last one was acknowledged,
// and is at most 16 ms old when it leaves. The server makes it from what it has
// (buffers, the turn's log, the history), and keeps no queue: a page that is
// slow gets fewer and larger frames, and Go's memory does not grow.

/** CodeMirror's ChangeSet.toJSON(), positions in UTF-16 units. */
export type Changes = readonly (number | readonly [number, ...string[]])[]

/** An edit of the history. 0 is the moment before the first one. */
export type EditID = number
export type Author = 'user' | 'model' | 'outside' | 'revert' | 'recovery'

// --- server -> page ---

export type ServerMessage = Hello | Reply | Frame

export interface Hello {
  readonly type: 'hello'
  readonly build: string // of the binary; a page with another one reloads itself
  readonly page: string // this connection's name
  readonly project: Project | null // null: no folder is open
  readonly ui: UIState | null // as this project was left
  readonly prefs: Prefs | null
  readonly recent: readonly Recent[]
  readonly native: boolean // the page is in the desktop window
  readonly unrecorded: string // as in Frame
}

export interface Project {
  readonly root: string
  readonly name: string
  readonly readOnly: string // why nothing can be changed; "" when it can
  readonly fork: string
  readonly forks: readonly string[]
  readonly head: EditID
  readonly session: number // that requests go to; 0 when there is none
  readonly home: string // the user's home folder, to shorten paths
  readonly other: string // why another folder that is in its place is not used for it; "" when there is none
}

export interface Recent {
  readonly root: string
  readonly name: string
  readonly opened: number // ms since 1970
  readonly gone: boolean
}

export interface Reply {
  readonly type: 'reply'
  readonly re: number
  readonly ok?: unknown
  readonly error?: Failure
}

/** What went wrong, in words for the user, with what to do. */
export interface Failure {
  readonly code:
    | 'failed'
    | 'usage'
    | 'conflict' // data: {files: ThreeWay[]}; nothing was written
    | 'readonly'
    | 'gone' // the file or the project folder is not there
    | 'stale' // the document was replaced: open it again
    | 'busy' // a turn is running
    | 'none' // no folder is open
    | 'unknown'
  readonly message: string
  readonly data?: unknown
}

export interface Frame {
  readonly type: 'frame'
  readonly seq: number
  readonly docs?: readonly DocNews[]
  readonly turn?: TurnNews
  readonly head?: EditID // the history grew up to here
  readonly files?: true // the list of files changed
  readonly project?: Project | null // another folder, fork or session; null: closed
  readonly folderGone?: boolean
  readonly unrecorded?: string // why nothing can be recorded, and what becomes of what is typed; "" when that is over
  readonly notices?: readonly Notice[]
  readonly progress?: readonly Progress[] // of work that takes more than 300 ms; done === total ends it
}

export interface Notice {
  readonly level: 'info' | 'warning' | 'error'
  readonly text: string
  readonly at: number
}

export interface Progress {
  readonly what: string
  readonly done: number
  readonly total: number // 0: unknown; done then counts seconds
}

/**
 * What happened to an open document since the page last heard of it. Its
 * updates in this order lead to version `to`; there may be fewer of them than
 * versions, because changes by one author in a row come as one.
 */
export type DocNews =
  | { readonly path: string; readonly doc: number; readonly from: number; readonly to: number; readonly updates: readonly Update[] }
  | { readonly path: string; readonly reset: Doc } // take this; rebase what is unconfirmed
  | { readonly path: string; readonly moved: string }

export interface Update {
  readonly author: Author
  readonly own?: true // the page's own push, confirmed: its changes are left out
  readonly changes?: Changes
}

/** A file as the page shows it. */
export interface Doc {
  readonly path: string
  readonly doc: number // names this opening
  readonly version: number
  readonly kind: 'text' | 'binary' | 'large' | 'other' | 'missing'
  readonly why: string // why it cannot be typed in; "" when it can
  readonly kept: boolean // false: not in the history (ignored, or may hold secrets)
  readonly text: string
  readonly encoding: string // "utf-8", "utf-8 with BOM", "utf-16le", ...
  readonly eol: '\n' | '\r\n' | 'mixed'
  readonly size: number
}

// --- a turn ---

/** What happened in the turn since the page last heard of it. */
export interface TurnNews {
  readonly turn: number
  readonly from: number // index of events[0] in the turn's log; 0 begins a new turn
  readonly events: readonly TurnEvent[]
  readonly live: TurnLive
}

/** The turn's running figures, as of the frame. */
export interface TurnLive {
  readonly state: 'running' | 'paused' | 'ended'
  readonly tokens: number
  readonly perSecond: number // over the last half second; over the whole turn once it has ended
  readonly elapsed: number // ms
  readonly path: string // where the model writes
}

export type TurnEvent =
  | { readonly t: 'started'; readonly turn: number; readonly session: number; readonly request: string; readonly model: string; readonly at: number }
  | { readonly t: 'prose'; readonly text: string } // to be appended
  | { readonly t: 'hunk'; readonly hunk: number; readonly path: string; readonly line: number }
  | { readonly t: 'closed'; readonly hunk: number; readonly path: string; readonly added: number; readonly removed: number; readonly partial: boolean }
  | { readonly t: 'refused'; readonly hunk: number; readonly path: string; readonly reason: string; readonly message: string }
  | { readonly t: 'file'; readonly what: 'created' | 'deleted' | 'moved'; readonly path: string; readonly to: string }
  | { readonly t: 'acked'; readonly edit: EditID; readonly path: string }
  | { readonly t: 'steer'; readonly text: string; readonly state: SteerState; readonly hunk: number }
  | { readonly t: 'note'; readonly text: string }
  | { readonly t: 'ended'; readonly outcome: Outcome }

export type SteerState = 'queued' | 'sent' | 'applied' | 'failed'

export type TurnStatus = 'completed' | 'declined' | 'held' | 'stopped' | 'failed' | 'conflict' | 'interrupted' | ''

export interface Outcome {
  readonly status: TurnStatus
  readonly model: string
  readonly message: string
  readonly files: readonly FileCount[]
  readonly edits: readonly EditID[]
  readonly timing: Timing
  readonly nearest?: readonly string[] // requests that the model would carry out
}

export interface FileCount {
  readonly path: string
  readonly added: number
  readonly removed: number
}

/** Where the time of a turn went; measured. The page adds paint. */
export interface Timing {
  readonly queue_ms: number
  readonly connect_ms: number
  readonly context_ms: number
  readonly prefill_ms: number // to the first text: what the model took before it
  readonly ttft_ms: number
  readonly decode_ms: number
  readonly apply_ms: number
  readonly total_ms: number
  readonly tokens: number
  readonly tokens_per_s: number
}

// --- page -> server ---

/** Every command: what it takes and what it answers. */
export interface Commands {
  openProject: { in: { root: string }; out: null } // answered at once; a Hello brings the project
  closeProject: { in: {}; out: null }
  forgetRecent: { in: { root: string }; out: null }
  useFolder: { in: {}; out: null } // the other folder is the project's from now on

  open: { in: { path: string }; out: Doc } // and its news from now on
  /** Goes on where the connection was lost; page is the name it had. False: it cannot be done, open it. Else the next frame has news of it, with the page's own update if its last push had arrived. */
  reopen: { in: { path: string; doc: number; version: number; page: string }; out: boolean }
  close: { in: { path: string }; out: null }
  push: { in: { path: string; doc: number; base: number; changes: Changes }; out: null } // confirmed by an own Update
  save: { in: { path: string }; out: null }
  create: { in: { path: string; dir: boolean }; out: null }
  rename: { in: { path: string; to: string }; out: null }
  /** Deletes what the Removal with this sum listed. Reverting the edits brings back what can be; stayed is what other programs put there or changed meanwhile, or, with a why, what could not be deleted. */
  remove: { in: { path: string; sum: string }; out: { edits: readonly EditID[]; stayed: readonly string[]; why: string } }

  edit: { in: Request; out: { turn: number } }
  steer: { in: { turn: number; text: string }; out: { sent: boolean } }
  stop: { in: { turn: number }; out: null }
  pause: { in: { turn: number }; out: null }
  resume: { in: { turn: number }; out: null }
  approve: { in: { turn: number }; out: Done } // of what was held because of the scope

  revert: { in: { edits?: readonly EditID[]; turn?: number }; out: Done }
  resolve: { in: { path: string; doc: number; base: number; text: string; reverts: readonly EditID[] }; out: Done }
  restore: { in: { at: EditID; paths?: readonly string[] }; out: Done }
  fork: { in: { at: EditID; name: string }; out: Done }
  switchFork: { in: { name: string }; out: Done }
  capHistory: { in: { bytes: number }; out: null } // 0: no limit
  nameMoment: { in: { at: EditID; name: string }; out: null } // "" takes the name away
  accept: { in: { edits?: readonly EditID[]; turn?: number }; out: null }
  unaccept: { in: { edits: readonly EditID[] }; out: null }

  newSession: { in: {}; out: { session: number } }
  useSession: { in: { session: number }; out: null }
  renameSession: { in: { session: number; title: string }; out: null }

  setUI: { in: { ui: UIState }; out: null } // durable when answered
  setPrefs: { in: { prefs: Prefs }; out: null }
}

/** What the deletion of a file or a folder takes with it. */
export interface Removal {
  readonly dir: boolean
  readonly kept: number // files whose deletion can be taken back
  readonly lost: readonly Lost[] // the first of those that cannot be brought back
  readonly total: number // of those
  readonly sum: string // names exactly these; "" when there are none
}

export interface Lost {
  readonly path: string
  readonly why: string
}

export interface Request {
  readonly text: string
  readonly model: string // "" is the default
  readonly file: string // what the user points at; "" for nothing
  readonly from: number // lines, from 1; 0 for the whole file
  readonly to: number
  readonly scope: readonly string[] // globs; edits elsewhere are held
}

export interface Done {
  readonly edits: readonly EditID[]
  readonly files: readonly string[]
}

/** What a page writes to come back exactly. Go only stores it. */
export interface UIState {
  readonly tabs: readonly TabState[]
  readonly active: string // path
  readonly draft: string // of the composer
  readonly scope: readonly Chip[]
  readonly model: string
  readonly at: EditID | null // timeline position; null is now
  readonly zoom: readonly [number, number] | null // of the timeline, as a part of its length
  readonly axis: 'time' | 'edits' // of the timeline; long pauses are folded
  readonly speed: number // of playing
  readonly hop: boolean // stepping through edits shows the file of each
  readonly diff: 'side' | 'unified'
  readonly follow: boolean // the pane goes where the model writes
  readonly wrap: boolean // long lines
  readonly removed: boolean // what edits that are not reviewed removed is shown in the text
  readonly panels: Panels
  readonly open: readonly string[] // folders of the tree
  readonly history: readonly string[] // requests, oldest first
  readonly view: KeptView | null // in place of the editor
}

/** A diff, or a conflict of which nothing is written yet: its files are read anew. */
export type KeptView =
  | { readonly kind: 'diff'; readonly query: DiffQuery; readonly title: string }
  | { readonly kind: 'conflict'; readonly files: readonly { readonly path: string; readonly reverts: readonly EditID[] }[]; readonly rest: readonly EditID[] }

export interface TabState {
  readonly path: string
  readonly top: number // first visible position, UTF-16 units
  readonly offset: number // px below it
  readonly anchor: number
  readonly head: number
  readonly passing?: boolean // opened by following the model, and not used since
}

export interface Chip {
  readonly kind: 'selection' | 'file' | 'folder' | 'glob'
  readonly path: string // or the glob
  readonly from: number // lines, for a selection
  readonly to: number
  readonly only?: true // edits elsewhere are held; left out: a place to look at
}

export interface Panels {
  readonly tree: number // px; 0 when collapsed
  readonly chat: number
  readonly timeline: number
  readonly sizes: Readonly<Record<string, number>> // what a collapsed panel comes back to
}

export interface Prefs {
  readonly theme: 'system' | 'light' | 'dark'
  readonly density: 'comfortable' | 'compact'
  readonly fontSize: number
  readonly notify: boolean
}

// --- /api: reads; GET unless said otherwise ---

/** Every read: its query and what it answers. */
export interface Reads {
  tree: { in: { dir: string; bare?: boolean }; out: { entries: readonly TreeEntry[] } }
  find: { in: { q: string; limit: number }; out: { files: readonly FoundFile[]; total: number } }
  grep: { in: GrepQuery; out: { matches: readonly GrepMatch[]; files: number; more: boolean } }
  symbols: { in: { q: string; path: string; limit: number }; out: { symbols: readonly Symbol[] } }
  file: { in: { path: string; at: EditID }; out: { exists: boolean; text: string } }
  past: { in: { path: string; at: EditID }; out: Past }
  removal: { in: { path: string }; out: Removal }
  filesAt: { in: { at: EditID }; out: { paths: readonly string[] } }
  timeline: { in: { after: EditID }; out: Timeline }
  size: { in: {}; out: HistorySize }
  edit: { in: { id: EditID }; out: EditDetail }
  diffs: { in: DiffQuery; out: { files: readonly DiffFile[] } }
  diff: { in: DiffQuery & { path: string }; out: DiffText }
  blame: { in: { path: string }; out: { version: number; runs: readonly BlameRun[] } }
  review: { in: { path: string }; out: { version: number; hunks: readonly ReviewHunk[] } } // path "": of all files
  threeWay: { in: { path: string; edits: readonly EditID[] }; out: ThreeWay } // a file of a conflict as it is now, also when it is none any more
  sessions: { in: {}; out: { sessions: readonly SessionInfo[]; current: number } }
  conversation: { in: { session: number }; out: Conversation }
  models: { in: {}; out: { models: readonly ModelInfo[] } }
  operations: { in: {}; out: { operations: readonly Operation[] } }
  working: { in: { path: string; requests: readonly string[] }; out: { requests: readonly string[] } } // those that the built-in model would carry out now
  spans: { in: { path: string; text: string }; out: { spans: readonly Span[] } } // POST
  folders: { in: { path: string }; out: { path: string; folders: readonly string[] } } // to choose a project in a browser
}

export interface HistorySize {
  readonly total: number // bytes of all files
  readonly counted: number // those that the limit is about
  readonly cap: number // 0: no limit
  readonly edits: number // how many there are
  readonly reclaimed: number // those whose content was given up for the limit
}

export interface TreeEntry {
  readonly name: string
  readonly path: string
  readonly dir: boolean
  readonly ignored: boolean
  readonly held: boolean // may hold secrets
  readonly unreviewed: number // changes of the model to look at, in it or below it
  readonly changed: boolean // in this session
}

export interface FoundFile {
  readonly path: string
  readonly match: readonly number[] // UTF-16 positions of the matched letters
}

export interface GrepQuery {
  readonly text: string
  readonly regex: boolean
  readonly case: boolean
  readonly word: boolean
  readonly globs: readonly string[]
  readonly limit: number
}

export interface GrepMatch {
  readonly path: string
  readonly line: number // from 1
  readonly column: number // UTF-16 units, from 0
  readonly length: number
  readonly text: string // the line, or the part of a long one around the match
  readonly offset: number // of text in the line
}

export interface Symbol {
  readonly name: string
  readonly kind: string
  readonly container: string
  readonly path: string
  readonly line: number
  readonly endLine: number
}

/** All edits in columns: n-th entry of each is the n-th edit, oldest first. */
export interface Timeline {
  readonly ids: readonly EditID[]
  readonly times: readonly number[] // ms since 1970
  readonly authors: readonly number[] // index into authorNames
  readonly authorNames: readonly Author[]
  readonly turns: readonly number[] // 0: none
  readonly paths: readonly number[] // index into pathNames
  readonly pathNames: readonly string[]
  readonly added: readonly number[]
  readonly removed: readonly number[]
  readonly flags: readonly number[] // 1 partial, 2 reverted, 4 a revert, 8 purged, 16 a rename
  readonly bands: readonly TurnBand[]
  readonly moments: readonly Moment[]
  readonly head: EditID
  readonly start: number // when the history begins, ms since 1970
}

export interface TurnBand {
  readonly turn: number
  readonly session: number
  readonly request: string
  readonly status: TurnStatus
  readonly first: EditID // 0: it has no edits
  readonly last: EditID
  readonly started: number
  readonly ended: number // 0: running, or interrupted
}

export interface Moment {
  readonly at: EditID
  readonly name: string
}

/** A file at every moment from one to another, both included: its text at the first, and what changed it. */
export interface Past {
  readonly from: EditID
  readonly to: EditID
  readonly exists: boolean
  readonly text: string // "" for a binary file
  readonly steps: readonly PastStep[] // oldest first
}

export interface PastStep {
  readonly edit: EditID
  readonly changes: Changes
}

export interface EditDetail {
  readonly id: EditID
  readonly path: string
  readonly to: string
  readonly kind: string
  readonly author: Author
  readonly turn: number
  readonly time: number
  readonly note: string
  readonly added: number
  readonly removed: number
  readonly partial: boolean
  readonly revertedBy: EditID
  readonly reverts: readonly EditID[]
}

/** One of: an edit, a turn, two moments, everything to be reviewed. */
export interface DiffQuery {
  readonly edit?: EditID
  readonly turn?: number
  readonly from?: EditID
  readonly to?: EditID
  readonly review?: boolean
}

export interface DiffFile {
  readonly path: string
  readonly to: string // moved here
  readonly kind: 'changed' | 'created' | 'deleted' | 'moved'
  readonly added: number
  readonly removed: number
}

export interface DiffText {
  readonly before: string | null // null: there was no file
  readonly after: string | null
}

export interface BlameRun {
  readonly line: number // from 1
  readonly lines: number
  readonly edit: EditID // 0: as first seen; -1: not recorded yet
  readonly author: Author | ''
  readonly turn: number
  readonly time: number
}

/** A place at which a file differs from its accepted base. */
export interface ReviewHunk {
  readonly edits: readonly EditID[] // that made it, and those that meet them elsewhere: they are accepted and taken back together
  readonly turns: readonly number[] // of each of the edits
  readonly place: number // which of the places with the same edits it is
  readonly path: string
  readonly from: number // UTF-16 units in the document at version
  readonly to: number
  readonly removed: string
  readonly partial: boolean
  readonly time: number
}

export interface SessionInfo {
  readonly id: number
  readonly title: string
  readonly created: number
  readonly last: number
  readonly turns: number
}

export interface Conversation {
  readonly session: number
  readonly title: string
  readonly turns: readonly PastTurn[]
}

export interface PastTurn {
  readonly turn: number
  readonly request: string
  readonly model: string
  readonly status: TurnStatus
  readonly message: string
  readonly parts: readonly Part[] // in order; none when they were not kept
  readonly nearest: readonly string[] // of a declined turn: requests that the model would carry out
  readonly prose: string // what the model said outside its edits
  readonly steers: readonly string[]
  readonly files: readonly FileCount[]
  readonly edits: readonly EditID[]
  readonly timing: Timing | null
  readonly started: number
  readonly ended: number
}

/** What the conversation shows of a turn: of the running one the page makes it of the events. */
export type Part =
  | { readonly kind: 'prose'; readonly text: string }
  | HunkPart
  | { readonly kind: 'file'; readonly what: 'created' | 'deleted' | 'moved'; readonly path: string; readonly to: string }
  | { readonly kind: 'steer'; readonly text: string; readonly state: SteerState; readonly hunk: number }
  | { readonly kind: 'note'; readonly text: string }

export interface HunkPart {
  readonly kind: 'hunk'
  readonly hunk: number
  readonly path: string
  readonly line: number
  readonly state: 'open' | 'done' | 'partial' | 'refused'
  readonly added: number
  readonly removed: number
  readonly reason: string // why it was refused, in a word: missing, ambiguous, held, ...
  readonly message: string // and in words
}

export interface ModelInfo {
  readonly name: string
  readonly kind: string
  readonly help: string
  readonly offline: boolean
  readonly default: boolean
  readonly perSecond: number // measured here, over its last turns; 0: not yet
  readonly ttftMs: number
}

export interface Operation {
  readonly name: string
  readonly help: string
  readonly example: string
  readonly languages: readonly string[]
}

/** From, to in UTF-16 units, and a class: kw str num com fn typ op pun var tag att. */
export type Span = readonly [number, number, string]

/** A file of a revert that meets later changes. */
export interface ThreeWay {
  readonly path: string
  readonly base: string // right after the edit that is to be taken back
  readonly theirs: string // before it: what the revert wants
  readonly mine: string // now
  readonly reason: string
  readonly clashes: readonly Clash[]
  readonly reverts: readonly EditID[]
  readonly doc: number // for resolve
  readonly version: number
}

export interface Clash {
  readonly edit: EditID
  readonly by: readonly EditID[]
  readonly from: number // lines of mine, from 1
  readonly to: number
}
