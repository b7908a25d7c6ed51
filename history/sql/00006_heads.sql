-- The newest version of each file on each branch, so that opening a project does
-- not look for it among all edits. What is here can be worked out from the edits,
-- and is in no link of the chain, see heads.go.

-- +goose Up

-- One row per path that has an edit on the branch or on what it leaves. Mutable.
CREATE TABLE head (
  branch INTEGER NOT NULL,
  path   INTEGER NOT NULL,
  edit   INTEGER NOT NULL,   -- that made it; 0: none of which something is left
  mode   INTEGER NOT NULL,
  after  BLOB,               -- SHA-256; NULL: no file is there, or it was purged
  PRIMARY KEY (branch, path)
) WITHOUT ROWID;

-- Whether head has all rows of the branch. Those of before are filled in when the
-- files of the branch are asked for next.
ALTER TABLE branch ADD COLUMN heads INTEGER NOT NULL DEFAULT 0;
UPDATE branch SET heads = 1 WHERE NOT EXISTS (SELECT 1 FROM edit);

PRAGMA user_version = 6;
