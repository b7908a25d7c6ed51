// Package keys finds and keeps the keys of providers.
//
//	variable (env_key) --> memory --> the desktop's keyring --> missing
//
// A key is a Secret: however it is printed, it shows as "•••"; Reveal is the only way to its text.
// Nothing here writes one to a file, a log or an error.
//
// What callers may rely on:
//
//   - The variable counts first. A command that another process runs brings its own variables along
//     (WithEnv); they are sent over the owner's socket, which only this user can open, and are
//     stored nowhere.
//   - A key is kept for a provider and its origin (scheme, host, port): when base_url changes to
//     another server, the key is not sent there.
//   - Where there is no keyring, Keep keeps the key in this process's memory and says so. It ends with
//     the process.
//   - A keyring that waits for its user to unlock it is given as long as ctx has, and then reported.
//     A bus is never started.
//
// The keyring is zalando/go-keyring (v0.2.8, 2026; used by gh and chezmoi): Secret Service on Linux,
// Keychain and Credential Manager elsewhere.
package keys
