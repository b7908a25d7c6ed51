-- The edits of a file side by side, with what they changed: a version is made of a
-- few dozen of them, and these lay about one to a page of table edit, which is in
-- the order in which edits were made, see links.go.

-- +goose Up

-- One row per edit, which takes the place of an index. delta is what a text edit
-- changed, see delta.go. It is NULL where there is more to know of the edit than
-- that: then it is in table edit, also the delta, if there is one. So it is where a
-- content is stored whole, and in all that was recorded before there were steps:
-- that stays where it is, and is read as fast as it was.
CREATE TABLE step (
  path   INTEGER NOT NULL,
  branch INTEGER NOT NULL,
  edit   INTEGER NOT NULL,
  delta  BLOB,
  PRIMARY KEY (path, branch, edit)
) WITHOUT ROWID;
INSERT INTO step (path, branch, edit) SELECT path, branch, id FROM edit ORDER BY path, branch, id;
DROP INDEX edit_path;

PRAGMA user_version = 10;
