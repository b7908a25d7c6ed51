package treesitter

import (
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/words"
)

// prints is what a dialect implements whose prints are known here.
type prints interface{ prints() }

func (pythonDialect) prints() {}
func (ecma) prints()          {}

// Prints implements the hook of remove-debug-prints: statements that only print or stop for a
// debugger.
func (s syntax) Prints(f *kit.File) ([]kit.Print, error) {
	if _, ok := s.d.(typed); ok {
		return s.javaPrints(f), nil
	}
	u := f.Raw.(*unit)
	var out []kit.Print
	u.root.walk(func(n *node) bool {
		if isPrint(u, n) {
			p := printOf(n)
			p.Node, p.Keep = f.Of(n), s.keepPrint(u, n)
			out = append(out, p)
		}
		return true
	})
	return out, nil
}

// LastUses implements the hook of remove-debug-prints.
func (syntax) LastUses(*kit.File, []*kit.Node) (map[*kit.Node]string, error) { return nil, nil }

func printOf(n *node) kit.Print {
	if n.is("debugger_statement") {
		return kit.Print{Sure: true}
	}
	call := n.firstKid()
	fn, args := call.get("function").text(), call.get("arguments").list()
	p := kit.Print{Sure: fn != "print" && fn != "console.log", Shows: dumps(args),
		Tells: leaves(nextKid(n)) || n.up("except_clause", "catch_clause") != nil}
	for _, a := range args {
		p.Texts = append(p.Texts, literalText(a))
		p.Tells = p.Tells || refactor.ErrorName(a.text())
	}
	return p
}

// leaves reports whether a statement ends the function or the program.
func leaves(n *node) bool {
	if n.is("return_statement", "raise_statement", "throw_statement") {
		return true
	}
	call := n.firstKid()
	if !n.is("expression_statement") || !call.is("call", "call_expression") {
		return false
	}
	fn := call.get("function").text()
	return has([]string{"exit", "quit", "sys.exit", "os._exit", "process.exit", "Deno.exit"}, fn)
}

// dumps reports whether a print shows values under their own names, or as only a
// programmer reads them.
func dumps(args []*node) bool {
	for i, a := range args {
		switch {
		case a.is("object") && shorthand(a), labelsItself(a):
			return true
		case a.is("call") && has([]string{"repr", "type", "vars", "dir", "locals", "globals", "id"},
			a.get("function").text()):
			return true
		case a.is("unary_expression") && strings.HasPrefix(a.text(), "typeof"):
			return true
		case i+1 < len(args) && refactor.Labels(literalText(a), args[i+1].text()):
			return true
		}
	}
	return false
}

// shorthand reports {a, b}: an object of nothing but variables.
func shorthand(o *node) bool {
	kids := o.list()
	return len(kids) > 0 && !slices.ContainsFunc(kids, func(k *node) bool {
		return !k.is("shorthand_property_identifier")
	})
}

var (
	named    = regexp.MustCompile(`\{\s*[\w.]+\s*=\s*(![rsa])?(:[^}]*)?\}`)
	filledIn = regexp.MustCompile(`([^{}]*)\{\s*([\w.()\[\]]+)\s*(![rsa])?(:[^}]*)?\}`)
)

// labelsItself reports f"{x=}", f"x: {x}" and a template with x = ${x}: each value in
// the text under its name.
func labelsItself(n *node) bool {
	text := n.text()
	python := n.is("string") && strings.HasPrefix(strings.ToLower(strings.TrimLeft(text, "rR")), "f")
	switch {
	case python && named.MatchString(text):
		return true
	case !python && !n.is("template_string"):
		return false
	}
	filled := filledIn.FindAllStringSubmatch(literalText(n), -1)
	for _, f := range filled {
		if !refactor.Labels(strings.TrimSuffix(f[1], "$"), f[2]) {
			return false
		}
	}
	return len(filled) > 0
}

// literalText is what a string says, or "".
func literalText(n *node) string {
	if !n.is("string", "template_string") {
		return ""
	}
	return strings.Trim(strings.TrimLeft(n.text(), "fFrRbBuU"), "\"'\x60")
}

// isPrint recognizes print(...), breakpoint(), pdb.set_trace(), console.log(...), debugger.
func isPrint(u *unit, n *node) bool {
	if n.is("debugger_statement") {
		return true
	}
	if !n.is("expression_statement") || len(n.list()) != 1 {
		return false
	}
	call := n.firstKid()
	if !call.is("call", "call_expression") {
		return false
	}
	fn := call.get("function")
	root := fn
	for root.is("attribute", "member_expression") {
		root = root.firstKid()
	}
	r := u.byNode[root]
	if r == nil {
		return false
	}
	switch fn.text() {
	case "print", "breakpoint", "console.log", "console.debug", "console.trace", "console.dir":
		return r.b == nil
	case "pdb.set_trace", "ipdb.set_trace", "pprint.pprint", "pprint", "pp":
		return r.b != nil && len(r.b.imps) > 0
	}
	return false
}

// keepPrint says why a print must stay.
func (j *job) keepPrint(u *unit, n *node) string {
	if n.is("debugger_statement") {
		return ""
	}
	args := n.firstKid().get("arguments")
	for k := range args.kids {
		if k.is("keyword_argument") && k.get("name").text() == "file" {
			return "it prints to " + k.get("value").text()
		}
		if e := j.impure(u, k); e != nil {
			return oneLine(e.text()) + " in it may have an effect"
		}
	}
	if !n.ownLines() && !n.parent.is("if_statement", "else_clause", "for_statement", "for_in_statement",
		"while_statement") {
		return "it shares its line with other code"
	}
	return ""
}

// pure are the builtin calls that only compute.
var pure = words.Set(`len str repr int float bool type list dict set tuple sorted sum min max id format round abs isinstance
enumerate zip range reversed any all hex oct bin chr ord vars dir JSON.stringify String Number Boolean Object.keys
Object.values Object.entries Array.from Date.now performance.now parseInt parseFloat typeof`)

// impure finds a part of an argument that could do something.
func (j *job) impure(u *unit, n *node) *node {
	var found *node
	n.walk(func(k *node) bool {
		if found != nil {
			return false
		}
		if k.is("call", "call_expression") {
			fn := k.get("function")
			root := fn
			for root.is("member_expression") {
				root = root.firstKid()
			}
			if r := u.byNode[root]; pure[fn.text()] && r != nil && r.b == nil || j.onlyReads(u, k) {
				return true
			}
			found = k
			return false
		}
		if e := k.is("new_expression", "await", "await_expression", "yield", "yield_expression", "named_expression",
			"assignment_expression", "augmented_assignment_expression", "update_expression"); e {
			found = k
		}
		return found == nil
	})
	return found
}
