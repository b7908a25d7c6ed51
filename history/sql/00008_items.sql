-- A conversation is a list of items: messages, tool calls, their outputs, and what
-- became of the edits in an answer. What pages show of a turn is worked out of them
-- and of the edits, and is stored nowhere.

-- +goose Up

-- One row per item, in the order in which they began. An item is part of the chain
-- as session and turn are (conversationhash.go), again whenever it changes: while an answer is
-- being made, its items are written anew about once a second. No number is given
-- out twice, so that one that is missing is noticed.
CREATE TABLE item (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  turn   INTEGER NOT NULL,
  round  INTEGER NOT NULL,   -- of the model's answers within the turn, from 0
  status INTEGER NOT NULL,   -- completed, incomplete, in progress
  tokens INTEGER NOT NULL,   -- as the model counts them
  at     INTEGER NOT NULL,
  hash   BLOB,               -- SHA-256 of a body that is in blob
  blob   INTEGER,            -- a body over 64 KiB of an item that is not in progress
  body   TEXT                -- JSON in the shape of the Responses API, otherwise
);
CREATE INDEX item_turn ON item (turn);
CREATE INDEX item_blob ON item (blob) WHERE blob IS NOT NULL;

PRAGMA user_version = 8;
