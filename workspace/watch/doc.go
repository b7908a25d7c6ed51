// Package watch tells which paths of a folder may have changed.
//
//	fsnotify ──> reader ──┐                        ┌──> Changed, Reconcile
//	         ──> errors ──┼──> box (bounded) ──> owner ─> Suspended, Resumed
//	tree walker <─────────┤                        └──> Degraded, Restored
//	poller (degraded) ────┘
//
// The reader and the errors goroutine never wait for anyone: they drop what they
// learn into the box, which collapses into "everything may have changed" when it
// would grow too large. The walker keeps one watch for each directory. The owner
// alone decides what the consumer hears; a consumer that stalls costs nothing but
// its own freshness.
//
// What callers may rely on:
//
//   - After the first Reconcile, every change that is still visible on disk is
//     named by a Changed event or covered by a later Reconcile. An event says
//     "look again", not what happened, and a path stands for all that was known
//     below it: what was a directory may be gone, moved or a file now. Some events name paths where nothing
//     changed, or what the consumer itself wrote: content hashes tell those apart.
//   - A directory that appears is watched first and listed after, so that files
//     made in it meanwhile are not missed.
//   - When the root vanishes (deleted, moved, unmounted) or comes back as another
//     directory, which Options.Ours does not take for it (an empty one, when there
//     is none), the watcher says Suspended and nothing else. It never
//     reports what is missing then; whoever examines paths has to look for the
//     root too, since it may vanish just after an event was sent.
//   - Nothing is ever written, inside the folder or outside. A probe file would
//     unmask a file system on which watches stay silent, but it would have to lie
//     in the folder itself. So the kind of file system decides: on network and
//     FUSE mounts, shared folders of virtual machines and the like the watcher
//     polls from the start (besides watching), and says Degraded. A mount of
//     such a kind below the root goes unnoticed; the periodic Reconcile covers it.
//   - When the system gives no more watches, it polls as well, says Degraded with
//     a message for a lasting banner, tries again at every Reconcile, and says
//     Restored when it worked.
//   - What Ignored says is ignored, and any ".git", is not watched and not named.
//     When the rules change, call Rescan.
//
// Writes through a memory map raise no event; polling and Reconcile find them.
//
// The fsnotify library keeps a renamed directory's watch under its old name. The
// walker therefore knows each directory by its inode too, and moves the watch.
package watch
