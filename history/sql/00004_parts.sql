-- What the conversation shows of a turn, so that it looks the same when it is
-- opened again.

-- +goose Up

-- JSON of app: prose, edits with what became of them, steers with their receipts,
-- notes, in their order. Written while the turn runs; NULL in turns of before.
ALTER TABLE turn ADD COLUMN parts TEXT;

PRAGMA user_version = 4;
