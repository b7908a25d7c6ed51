// Package mask keeps secrets out of the history. Before text goes there, every
// detected token is masked by filler of the same length, so that offsets in
// history are offsets in the true text: a change planned on the masked text fits
// the true one, as long as it does not have to bring a masked secret back.
//
//	mask.go    a text, or a change of it, as history may hold it
//	hide.go    what a change finishes of a secret, and history holds already
//	lift.go    a version of history with the true secrets again
//	said.go    what somebody wrote that is no file: requests, answers, drafts
//
// What a secret is, package workspace/secrets knows.
package mask
