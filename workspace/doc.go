// Package workspace owns the project folder: its entries, the content of its files (on disk,
// and in buffers, the live texts of open files), and the only way in which the app writes to
// it.
//
// Callers may rely on this:
//
//   - Nothing leaves the folder. Every path is checked by [Folder.Path] and then opened one
//     directory at a time below the root without following a link unseen. So `../`, links
//     out of the folder and any component that some filesystem takes for `.git` are refused,
//     even behind a link.
//   - Everything goes through an open descriptor of the folder. While another folder is at
//     its path, or none, nothing is changed: see [Folder.CheckRoot].
//   - No write destroys content that was not stored first. [Folder.Save] makes an intent
//     durable, writes and syncs a temporary file in the same directory, exchanges the two
//     names atomically, and only then checks what it displaced. Content that is not what the
//     caller expected is an outside program's save: it is passed to [Options.Preserve]
//     before its last name is removed.
//   - [Folder.Discard] deletes content that is stored nowhere else, and only the very files
//     that the caller names as it saw them.
//   - A file with several names (hard links) is written only if all of them are in the
//     folder and outside of `.git`.
//   - [Folder.Lock] reserves the folder for one writer, whatever path others use.
//   - A crash at any moment leaves complete files. [Folder.Recover] reads the unfinished
//     intents and reports for each file whether it was written, was not, or is in conflict.
//   - A [Change] of several files happens completely or not at all: if one file fails, at
//     whatever moment, the others are put back, and after a crash Recover puts back what its
//     caller did not record.
//   - Loss, exclusion and degraded guarantees are reported through [Options.Notify], never
//     silent.
//
// It does not promise to see every outside save: two saves of an outside program between two
// reads of the file look like one.
//
// The flow of a save, with the files that implement it:
//
//	Save            save.go       one batch at a time
//	 -> plan        plan.go       paths, kinds, permissions, disk == Before?
//	 -> Intend      journal.go    durable before anything in the folder changes
//	 -> prepare     temp.go       temporary files: content, mode, owner, xattrs; fsync
//	 -> commit      commit.go     exchange, link, move aside; inplace.go if it must be in place
//	 -> settle      displaced.go  the displaced files; in the background if a writer has one open
//	 -> sync, Done  save.go       one fsync per directory
//
// A Change (change.go, recoverchange.go) syncs after the commit, waits for its caller to
// commit it or to roll it back, and only then settles the displaced files.
//
// All of this was measured on Linux. Other Unix systems build and use the fallback (hash,
// then rename), and report its residual window; see sys_other.go. Windows is not supported
// yet.
//
// Why not os.Root for everything: it follows links inside the root, so it opens `.git/hooks`
// through a link named `docs`, and it does not report where it ended up. resolve.go walks the
// path itself, on Linux with one openat2 call for paths without links.
package workspace
