// Package providers has the models of config.toml in the registry, under the names PROVIDER/MODEL.
//
//	engine.Registry --List, Open--> Source --> config.File (read again when it has changed)
//	                                  |  |---> State: what was learned, in the state folder
//	                                  |  '---> spending.Ledger: what each request cost; the daily budget
//	                                  '------> one client.Client for each provider --> its server
//	                                             '-- asks for the key at each request --> keys.Store
//
// The process has one Source, and so one client for each provider: turns of all projects share its
// sockets. When the settings of a provider change, the next turn gets another client; turns that run
// finish with theirs.
//
// What callers may rely on:
//
//   - List and Open never use the network or the keyring. A mistake in config.toml does not hide
//     other models; Open of a provider with a mistake returns it.
//   - What is learned about a provider (the best wire that it has, its models, their contexts) is kept in the state
//     folder for its address, never in config.toml, and can be deleted at any time.
//   - Keys in memory live in this process. With no keyring, the process that owns the projects has
//     them, and they end with it.
package providers
