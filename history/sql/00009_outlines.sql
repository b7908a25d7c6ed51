-- What files declare, so that a process which has just started need not read them
-- all to know. It can be worked out from the files, is in no link of the chain, and
-- may be emptied at any time, see outlines.go.

-- +goose Up

-- One row per path: of what was on disk there. Mutable.
CREATE TABLE outline (
  path    INTEGER PRIMARY KEY,
  hash    BLOB NOT NULL,      -- SHA-256 of the content that it tells of
  version INTEGER NOT NULL,   -- of the program that made it: another one's are not read
  data    BLOB NOT NULL       -- as the caller packs it, with a checksum
);

PRAGMA user_version = 9;
