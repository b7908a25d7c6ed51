-- The conversation is part of the chain: each change of a session, a turn or a
-- message is an operation (kind 6) that has the hash of its row as it is then, see
-- conversationhash.go. No table changes. The rows that there are get such an operation when
-- the database is opened next; table meta says under 'said' that they have. The
-- number is a new one because an older program would write rows without.

-- +goose Up

PRAGMA user_version = 5;
