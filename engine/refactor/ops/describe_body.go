package ops

import (
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/words"
)

// binding is a place where a body gives a name its meaning.
type binding struct {
	at    *kit.Node // the name
	value *kit.Node // what it stands for, where the place says it
	stmt  *kit.Node // the statement that does
}

// bind notes the names that the body declares or writes. A name that looks like one is noted, too:
// what is said must not hang on it.
func (w *describer) bind() {
	w.bound = map[string][]binding{}
	w.d.Body.Walk(func(n *kit.Node) bool {
		switch n.Field {
		case "left", "name", "pattern", "alias", "parameter", "parameters":
			if n.Parent == nil || n.Parent.Is(kit.Call, kit.Binary) || n.Parent.Parent.Is(kit.Args) && n.Field == "name" &&
				n.Parent.Kind == kit.Other && !strings.Contains(w.f.Text(n.Parent), ":=") {
				return true
			}
			w.bindTarget(n)
		case "":
			if n.Is(kit.Name) && n.Parent.Is(kit.Loop, kit.Params) || n.Parent.Is(kit.Name) {
				w.note(n, nil)
			}
		}
		return true
	})
}

func (w *describer) bindTarget(n *kit.Node) {
	if n.Is(kit.Name) {
		var value *kit.Node
		p := n.Parent
		if p.Is(kit.Assign, kit.Declare) || p.Get("value") != nil {
			value = p.Get("right")
			if value == nil {
				value = p.Get("value")
			}
			if count(p, "left") > 1 || count(p, "right") > 1 || count(p, "name") > 1 ||
				p.Is(kit.Assign) && w.operator(p) != "=" &&
					w.operator(p) != ":=" {
				value = nil
			}
		}
		w.note(n, value)
		return
	}
	text := w.f.Text(n)
	if n.Is(kit.Member, kit.Call) || strings.IndexByte(text, '[') > 0 && !strings.ContainsAny(text[:1], "({") {
		return // what it is on keeps its meaning
	}
	n.Walk(func(k *kit.Node) bool {
		if k.Is(kit.Name) {
			w.note(k, nil)
		}
		return k == n || !k.Is(kit.Member, kit.Call)
	})
}

func count(n *kit.Node, field string) int {
	sum := 0
	for _, k := range n.Kids {
		if k.Field == field {
			sum++
		}
	}
	return sum
}

func (w *describer) note(n, value *kit.Node) {
	name := w.f.Text(n)
	for _, b := range w.bound[name] {
		if b.at == n {
			return
		}
	}
	stmt := n
	for stmt.Parent != nil && stmt.Parent != w.d.Body {
		stmt = stmt.Parent
	}
	w.bound[name] = append(w.bound[name], binding{n, value, stmt})
}

// operator is the text between the sides of an assignment or of a binary expression.
func (w *describer) operator(n *kit.Node) string {
	code := n.Code()
	l, r := n.Get("left"), n.Get("right")
	if l == nil && len(code) > 0 {
		l = code[0]
	}
	if r == nil && len(code) > 1 {
		r = code[len(code)-1]
	}
	if l == nil {
		return ""
	}
	if r == nil {
		return strings.TrimSpace(string(w.f.Src[l.To:n.To]))
	}
	if r.From < l.To {
		return ""
	}
	return strings.Join(strings.Fields(string(w.f.Src[l.To:r.From])), " ")
}

// statement is what stands in a statement's place: an assignment, a call, without its wrapping.
func statement(n *kit.Node) *kit.Node {
	for n.Is(kit.Expr) || n.Kind == kit.Other && len(n.Kids) == 1 && n.Kids[0].Is(kit.Declare) {
		code := n.Code()
		if len(code) != 1 {
			return n
		}
		n = code[0]
	}
	return n
}

// read reads the body.
func (w *describer) read() {
	body := w.d.Body
	fs := &w.facts
	fs.whole = true
	w.aboutParams()
	if !body.Is(kit.Block) { // x => x + 1
		fs.returns = true
		w.result(body)
		if fs.value == "" && fs.truth == "" {
			w.calls(body)
		}
		return
	}
	w.readBlock(body.Code(), true)
	w.raisesElsewhere()
	fs.outcomes = distinct(fs.outcomes)
	if fs.misses || w.d.Generator || len(w.d.Outs) > 0 && strings.Contains(w.f.Text(body), "defer ") {
		fs.value, fs.truth = "", ""
	}
}

// distinct leaves out what is raised a second time under the same condition.
func distinct(outcomes []outcome) []outcome {
	var out []outcome
	for _, o := range outcomes {
		if !o.raises || !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	return out
}

// readBlock reads statements that are run one after the other; last says that the function ends
// with them.
func (w *describer) readBlock(list []*kit.Node, last bool) {
	fs := &w.facts
	for i, s := range list {
		n := statement(s)
		switch {
		case n.Is(kit.Func, kit.Class): // local; it is called somewhere, or not
			fs.whole = false
		case n.Is(kit.String) && s.Is(kit.Expr): // a docstring
		case n.Is(kit.If):
			w.guard(n, list, i)
		case n.Is(kit.Return):
			fs.returns = fs.returns || len(n.Code()) > 0
			if !last || i != len(list)-1 {
				fs.misses, fs.whole = true, false
				return
			}
			if !w.settled {
				w.result(n)
			}
			if fs.value == "" && fs.truth == "" {
				w.calls(n)
			}
		case n.Is(kit.Leave):
			if o, ok := w.raised(n); ok {
				o.when = ""
				if last && i == len(list)-1 && len(list) == 1 {
					fs.acts = append(fs.acts, do("raise", o.what))
					fs.outcomes = append(fs.outcomes, o)
				}
				fs.whole = fs.whole && len(list) == 1
			}
			return
		case n.Is(kit.Loop):
			w.loop(n)
		case n.Is(kit.Try):
			w.try(n, last && i == len(list)-1)
		case n.Is(kit.Call, kit.Assign), w.steps(n):
			w.effect(n)
		case n.Is(kit.Declare):
			fs.whole = fs.whole && !w.mayAct(n)
			w.calls(n)
		case n.Is(kit.Block) && n.Field == "body":
			w.readBlock(n.Code(), last && i == len(list)-1)
		case w.f.Text(n) == "pass" || w.f.Text(n) == "...":
		case w.isWith(n):
			w.with(n, last && i == len(list)-1)
		default:
			w.passesOver(n)
			if strings.HasPrefix(w.f.Text(n), "await ") && len(n.Code()) == 1 && n.Code()[0].Is(kit.Call) {
				w.effect(n.Code()[0])
			}
		}
		if !n.Is(kit.If) { // what a guard does before it leaves touches nothing behind it
			w.touched = w.touched || w.acts(n)
		}
	}
}

// steps reports whether a statement is x++ or x--.
func (w *describer) steps(n *kit.Node) bool {
	text := w.f.Text(n)
	return n.Kind == kit.Other && len(n.Code()) == 1 && (strings.HasSuffix(text, "++") || strings.HasSuffix(text, "--"))
}

// givesError reports whether a return of Go gives an error.
func (w *describer) givesError(n *kit.Node) bool {
	rs, code := w.d.Results, n.Code()
	return w.form == kit.GoDoc && n.Is(kit.Return) && len(rs) > 0 && rs[len(rs)-1] == "error" && len(code) == len(rs) &&
		w.f.Text(code[len(code)-1]) != "nil"
}

// passesOver is a statement that is not put into words.
func (w *describer) passesOver(n *kit.Node) {
	w.facts.whole = false
	w.touched = w.touched || w.acts(n)
	w.departs(n)
}

// departs notes that a statement may leave the function, and when is not said.
func (w *describer) departs(n *kit.Node) {
	fs := &w.facts
	if w.gives(n) {
		fs.misses, fs.returns = true, true
	}
	n.Walk(func(k *kit.Node) bool {
		fs.vague = fs.vague || k.Is(kit.Return) && len(k.Code()) == 0
		return !k.Is(kit.Func, kit.Class)
	})
}

// gives reports whether a value is returned under n.
func (w *describer) gives(n *kit.Node) bool {
	found := false
	n.Walk(func(k *kit.Node) bool {
		found = found || k.Is(kit.Return) && len(k.Code()) > 0
		return !found && !k.Is(kit.Func, kit.Class)
	})
	return found
}

func (w *describer) isWith(n *kit.Node) bool {
	return w.form == kit.Docstring && n.Kind == kit.Other && (strings.HasPrefix(w.f.Text(n), "with ") ||
		strings.HasPrefix(w.f.Text(n), "async with "))
}

func (w *describer) with(n *kit.Node, last bool) {
	body := n.Get("body")
	w.facts.whole = false
	for _, k := range n.Code() {
		if k != body {
			w.calls(k)
		}
	}
	if body != nil {
		w.readBlock(body.Code(), last)
	}
}

// mayAct reports whether a declaration of locals does more: what is called there may act.
func (w *describer) mayAct(n *kit.Node) bool {
	found := false
	n.Walk(func(k *kit.Node) bool {
		found = found || k.Is(kit.Call) && !dull[w.f.Text(k.Get("function"))] && !strings.HasPrefix(w.f.Text(k), "new ")
		return !found
	})
	return found
}

// guard is an if: what it gives or raises when its condition holds, and nothing else.
func (w *describer) guard(n *kit.Node, list []*kit.Node, at int) {
	fs := &w.facts
	then := n.Get("consequence")
	var stmts []*kit.Node
	if then.Is(kit.Block) {
		stmts = then.Code()
	} else if then != nil {
		stmts = []*kit.Node{then}
	}
	if w.chain(n, list, at) {
		return
	}
	if k := len(stmts); n.Get("alternative") == nil && k > 1 && !w.givesBut(then, stmts[k-1]) &&
		(stmts[k-1].Is(kit.Leave) || w.givesError(stmts[k-1])) {
		stmts, fs.whole = stmts[k-1:], false // what is done before it raises is no part of when
	}
	if n.Get("alternative") != nil || len(stmts) != 1 {
		w.passesOver(n)
		return
	}
	leave := stmts[0]
	failed := w.failing(n, list, at)
	defer func() { w.touched = w.touched || w.acts(n.Get("condition")) }()
	stale := (w.touched || w.acted()) && w.hasMember(n.Get("condition")) // a call may have changed it
	switch {
	case leave.Is(kit.Return):
		code := w.results(leave)
		if failed != "" && w.form == kit.GoDoc && len(code) > 0 {
			w.goError(code, failed)
			return
		}
		when := w.condition(n.Get("condition"))
		if n.Get("initializer") != nil || stale {
			when = ""
		}
		if len(code) == 0 {
			w.leaves(when)
			return
		}
		fs.returns = true
		if w.form == kit.GoDoc && w.goError(code, when) {
			return
		}
		what := w.values(code)
		if what == "" || when == "" || fs.misses { // it may have returned something else before
			fs.misses = true
			return
		}
		fs.outcomes = append(fs.outcomes, outcome{what: what, when: when})
	case leave.Is(kit.Leave):
		if o, ok := w.raised(leave); ok {
			if o.when = w.condition(n.Get("condition")); stale {
				o.when = ""
			}
			if o.when != "" {
				o.says = ""
			}
			fs.outcomes = append(fs.outcomes, o)
			return
		}
		fs.whole = false
	default:
		w.departs(leave)
		defer func() { w.touched = w.touched || w.acts(leave) }()
		when := w.condition(n.Get("condition"))
		if n.Get("initializer") == nil && when != "" && !stale && len(when) < 80 {
			if a, ok := w.single(statement(leave)); ok {
				w.add(do(a.verb, strings.TrimSpace(a.rest+" if "+when)))
				return
			}
		}
		fs.whole = false
	}
}

// single is a statement as an act.
func (w *describer) single(n *kit.Node) (act, bool) {
	if n.Is(kit.Assign) || w.steps(n) {
		return w.assignAct(n)
	}
	if given, ok := strings.CutPrefix(w.f.Text(n), "yield "); ok && n.Kind == kit.Other && len(n.Code()) == 1 &&
		!strings.HasPrefix(given, "from ") {
		if v := w.side(n.Code()[0]); v != "" {
			return do("yield", v), true
		}
	}
	if !n.Is(kit.Call) {
		return act{}, false
	}
	if a, ok := w.callAct(n); ok {
		return a, true
	}
	if w.callee(n) != "" && !quiet[lastName(w.f.Text(n.Get("function")))] {
		if t := w.text(n); t != "" && len(t) <= 48 && w.quoted(t) != "" {
			return do("call", w.quoted(t)), true
		}
	}
	return act{}, false
}

func lastName(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }

// quiet are calls for order and for watching, which say nothing of what a function is for.
var quiet = words.Set(
	"Lock Unlock RLock RUnlock lock unlock acquire release debug info warn warning error Helper Debug " +
		"Info Warn Error Debugf Infof Warnf Errorf Printf Println log printf trace Trace")

func (w *describer) hasMember(n *kit.Node) bool {
	found := false
	n.Walk(func(k *kit.Node) bool {
		found = found || k.Is(kit.Member)
		return !found
	})
	return found
}

// chain is an if with an else at the body's end, each of whose branches is one return or raise:
// if and elif are guards, else is the value.
func (w *describer) chain(n *kit.Node, list []*kit.Node, at int) bool {
	if n.Get("alternative") == nil || at != len(list)-1 || n.Parent != w.d.Body ||
		w.form == kit.GoDoc && len(w.d.Results) != 1 {
		return false
	}
	type branch struct{ cond, leave *kit.Node }
	var all []branch
	var add func(cond, block *kit.Node) bool
	add = func(cond, block *kit.Node) bool {
		for block.Is(kit.Block) || block != nil && block.Kind == kit.Other && len(block.Code()) == 1 {
			if code := block.Code(); len(code) != 1 {
				return false
			}
			block = block.Code()[0]
		}
		if block.Is(kit.If) && cond == nil { // else if
			if !add(block.Get("condition"), block.Get("consequence")) || count(block, "alternative") != 1 {
				return false
			}
			return block.Get("initializer") == nil && add(nil, block.Get("alternative"))
		}
		if !block.Is(kit.Return) && !(block.Is(kit.Leave) && cond != nil) || block.Is(kit.Return) && len(block.Code()) != 1 {
			return false
		}
		all = append(all, branch{cond, block})
		return true
	}
	if n.Get("initializer") != nil || !add(n.Get("condition"), n.Get("consequence")) {
		return false
	}
	for _, k := range n.Kids {
		if k.Field != "alternative" {
			continue
		}
		cond := k.Get("condition")
		block := k
		if cond != nil && !k.Is(kit.If) { // elif
			block = k.Get("consequence")
		} else if k.Get("body") != nil {
			cond, block = nil, k.Get("body")
		} else {
			cond = nil
		}
		if !add(cond, block) {
			return false
		}
	}
	if all[len(all)-1].cond != nil || (w.touched || w.acted()) && w.hasMember(n.Get("condition")) {
		return false
	}
	var outcomes []outcome
	for _, b := range all[:len(all)-1] {
		o, ok := outcome{}, true
		if b.leave.Is(kit.Leave) {
			o, ok = w.raised(b.leave)
			o.says = ""
		} else {
			o.what = w.values(b.leave.Code())
		}
		if o.when = w.condition(b.cond); !ok || o.what == "" || o.when == "" {
			return false
		}
		outcomes = append(outcomes, o)
	}
	value := w.values(all[len(all)-1].leave.Code())
	if value == "" {
		return false
	}
	w.facts.outcomes = append(w.facts.outcomes, outcomes...)
	w.facts.value, w.facts.returns = value, true
	return true
}

// leaves is a return without a value.
func (w *describer) leaves(when string) {
	fs := &w.facts
	nothing := map[kit.DocForm]string{kit.Docstring: "None", kit.JSDoc: w.code("undefined")}[w.form]
	switch {
	case w.gives(w.d.Body) || len(w.d.Outs) > 0:
		if when == "" || nothing == "" {
			fs.misses = true
			return
		}
		fs.outcomes = append(fs.outcomes, outcome{what: nothing, when: when})
	case when == "":
		fs.whole, fs.vague = false, true
	default:
		fs.outcomes = append(fs.outcomes, outcome{leaves: true, when: when, what: map[bool]string{true: "early"}[w.acted()]})
	}
}

// acted reports whether what was read so far may have changed something.
func (w *describer) acted() bool { return len(w.facts.acts)+len(w.facts.calls) > 0 }

// results are the values of a return.
func (w *describer) results(n *kit.Node) []*kit.Node { return n.Code() }

// failing is what a Go guard is about when it tests the error of the statement before it, or of
// its own initializer: "os.Open fails".
func (w *describer) failing(n *kit.Node, list []*kit.Node, at int) string {
	cond := w.f.Text(n.Get("condition"))
	name, isErr := strings.CutSuffix(cond, " != nil")
	if !isErr || !strings.HasSuffix(strings.ToLower(name), "err") {
		return ""
	}
	from := n.Get("initializer")
	if from == nil && at > 0 {
		from = statement(list[at-1])
	}
	if from.Is(kit.Declare) {
		return ""
	}
	if !from.Is(kit.Assign) {
		return ""
	}
	var value *kit.Node
	wrote := false
	for _, k := range from.Kids {
		if k.Field == "left" && w.f.Text(k) == name {
			wrote = true
		}
		if k.Field == "right" {
			value = k
		}
	}
	if !wrote || !value.Is(kit.Call) {
		return ""
	}
	if callee := w.callee(value); callee != "" {
		return callee + " fails"
	}
	return ""
}

// callee is the function of a call as text, "" when it is long or a local.
func (w *describer) callee(call *kit.Node) string {
	fn := call.Get("function")
	text := w.f.Text(fn)
	if fn == nil { // Java: object, name
		text = w.f.Text(call.Get("name"))
		if o := call.Get("object"); o != nil {
			text = w.f.Text(o) + "." + text
		}
		if c := call.Get("constructor"); c != nil {
			text = ""
		}
	}
	if !fn.Is(kit.Name, kit.Member) && fn != nil || len(text) > 40 || strings.ContainsAny(text, "({[\n\"'`") {
		return ""
	}
	text = strings.TrimSuffix(text, "?")
	root, _, _ := strings.Cut(strings.ReplaceAll(text, "?.", "."), ".")
	if len(w.bound[root]) > 0 || quiet[lastName(text)] {
		return ""
	}
	return w.quoted(text)
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// goError notes what a return gives in Go's last result, an error; it reports whether it does.
func (w *describer) goError(code []*kit.Node, when string) bool {
	rs := w.d.Results
	if len(rs) == 0 || rs[len(rs)-1] != "error" || len(code) != len(rs) {
		return false
	}
	w.facts.returns = true
	last := code[len(code)-1]
	text := w.f.Text(last)
	if text == "nil" {
		return false
	}
	if when == "" || !w.surelyError(last, strings.HasSuffix(when, " fails")) {
		w.facts.vague = true
		return true
	}
	o := outcome{raises: true, when: when}
	if name := text[strings.LastIndexByte(text, '.')+1:]; last.Is(kit.Name, kit.Member) && len(w.bound[text]) == 0 &&
		(strings.HasPrefix(name, "Err") || strings.HasPrefix(name, "err") && len(name) > 3 || name == "EOF") {
		o.what = text
	}
	w.facts.outcomes = append(w.facts.outcomes, o)
	return true
}

// surelyError reports whether a value that a Go function returns as its error is one, rather than nil:
// a sentinel, one that is made there or, where another is known to be one, that or what is made of it.
func (w *describer) surelyError(n *kit.Node, failed bool) bool {
	text := w.f.Text(n)
	if n.Is(kit.Call) {
		name, on := w.method(n)
		switch on + "." + name {
		case "errors.New", "fmt.Errorf":
			return true
		}
		return failed && slices.ContainsFunc(n.Args(), func(a *kit.Node) bool {
			return strings.HasSuffix(strings.ToLower(w.f.Text(a)), "err")
		})
	}
	if n.Is(kit.Name, kit.Member) {
		last := lastName(text)
		return failed && strings.HasSuffix(strings.ToLower(last), "err") ||
			len(w.bound[text]) == 0 && (strings.HasPrefix(last, "Err") || strings.HasPrefix(last, "err") || last == "EOF")
	}
	return strings.HasPrefix(text, "&") || strings.HasSuffix(text, "}")
}

// values are several results in words, without a nil error behind them.
func (w *describer) values(code []*kit.Node) string {
	rs := w.d.Results
	if w.form == kit.GoDoc && len(rs) > 1 && len(code) == len(rs) && rs[len(rs)-1] == "error" {
		if w.f.Text(code[len(code)-1]) != "nil" {
			return ""
		}
		code = code[:len(code)-1]
	}
	var out []string
	for _, c := range code {
		v := w.value(c)
		if v == "" {
			return ""
		}
		out = append(out, v)
	}
	return enumerated(out, "and")
}

// result is the value at the function's end.
func (w *describer) result(n *kit.Node) {
	fs := &w.facts
	code := []*kit.Node{n}
	if n.Is(kit.Return) {
		code = w.results(n)
	}
	if len(code) == 0 {
		return
	}
	if w.form == kit.GoDoc && len(w.d.Results) > 0 && w.d.Results[len(w.d.Results)-1] == "error" &&
		len(code) == len(w.d.Results) {
		if last := code[len(code)-1]; w.f.Text(last) != "nil" {
			if len(code) > 1 || last.Is(kit.Name) && len(w.bound[w.f.Text(last)]) > 0 {
				fs.whole = false
				return
			}
			if last.Is(kit.Call) {
				if a, ok := w.knownCall(last); ok {
					w.add(a)
					return
				}
			}
		} else if len(code) == 1 {
			return
		}
	}
	if len(code) == 1 {
		if t := w.truth(code[0]); t != "" {
			fs.truth = t
			return
		}
	}
	fs.value = w.values(code)
	if fs.value == "" {
		fs.whole = false
	}
}

// truth is a comparison that is returned, in words.
func (w *describer) truth(n *kit.Node) string {
	n = unwrapped(w.f, n)
	if n.Is(kit.Call) && w.declaredBool() {
		return w.question(n, "is ", true)
	}
	if !n.Is(kit.Binary, kit.Unary) {
		return ""
	}
	text := strings.TrimSpace(w.f.Text(n))
	switch {
	case n.Is(kit.Unary):
		if !strings.HasPrefix(text, "!") && !strings.HasPrefix(text, "not ") {
			return ""
		}
	case !comparison[w.operator(n)]:
		// a and b is a value of a or b in Python and JavaScript, unless both are comparisons
		op := w.operator(n)
		if op != "&&" && op != "||" && op != "and" && op != "or" {
			return ""
		}
		for _, k := range n.Code() {
			if w.form != kit.GoDoc && w.form != kit.Javadoc && w.truth(k) == "" {
				return ""
			}
		}
	}
	return w.condition(n)
}

var comparison = words.Set("== != === !== < <= > >= is in instanceof")

func init() {
	comparison["is not"], comparison["not in"] = true, true
}

// raised is what a raise or throw raises.
func (w *describer) raised(n *kit.Node) (outcome, bool) {
	text := w.f.Text(n)
	if !strings.HasPrefix(text, "raise") && !strings.HasPrefix(text, "throw") || len(n.Code()) == 0 {
		return outcome{}, false
	}
	made := n.Code()[0]
	var name string
	o := outcome{raises: true}
	if made.Is(kit.Call) {
		for _, field := range []string{"function", "constructor", "type"} {
			if k := made.Get(field); k != nil {
				name = w.f.Text(k)
				break
			}
		}
		if args := made.Args(); len(args) == 1 && args[0].Is(kit.String) {
			if msg := w.quoted(w.f.Text(args[0])); msg != "" {
				o.says = "with the message " + msg
			}
		}
	} else {
		name = w.f.Text(made)
	}
	_, last, ok := cutLast(name, ".")
	if !ok {
		last = name
	}
	if last == "" || last[0] < 'A' || last[0] > 'Z' || len(w.bound[name]) > 0 || strings.ContainsAny(name, " (") {
		return outcome{}, false
	}
	if i := strings.IndexByte(name, '<'); i > 0 {
		name = name[:i]
	}
	o.what = name
	return o, true
}

// raisesElsewhere adds the exceptions that are raised deeper in the body, and not caught there, and
// those that the header declares.
func (w *describer) raisesElsewhere() {
	known := func(what string) bool {
		return slices.ContainsFunc(w.facts.outcomes, func(o outcome) bool { return o.raises && o.what == what })
	}
	w.d.Body.Walk(func(n *kit.Node) bool {
		if n.Is(kit.Func, kit.Class) {
			return false
		}
		if n.Is(kit.Try) { // what is raised inside may be caught there
			return false
		}
		if n.Is(kit.Leave) {
			if o, ok := w.raised(n); ok && !known(o.what) {
				w.facts.outcomes = append(w.facts.outcomes, o)
			}
		}
		return true
	})
	for _, t := range w.d.Throws {
		if !known(t) {
			o := outcome{raises: true, what: t}
			switch lastName(t) {
			case "IOException":
				o.says = "if reading or writing fails"
			case "InterruptedException":
				o.says = "if the thread is interrupted"
			}
			w.facts.outcomes = append(w.facts.outcomes, o)
		}
	}
}
