// Package history is the append-only store of everything that happened to the
// text of a project: one SQLite database per project, in the user's data folder.
//
// It owns the operations (who changed what, when, in which turn), the content of
// every version, the branches, the sessions, and the journals that crash recovery
// needs (save intents and drafts). Package history/version stores and rebuilds
// versions, package history/plan plans reverts; the rows that both read are here
// (rows.go, planrows.go). The package knows nothing of the project's files on disk:
// app hands it bytes and carries out the plans it returns.
//
// What callers may rely on:
//
//   - An edit whose Receipt.Wait returned nil is committed with synchronous=FULL:
//     it survives kill -9, and a power cut on a disk that honours fsync.
//   - An edit with a receipt is never dropped. When it cannot be written (a full
//     disk), the store holds it, refuses new edits, calls Options.Stalled, and
//     writes it once that is possible. Only an Op with OrNot is given up at once.
//   - IDs grow in the order of Append and are never used twice, not even after a
//     loss. Order is by ID, never by clock.
//   - Every version can be rebuilt and is compared with the SHA-256 recorded for
//     it; a version that does not match is an error, never wrong bytes.
//   - An edit is checked against the newest version of its file before it gets an
//     ID: a stale one is a *HeadError, never a silent fork.
//   - Reading any version of a file takes a few pages, however often other files
//     were edited: the edits of a file are stored side by side, except those that
//     older programs recorded; see steps.go, links.go.
//   - Files, the list of all files, costs time proportional to the number of files,
//     not of edits; see heads.go.
//   - Outlines are a cache of what the files now on disk declare. Purge and Hide
//     remove them with the content they come from; see outlines.go.
//   - Reverts, restores and branch switches are plans: pure reads. An overlap is a
//     *Conflict that says where, and nothing is written.
//   - A conversation is the items that were put, in the order in which they began;
//     the caller decides what an item contains and how it is shown.
//   - The chain covers the conversation as it covers edits: Check names the
//     session, turn or item that differs from what was recorded.
//   - A record never changes, with two exceptions that a note in the chain
//     declares: Purge, and the beginning of a secret that was recorded before it
//     could be recognized as one (Hide).
//   - A cap on the size (SetCap) never costs an edit that waits for review, the
//     newest edits, or the newest version of a file; see reclaim.go.
//   - Loss is reported (Notices): after each commit the newest chain value goes to a
//     file beside the database, so that the next Open notices a write-ahead log that
//     SQLite silently cut short.
//
// The flow of an edit:
//
//	Append -> check against the head, encode, assign an ID     (caller's goroutine)
//	       -> bounded queue; helpers hash the version meanwhile (helpers)
//	       -> one transaction per group, chain, COMMIT (fsync) (writer goroutine)
//	       -> tail marker -> Receipt.Wait returns
//
// An operation (Op) groups what was done in one go; an edit is its part in one file
// and has an EditID. The identity of a file is its path; a rename is one edit at the
// old path, and the history of the new path continues from it. A revert treats a
// file that history brought back after a delete as the same file; see plan/revived.go.
package history
