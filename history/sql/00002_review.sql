-- What the user has said about edits: which ones are looked through, and which
-- moments have a name. Neither is part of the chain: both can be taken back.

-- +goose Up

-- Edits of the model that the user accepted. An edit that is neither here nor
-- taken back waits for review. Mutable.
CREATE TABLE reviewed (
  edit INTEGER PRIMARY KEY,
  at   INTEGER NOT NULL
);
-- What was made before there was a review does not wait for one.
INSERT INTO reviewed (edit, at)
  SELECT e.id, o.at FROM edit e JOIN op o ON o.id = e.op WHERE o.author = 0;

-- Names of moments: the moment right after an edit, 0 for the baseline. Mutable.
CREATE TABLE moment (
  edit INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  at   INTEGER NOT NULL
);

PRAGMA user_version = 2;
