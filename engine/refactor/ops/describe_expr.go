package ops

import (
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/words"
)

// text is the source of an expression in which locals are what they stand for, "" where that is
// not certain, or where the expression is no line of its own.
func (w *describer) text(n *kit.Node) string { return w.textAt(n, n, 0) }

func (w *describer) textAt(n, whole *kit.Node, depth int) string {
	type part struct {
		from, to int
		text     string
	}
	var parts []part
	sure := true
	n.Walk(func(k *kit.Node) bool {
		if k.Is(kit.Remark) {
			sure = false
		}
		if !k.Is(kit.Name) || k.Field == "property" || k.Field == "attribute" || k.Field == "field" || k.Field == "key" ||
			k.Parent.Is(kit.Call) && k.Field == "name" && k.Parent.Get("function") == nil && k.Parent.Get("object") != nil {
			return sure
		}
		bs := w.bound[w.f.Text(k)]
		if len(bs) == 0 || k.Parent != nil && k.Parent.Parent.Is(kit.Args) && k.Field == "name" {
			return sure
		}
		inside := !slices.ContainsFunc(bs, func(b binding) bool { return !n.Covers(b.at.From, b.at.To) })
		if inside {
			return sure
		}
		b := bs[0]
		if len(bs) > 1 || b.value == nil || depth > 0 || w.isParam(w.f.Text(k)) || !w.still(b, whole) {
			sure = false
			return false
		}
		t := w.textAt(b.value, b.value, depth+1)
		if t == "" || len(t) > 40 {
			sure = false
			return false
		}
		if !b.value.Is(kit.Name, kit.Member, kit.Call, kit.String, kit.Number) && k != n &&
			(strings.Contains(t, " ") || strings.ContainsAny(t[:1], "&*-!+~")) {
			t = "(" + t + ")"
		}
		parts = append(parts, part{k.From, k.To, t})
		return sure
	})
	if !sure {
		return ""
	}
	var b strings.Builder
	at := n.From
	for _, p := range parts {
		b.Write(w.f.Src[at:p.from])
		b.WriteString(p.text)
		at = p.to
	}
	b.Write(w.f.Src[at:n.To])
	return strings.TrimSpace(b.String())
}

func (w *describer) isParam(name string) bool {
	return slices.ContainsFunc(w.d.Params, func(p kit.Parameter) bool { return p.Name == name })
}

// still reports whether a local's value is what it was when it was set: nothing stands between
// that and its use but other locals, which change nothing.
func (w *describer) still(b binding, use *kit.Node) bool {
	stmt := use
	for stmt.Parent != nil && stmt.Parent != b.stmt.Parent {
		stmt = stmt.Parent
	}
	if stmt.Parent == nil || b.stmt.Parent != w.d.Body {
		return false
	}
	kids := w.d.Body.Code()
	from, to := slices.Index(kids, b.stmt), slices.Index(kids, stmt)
	if from < 0 || to <= from {
		return false
	}
	if to == from+1 {
		return true
	}
	for _, k := range kids[from+1 : to] {
		if s := statement(k); !s.Is(kit.Declare, kit.Assign, kit.If) || w.acts(s) {
			return false
		}
	}
	return true
}

// acts reports whether a statement may change more than locals.
func (w *describer) acts(n *kit.Node) bool {
	found := false
	if n == nil {
		return false
	}
	n.Walk(func(k *kit.Node) bool {
		if text := w.f.Text(k); strings.HasPrefix(text, "del ") || strings.HasPrefix(text, "delete ") || w.steps(k) {
			found = true
		}
		if k.Is(kit.Call) && !harmless(w.f.Text(k.Get("function"))) || k.Is(kit.Assign) && !k.Get("left").Is(kit.Name) {
			found = true
		}
		return !found
	})
	return found
}

// harmless are functions that change nothing a reader asks for.
func harmless(fn string) bool { return dull[fn] || quiet[lastName(fn)] }

// value is an expression in words, or quoted.
func (w *describer) value(n *kit.Node) string {
	n = unwrapped(w.f, n)
	text := w.f.Text(n)
	if n.Is(kit.Name) && (len(w.bound[text]) == 0 || w.isParam(text)) {
		if len(w.bound[text]) > 0 {
			return ""
		}
		return w.code(text)
	}
	if m := w.field(n); m != "" {
		return m
	}
	if n.Is(kit.Call) {
		if made := w.made(n); made != "" {
			return made
		}
	}
	if s := w.text(n); s != "" && w.quoted(s) != "" {
		return w.quoted(s)
	}
	return w.vaguely(n)
}

// vaguely is what a value is when it cannot be written out: what a call returns, the words of a
// local's name.
func (w *describer) vaguely(n *kit.Node) string {
	text := w.f.Text(n)
	if n.Is(kit.Call) {
		name := w.callee(n)
		bare := lastName(strings.Trim(name, "`"))
		switch {
		case w.form == kit.Docstring && bare == "sorted":
			return "a sorted list"
		case w.form == kit.Docstring && slices.Contains([]string{"set", "list", "dict", "tuple", "frozenset"}, bare):
			return "a " + bare
		case w.form == kit.Docstring && bare != "" && 'A' <= bare[0] && bare[0] <= 'Z' && strings.ToUpper(bare) != bare:
			return aOrAn(name)
		}
		if name != "" && !dull[bare] && n.Get("type") == nil && n.Get("constructor") == nil {
			return "what " + name + " returns"
		}
		return ""
	}
	if !n.Is(kit.Name) {
		return ""
	}
	if w.isParam(text) {
		return w.code(text) + ", possibly changed"
	}
	if bs := w.bound[text]; len(bs) == 1 && bs[0].at.Parent.Is(kit.Func) {
		return "the function " + w.code(text)
	}
	if ws := words.Of(text); len(text) > 2 && len(ws) > 0 && len(w.bound[text]) > 0 && !generic[ws[0]] &&
		!generic[ws[len(ws)-1]] &&
		!actions[ws[0]] && endsNoun(ws) && w.telling(ws[len(ws)-1]) {
		return definite(ws)
	}
	return ""
}

// telling reports whether the last word of a local's name is a noun that says what is returned: it
// is a plural, or a word of the function's name or of the type of its result.
func (w *describer) telling(last string) bool {
	about := strings.ToLower(w.d.Name + " " + strings.Join(w.d.Results, " "))
	return strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") && len(last) > 3 ||
		strings.Contains(about, strings.ToLower(last)) && len(last) > 3
}

// generic are names of locals that say nothing.
var generic = words.Set(`result results res ret retval out output val value values tmp temp data obj ans answer acc buf
	new cur current item ok err error found flag self this old rv response resp body args kwargs rest first last next
	prev then that all any none true false is has with not to from match matches default left right return`)

// field is a field of the receiver in words: "the balance of this account".
func (w *describer) field(n *kit.Node) string {
	if !n.Is(kit.Member) || w.d.Self == "" || w.d.Owner == "" || w.f.Text(n.Get("object")) != w.d.Self {
		return ""
	}
	for _, name := range []string{"property", "attribute", "field"} {
		if k := n.Get(name); k != nil {
			if ws := expanded(words.Of(w.f.Text(k))); len(ws) > 0 && len(w.f.Text(k)) > 1 && !actions[ws[0]] &&
				!fillers[ws[0]] && !predicate(ws[0]) && endsNoun(ws) {
				return definite(ws) + " of " + w.this()
			}
		}
	}
	return ""
}

// predicate reports whether a word begins what holds or does not: isstdin, hasNext.
func predicate(first string) bool {
	return strings.HasPrefix(first, "is") || strings.HasPrefix(first, "has")
}

// made is a new object: new Order(id).
func (w *describer) made(n *kit.Node) string {
	text := w.f.Text(n)
	if !strings.HasPrefix(text, "new ") {
		return ""
	}
	t := n.Get("type")
	if t == nil {
		t = n.Get("constructor")
	}
	name := w.f.Text(t)
	if i := strings.IndexByte(name, '<'); i > 0 {
		name = name[:i]
	}
	for _, k := range n.Kids { // an anonymous class
		if k.Is(kit.Members) {
			return ""
		}
	}
	if name == "" || len(w.bound[name]) > 0 || len(name) > 40 || strings.ContainsAny(name, " (\n") {
		return ""
	}
	var from []string
	for _, a := range n.Args() {
		v := w.text(a)
		if q := w.quoted(v); v != "" && q != "" && len(v) < 30 {
			from = append(from, q)
		} else {
			return "a new " + w.code(name)
		}
	}
	if len(from) == 0 {
		return "a new " + w.code(name)
	}
	if len(from) > 4 {
		return "a new " + w.code(name)
	}
	return "a new " + w.code(name) + " made from " + enumerated(from, "and")
}

// side is one side of a comparison as the form shows it.
func (w *describer) side(n *kit.Node) string {
	if n == nil {
		return ""
	}
	t := w.text(unwrapped(w.f, n))
	if t == "" || len(t) > 48 {
		return ""
	}
	return w.quoted(t)
}

// condition is a condition in words, "" where it is not certain.
func (w *describer) condition(n *kit.Node) string {
	if n == nil {
		return ""
	}
	n = unwrapped(w.f, n)
	switch {
	case n.Is(kit.Binary):
		return w.binary(n)
	case n.Is(kit.Unary):
		return w.unary(n)
	}
	return w.holds(n, true)
}

func (w *describer) unary(n *kit.Node) string {
	text := w.f.Text(n)
	code := n.Code()
	if len(code) != 1 || !strings.HasPrefix(text, "!") && !strings.HasPrefix(text, "not ") &&
		!strings.HasPrefix(text, "not(") {
		return ""
	}
	inner := unwrapped(w.f, code[0])
	if inner.Is(kit.Binary, kit.Unary) {
		if c := w.quoted(w.text(inner)); c != "" {
			return w.not(c)
		}
		return ""
	}
	return w.holds(inner, false)
}

func (w *describer) not(c string) string { return c + " does not hold" }

// holds says that a value counts as true, or as false.
func (w *describer) holds(n *kit.Node, yes bool) string {
	is := map[bool]string{true: "is ", false: "is not "}[yes]
	if n.Is(kit.Call) {
		if s := w.question(n, is, yes); s != "" {
			return s
		}
	}
	t := w.side(n)
	if t == "" {
		return ""
	}
	if n.Is(kit.Call) {
		if yes {
			return t + " holds"
		}
		return t + " does not hold"
	}
	typ := w.typeOfParam(w.f.Text(n))
	switch {
	case w.form == kit.GoDoc || w.form == kit.Javadoc:
		return t + map[bool]string{true: " is true", false: " is false"}[yes]
	case slices.Contains([]string{"bool", "boolean"}, typ):
		return t + map[bool]string{true: " is true", false: " is false"}[yes]
	case slices.Contains([]string{"str", "list", "dict", "tuple", "set", "bytes"}, typ) ||
		hasAnyPrefix(typ, "list[", "dict[", "List[", "Dict[", "set[", "Sequence[", "tuple["), typ == "string":
		return t + map[bool]string{true: " is not empty", false: " is empty"}[yes]
	}
	return t + map[bool]string{true: " is truthy", false: " is falsy"}[yes]
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

func (w *describer) typeOfParam(name string) string {
	for _, p := range w.d.Params {
		if p.Name == name {
			return p.Type
		}
	}
	return ""
}

// question are calls whose meaning is known everywhere.
func (w *describer) question(call *kit.Node, is string, yes bool) string {
	name, on := w.method(call)
	args := call.Args()
	verb := func(v string) string {
		if yes {
			return third(v)
		}
		return "does not " + v
	}
	switch {
	case on == "" && name == "isinstance" && len(args) == 2:
		if a, b := w.side(args[0]), w.side(args[1]); a != "" && b != "" && !strings.HasPrefix(b, "(") {
			return a + " " + is + "an instance of " + b
		}
	case on == "" && name == "callable" && len(args) == 1:
		if a := w.side(args[0]); a != "" {
			return a + " " + is + "callable"
		}
	case on == "Array" && name == "isArray" && len(args) == 1:
		if a := w.side(args[0]); a != "" {
			return a + " " + is + "an array"
		}
	case on == "strings" && w.form == kit.GoDoc && len(args) == 2:
		a, b := w.side(args[0]), w.side(args[1])
		v := map[string]string{"HasPrefix": "begin with", "HasSuffix": "end with", "Contains": "contain"}[name]
		if a != "" && b != "" && v != "" {
			return a + " " + verb(v) + " " + b
		}
	case on != "" && len(args) == 0 && name == "isEmpty" && w.form == kit.Javadoc:
		if o := w.side(call.Get("object")); o != "" {
			return o + " " + is + "empty"
		}
	case on != "" && len(args) == 0 && name == "isBlank" && w.form == kit.Javadoc:
		if o := w.side(call.Get("object")); o != "" {
			return o + " " + is + "blank"
		}
	case on != "" && len(args) == 1 && w.form != kit.GoDoc:
		v := map[string]string{"startsWith": "begin with", "startswith": "begin with", "endsWith": "end with",
			"endswith": "end with"}[name]
		if name == "equals" && w.form == kit.Javadoc {
			v = "equal"
		}
		o, a := w.side(w.object(call)), w.side(args[0])
		if v != "" && o != "" && a != "" && !strings.HasPrefix(a, "(") {
			return o + " " + verb(v) + " " + a
		}
	}
	return ""
}

// method is the name of what is called, and the text of what it is called on.
func (w *describer) method(call *kit.Node) (name, on string) {
	if fn := call.Get("function"); fn != nil {
		if !fn.Is(kit.Member) {
			return w.f.Text(fn), ""
		}
		for _, field := range []string{"property", "attribute", "field"} {
			if k := fn.Get(field); k != nil {
				return w.f.Text(k), w.f.Text(fn.Get("object"))
			}
		}
		return "", ""
	}
	return w.f.Text(call.Get("name")), w.f.Text(call.Get("object"))
}

// object is what a method is called on.
func (w *describer) object(call *kit.Node) *kit.Node {
	if fn := call.Get("function"); fn != nil {
		return fn.Get("object")
	}
	return call.Get("object")
}

var comparing = map[string]string{"==": "is", "===": "is", "!=": "is not", "!==": "is not", "<": "is less than",
	">": "is greater than", "<=": "is at most", ">=": "is at least", "is": "is", "is not": "is not", "in": "is in",
	"not in": "is not in", "instanceof": "is an instance of"}

// binary is a comparison, or several, in words.
func (w *describer) binary(n *kit.Node) string {
	code := n.Code()
	if len(code) == 3 && code[1].Kind == kit.Other && code[1].Field == "operator" {
		code = []*kit.Node{code[0], code[2]}
	}
	if len(code) != 2 {
		if c := w.quoted(w.text(n)); c != "" && len(c) < 50 {
			return c
		}
		return ""
	}
	op := w.operator(n)
	switch op {
	case "&&", "||", "and", "or":
		return w.joined(n, op)
	}
	left, right := code[0], code[1]
	word := comparing[op]
	if word == "" {
		return ""
	}
	if s := w.emptiness(left, op, right); s != "" {
		return s
	}
	a, b := w.side(left), w.side(right)
	if a == "" || b == "" {
		return ""
	}
	if right = unwrapped(w.f, right); right.Is(kit.Name, kit.Member, kit.Call, kit.Binary) && !constant(w.f.Text(right)) {
		switch op {
		case "==", "===":
			word = "equals"
		case "!=", "!==":
			word = "differs from"
		}
	}
	return a + " " + word + " " + b
}

// constant reports whether a text names something that is compared with "is": nil, None, MAX.
func constant(text string) bool {
	return slices.Contains([]string{"nil", "null", "None", "undefined", "true", "false", "True", "False"}, text)
}

// joined are conditions beside each other; one that holds several of another kind is not said.
func (w *describer) joined(n *kit.Node, op string) string {
	word := map[string]string{"&&": "and", "||": "or", "and": "and", "or": "or"}[op]
	var out []string
	for _, k := range n.Code() {
		k = unwrapped(w.f, k)
		if k.Is(kit.Binary) {
			if o := w.operator(k); o != op && slices.Contains([]string{"&&", "||", "and", "or"}, o) {
				return ""
			}
		}
		c := w.condition(k)
		if c == "" {
			return ""
		}
		out = append(out, c)
	}
	s := strings.Join(out, " "+word+" ")
	if len(s) > 120 {
		return ""
	}
	return s
}

// emptiness are comparisons with nothing: x == "", len(x) == 0.
func (w *describer) emptiness(left *kit.Node, op string, right *kit.Node) string {
	r := w.f.Text(right)
	is := " is empty"
	switch {
	case op == "==" || op == "===":
	case op == "!=" || op == "!==":
		is = " is not empty"
	case op == ">" && r == "0":
		is = " is not empty"
	case op == "<" && r == "1":
		is, r = " is empty", "0"
	default:
		return ""
	}
	if r == `""` || r == "''" {
		if op == ">" || op == "<" {
			return ""
		}
		if s := w.side(left); s != "" {
			return s + is
		}
	}
	if r != "0" {
		return ""
	}
	left = unwrapped(w.f, left)
	if left.Is(kit.Call) {
		name, on := w.method(left)
		if args := left.Args(); on == "" && name == "len" && len(args) == 1 {
			if s := w.side(args[0]); s != "" {
				return s + is
			}
		}
		if on != "" && w.form == kit.Javadoc && (name == "size" || name == "length") && len(left.Args()) == 0 {
			if s := w.side(left.Get("object")); s != "" {
				return s + is
			}
		}
	}
	if left.Is(kit.Member) && (w.form == kit.JSDoc || w.form == kit.Javadoc) {
		for _, field := range []string{"property", "field"} {
			if k := left.Get(field); k != nil && w.f.Text(k) == "length" {
				if s := w.side(left.Get("object")); s != "" {
					return s + is
				}
			}
		}
	}
	return ""
}

// expanded are words without the usual abbreviations.
func expanded(ws []string) []string {
	for i, x := range ws {
		switch x {
		case "err":
			ws[i] = "error"
		case "len":
			ws[i] = "length"
		case "msg":
			ws[i] = "message"
		case "cfg":
			ws[i] = "configuration"
		}
	}
	return ws
}
