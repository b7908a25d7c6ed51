// Package workspace owns the project folder: what is in it, what its files
// hold now (files on disk, and buffers, the live texts of open ones), and the
// only way in which the app writes to it.
//
// Callers may rely on this:
//
//   - Nothing leaves the folder. Every path is checked by [Folder.Path] and
//     then opened one directory at a time below the root without following a
//     link unseen, so `../`, links out and any component that some filesystem
//     takes for `.git` are refused, also when they hide behind a link.
//   - Everything goes through the folder that was opened, held open. While another
//     one is at its path, or none, nothing is changed: see [Folder.CheckRoot].
//   - No write destroys content that was not stored first. [Folder.Save] makes
//     an intent durable, writes and syncs a temporary file in the same
//     directory, exchanges the two names atomically, and only then looks at
//     what it displaced. Content that is not what the caller expected is an
//     outside program's save: it is handed to [Options.Preserve] before its
//     last name goes away.
//   - [Folder.Discard] deletes what is not stored anywhere, and only the very
//     files that the caller names as it saw them.
//   - A file with several names (hard links) is written only when all of them are
//     in the folder and outside of `.git`.
//   - [Folder.Lock] keeps the folder for one writer, by whatever path.
//   - A crash at any moment leaves whole files. [Folder.Recover] reads the
//     intents that were not finished and says for each file whether it was
//     written, was not, or is in conflict.
//   - A [Change] of several files comes about as a whole or not at all: where
//     one file fails, at whatever moment, the others are put back, and after a
//     crash Recover puts back what its caller did not record.
//   - Loss, exclusion and degraded guarantees are announced through
//     [Options.Notify], never silent.
//
// What it does not promise: that it sees every outside save. Two saves of an
// outside program between two looks at the file are one.
//
// The flow of a save, with the files that hold it:
//
//	Save            save.go       one batch at a time
//	 -> plan        plan.go       paths, kinds, permissions, disk == Before?
//	 -> Intend      journal.go    durable before anything in the folder changes
//	 -> prepare     temp.go       temporary files: content, mode, owner, xattrs; fsync
//	 -> commit      commit.go     exchange, link, move aside; inplace.go where it must be
//	 -> settle      displaced.go  what was displaced; background when a writer has it open
//	 -> sync, Done  save.go       one fsync per directory
//
// A Change (change.go, recoverchange.go) syncs after the commit, waits for its
// caller to record it or to undo it, and only then settles what was displaced.
//
// Linux is the system this was measured on. Other Unix systems build and use
// the fallback (hash, then rename) with its residual window announced; see
// sys_other.go. Windows is not supported yet.
//
// Why not os.Root for everything: it follows links inside the root, so it
// opens `.git/hooks` through a link named `docs`, and it does not tell where
// it ended up. resolve.go walks the path itself, on Linux with one openat2
// call for paths without links.
package workspace
