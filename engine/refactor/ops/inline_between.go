package ops

import (
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
)

// reader is the hook of a language that knows calls which do nothing but give a value.
type reader interface {
	// OnlyReads reports whether a call has no effect beside its value. What its arguments do is
	// not asked.
	OnlyReads(f *kit.File, call *kit.Node) bool
}

// effects are what the evaluation of some code does, and what its value depends on.
type effects struct {
	acts   bool // anything: prints, calls of unknown functions, assignments to what others see, leaving
	reads  bool // what others may change: members, elements, variables that outlive the function
	vars   []*kit.Var
	writes []*kit.Var // variables of the function itself
}

// movable reports whether the value of the variable can be computed where it is used: what is
// evaluated in between has no effect on it, and is not affected by it.
func (in *inlining) movable(u *kit.Node) bool {
	before, behind, ok := in.f.Between(in.stmt, u)
	if !ok {
		return false
	}
	value, other := in.effects(in.value), in.effects(before...)
	if in.Dialect().AnyOrder {
		then := in.effects(behind...)
		if value.acts && then.reads || then.acts && value.reads || value.acts && in.calls(behind, then) {
			return false
		}
		other.writes = append(other.writes, then.writes...)
	}
	if value.acts && (other.acts || other.reads) || other.acts && value.reads {
		return false
	}
	return !share(value.vars, other.writes) && !share(value.writes, append(other.vars, other.writes...))
}

// calls reports whether code acts otherwise than by calls, which keep their order.
func (in *inlining) calls(ns []*kit.Node, e effects) bool {
	return e.acts && slices.ContainsFunc(ns, func(n *kit.Node) bool { return !n.Is(kit.Args, kit.Call, kit.Binary) })
}

func share(a, b []*kit.Var) bool {
	return slices.ContainsFunc(a, func(v *kit.Var) bool { return slices.Contains(b, v) })
}

// effects of some code, one after the other.
func (in *inlining) effects(ns ...*kit.Node) effects {
	e := effects{}
	for _, n := range ns {
		n.Walk(func(k *kit.Node) bool { return in.effect(k, &e) })
	}
	return e
}

// effect adds what one node does and returns whether its kids do more.
func (in *inlining) effect(n *kit.Node, e *effects) bool {
	if n.Parent.Is(kit.Block) && !n.Is(kit.Declare, kit.Assign, kit.Expr, kit.If, kit.Remark) {
		e.acts = true
	}
	text := in.f.Text(n)
	switch n.Kind {
	case kit.Func: // nothing runs yet but what its parameters begin with
		n.Get("parameters").Walk(func(k *kit.Node) bool {
			if k.Field == "value" {
				k.Walk(func(d *kit.Node) bool { return in.effect(d, e) })
			}
			return k.Field != "value"
		})
		return false
	case kit.Name:
		in.named(n, e)
	case kit.Member:
		called := n.Field == "function" && n.Parent.Is(kit.Call)
		e.reads = e.reads || !called
		e.acts = e.acts || !called && in.computed(n)
	case kit.Call:
		r, knows := in.Syntax.(reader)
		if !knows || !r.OnlyReads(in.f, n) {
			e.acts = true
		}
		e.reads = true
	case kit.Assign:
		left := n.Get("left")
		e.acts = e.acts || !left.Is(kit.Name) || len(n.Code()) > 2 && n.Get("type") == nil || in.extends(n, left)
	case kit.Return, kit.Leave, kit.Loop, kit.Try, kit.Switch, kit.Class:
		e.acts = true
	case kit.Binary:
		e.reads = e.reads || !in.Dialect().AnyOrder || strings.ContainsAny(text, "/%<>")
	case kit.Unary:
		e.acts = e.acts || strings.HasPrefix(text, "<-") || strings.HasPrefix(text, "delete")
		e.reads = true
	case kit.Other:
		e.reads = e.reads || len(n.Kids) > 0
		e.acts = e.acts || acting(text)
	default: // only what its parts do
	}
	return true
}

// extends reports an assignment such as += that may change a list in place.
func (in *inlining) extends(assign, left *kit.Node) bool {
	sign := strings.TrimLeft(string(in.f.Src[left.To:assign.To]), " \t")
	return in.Dialect().Hints && !strings.HasPrefix(sign, "=") && !strings.HasPrefix(sign, ":")
}

// computed reports whether the file has a getter or a property of the member's name.
func (in *inlining) computed(member *kit.Node) bool {
	text, found := in.f.Text(member), false
	name := text[strings.LastIndexAny(text, ".>")+1:]
	in.f.Root().Walk(func(n *kit.Node) bool {
		if n.Is(kit.Func) && in.f.Text(n.Get("name")) == name {
			found = found || strings.HasPrefix(in.f.Text(n.Parent), "@") || strings.Contains(in.f.Text(n), "get "+name)
		}
		return !found
	})
	return found
}

// acting reports code that does something, by the words and signs that it begins or ends with.
func acting(text string) bool {
	for _, w := range []string{"await", "yield", "throw", "delete", "del ", "++", "--", "<-", "raise",
		"import", "assert"} {
		if strings.HasPrefix(text, w) {
			return true
		}
	}
	return strings.HasSuffix(text, "++") || strings.HasSuffix(text, "--")
}

// named adds what a name means for the value.
func (in *inlining) named(n *kit.Node, e *effects) {
	v := in.names[n]
	if v == nil {
		return // a member, which is judged with its object
	}
	written := slices.Contains(v.Writes, n)
	function := n.Field == "function" || n.Field == "object"
	switch {
	case v.Kind == "outside" && function && len(v.Writes) == 0, v.Kind == "type", v.Kind == "class",
		v.Kind == "import" && (function || in.Dialect().Let != "const"), // JavaScript's follow the exporting module
		v.Kind == "func" && len(v.Decls) == 1 && len(v.Writes) == 0,
		v.Kind == "const" && in.Dialect().AnyOrder:
	case !v.Local():
		e.reads, e.acts = true, e.acts || written
	default:
		e.vars = append(e.vars, v)
		if written {
			e.writes = append(e.writes, v)
		}
		e.reads = e.reads || !in.quiet(v)
		e.acts = e.acts || written && (in.seen(v) || !in.quiet(v))
	}
}

// seen reports whether other code than the statements that follow notices when the variable is
// written: a closure, which the value may call, or what runs after an error.
func (in *inlining) seen(v *kit.Var) bool {
	fn, caught := in.stmt.Up(kit.Func), in.stmt.Up(kit.Try)
	return slices.ContainsFunc(v.Refs, func(n *kit.Node) bool {
		return n.Up(kit.Func) != fn && !slices.Contains(v.Decls, n) || caught != nil && !in.stmt.Parent.Covers(n.From, n.To)
	})
}

// quiet reports whether no call can change the variable: only its own function writes it, nobody
// has its address, and no part of it is named where assigning copies.
func (in *inlining) quiet(v *kit.Var) bool {
	if in.entered(v) && in.Dialect().AnyOrder {
		return false
	}
	if in.Dialect().Hints && strings.Contains(string(in.f.Src), "nonlocal") {
		return false
	}
	fn := in.stmt.Up(kit.Func)
	return !slices.ContainsFunc(v.Writes, func(n *kit.Node) bool {
		return n.Up(kit.Func) != fn && !slices.Contains(v.Decls, n) || strings.HasPrefix(in.f.Text(n.Parent), "&")
	})
}
