package treesitter

import "strings"

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
	for _, u := range units {
		removed += j.removePrintsIn(u, within)
	}
	if removed == 0 {
		return "", j.decline("there is no debugging print that can be removed%s", j.because())
	}
	return "Removed " + count(removed, "debugging print", "debugging prints") + ".", nil
}

func (j *job) removePrintsIn(u *unit, within *node) int {
	gone := map[*node]bool{}
	var order []*node
	u.root.walk(func(n *node) bool {
		if (within == nil || n.within(within)) && (j.target.From <= 0 || j.touches(n)) && isPrint(u, n) {
			switch why := j.keepPrint(u, n); why {
			case "":
				gone[n] = true
				order = append(order, n)
			default:
				j.note("%s is kept: %s", spot(u, n), why)
			}
		}
		return true
	})
	for _, n := range order {
		j.removeStatement(u, n, gone)
	}
	return len(order)
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
	if p.is("block") && strings.HasPrefix(ext(u.path), ".py") {
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
