package ops

import (
	"strings"

	"waferpair/engine/refactor/kit"
)

// each is a loop over the elements of something.
type each struct{ name, over string }

func (e each) String() string { return "each " + e.name + " in " + e.over }

// each is what a loop goes over, in words; ok is false for other loops.
func (w *describer) each(n *kit.Node) (each, bool) {
	over := n.Get("right")
	if over == nil && n.Get("name") != nil {
		over = n.Get("value")
	}
	body := n.Get("body")
	if over == nil || body == nil {
		return each{}, false
	}
	text := w.side(over)
	head := strings.Join(strings.Fields(string(w.f.Src[n.From:over.From])), " ")
	name := head
	for _, word := range []string{"for", "await", "async", "("} {
		name = strings.TrimSpace(strings.TrimPrefix(name, word))
	}
	switch w.form {
	case kit.GoDoc:
		name = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(name, "range")), ":="))
		if k, v, two := strings.Cut(name, ", "); two && k == "_" {
			name = v
		} else if !two { // an index, or an element of an iterator
			return each{}, false
		} else {
			return each{}, false
		}
	case kit.Javadoc:
		name = w.f.Text(n.Get("name"))
	case kit.JSDoc:
		if !strings.HasSuffix(name, " of") {
			return each{}, false
		}
		fs := strings.Fields(name)
		name = fs[len(fs)-2]
	default:
		name = strings.TrimSuffix(name, " in")
	}
	if text == "" || name == "" || strings.ContainsAny(name, " ,()[]{}") {
		return each{}, false
	}
	return each{w.code(name), text}, true
}

// loop is a loop whose effect can be said.
func (w *describer) loop(n *kit.Node) {
	fs := &w.facts
	e, ok := w.each(n)
	body := n.Get("body")
	missed := fs.misses
	w.departs(n)
	if !ok || body == nil {
		fs.whole = false
		return
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(strings.Trim(e.name, "`"), "{@code "), "}")
	before := w.bound[bare]
	if len(before) != 1 {
		fs.whole = false
		return
	}
	delete(w.bound, bare) // in what is said of each element it stands for itself
	defer func() { w.bound[bare] = before }()
	stmts := []*kit.Node{body}
	if body.Is(kit.Block) {
		stmts = body.Code()
	}
	cond := ""
	if len(stmts) == 1 && stmts[0].Is(kit.If) && stmts[0].Get("alternative") == nil && stmts[0].Get("initializer") == nil {
		in := stmts[0].Get("consequence")
		if cond = w.condition(stmts[0].Get("condition")); cond != "" {
			if stmts = []*kit.Node{in}; in.Is(kit.Block) {
				stmts = in.Code()
			}
		}
	}
	where := ""
	if cond != "" {
		where = " for which " + cond
	}
	if len(stmts) == 1 {
		if w.gathers(n, statement(stmts[0]), e, where) {
			return
		}
		if found := stmts[0]; found.Is(kit.Return) && cond != "" && w.finds(n, found, e, cond, bare) {
			fs.misses = missed
			return
		}
		if a, ok := w.eachAct(statement(stmts[0]), e, where); ok {
			w.add(a)
			return
		}
	}
	fs.whole = false
}

func (w *describer) eachAct(n *kit.Node, e each, where string) (act, bool) {
	a, ok := w.single(n)
	if n.Is(kit.Call) && !ok {
		if name := w.callee(n); name != "" && !dull[strings.Trim(name, "`")] {
			a, ok = do("call", name), true
		}
	}
	return do(a.verb, a.rest+" for "+e.String()+where), ok
}

// finds is a loop that returns as soon as a condition holds, with a return right behind it.
func (w *describer) finds(n, found *kit.Node, e each, cond, bare string) bool {
	fs := &w.facts
	kids := w.d.Body.Code()
	if n.Parent != w.d.Body || len(kids) < 2 || statement(kids[len(kids)-2]) != n || !kids[len(kids)-1].Is(kit.Return) ||
		fs.value != "" {
		return false
	}
	got, other := found.Code(), kids[len(kids)-1].Code()
	if len(got) == 0 || len(other) == 0 {
		return false
	}
	yes, no := w.f.Text(got[0]), w.f.Text(other[0])
	switch {
	case len(got) > 1 || len(other) > 1:
		return false
	case strings.EqualFold(yes, "true") && strings.EqualFold(no, "false"):
		fs.truth = "there is any " + e.name + " in " + e.over + " for which " + cond
	case strings.EqualFold(yes, "false") && strings.EqualFold(no, "true"):
		fs.truth = "there is no " + e.name + " in " + e.over + " for which " + cond
	default:
		v := w.values(got)
		if yes == bare {
			v = "the first " + e.name + " in " + e.over
		} else if v != "" {
			v += " for the first " + e.name + " in " + e.over
		}
		o := w.values(other)
		if v == "" || o == "" {
			return false
		}
		fs.value = v + " for which " + cond + ", or " + o + " if there is none"
	}
	w.settled = true
	return true
}

// gathers is a loop that adds each element up in a local, which is returned behind it.
func (w *describer) gathers(n, stmt *kit.Node, e each, where string) bool {
	kids := w.d.Body.Code()
	at := -1
	for i, k := range kids {
		if statement(k) == n {
			at = i
		}
	}
	if at < 1 || at != len(kids)-2 || !kids[at+1].Is(kit.Return) || len(kids[at+1].Code()) == 0 {
		return false
	}
	local := w.f.Text(kids[at+1].Code()[0])
	init, zero := w.initial(local, at, kids)
	if !init {
		return false
	}
	what := ""
	switch {
	case stmt.Is(kit.Assign), w.steps(stmt):
		what = w.gathered(stmt, local, zero, e)
	case stmt.Is(kit.Call):
		name, on := w.method(stmt)
		args := stmt.Args()
		switch {
		case on != local:
		case (name == "append" || name == "push" || name == "add") && len(args) == 1:
			what = w.listOf(args[0], e)
		case name == "put" && len(args) == 2:
			if k, v := w.side(args[0]), w.side(args[1]); k != "" && v != "" {
				what = "a map from " + k + " to " + v + " for " + e.String()
			}
		}
	}
	if what == "" {
		return false
	}
	if w.form == kit.GoDoc && len(kids[at+1].Code()) > 1 {
		if len(kids[at+1].Code()) != 2 || w.f.Text(kids[at+1].Code()[1]) != "nil" {
			return false
		}
	}
	w.facts.value, w.settled = what+where, true
	return true
}

// initial reports whether a local begins as nothing, and how that is written.
func (w *describer) initial(local string, loop int, kids []*kit.Node) (ok bool, zero string) {
	if local == "" || w.isParam(local) || len(w.bound[local]) == 0 {
		return false, ""
	}
	first := w.bound[local][0]
	mentions := 0
	for i, k := range kids {
		k.Walk(func(x *kit.Node) bool {
			if i != loop && x.Is(kit.Name) && w.f.Text(x) == local {
				mentions++
			}
			return true
		})
	}
	if first.stmt.From >= kids[loop].From || mentions != 2 {
		return false, ""
	}
	if first.value == nil {
		if w.form == kit.GoDoc && strings.HasPrefix(w.f.Text(statement(first.stmt)), "var ") {
			return true, "var"
		}
		return false, ""
	}
	zero = strings.Join(strings.Fields(w.f.Text(first.value)), "")
	switch {
	case zero == "0" || zero == "0.0" || zero == "0L" || zero == `""` || zero == "''":
	case strings.HasSuffix(zero, "{}") || zero == "[]" || zero == "dict()" || zero == "list()" || zero == "set()":
	case w.form == kit.GoDoc && strings.HasPrefix(zero, "make("):
		if !strings.HasPrefix(zero, "make(map") && !strings.Contains(zero, ",0,") && !strings.HasSuffix(zero, ",0)") {
			return false, ""
		}
	case w.form == kit.Javadoc && strings.HasPrefix(zero, "new") && strings.HasSuffix(zero, "<>()"):
	case w.form == kit.JSDoc && zero == "newMap()" || zero == "newSet()":
	default:
		return false, ""
	}
	return true, zero
}

func (w *describer) gathered(n *kit.Node, local, zero string, e each) string {
	left, right, op := n.Get("left"), n.Get("right"), w.operator(n)
	if w.steps(n) {
		left, op = n.Code()[0], "++"
		if strings.HasSuffix(w.f.Text(n), "--") {
			return ""
		}
	}
	number := zero == "0" || zero == "0.0" || zero == "0L"
	if op == "++" && w.f.Text(left) == local && (number || zero == "var") {
		return "the number of " + e.name + " in " + e.over
	}
	if right == nil {
		return ""
	}
	switch {
	case w.f.Text(left) == local && op == "+=" && number && w.f.Text(right) == "1":
		return "the number of " + e.name + " in " + e.over
	case w.f.Text(left) == local && op == "+=" && number:
		if x := w.side(right); x != "" {
			return "the sum of " + x + " for " + e.String()
		}
	case w.f.Text(left) == local && op == "=" && right.Is(kit.Call) && w.form == kit.GoDoc:
		args := right.Args()
		if name, on := w.method(right); on == "" && name == "append" && len(args) == 2 && w.f.Text(args[0]) == local &&
			!strings.HasSuffix(strings.TrimSpace(w.f.Text(right)), "...)") {
			return w.listOf(args[1], e)
		}
	case op == "=" && !left.Is(kit.Name, kit.Member) && len(left.Code()) == 2 && w.f.Text(left.Code()[0]) == local &&
		(strings.HasSuffix(zero, "{}") && !strings.HasPrefix(zero, "[") || strings.HasPrefix(zero, "make(map") ||
			zero == "dict()"):
		if k, v := w.side(left.Code()[1]), w.side(right); k != "" && v != "" {
			return "a map from " + k + " to " + v + " for " + e.String()
		}
	}
	return ""
}

func (w *describer) listOf(item *kit.Node, e each) string {
	x := w.side(item)
	switch x {
	case "":
		return ""
	case e.name:
		return "every " + e.name + " in " + e.over
	}
	return x + " for " + e.String()
}
