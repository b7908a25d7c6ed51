// Package mask keeps secrets out of the history. Before text is recorded, every detected token
// is replaced by filler of the same length. So offsets in the history are offsets in the true
// text, and a change planned on the masked text fits the true text, unless it would bring back
// a masked secret.
//
//	mask.go    a text, or a change of it, as history may hold it
//	hide.go    the parts of a secret that history already has when a change completes it
//	lift.go    a version from the history with its true secrets
//	said.go    text that is not a file: requests, answers, drafts
//	veil.go    changes by a model that read the masked text
//	pair.go    which secret each mask in them stands for
//
// Package workspace/secrets detects the secrets.
package mask
