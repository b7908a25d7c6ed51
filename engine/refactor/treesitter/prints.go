package treesitter

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor"
)

func init() { operations["remove-debug-prints"] = removePrints }

// removePrints removes statements that only print or stop for a debugger.
func removePrints(j *job) (string, error) {
	var within *node
	var units []*unit
	if name := j.op.Args["func"]; name != "" {
		f, err := j.function("func")
		if err != nil {
			return "", err
		}
		within, units = f.def, []*unit{f.unit}
	} else {
		u, err := j.file()
		if err != nil {
			return "", err
		}
		units = []*unit{u}
	}
	removed := 0
	var doubts []doubtful
	for _, u := range units {
		n, unsure := j.removePrintsIn(u, within)
		removed += n
		doubts = append(doubts, unsure...)
	}
	switch {
	case removed == 0 && len(doubts) > 0:
		return "", j.whichPrints(doubts)
	case removed == 0:
		return "", j.decline("there is no debugging print that can be removed%s", j.because())
	}
	for _, d := range doubts {
		j.note("%s is kept: nothing shows that it is for debugging", spot(d.u, d.n))
	}
	return "Removed " + count(removed, "debugging print", "debugging prints") + ".", nil
}

// doubtful is a print that may be what the program is for.
type doubtful struct {
	u *unit
	n *node
}

// whichPrints asks, with the lines as choices.
func (j *job) whichPrints(doubts []doubtful) error {
	var places, near []string
	for _, d := range doubts {
		places = append(places, spot(d.u, d.n)+" "+oneLine(d.n.text()))
		near = append(near, fmt.Sprintf("remove the debug prints on line %d of %s", d.n.line(), d.u.path))
	}
	near = near[:min(len(near), 3)]
	if f := j.op.Args["func"]; f != "" {
		near = append(near, "remove all print statements from "+f)
	}
	return &refactor.Declined{Code: refactor.Ambiguous, Understood: j.op.String(), Nearest: near,
		Reason: "nothing shows that " + refactor.Few(places) + " is there for debugging; say which lines are"}
}

func (j *job) removePrintsIn(u *unit, within *node) (int, []doubtful) {
	gone := map[*node]bool{}
	var order []*node
	u.root.walk(func(n *node) bool {
		if (within == nil || n.within(within)) && (j.target.From <= 0 || j.touches(n)) && isPrint(u, n) && j.wanted(n) {
			switch why := j.keepPrint(u, n); why {
			case "":
				order = append(order, n)
			default:
				j.note("%s is kept: %s", spot(u, n), why)
			}
		}
		return true
	})
	var unsure []doubtful
	named := j.op.Args["which"] != "" || j.target.From > 0 && len(order) == 1
	order = slices.DeleteFunc(order, func(n *node) bool {
		ok := named || forDebugging(n)
		if !ok {
			unsure = append(unsure, doubtful{u, n})
		}
		gone[n] = ok
		return !ok
	})
	for _, n := range order {
		j.removeStatement(u, n, gone)
	}
	return len(order), unsure
}

// wanted leaves out what the request does not name: which=console.log is about those.
func (j *job) wanted(n *node) bool {
	w := j.op.Args["which"]
	return w == "" || w == "all" || n.firstKid().get("function").text() == w
}

// forDebugging reports whether a print is there for debugging: it says so, it is a call
// for nothing else, or it shows a value under its own name, which is no error and
// nothing that is said before the end.
func forDebugging(n *node) bool {
	if n.is("debugger_statement") {
		return true
	}
	call := n.firstKid()
	if fn := call.get("function").text(); fn != "print" && fn != "console.log" {
		return true
	}
	args := call.get("arguments").list()
	for _, a := range args {
		if refactor.DebugMark(literalText(a)) {
			return true
		}
	}
	line := string(n.src[n.to:lineEnd(n.src, n.to)])
	if i := strings.IndexAny(line, "#/"); i >= 0 && refactor.DebugMark(strings.TrimLeft(line[i:], "#/ ")) {
		return true
	}
	if leaves(nextKid(n)) || n.up("except_clause", "catch_clause") != nil ||
		slices.ContainsFunc(args, func(a *node) bool { return refactor.ErrorName(a.text()) }) {
		return false
	}
	return dumps(args)
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
		if e := impure(u, k); e != nil {
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
var pure = set(`len str repr int float bool type list dict set tuple sorted sum min max id format round abs isinstance
enumerate zip range reversed any all hex oct bin chr ord vars dir JSON.stringify String Number Boolean Object.keys
Object.values Object.entries Array.from Date.now performance.now parseInt parseFloat typeof`)

// impure finds a part of an argument that could do something.
func impure(u *unit, n *node) *node {
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
			if r := u.byNode[root]; pure[fn.text()] && r != nil && r.b == nil {
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

// removeStatement removes a statement; a Python block that would be empty gets
// a pass, a branch without braces an empty block.
func (j *job) removeStatement(u *unit, n *node, gone map[*node]bool) {
	p := n.parent
	if p.is("block") && u.d.style().Empty != "" {
		kids := p.list()
		empty := true
		for _, k := range kids {
			empty = empty && gone[k]
		}
		if empty && kids[0] == n {
			j.replace(u.path, n.from, n.to, "pass")
			return
		}
	}
	if !p.is("block", "module", "program", "statement_block", "switch_case", "switch_default", "class_static_block") {
		j.replace(u.path, n.from, n.to, "{}")
		return
	}
	j.replace(u.path, lineStart(u.src, n.from), nextLine(u.src, n.to), "")
}
