// Package watch reports which paths of a folder may have changed.
//
//	fsnotify ──> reader ──┐                        ┌──> Changed, Reconcile
//	         ──> errors ──┼──> box (bounded) ──> owner ─> Suspended, Resumed
//	tree walker <─────────┤                        └──> Degraded, Restored
//	poller (degraded) ────┘
//
// The reader and the errors goroutine never block: they put what they learn into the box,
// which collapses into "everything may have changed" when it would grow too large. The walker
// keeps one watch for each directory. The owner alone decides which events the consumer gets; a
// consumer that stalls only gets them late.
//
// What callers may rely on:
//
//   - After the first Reconcile, every change that is still visible on disk is named by a
//     Changed event or covered by a later Reconcile. An event means "check again", it does not
//     say what happened, and a path stands for everything that was below it: a directory may
//     be gone, moved or a file now. Some events name paths where nothing changed, or that the
//     consumer itself wrote: content hashes distinguish those.
//   - A directory that appears is watched first and listed afterwards, so that files created
//     in it meanwhile are not missed.
//   - When the root vanishes (deleted, moved, unmounted) or comes back as another directory
//     that Options.Ours refuses (without Ours: an empty one), the watcher reports Suspended
//     and nothing else. It never reports files as missing then; a consumer that checks paths
//     must check the root too, because it may vanish just after an event was sent.
//   - The package never writes, neither inside the folder nor outside. A probe file would
//     detect a file system on which watches stay silent, but it would have to be in the folder
//     itself. So the kind of file system decides: on network and FUSE mounts, shared folders of
//     virtual machines and the like the watcher polls from the start (besides watching), and
//     reports Degraded. It does not detect such a mount below the root; the periodic Reconcile
//     covers that.
//   - When the system refuses more watches, the watcher polls as well, reports Degraded with a
//     message for a lasting banner, tries again at every Reconcile, and reports Restored when
//     that succeeds.
//   - Paths that Ignored excludes, and any ".git", are not watched and not reported. When the
//     rules change, call Rescan.
//
// Writes through a memory map raise no event; polling and Reconcile find them.
//
// The fsnotify library keeps the watch of a renamed directory under its old name. The walker
// therefore also knows each directory by its inode, and moves the watch.
package watch
