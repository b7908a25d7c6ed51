package ops

import (
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
)

// inliner knows of a language's functions whether a call can be replaced by what they do.
type inliner interface {
	// Inlinable is the function with its parameters and calls. It declines a function whose body is
	// not all that a call does (it is generic, asynchronous, recovers), and one that code which
	// cannot be seen may call.
	Inlinable(ds []*kit.Decl) (*Signature, error)
	// As is a value as it has to be written where a parameter, or a result, of a type converted it.
	// at is the place where it comes to stand.
	As(value *kit.Node, f *kit.File, text string, typ *kit.Node, of *kit.File, at *kit.Node) (string, error)
}

// inlineFunction replaces each call of a function by its body, and deletes the function:
//
//   - a body of one return: its expression stands where the call stood;
//   - statements without a return: they stand where the call was a statement of its own.
//
// It does so where every argument is evaluated once and in the same order, or is the same
// whenever and however often it is evaluated, and where the names of the body mean the same.
func inlineFunction(j *kit.Job, ds []*kit.Decl) error {
	d := ds[0]
	lang, ok := j.Syntax.(inliner)
	if !ok {
		return j.Declined("%s (%s) is a function; a local variable can be inlined so far", d.Title, d.Place())
	}
	sig, err := lang.Inlinable(ds)
	if err != nil {
		return err
	}
	names, err := j.Syntax.(kit.Binder).Names(d.File)
	if err != nil {
		return err
	}
	in := &inliningFunc{Job: j, lang: lang, d: d, fn: d.Func(), names: names, params: sig.Lists[0].Params}
	if err := in.read(); err != nil {
		return err
	}
	if len(sig.Calls) == 0 {
		return j.Declined("nothing calls %s", d.Title)
	}
	for _, c := range sig.Calls {
		if err := in.call(c); err != nil {
			return err
		}
	}
	from, to, err := j.Lines(d)
	if err != nil {
		return err
	}
	j.RemoveLines(d.File, from, to)
	j.Promise = kit.Promise{Removes: true, Names: []string{d.Name}, Users: ds}
	j.Say("Inlined %s in %s.", d.Title, countOf(len(sig.Calls), "call"))
	return nil
}

// inliningFunc is one function that goes.
type inliningFunc struct {
	*kit.Job
	lang   inliner
	d      *kit.Decl
	fn     *kit.Node
	names  kit.Names
	params []Parameter

	expr  *kit.Node   // what it returns, and nothing else
	stmts []*kit.Node // or its statements
	vars  []*kit.Var  // of the parameters; nil where the body does not name one
	done  []*kit.Node // the calls
}

// read finds out what the body is made of.
func (in *inliningFunc) read() error {
	f, body := in.d.File, in.fn.Get("body")
	if body == nil {
		return in.Declined("%s has no body", in.d.Title)
	}
	code := body.Code()
	if body.Is(kit.Block) && len(code) > 0 && code[0].Is(kit.Expr) && len(code[0].Code()) == 1 &&
		code[0].Code()[0].Is(kit.String) {
		code = code[1:] // it documents the function
	}
	switch {
	case !body.Is(kit.Block):
		in.expr = body
	case len(code) == 1 && code[0].Is(kit.Return) && len(code[0].Code()) == 1:
		in.expr = code[0].Code()[0]
	case len(code) == 0:
		return in.Declined("%s does nothing; delete its calls", in.d.Title)
	default:
		in.stmts = code
	}
	if in.expr != nil && strings.Contains(f.Text(in.expr), "\n") {
		return in.Declined("what %s returns has several lines", in.d.Title)
	}
	for _, s := range in.stmts {
		if r := returnIn(s); r != nil {
			return in.Declined("%s returns at line %d, behind other statements; a body of one return, or of statements "+
				"without any, can be inlined so far", in.d.Title, f.LineOf(r.From))
		}
		if !f.BeginsLine(s.From) || f.Code(s.To, f.LineEnd(s.To)) {
			return in.Declined("line %d of %s shares its line with other code", f.LineOf(s.From), f.Path)
		}
	}
	for _, p := range in.params {
		v, err := in.param(p)
		if err != nil {
			return err
		}
		in.vars = append(in.vars, v)
	}
	return in.namesOfBody()
}

// param is the variable of a parameter, which nothing in the body changes.
func (in *inliningFunc) param(p Parameter) (*kit.Var, error) {
	if p.Fixed != "" || p.Optional {
		return nil, in.Declined("%s may be called without %s, or with more for it", in.d.Title, p.Name)
	}
	var found *kit.Var
	for n, v := range in.names {
		if n.From >= p.From && n.To <= p.To && v.Kind == "param" && v.Name == p.Name && slices.Contains(v.Decls, n) {
			found = v
		}
	}
	switch {
	case found == nil && p.Name == "_":
		return nil, nil
	case found == nil:
		return nil, in.Declined("the parameter %s of %s is no plain name", p.Name, in.d.Title)
	case len(found.Writes) > 0:
		return nil, in.Declined("%s changes its parameter %s (line %d)", in.d.Title, p.Name,
			in.d.File.LineOf(found.Writes[0].From))
	}
	return found, nil
}

// namesOfBody declines a body that declares names, whose calls itself, or whose names are in strings.
func (in *inliningFunc) namesOfBody() error {
	f := in.d.File
	for n, v := range in.names {
		if !in.inBody(n) {
			continue
		}
		if slices.Contains(v.Decls, n) {
			return in.Declined("%s declares %s (line %d), which the code around a call would see", in.d.Title, v.Name,
				f.LineOf(n.From))
		}
		if n.Up(kit.String) != nil && slices.Contains(in.vars, v) {
			return in.Declined("%s is in a string (line %d)", v.Name, f.LineOf(n.From))
		}
	}
	return nil
}

func (in *inliningFunc) inBody(n *kit.Node) bool {
	if in.expr != nil {
		return in.expr.Covers(n.From, n.To)
	}
	return in.stmts[0].From <= n.From && n.To <= in.stmts[len(in.stmts)-1].To
}

// calling is one call that is replaced.
type calling struct {
	*inliningFunc
	f     *kit.File
	node  *kit.Node
	names kit.Names
	args  []*kit.Node // by parameter
}

func (in *inliningFunc) call(c Passed) error {
	at := c.File.Place(c.At)
	node := c.File.Around(c.At, c.At+len(in.d.Name))
	for node != nil && !node.Is(kit.Call) {
		node = node.Parent
	}
	switch {
	case node == nil:
		return in.Declined("the call at %s is not written as one", at)
	case c.File == in.d.File && in.fn.Covers(node.From, node.To):
		return in.Declined("%s calls itself (%s)", in.d.Title, at)
	case node.Up(kit.String) != nil:
		return in.Declined("the call at %s is in a string", at)
	case prefixed(c.File.Text(node), "new ") || prefixed(c.File.Text(node.Parent), "defer ", "go ", "@", "await "):
		return in.Declined("the call at %s is no plain one", at)
	case strings.Contains(c.File.Text(node), "?."):
		return in.Declined("the call at %s is made only if there is something to call", at)
	}
	for _, o := range in.done {
		if o.Covers(node.From, node.To) && o != node || node.Covers(o.From, o.To) {
			return in.Declined("the call at %s is an argument of another one", at)
		}
	}
	in.done = append(in.done, node)
	names := in.names
	if c.File != in.d.File {
		var err error
		if names, err = in.Syntax.(kit.Binder).Names(c.File); err != nil {
			return err
		}
	}
	k := &calling{inliningFunc: in, f: c.File, node: node, names: names, args: make([]*kit.Node, len(in.params))}
	if err := k.receiver(); err != nil {
		return err
	}
	if err := k.passed(c); err != nil {
		return err
	}
	if err := k.visible(); err != nil {
		return err
	}
	if in.expr != nil {
		return k.putExpr()
	}
	return k.putStatements()
}

func prefixed(s string, all ...string) bool {
	return slices.ContainsFunc(all, func(p string) bool { return strings.HasPrefix(s, p) })
}

// receiver demands that what a method is called on is called the same in both places.
func (k *calling) receiver() error {
	callee := k.node.Get("function")
	object := callee.Get("object")
	if callee == nil { // Java
		object = k.node.Get("object")
	}
	own, around := k.fn.Up(kit.Class), k.node.Up(kit.Class)
	method := own != nil || k.fn.Get("receiver") != nil
	switch {
	case object != nil && !method:
		return k.Declined("%s is called on something (%s)", k.d.Title, k.f.Place(k.node.From))
	case !method:
		return nil
	case own != around || own != nil && k.f != k.d.File:
		return k.Declined("the call at %s is in another class", k.f.Place(k.node.From))
	case k.fn.Get("receiver") != nil:
		return k.goReceiver(object)
	case object != nil && !slices.Contains([]string{"this", "self", "cls"}, k.f.Text(object)):
		return k.Declined("%s is called on another object (%s)", k.d.Title, k.f.Place(k.node.From))
	}
	for at := k.node.Parent; at != nil && at != own; at = at.Parent {
		if at.Is(kit.Func) && at.Up(kit.Func, kit.Class) != own && !strings.Contains(k.f.Text(at), "=>") {
			return k.Declined("the call at %s is in a function of its own", k.f.Place(k.node.From))
		}
	}
	return nil
}

// goReceiver demands a method that is called on the receiver of another one, by the same name.
func (k *calling) goReceiver(object *kit.Node) error {
	host := k.node.Up(kit.Func)
	for host.Up(kit.Func) != nil {
		host = host.Up(kit.Func)
	}
	was, is := k.fn.Get("receiver"), host.Get("receiver")
	if is == nil || !object.Is(kit.Name) || k.d.File.Text(was) != k.f.Text(is) ||
		!strings.HasPrefix(strings.TrimLeft(k.f.Text(is), "( "), k.f.Text(object)+" ") {
		return k.Declined("%s is called on another value, or under another name, at %s", k.d.Title, k.f.Place(k.node.From))
	}
	v := k.names[object]
	if v == nil || len(v.Writes) > 0 {
		return k.Declined("%s may be another one at %s", k.f.Text(object), k.f.Place(k.node.From))
	}
	return nil
}

// passed finds the argument of each parameter.
func (k *calling) passed(c Passed) error {
	for i, a := range c.Args {
		at := i
		if a.Name != "" {
			at = slices.IndexFunc(k.params, func(p Parameter) bool { return p.Name == a.Name })
		}
		if at < 0 || at >= len(k.params) || k.args[at] != nil {
			return k.Declined("the arguments at %s are not those of the parameters", c.File.Place(c.At))
		}
		node := c.File.Around(a.From, a.To)
		if a.Name != "" {
			node = node.Get("value")
		}
		for node != nil && len(node.Kids) == 1 && node.Kids[0].Covers(a.From, a.To) {
			node = node.Kids[0]
		}
		if node == nil || strings.Contains(k.f.Text(node), "\n") {
			return k.Declined("an argument at %s has several lines", c.File.Place(c.At))
		}
		if !k.free(node) && i != at {
			return k.Declined("the arguments at %s come in another order", c.File.Place(c.At))
		}
		k.args[at] = node
	}
	if slices.Contains(k.args, nil) {
		return k.Declined("the call at %s does not pass every parameter", c.File.Place(c.At))
	}
	return nil
}

// free reports whether a value is the same whenever, and however often, it is evaluated near the
// call: a literal, or a local variable that no function inside its own changes.
func (k *calling) free(n *kit.Node) bool {
	switch {
	case n.Is(kit.Number):
		return true
	case n.Is(kit.String):
		return len(n.Code()) == 0 || !strings.ContainsAny(k.f.Text(n), "{$")
	case n.Is(kit.Name):
		v := k.names[n]
		if v == nil || v.Kind != "param" && !v.Local() || len(v.Decls) != 1 {
			return false
		}
		home := v.Decls[0].Up(kit.Func)
		return !slices.ContainsFunc(v.Writes, func(w *kit.Node) bool {
			return w.Up(kit.Func) != home || w.Parent.Is(kit.Unary) || k.node.Covers(w.From, w.To)
		})
	}
	return false
}

// visible demands that the names of the body mean the same at the call, and those of the
// arguments where they come to stand.
func (k *calling) visible() error {
	for n, v := range k.inliningFunc.names {
		if !k.inBody(n) || slices.Contains(k.vars, v) {
			continue
		}
		if v.Kind == "param" && len(v.Decls) > 0 && v.Scope != nil && k.fn.Covers(v.Decls[0].From, v.Decls[0].To) {
			if !k.receives(v) {
				return k.Declined("%s is another one at %s", v.Name, k.f.Place(k.node.From))
			}
			continue
		}
		for o, w := range k.names {
			same := w == v || k.f != k.d.File && !w.Local() && w.Kind != "import"
			if w.Name == v.Name && !same && (w.Scope == nil || w.Scope.Covers(k.node.From, k.node.To)) &&
				!(v.Kind == "outside" && w.Kind == "outside") {
				return k.Declined("%s means something else at %s (%s)", v.Name, k.f.Place(k.node.From), k.f.Place(o.From))
			}
		}
		switch {
		case v.Scope != nil && v.Local() && !v.Scope.Covers(k.node.From, k.node.To):
			return k.Declined("%s is not seen from %s", v.Name, k.f.Place(k.node.From))
		case k.f != k.d.File && (v.Kind == "import" || !k.Dialect().Redeclares):
			return k.Declined("the call at %s is in another file, where %s may be another one", k.f.Place(k.node.From), v.Name)
		}
	}
	if k.f != k.d.File && !k.Dialect().Redeclares {
		return k.Declined("the call at %s is in another file", k.f.Place(k.node.From))
	}
	return nil
}

// receives reports whether the receiver that the body names is what the call is made on, by the
// same name.
func (k *calling) receives(v *kit.Var) bool {
	object := k.node.Get("function").Get("object")
	return len(v.Writes) == 0 && object.Is(kit.Name) && k.f.Text(object) == v.Name
}

// putExpr puts what the function returns in the place of the call.
func (k *calling) putExpr() error {
	if k.node.Parent.Is(kit.Expr) && !k.expr.Is(kit.Call) {
		return k.Declined("the call at %s is a statement, and what %s returns is none", k.f.Place(k.node.From), k.d.Title)
	}
	if err := k.ordered(k.expr); err != nil {
		return err
	}
	text, err := k.substituted(k.expr.From, k.expr.To)
	if err != nil {
		return err
	}
	typ := k.fn.Get("return_type")
	if t := k.fn.Get("parameters").Get("return_type"); t != nil { // Go
		typ = t
	}
	if typ == nil {
		typ = k.fn.Get("type") // Java
	}
	was := text
	if text, err = k.lang.As(k.expr, k.d.File, text, typ, k.d.File, k.node); err != nil {
		return err
	}
	if !k.bareIn(k.expr, k.node, k.f) && (text == was || !strings.HasSuffix(text, ")") || strings.HasPrefix(text, "(")) {
		text = "(" + text + ")"
	}
	if k.f.BeginsLine(k.node.From) && strings.HasPrefix(text, "(") { // the line before may have no semicolon
		return k.Declined("what %s returns would begin the line at %s in parentheses", k.d.Title, k.f.Place(k.node.From))
	}
	k.Edits.Replace(k.f, k.node.From, k.node.To, text)
	return nil
}

// putStatements puts the statements of the function in the place of a call that is a statement.
func (k *calling) putStatements() error {
	stmt := k.node.Parent
	if !stmt.Is(kit.Expr) || !stmt.Parent.Is(kit.Block) || !k.f.BeginsLine(stmt.From) ||
		strings.Trim(string(k.f.Src[stmt.To:k.f.LineEnd(stmt.To)]), "; \t") != "" {
		return k.Declined("%s has statements, and its call at %s is not a statement on lines of its own", k.d.Title,
			k.f.Place(k.node.From))
	}
	for i, a := range k.args {
		if !k.free(a) {
			return k.Declined("what is passed for %s at %s may be another value in the middle of the statements; extract a "+
				"variable first", k.params[i].Name, k.f.Place(a.From))
		}
	}
	g := k.d.File
	first, last := k.stmts[0], k.stmts[len(k.stmts)-1]
	from, to := k.withRemarks(first.From, last.To)
	lead, indent := g.Indent(first.From), k.f.Indent(stmt.From)
	var out []string
	for at := from; at < to; at = g.NextLine(at) {
		line, err := k.substituted(at, g.LineEnd(at))
		if err != nil {
			return err
		}
		if rest, ok := strings.CutPrefix(line, lead); ok {
			line = indent + rest
		} else if strings.TrimSpace(line) != "" {
			return k.Declined("line %d of %s is indented less than the statements around it", g.LineOf(at), g.Path)
		}
		out = append(out, line)
	}
	k.Edits.Replace(k.f, k.f.LineStart(stmt.From), k.f.LineEnd(stmt.To), strings.Join(out, k.f.EOL()))
	return nil
}

// withRemarks are the lines of the statements with the comments directly above and below them.
func (k *calling) withRemarks(from, to int) (int, int) {
	g, body := k.d.File, k.fn.Get("body")
	head := max(k.fn.Get("parameters").To, k.fn.From)
	if k.Dialect().Open != "" {
		head = body.From
	}
	remark := func(at int) bool {
		return strings.HasPrefix(strings.TrimSpace(string(g.Src[g.LineStart(at):g.LineEnd(at)])), k.Dialect().Line)
	}
	from, to = g.LineStart(from), g.LineEnd(to)
	for from > 0 && g.LineStart(from-1) > head && remark(from-1) {
		from = g.LineStart(from - 1)
	}
	for to < len(g.Src) && g.LineEnd(g.NextLine(to)) < body.To && remark(g.NextLine(to)) {
		to = g.LineEnd(g.NextLine(to))
	}
	return from, to
}

// ordered declines where an argument that is not free would be evaluated never, twice, only
// perhaps, or behind something that may act.
func (k *calling) ordered(expr *kit.Node) error {
	last := 0
	for i, a := range k.args {
		if k.free(a) {
			continue
		}
		at := k.f.Place(a.From)
		uses := k.uses(i)
		if len(uses) != 1 {
			return k.Declined("what is passed for %s at %s would be evaluated %d times; extract a variable first",
				k.params[i].Name, at, len(uses))
		}
		u := uses[0]
		if u.From < last {
			return k.Declined("the arguments at %s would be evaluated in another order", at)
		}
		last = u.From
		if !k.always(u, expr) {
			return k.Declined("what is passed for %s at %s may not be evaluated; extract a variable first", k.params[i].Name, at)
		}
	}
	return nil
}

// always reports whether a place of the expression is evaluated whenever it is, with nothing but
// names and values before it.
func (k *calling) always(u, expr *kit.Node) bool {
	for at := u; at != expr; at = at.Parent {
		p := at.Parent
		if !p.Is(kit.Call, kit.Args, kit.Binary, kit.Unary, kit.Member, kit.List) && len(p.Code()) != 1 ||
			p.Is(kit.Func) {
			return false
		}
		for i, o := range p.Code() {
			if o == at {
				break
			}
			quiet := true
			o.Walk(func(n *kit.Node) bool {
				quiet = quiet && n.Is(kit.Name, kit.Member, kit.Number, kit.String, kit.Args)
				return quiet
			})
			between := k.d.File.Src[o.To:at.From]
			if !quiet || p.Is(kit.Binary) && (strings.ContainsAny(string(between), "&|?") ||
				strings.Contains(string(between), " and ") || strings.Contains(string(between), " or ")) ||
				i == 0 && o.Is(kit.Member) && p.Is(kit.Call) && k.named(o) {
				return false
			}
		}
	}
	return true
}

// named reports whether a node names one of the parameters.
func (k *calling) named(n *kit.Node) bool {
	return slices.ContainsFunc(k.vars, func(v *kit.Var) bool { return v != nil && len(kit.In(v.Refs, n.From, n.To)) > 0 })
}

// uses are the places of the body that name a parameter.
func (k *calling) uses(i int) []*kit.Node {
	if k.vars[i] == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(k.vars[i].Refs), func(n *kit.Node) bool { return !k.inBody(n) })
}

// substituted is the source of [from, to) with the arguments in the places of the parameters.
func (k *calling) substituted(from, to int) (string, error) {
	type put struct {
		n   *kit.Node
		arg int
	}
	var all []put
	for i := range k.params {
		for _, n := range k.uses(i) {
			if n.From >= from && n.To <= to {
				all = append(all, put{n, i})
			}
		}
	}
	slices.SortFunc(all, func(a, b put) int { return a.n.From - b.n.From })
	var out strings.Builder
	src := k.d.File.Src
	for _, p := range all {
		text, err := k.argument(p.n, p.arg)
		if err != nil {
			return "", err
		}
		out.Write(src[from:p.n.From])
		out.WriteString(text)
		from = p.n.To
	}
	out.Write(src[from:to])
	return out.String(), nil
}

// argument is what stands for a parameter in the body.
func (k *calling) argument(u *kit.Node, i int) (string, error) {
	a, p := k.args[i], u.Parent
	if code := p.Code(); p.Is(kit.List) && !strings.HasPrefix(k.d.File.Text(p), "[") &&
		!strings.HasPrefix(k.d.File.Text(p), "(") ||
		p.Is(kit.Other) && k.d.File.Text(p) == k.d.File.Text(u) && len(code) == 1 ||
		strings.HasPrefix(k.d.File.Text(p), "&") {
		return "", k.Declined("%s at %s may be a name as well as a value", k.params[i].Name, k.d.File.Place(u.From))
	}
	hidden := ""
	a.Walk(func(n *kit.Node) bool {
		for m, w := range k.inliningFunc.names {
			if n.Is(kit.Name) && w.Name == k.f.Text(n) && slices.Contains(w.Decls, m) && w.Scope.Covers(u.From, u.To) &&
				w.Scope != k.fn && k.fn.Covers(w.Scope.From, w.Scope.To) && !slices.Contains(k.vars, w) {
				hidden = w.Name
			}
		}
		return true
	})
	if hidden != "" {
		return "", k.Declined("%s means something else in the body of %s", hidden, k.d.Title)
	}
	text := k.f.Text(a)
	typ := k.typeOf(i)
	as, err := k.lang.As(a, k.f, text, typ, k.d.File, u)
	if err != nil {
		return "", err
	}
	if as != text && !strings.HasPrefix(as, "(") {
		return as, nil // a conversion
	}
	if as != text || !k.bareIn(a, u, k.d.File) {
		as = "(" + as + ")"
	}
	return as, nil
}

// typeOf is the type of a parameter as declared, or nil.
func (k *calling) typeOf(i int) *kit.Node {
	for n := k.d.File.Around(k.params[i].From, k.params[i].From+1); n != nil && n != k.fn; n = n.Parent {
		if n.Is(kit.Param) {
			return n.Get("type")
		}
	}
	return nil
}

// bareIn reports whether a value needs no parentheses in the place of u.
func (k *calling) bareIn(value, u *kit.Node, f *kit.File) bool {
	p := u.Parent
	if value.Is(kit.Name, kit.Call, kit.Member) {
		return true
	}
	if value.Is(kit.String) && (p.Is(kit.Binary) || k.Dialect().Redeclares) || value.Is(kit.Number) && !p.Is(kit.Member) {
		return true
	}
	plain := value.Is(kit.Binary, kit.Unary, kit.String, kit.Number)
	if p.Is(kit.If, kit.Loop) && u.Field == "condition" ||
		p.Is(kit.Other) && len(p.Code()) == 1 && strings.HasPrefix(f.Text(p), "(") {
		return plain
	}
	return plain && (p.Is(kit.Args, kit.Return) || p.Is(kit.Call) && u.Field == "argument" ||
		p.Is(kit.Assign, kit.Declare) && u != p.Code()[0] && len(p.Code()) == 2 ||
		p.Is(kit.Other) && len(p.Code()) == 2 && u == p.Code()[1] && p.Code()[0].Is(kit.Name) && u.Field == "value")
}
