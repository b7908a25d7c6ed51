// Package owner lets the processes of one user share projects: each project is open in one process
// at a time, and that process runs the commands of all others that need the project.
//
//	client                                     owner
//	finds it: the project's lock has its
//	address, or the place has the owner's ---> Unix socket, user checked on both ends
//	sends its build and its command   -------> refuses another build
//	                                           runs the same command on the project
//	                                  <------- that it has open: began,
//	standard input when it is wanted  ------>  output as it is written,
//	stop (Ctrl-C), or disconnects     -------> the command's context ends
//	                                  <------- exit code
//
// So an attached command does by construction what it does alone: it is the same code, with the
// client's arguments, folder, environment and terminal.
//
// What callers may rely on:
//
//   - A project belongs to the process that holds the lock of its history. The lock has the
//     address of that process (app.Options.Reach), so clients find it whatever the runtime
//     folder and the settings of either side are. An attached command runs with that process's
//     PATH and umask.
//   - A command for a project that nobody has open goes to the owner: the oldest running process
//     of this user with the same settings (the data folder and everything else that changes what
//     a command does, see Settings). Owners with other settings or another build, and those that
//     do not answer, are ignored: a command that does not need their project runs alone.
//   - A process that runs as long as its user likes, such as a second serve, attaches only to
//     such a process (Command.Stays), and continues elsewhere when that ends. If a short command
//     is using the project, it shows the project, and opens it again afterwards.
//   - A window is a process of its own, with a project of its own, because Wails has one window
//     in each. Other processes find its project by the lock; a second window of the same project
//     asks the first one to come to the front.
//   - Any process may be the owner: a window, serve, or a single edit. It ends when its own work
//     and that of its clients is done. It gives up the role at the end of its own work, and the
//     next process that starts takes it.
//   - A killed process loses nothing that was acknowledged. The kernel releases its lock and its
//     claim. A command that had not begun goes to the next owner, or its own process becomes the
//     owner; a command that had begun is not run twice, unless it only reads.
//   - Nothing is sent to, or accepted from, a process of another user. The runtime folder belongs
//     to the user, mode 0700 (see Find); without one, every process works alone, and two cannot
//     have the same project open.
//
// The protocol is the page's: a WebSocket over HTTP, with calls {id, cmd, ...} one way and
// {type, ...} back, but over the Unix socket, where the kernel identifies the user and no token is
// needed. The build is compared before the WebSocket is opened.
package owner
