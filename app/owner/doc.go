// Package owner lets the processes of one user share projects: each project is open
// in one process at a time, and whoever else wants it has its command run there.
//
//	client                                     owner
//	finds it: the project's lock says where,
//	or the place says who came first  -------> Unix socket, user checked on both ends
//	its build and its command         -------> another build is refused
//	                                           runs the very same command over the
//	                                  <------- project that it has open: began,
//	standard input when it is asked for ---->  output as it is written,
//	stop (Ctrl-C), or gone            -------> the command's context ends
//	                                  <------- exit code
//
// So a command that is attached does by construction what it does alone: it is the
// same code, with the client's arguments, folder, environment and terminal.
//
// What callers may rely on:
//
//   - A project belongs to the process that holds the lock of its history. The lock
//     says where that process can be reached (app.Options.Reach), so it is found
//     whatever the runtime folder and the settings of either side are: its PATH and
//     umask are what a command meets that runs in it.
//   - A project that nobody has open goes to the owner: the process that came first
//     and still runs, of this user and of the same settings (the data folder and
//     what else changes what a command does, see Settings). Owners of other
//     settings, of another build, and those that do not answer are left alone: a
//     command that does not need their project works by itself.
//   - What lasts as its user likes, a second serve, only attaches to what does so, too
//     (Command.Stays), and goes on elsewhere when that ends. One that finds a project in
//     use by a short command shows it, and opens it again when that is done.
//   - A window is a process of its own, with a project of its own: Wails has one window
//     in each. Whoever needs that project finds it by the lock, as any other; a second
//     window of it asks the first one to come to the front.
//   - The owner may be any process: a window, serve, or a single edit. It ends when
//     its own work and that of its clients is done; from the end of its own work on
//     it is the owner no more, and the next one that comes is.
//   - A process that is killed takes nothing with it that was acknowledged. Its lock
//     and its claim go with it. A command that had not begun goes to the next owner,
//     or its own process becomes it; one that had begun is not run twice, unless all
//     it does is read.
//   - Nothing is sent to, or taken from, a process of another user. The runtime
//     folder is the user's own, mode 0700 (see Find); where there is none, everything
//     works as if no other process was there, and two do not get the same project.
//
// The protocol is the page's: a WebSocket over HTTP, calls {id, cmd, ...} one way and
// {type, ...} back, here over the Unix socket, where the user is known and no token is
// needed. The build is compared before the WebSocket is opened.
package owner
