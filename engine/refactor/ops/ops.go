// Package ops carries the operations of refactor.Ops out: each is written once, in a file of
// its own, over kit.Syntax, and asks a language only for what the language alone can prove.
//
// Operations that are not listed here are those that each language still carries out itself.
package ops

import "waferpair/engine/refactor/kit"

var all = map[string]kit.Operation{
	"comment-out": {Run: commentOut},
	"todo":        {Run: todo},

	"reorder-params": {Run: reorderParams, Needs: kit.Has[signer]},
}

// Of is the operation of that name, if this package has it and the language what it needs.
func Of(name string, s kit.Syntax) (kit.Operation, bool) {
	o, ok := all[name]
	return o, ok && (o.Needs == nil || o.Needs(s))
}
