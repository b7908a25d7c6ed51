package treesitter

import (
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// waits is what a dialect implements that has async functions.
type waits interface {
	// never is why a function could not be async whoever calls it, or "".
	never(u *unit, fn *node) string
	// bound is why a function has to stay as others know it, or "".
	bound(j *job, f *function) string
	// promises reports whether what a function gives is waited for already.
	promises(j *job, u *unit, fn *node) bool
	// patches make a function async; why says what stands in the way.
	patches(j *job, u *unit, fn *node) (edits []kit.Patch, why string)
	// handled is why what a function is handed to would not wait for it, or "": n is the
	// function, or its name.
	handled(j *job, u *unit, n *node) string
	// around finds what a call is in: a function, or the top level of its file.
	around(j *job, c callSite) around
	// done reports whether the call is awaited, or its result handed to what waits for it.
	done(c callSite) bool
	// binds reports whether what is around the call binds more than await does.
	binds(call *node) bool
}

// around is what a call is in.
type around struct {
	fn  *node  // nil at the top level
	run string // what runs the call there instead of await, or ""
	why string // why it can be neither, or ""
}

// Waiter implements the hook of async.
func (s syntax) Waiter(arg string) (*ops.Waiter, error) {
	all, err := s.some(s.op.Args[arg], "")
	if err != nil {
		return nil, err
	}
	if x := all[0]; len(all) == 1 && x.class != nil && x.class.iface && x.kind == "method" {
		return nil, s.decline("the interface %s (%s) declares it, and all that implement it would have to be async",
			x.class.title(), x.spot())
	}
	f, err := s.function(arg)
	if err != nil {
		return nil, err
	}
	return s.waiter(f), nil
}

func (s syntax) waiter(f *function) *ops.Waiter {
	d := s.d.(waits)
	w := &ops.Waiter{Title: f.title(), File: s.kitFile(f.unit), At: f.node.from, Async: f.fn.child("async") != nil,
		Fixed: d.never(f.unit, f.fn), Raw: f}
	if w.Async || w.Fixed != "" {
		return w
	}
	if w.Promises = d.promises(s.job, f.unit, f.fn); !w.Promises {
		w.Fixed = d.bound(s.job, f)
	}
	if w.Fixed == "" {
		w.Edits, w.Fixed = d.patches(s.job, f.unit, f.fn)
	}
	return w
}

// waiterAt is the function of a node: one with a name, or what is handed to something.
func (s syntax) waiterAt(u *unit, fn *node) (*ops.Waiter, error) {
	d := s.d.(waits)
	if fn.child("async") != nil {
		return &ops.Waiter{File: s.kitFile(u), At: fn.from, Async: true}, nil
	}
	f, err := s.functionAt(u, fn)
	if err != nil {
		return nil, err
	}
	if f != nil {
		w := s.waiter(f)
		if f.b != nil && len(f.b.decls) > 1 || f.b == nil && len(f.class.members[f.name]) > 1 {
			w.Fixed = "it is declared more than once"
		}
		return w, nil
	}
	w := &ops.Waiter{Title: "the function at " + spot(u, fn), File: s.kitFile(u), At: fn.from, Fixed: d.never(u, fn)}
	if w.Fixed == "" {
		w.Fixed = d.handled(s.job, u, fn)
	}
	if w.Fixed == "" {
		w.Edits, w.Fixed = d.patches(s.job, u, fn)
	}
	return w, nil
}

// functionAt is the function of a node under the name by which others call it, or nil.
func (j *job) functionAt(u *unit, fn *node) (*function, error) {
	name := fn.get("name")
	if fn.field == "value" && fn.parent.is("variable_declarator", "public_field_definition", "field_definition") {
		name = fn.parent.get("name")
		if name == nil {
			name = fn.parent.get("property")
		}
	}
	if name == nil {
		return nil, nil
	}
	for _, s := range u.subjects(name.text()) {
		if functionNode(s) != fn {
			continue
		}
		f := &function{subject: s, fn: fn, params: fn.get("parameters")}
		var err error
		if f.class != nil {
			f.family, err = j.familyOf(f.class, f.name)
		}
		return f, err
	}
	return nil, nil
}

// Awaited implements the hook of async.
func (s syntax) Awaited(w *ops.Waiter) ([]ops.AwaitedCall, error) {
	f, ok := w.Raw.(*function)
	if !ok {
		return nil, nil // what it is handed to calls it
	}
	us, err := s.usesOf(f)
	if err != nil {
		return nil, err
	}
	var out []ops.AwaitedCall
	for _, c := range us.calls {
		a, err := s.awaitedCall(c)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// usesOf are the uses of a function, all of which are calls of it, or wait for it where it is
// handed on.
func (s syntax) usesOf(f *function) (*uses, error) {
	us, err := s.uses(f)
	if err != nil {
		return nil, err
	}
	for _, d := range us.doubts {
		return nil, s.decline("it is not certain whether %s is what is used at %s", f.title(), spot(d.u, d.n))
	}
	for _, n := range us.values {
		u := us.units[n]
		if why := s.d.(waits).handled(s.job, u, n); why != "" {
			return nil, s.decline("%s is handed on as a value at %s: %s", f.title(), spot(u, n), why)
		}
	}
	if err := s.heldElsewhere(f); err != nil {
		return nil, err
	}
	units, err := s.p.mentioning(s.ctx, f.name)
	if err != nil {
		return nil, err
	}
	for _, u := range units {
		for _, n := range s.d.keyed(u, f.name) {
			return nil, s.decline("the string at %s may stand for %s", spot(u, n), f.title())
		}
		if n := replaced(u, f.name); u.python() && n != nil {
			return nil, s.decline("what replaces %s at %s would have to be async too", f.title(), spot(u, n))
		}
		if f.b == nil || u == f.unit || !s.d.loads(s.p, u, f.unit) {
			continue
		}
		for _, n := range s.d.mentions(u, f.name) {
			if callOf(n) != nil && s.d.means(s.p, u, n).kind == unknown {
				return nil, s.decline("it is not certain whether %s is what is called at %s", f.title(), spot(u, n))
			}
		}
	}
	return us, nil
}

func (s syntax) awaitedCall(c callSite) (ops.AwaitedCall, error) {
	d := s.d.(waits)
	out := ops.AwaitedCall{File: s.kitFile(c.u), From: c.call.from, To: c.call.to, Done: d.done(c),
		Parens: d.binds(c.call), Begins: !c.u.python() && begins(c.call)}
	if out.Done {
		return out, nil
	}
	in := d.around(s.job, c)
	out.Fixed, out.Run = in.why, in.run
	if in.run != "" {
		out.Runs = func() { s.importsAsyncio(c.u) }
	}
	if in.fn == nil || in.why != "" || in.run != "" {
		return out, nil
	}
	var err error
	out.In, err = s.waiterAt(c.u, in.fn)
	return out, err
}

// begins reports whether a call begins a statement behind one that no semicolon ends.
func begins(call *node) bool {
	stmt := call.up("expression_statement")
	if stmt == nil || stmt.from != call.from {
		return false
	}
	prev := stmt.prev
	for prev.is("comment") {
		prev = prev.prev
	}
	return prev.is("expression_statement", "lexical_declaration", "variable_declaration", "return_statement",
		"throw_statement", "import_statement", "export_statement", "do_statement") && !strings.HasSuffix(prev.text(), ";")
}

// shared says why a method has to stay as the classes around it know it, or "".
func (f *function) shared() string {
	if f.family == nil {
		return ""
	}
	for _, c := range f.family.owners {
		if c != f.class {
			return c.title() + " (" + spot(c.unit, c.node) + ") declares it too, and they are used for each other"
		}
	}
	for _, b := range f.family.unsure {
		return b.text() + ", which " + f.class.title() + " inherits from, is not in this project and may call it"
	}
	return ""
}

// own visits what a function does itself: the functions in it are left out.
func own(fn *node, visit func(*node)) {
	fn.get("body").walk(func(n *node) bool {
		if n != fn && (n.is(functions...) || n.is("class_body", "class_definition")) {
			return false
		}
		visit(n)
		return true
	})
}

// givenValues are the values that a function gives; ok is false when it may give none.
func givenValues(fn *node) (values []*node, ok bool) {
	if b := fn.get("body"); fn.is("arrow_function") && !b.is("statement_block") {
		return []*node{unwrapped(b)}, true
	}
	ok = true
	own(fn, func(n *node) {
		if n.is("return_statement") {
			v := n.firstKid()
			ok = ok && v != nil
			values = append(values, unwrapped(v))
		}
	})
	return values, ok && len(values) > 0
}

func unwrapped(n *node) *node {
	for n.is("parenthesized_expression") {
		n = n.firstKid()
	}
	return n
}

// isAsyncCall reports whether a call is one of a function of the project that is async.
func (j *job) isAsyncCall(u *unit, call *node) bool {
	fn := call.get("function")
	if fn.is("attribute", "member_expression") {
		fn = fn.lastKid()
	}
	if fn == nil || !call.is("call", "call_expression") {
		return false
	}
	m := j.d.means(j.p, u, fn)
	switch m.kind {
	case bound:
		b := j.p.follow(m.b)
		return len(b.decls) == 1 && isAsync(b.def())
	case memberOf:
		for _, c := range j.p.ancestry(m.class) {
			if ms := c.members[m.name]; len(ms) > 0 {
				return len(ms) == 1 && isAsync(ms[0].def)
			}
		}
	default: // nothing is known of it
	}
	return false
}

func isAsync(def *node) bool {
	if v := def.get("value"); v.is("arrow_function", "function_expression") {
		def = v
	}
	return def.child("async") != nil && def.child("*") == nil && !generates(def)
}

// generates reports whether a function is a generator.
func generates(fn *node) bool {
	found := false
	own(fn, func(n *node) { found = found || n.is("yield", "yield_expression") })
	return found
}

// lastName is the name at the end of what is called.
func lastName(fn *node) string {
	if fn.is("attribute", "member_expression") {
		fn = fn.lastKid()
	}
	return fn.text()
}

// passedTo is the call that gets the node as one of its arguments, or nil.
func passedTo(n *node) *node {
	if p := n.parent; p.is("arguments", "argument_list") && p.parent.is("call", "call_expression") {
		return p.parent
	}
	return nil
}

// importsFrom reports whether a file imports from a module, or one in it.
func importsFrom(u *unit, module string) bool {
	for _, o := range u.imports {
		if o.full == module || strings.HasPrefix(o.full, module+".") {
			return true
		}
	}
	return false
}
