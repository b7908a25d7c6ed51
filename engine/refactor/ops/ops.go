// Package ops carries the operations of refactor.Ops out: each is written once, in a file of
// its own, over kit.Syntax, and asks a language only for what the language alone can prove.
//
// Operations that are not listed here are those that each language still carries out itself.
package ops

import "waferpair/engine/refactor/kit"

var all = map[string]kit.Operation{
	"comment-out":         {Run: commentOut},
	"delete-unused":       {Run: deleteUnused, Needs: kit.Has[tracer]},
	"remove-debug-prints": {Run: removeDebugPrints, Needs: kit.Has[printer]},
	"log-entry":           {Run: logEntry, Needs: kit.Has[logger]},
	"todo":                {Run: todo},
	"doc":                 {Run: documentation, Needs: kit.Has[documenter]},

	"add-case":       {Run: addCase, Needs: kit.Has[enumerator]},
	"add-flag":       {Run: addFlag, Needs: kit.Has[flagger]},
	"async":          {Run: async, Needs: kit.Has[awaiter]},
	"change-type":    {Run: changeType, Needs: kit.Has[typer]},
	"early-return":   {Run: earlyReturn},
	"implement":      {Run: implement, Needs: kit.Has[implementer]},
	"string-style":   {Run: stringStyle, Needs: kit.Has[stringWriter]},
	"use-logger":     {Run: useLogger, Needs: kit.Has[printLogger]},
	"reorder-params": {Run: reorderParams, Needs: kit.Has[signer]},

	"extract-function": {Run: extractFunction, Needs: kit.Has[extractor]},
	"inline":           {Run: inline, Needs: kit.Has[kit.Binder]},
	"move":             {Run: move, Needs: kit.Has[mover]},
}

// partial is what a Syntax implements that stands for several languages, of which some lack an
// operation although it has the hook.
type partial interface{ Lacks(op string) bool }

// Of is the operation of that name, if this package has it and the language what it needs.
func Of(name string, s kit.Syntax) (kit.Operation, bool) {
	o, ok := all[name]
	if p, is := s.(partial); is && p.Lacks(name) {
		return o, false
	}
	return o, ok && (o.Needs == nil || o.Needs(s))
}
