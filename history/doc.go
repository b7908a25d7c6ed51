// Package history is the append-only store of everything that happened to the
// text of a project: one SQLite database per project, in the user's data folder.
//
// It owns the operations (who changed what, when, in which turn), the content of
// every version, the branches, the sessions, and the journals that a crash needs
// (save intents and drafts). How a version is stored and rebuilt is history/version's,
// how edits are taken back history/plan's; the rows that both work on are here
// (rows.go, planrows.go). It knows nothing of the project's files on disk: app hands
// it bytes and carries out the plans it returns.
//
// What callers may rely on:
//
//   - An edit whose Receipt.Wait returned nil is committed with synchronous=FULL:
//     it survives kill -9, and a power cut on a disk that honours fsync.
//   - What has a receipt is not dropped: when it cannot be written (a full disk),
//     it is held, new edits are refused, and it is written once that is possible.
//     Options.Stalled tells. Only an Op with OrNot is given up at once.
//   - IDs grow in the order of Append and are never used twice, also not after a
//     loss. Order is by ID, never by clock.
//   - Every version can be rebuilt and is compared with the SHA-256 recorded for
//     it; a version that does not match is an error, never wrong bytes.
//   - An edit is verified against the newest version of its file before it gets
//     an ID: a stale one is a *HeadError, never a silent fork.
//   - Any version of a file is read from a few pages, however much other files were
//     edited: the edits of a file are kept side by side, those of older programs
//     excepted; see steps.go, links.go.
//   - The list of all files (Files) costs what there are files, however much was
//     edited; see heads.go.
//   - What files declare is kept beside them as a cache, of what is on disk now;
//     what is purged or hidden is not left in it; see outlines.go.
//   - Reverts, restores and branch switches are plans: pure reads. What overlaps
//     is a *Conflict that says where, and nothing is written.
//   - A conversation is the items that were put, in the order in which they began;
//     what an item says, and what is shown of it, is its owner's business.
//   - The conversation is covered by the chain as edits are: Check names the
//     session, turn or item that is not what was recorded.
//   - Nothing recorded ever changes, with two exceptions that a note in the chain
//     declares: Purge, and the beginning of a secret that was recorded before it
//     could be known for one (Hide).
//   - A cap on the size (SetCap) never costs an edit that waits for review, the
//     newest edits, or the newest version of a file; see reclaim.go.
//   - Loss is announced (Notices): each commit is followed by a note of the newest
//     chain value in a file beside the database, so that a write-ahead log that
//     SQLite silently cut short is noticed at the next Open.
//
// The flow of an edit:
//
//	Append -> verify against head, encode, assign ID           (caller's goroutine)
//	       -> bounded queue; the version's hash is computed meanwhile (helpers)
//	       -> one transaction per group, chain, COMMIT (fsync) (writer goroutine)
//	       -> tail marker -> Receipt.Wait returns
//
// An operation (Op) is what was done in one go; an edit is its part in one file
// and is what has an EditID. The identity of a file is its path; a rename is one
// edit at the old path that the new path's history continues from. To a revert, a
// file that history brought back after a delete is the one it was; see plan/revived.go.
package history
