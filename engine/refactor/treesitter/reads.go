package treesitter

import (
	"waferpair/engine/refactor/kit"

	"waferpair/engine/refactor/words"
)

// pureMethods are methods of strings, numbers and dates by names that say what they give. They
// count where the project has no function of that name.
var pureMethods = words.Set(`toFixed toPrecision toString toUpperCase toLowerCase trim trimStart trimEnd padStart padEnd charAt
	charCodeAt substring startsWith endsWith toISOString getDay getTime getMonth getFullYear getDate getHours
	getMinutes upper lower strip lstrip rstrip startswith endswith isoformat splitlines casefold total_seconds
	length size isEmpty`)

// consumes are those of the pure builtins that take from an iterator, or read a clock: the order of
// two of them matters.
var consumes = words.Set(`list dict set tuple sorted sum min max any all zip enumerate Array.from Date.now
	performance.now`)

// OnlyReads reports whether a call does nothing but give a value: of a builtin, of a method of
// strings or numbers, of Math.
func (s syntax) OnlyReads(f *kit.File, call *kit.Node) bool {
	n, u := rawOf(call), f.Raw.(*unit)
	return s.onlyReads(u, n)
}

func (j *job) onlyReads(u *unit, n *node) bool {
	fn := n.get("function")
	name, object := fn.get("property"), fn.get("object")
	switch {
	case n.is("method_invocation"):
		name, object = n.get("name"), n.get("object")
	case !n.is("call", "call_expression"):
		return false
	case fn.is("attribute"):
		name = fn.get("attribute")
	}
	root := fn
	for root.is("member_expression", "attribute") {
		root = root.firstKid()
	}
	if object.text() == "Math" {
		root = object
	}
	r := u.byNode[root]
	free := r != nil && r.b == nil
	if free && (pure[fn.text()] && !consumes[fn.text()] || object.text() == "Math" && name.text() != "random") {
		return true
	}
	return object != nil && !n.is("method_invocation") && pureMethods[name.text()] && !j.declaresAny(name.text())
}

// declaresAny reports whether a file of the project may declare a function of that name.
func (j *job) declaresAny(name string) bool {
	units, err := j.p.mentioning(j.ctx, name)
	if err != nil {
		return true
	}
	for _, u := range units {
		for _, b := range u.bindings {
			if b.name == name {
				return true
			}
		}
		found := false
		u.root.walk(func(n *node) bool {
			def := n.is("method_definition", "function_definition", "pair", "public_field_definition", "method_signature")
			found = found || def && (n.get("name").text() == name || n.get("key").text() == name)
			return !found
		})
		if found {
			return true
		}
	}
	return false
}
