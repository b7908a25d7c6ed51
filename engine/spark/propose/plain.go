package propose

import (
	"slices"
	"strconv"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/spark/link"
)

// Two voices that mean the same may differ in words that change nothing: "the method late" and
// "late" where one symbol has that name, "as its last parameter", "with getter and setter". Left
// in, they would look like two programs, each half as probable.

// plainest leaves out of proposals what changes nothing in this project.
func (r reader) plainest(ps []Proposal) []Proposal {
	for i := range ps {
		p := &ps[i]
		p.Program = slices.Clone(p.Program)
		for k, op := range p.Program {
			p.Program[k] = r.plainOp(op)
			if sym, one := r.only(op.Args["symbol"]); one && op.Args["kind"] != "" && !isKind(sym, op.Args["kind"]) {
				p.Probability *= otherKind
			}
			if r.exists(op) {
				p.Lacks = append(slices.Clip(p.Lacks), "name")
			}
			if sym, one := r.only(op.Args["symbol"]); one && op.Name == "move" && sym.File == op.Args["to"] {
				p.Lacks = append(slices.Clip(p.Lacks), "to") // it is there
			}
		}
		p.Program = r.withoutOwners(p.Program)
		if p.Target != r.target && p.Target.From == 0 && r.allIn(p.Program, p.Target.File) {
			p.Target = r.target
		}
	}
	return ps
}

// otherKind is what the probability is multiplied by where the symbol is not what the request calls it.
const otherKind = 0.1

// exists reports whether a parameter or a field that is to be added is there.
func (r reader) exists(op refactor.Op) bool {
	switch name := op.Args["name"]; op.Name {
	case "add-param":
		f, one := r.only(op.Args["func"])
		return one && slices.Contains(f.Params, name)
	case "add-field":
		t, one := r.only(op.Args["type"])
		return one && len(r.table.Named(t.Qualified()+"."+name)) > 0
	}
	return false
}

// Plain is a program without what changes nothing in a project.
func (p *Proposer) Plain(program refactor.Program, t *link.Table) refactor.Program {
	r := reader{Proposer: p, table: t}
	return r.plainest([]Proposal{{Program: program}})[0].Program
}

func (r reader) plainOp(op refactor.Op) refactor.Op {
	kind := op.Args["kind"]
	if sym, one := r.only(op.Args["symbol"]); one && kind != "" && isKind(sym, kind) {
		op = without(op, "kind")
	}
	if op.Name == "accessors" && op.Args["which"] == "both" {
		op = without(op, "which")
	}
	f, one := r.only(op.Args["func"])
	if one && op.Name == "add-param" && isLast(f, op.Args["position"]) {
		op = without(op, "position")
	}
	if op.Name == "reorder-params" && one {
		op = r.plainOrder(op, f)
	}
	return op
}

// plainOrder says once where a parameter goes: "last, after from" and "after from" are the same where from
// is the last of the others.
func (r reader) plainOrder(op refactor.Op, f link.Symbol) refactor.Op {
	others := slices.DeleteFunc(slices.Clone(f.Params), func(p string) bool { return p == op.Args["name"] })
	if n := len(others); n > 0 && (op.Args["position"] == "last" || op.Args["position"] == strconv.Itoa(n+1)) &&
		op.Args["after"] == others[n-1] {
		return without(op, "after")
	}
	if len(others) > 0 && op.Args["position"] == "first" && op.Args["before"] == others[0] {
		return without(op, "before")
	}
	return op
}

// isLast reports whether a new parameter at a position comes behind all that f has, where it would
// come anyway.
func isLast(f link.Symbol, position string) bool {
	return position == "last" || position == strconv.Itoa(len(f.Params)+1)
}

// isKind reports whether a symbol is what the request calls it.
func isKind(sym link.Symbol, kind string) bool {
	switch kind {
	case "func", "method":
		return sym.Kind == link.Func || sym.Kind == link.Method
	case "type", "class":
		return sym.Kind == link.Type
	case "field":
		return sym.Kind == link.Field
	case "var", "const":
		return sym.Kind == link.Var || sym.Kind == link.Const || sym.Kind == link.Field || sym.Kind == link.Param
	case "param", "parameter":
		return sym.Kind == link.Param
	}
	return false
}

// only is the one symbol of the project that has this name, with or without owners; a class and its
// constructors are one.
func (r reader) only(name string) (link.Symbol, bool) {
	if name == "" {
		return link.Symbol{}, false
	}
	found := r.table.Named(name)
	if len(found) == 0 {
		return link.Symbol{}, false
	}
	first := r.constructed(r.table.Symbol(found[0]))
	for _, n := range found[1:] {
		if !same(r.constructed(r.table.Symbol(n)), first) {
			return link.Symbol{}, false
		}
	}
	return first, true
}

// subject is the argument that says what an operation is about.
func subject(op refactor.Op) string {
	for _, arg := range []string{"symbol", "func", "type"} {
		if v := op.Args[arg]; v != "" {
			return v
		}
	}
	return ""
}

// withoutOwners leaves out operations that are done to the owner of a symbol to which a clause does
// the same: "a test for euros in FareCalculator" asks for one.
func (r reader) withoutOwners(p refactor.Program) refactor.Program {
	return slices.DeleteFunc(slices.Clone(p), func(op refactor.Op) bool {
		return subject(op) != "" && slices.ContainsFunc(p, func(other refactor.Op) bool {
			if other.Name != op.Name || len(other.Args) != len(op.Args) {
				return false
			}
			owner := strings.TrimSuffix(subject(op), "."+lastOf(subject(op))) // a constructor has its class's name
			return strings.HasPrefix(subject(other), owner+".") && subject(other) != subject(op) &&
				(owner == subject(op) || owner == lastOf(subject(op)))
		})
	})
}

func lastOf(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// allIn reports whether a program is about symbols that only a file has: naming it, too, changes
// nothing.
func (r reader) allIn(p refactor.Program, file string) bool {
	for _, op := range p {
		if op.Name != "rename" && op.Name != "add-param" && op.Name != "remove-param" && op.Name != "move" &&
			op.Name != "doc" && op.Name != "add-test" {
			return false
		}
		if sym, one := r.only(subject(op)); !one || sym.File != file {
			return false
		}
	}
	return len(p) > 0
}

// without returns op without an argument.
func without(op refactor.Op, arg string) refactor.Op {
	args := make(map[string]string, len(op.Args))
	for k, v := range op.Args {
		if k != arg {
			args[k] = v
		}
	}
	op.Args = args
	return op
}

// distinct adds up the probabilities of proposals that are the same program; the first of them,
// which is the likeliest, stays.
func distinct(ps []Proposal) []Proposal {
	at := map[string]int{}
	var out []Proposal
	for _, p := range ps {
		key := p.key()
		i, again := at[key]
		if !again {
			at[key] = len(out)
			out = append(out, p)
			continue
		}
		if len(p.Loose)+len(p.Lacks) >= len(out[i].Loose)+len(out[i].Lacks) {
			out[i].Probability = min(1, out[i].Probability+p.Probability)
		}
	}
	slices.SortStableFunc(out, likelier)
	return out
}

func same(a, b link.Symbol) bool {
	return a.Name == b.Name && a.Owner == b.Owner && a.File == b.File && a.Line == b.Line
}
