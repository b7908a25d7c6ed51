-- The first schema. Tables are append-only unless their comment says otherwise.
-- Times are milliseconds since 1970 and only for display: order is by id.
-- Enumerations are small numbers because SQLite stores 0 and 1 in no bytes at
-- all; names.go has the words.

-- +goose Up

-- Single values: the store's random id, the project folder, the current branch. Mutable.
CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;

-- One row per path ever seen. The columns after path are what was last known to
-- be on disk, for comparison at the next start: mutable, not part of the chain.
CREATE TABLE path (
  id       INTEGER PRIMARY KEY,
  path     TEXT NOT NULL UNIQUE,
  hash     BLOB,      -- SHA-256 on disk; NULL: not there, or never seen
  size     INTEGER,
  mtime    INTEGER,   -- nanoseconds
  inode    INTEGER,
  excluded TEXT       -- why the content is not kept; NULL: it is kept
);

-- One row per operation. chain = SHA-256(chain of the row before || this row and
-- what belongs to it), see chain.go.
CREATE TABLE op (
  id     INTEGER PRIMARY KEY,
  kind   INTEGER NOT NULL,   -- edits, baseline, fork, switch, purge, loss
  branch INTEGER NOT NULL,
  turn   INTEGER NOT NULL,   -- 0: none
  author INTEGER NOT NULL,
  at     INTEGER NOT NULL,
  note   TEXT,               -- what was said about it; JSON for kinds other than edits
  chain  BLOB NOT NULL
);

-- One row per edit. before is not stored: it is the after of the file's edit before.
CREATE TABLE edit (
  id      INTEGER PRIMARY KEY,
  op      INTEGER NOT NULL,
  branch  INTEGER NOT NULL,
  path    INTEGER NOT NULL,
  kind    INTEGER NOT NULL,
  state   INTEGER NOT NULL,  -- bits: 1 partial, 2 delta purged, 4 purged
  to_path INTEGER,           -- rename
  mode    INTEGER,           -- set where blob is, and by mode edits
  added   INTEGER NOT NULL,  -- lines
  removed INTEGER NOT NULL,
  after   BLOB,              -- SHA-256; NULL: gone
  blob    INTEGER,           -- whole content: create, blob, symlink; text: a keyframe
  delta   BLOB               -- text, see delta.go
);
-- The file's edits in order: the rowid ends every index entry.
CREATE INDEX edit_path ON edit (path, branch);
CREATE INDEX edit_to ON edit (to_path, branch) WHERE to_path IS NOT NULL;

-- Which edits an edit takes back.
CREATE TABLE revert (
  by   INTEGER NOT NULL,
  edit INTEGER NOT NULL,
  PRIMARY KEY (by, edit)
) WITHOUT ROWID;
CREATE INDEX revert_edit ON revert (edit);

-- What files held when they were first seen.
CREATE TABLE baseline (
  path  INTEGER PRIMARY KEY,
  op    INTEGER NOT NULL,
  since INTEGER NOT NULL,    -- newest edit id at that time
  mode  INTEGER NOT NULL,
  after BLOB,                -- NULL: purged
  blob  INTEGER
);

-- Whole contents, zstd-compressed, once per hash. Contents over 1 MiB have
-- data NULL and are in chunk at ids id << 20, (id << 20) + 1, ...
CREATE TABLE blob (
  id   INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  size INTEGER NOT NULL,
  data BLOB
);
CREATE UNIQUE INDEX blob_hash ON blob (hash);
CREATE TABLE chunk (id INTEGER PRIMARY KEY, data BLOB NOT NULL);

CREATE TABLE branch (
  id     INTEGER PRIMARY KEY,
  name   TEXT NOT NULL UNIQUE,
  parent INTEGER NOT NULL,   -- 0: none
  at     INTEGER NOT NULL    -- the last edit shared with the parent
);
INSERT INTO branch (id, name, parent, at) VALUES (1, 'main', 0, 0);

CREATE TABLE session (
  id      INTEGER PRIMARY KEY,
  title   TEXT NOT NULL,
  created INTEGER NOT NULL
);

-- Mutable until it has ended. first_op and last_op bound the turn's operations.
CREATE TABLE turn (
  id       INTEGER PRIMARY KEY,
  session  INTEGER NOT NULL,
  request  TEXT NOT NULL,
  model    TEXT NOT NULL,
  settings TEXT,             -- JSON
  status   TEXT,             -- NULL: running
  message  TEXT,
  timing   TEXT,             -- JSON
  started  INTEGER NOT NULL,
  ended    INTEGER,
  first_op INTEGER NOT NULL,
  last_op  INTEGER
);
CREATE INDEX turn_session ON turn (session);

CREATE TABLE message (
  id   INTEGER PRIMARY KEY,
  turn INTEGER NOT NULL,
  role TEXT NOT NULL,
  text TEXT NOT NULL,
  at   INTEGER NOT NULL
);
CREATE INDEX message_turn ON message (turn);

-- Saves under way. Mutable: rows of finished saves are deleted.
CREATE TABLE intent (
  id      INTEGER PRIMARY KEY,
  at      INTEGER NOT NULL,
  writes  TEXT NOT NULL,     -- JSON
  outcome TEXT               -- NULL: pending
);

-- What a hunk in mid-stream or unsaved typing has changed so far. Mutable.
CREATE TABLE draft (
  turn   INTEGER NOT NULL,
  path   TEXT NOT NULL,
  author INTEGER NOT NULL,
  before BLOB NOT NULL,      -- hash of the version that delta applies to
  delta  BLOB NOT NULL,
  at     INTEGER NOT NULL,
  PRIMARY KEY (turn, path)
);

PRAGMA user_version = 1;
