package ops

import (
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
)

// inline puts the value of a local variable where it is used, and deletes the declaration. It
// does so where the value is the same there and nothing happens in another order:
//
//   - it is made of literals and of variables that never change: then anywhere, in any number;
//   - it is used once, in a later statement of the block, and nothing that is evaluated before
//     has an effect on the value, or is affected by it.
func inline(j *kit.Job) error {
	ds, err := j.Subject("symbol")
	if err != nil {
		return err
	}
	d := ds[0]
	if d.Func() != nil || slices.Contains([]string{"func", "method"}, d.Kind) {
		return inlineFunction(j, ds)
	}
	names, err := j.Syntax.(kit.Binder).Names(d.File)
	if err != nil {
		return err
	}
	in := &inlining{Job: j, f: d.File, names: names, v: names[d.File.Around(d.At, d.At+len(d.Name))]}
	if in.v == nil || len(ds) > 1 || !in.v.Local() || d.Func() != nil || in.v.Kind == "param" {
		return j.Declined("%s (%s) is a %s; a local variable can be inlined so far", d.Title, d.Place(), d.Kind)
	}
	if err := in.declaration(); err != nil {
		return err
	}
	if o, ok := j.Syntax.(opaquer); ok {
		if n := o.Opaque(d.File, in.name.Up(kit.Func)); n != nil {
			return j.Declined("%s at %s may use any variable", d.File.Text(n), d.File.Place(n.From))
		}
	}
	uses := slices.DeleteFunc(slices.Clone(in.v.Refs), func(n *kit.Node) bool { return n == in.name })
	if len(uses) == 0 {
		return j.Declined("nothing uses %s", in.v.Name)
	}
	for _, u := range uses {
		if err := in.use(u, len(uses)); err != nil {
			return err
		}
	}
	f := d.File
	from, to := f.LineStart(in.stmt.From), f.LineEnd(in.stmt.To)
	j.Edits.Replace(f, from, f.NextLine(to), "")
	j.Promise = kit.Promise{Removes: true, Names: []string{in.v.Name}}
	places := "1 place"
	if len(uses) > 1 {
		places = f.Path
	}
	j.Say("Inlined %s in %s.", in.v.Name, places)
	return nil
}

// opaquer knows code that reads or sets variables without naming them: eval, locals(), arguments.
type opaquer interface {
	Opaque(f *kit.File, fn *kit.Node) *kit.Node
}

// inlining is one variable that goes.
type inlining struct {
	*kit.Job
	f     *kit.File
	names kit.Names
	v     *kit.Var
	name  *kit.Node // where it is declared
	stmt  *kit.Node // the statement that does
	typ   *kit.Node // the type that is written there, or nil
	value *kit.Node
}

// declaration finds the one statement that gives the variable its value, and nothing else.
func (in *inlining) declaration() error {
	v := in.v
	if len(v.Decls) != 1 || len(v.Writes) != 1 || v.Writes[0] != v.Decls[0] {
		return in.Declined("%s gets a value in %d places", v.Name, max(len(v.Writes), len(v.Decls)))
	}
	in.name = v.Decls[0]
	p := in.name.Parent
	var code []*kit.Node
	for _, k := range p.Code() {
		if k.Field == "type" {
			in.typ = k
		} else {
			code = append(code, k)
		}
	}
	if len(code) != 2 || code[0] != in.name {
		return in.Declined("the statement at %s declares more than %s and its value, or its type", in.f.Place(p.From), v.Name)
	}
	in.value = code[1]
	end := in.name.To
	if in.typ != nil {
		end = max(end, in.typ.To)
	}
	if sign := strings.TrimSpace(string(in.f.Src[end:in.value.From])); sign != "=" && sign != ":=" {
		return in.Declined("%s is declared with %q at %s", v.Name, sign, in.f.Place(p.From))
	}
	in.stmt = p
	for s := p; !s.Parent.Is(kit.Block, kit.Case); in.stmt = s {
		s = s.Parent
		typed := s.Is(kit.Declare) && len(s.Code()) == 2 && s.Code()[0].Field == "type"
		if typed {
			in.typ = s.Code()[0]
		}
		if s.Parent == nil || len(s.Code()) != 1 && !typed || s.Is(kit.Loop, kit.If, kit.Switch, kit.Func) {
			return in.Declined("the statement at %s declares more than %s and its value, or its type",
				in.f.Place(p.From), v.Name)
		}
	}
	f := in.f
	if !f.BeginsLine(in.stmt.From) || f.Code(in.stmt.To, f.LineEnd(in.stmt.To)) ||
		strings.TrimRight(string(f.Src[in.stmt.To:f.LineEnd(in.stmt.To)]), "; \t") != "" ||
		f.Emptied(in.stmt.From, in.stmt.To) != nil {
		return in.Declined("the statement at %s shares its lines with something else", f.Place(in.stmt.From))
	}
	if strings.Contains(f.Text(in.value), "\n") {
		return in.Declined("the value of %s has several lines", v.Name)
	}
	return nil
}

// use puts the value where the variable is used.
func (in *inlining) use(u *kit.Node, count int) error {
	at := in.f.Place(u.From)
	if why := in.unfit(u); why != "" {
		return in.Declined("%s at %s %s", in.v.Name, at, why)
	}
	if !in.stmt.Parent.Covers(u.From, u.To) || u.From < in.stmt.To {
		return in.Declined("%s at %s may be used without its declaration", in.v.Name, at)
	}
	if in.typ != nil && !in.Dialect().Hints && !in.sameType(u) {
		return in.Declined("%s may be of another type at %s than its value", in.v.Name, at)
	}
	if in.copied(u) {
		return in.Declined("%s may be a copy that changes at %s", in.v.Name, at)
	}
	if !in.stable(in.value) && (count > 1 || !in.movable(u)) {
		return in.Declined("the value of %s may be another one at %s, or come in another order", in.v.Name, at)
	}
	text := in.f.Text(in.value)
	if in.shorthand(u) {
		text = in.v.Name + ": " + text
	} else if !in.bare(u) {
		if in.f.BeginsLine(u.From) { // the line before may have no semicolon
			return in.Declined("the value of %s would begin the line at %s in parentheses", in.v.Name, at)
		}
		text = "(" + text + ")"
	}
	in.Edits.Replace(in.f, u.From, u.To, text)
	return nil
}

// unfit says why a value cannot stand where the variable does, "" if it can.
func (in *inlining) unfit(u *kit.Node) string {
	p := u.Parent
	switch {
	case p.Is(kit.Other) && in.f.Text(p) == in.f.Text(u):
		return "may be a name as well as a value"
	case u.Up(kit.String) != nil && !in.filledIn(u):
		return "is in a string"
	case strings.HasPrefix(in.f.Text(p), "typeof"), strings.HasPrefix(in.f.Text(p), "&"):
		return "is needed as a variable"
	case u.Field == "constructor" && strings.Contains(in.f.Text(in.value), "("):
		return "is what new makes an object of"
	case in.Dialect().Let == "const" && in.receives(u):
		return "is called, and would be a method"
	case in.Dialect().Name == "typescript" && in.value.Is(kit.List) && strings.HasPrefix(in.f.Text(in.value), "{") &&
		!strings.HasSuffix(in.f.Path, "js") && !u.Parent.Is(kit.Member):
		return "may have another type as a literal"
	case in.value.Is(kit.Number, kit.Unary) && strings.HasPrefix(in.f.Text(p), "(") && !p.Is(kit.Args),
		p.Is(kit.Binary) && in.untyped() && in.literal(p, u):
		return "gives the literal its type"
	}
	hidden := ""
	in.value.Walk(func(n *kit.Node) bool {
		if w := in.names[n]; w != nil && in.hidden(w, u) {
			hidden = "is where " + w.Name + " means something else"
		}
		return true
	})
	return hidden
}

// receives reports whether the use calls the value, which may be a member: its object would become this.
func (in *inlining) receives(u *kit.Node) bool {
	called := u.To < len(in.f.Src) && in.f.Src[u.To] == '`' && !u.Parent.Is(kit.String)
	for at := u; ; at = at.Parent { // out of parentheses and types
		called = called || at.Field == "function"
		if !at.Parent.Is(kit.Other) || called {
			return called && !in.value.Is(kit.Name, kit.Call, kit.Func)
		}
	}
}

// literal reports whether the operation around the use has a literal or a constant on its other
// side, or depends on the type of each.
func (in *inlining) literal(p, u *kit.Node) bool {
	for _, k := range p.Code() {
		w := in.names[k]
		if k != u && (!k.Is(kit.Name) || w == nil || w.Kind == "const" || w.Kind == "outside") {
			return true
		}
	}
	between := string(in.f.Src[p.From:p.To])
	return strings.Contains(between, "<<") || strings.Contains(between, ">>")
}

// hidden reports whether another variable of the name is seen from the use.
func (in *inlining) hidden(w *kit.Var, u *kit.Node) bool {
	for _, o := range in.names {
		if o != w && o.Name == w.Name && (o.Scope == nil || o.Scope.Covers(u.From, u.To)) {
			return true
		}
	}
	return false
}

// stable reports whether an expression is the same wherever it is evaluated: literals, and
// variables that get a value once.
func (in *inlining) stable(n *kit.Node) bool {
	switch n.Kind {
	case kit.Number:
		return true
	case kit.String:
		return len(n.Code()) == 0 || !strings.ContainsAny(in.f.Text(n), "{$")
	case kit.Name:
		return in.constant(n) && !in.entered(in.names[n]) && !in.entered(in.v)
	case kit.Unary:
		return len(n.Code()) == 1 && n.Code()[0].Is(kit.Number)
	default:
		return false
	}
}

// constant reports whether a name always stands for the same value where it can be seen.
func (in *inlining) constant(n *kit.Node) bool {
	w := in.names[n]
	if w == nil || w.Kind == "outside" || w.Kind == "label" {
		return false
	}
	if w.Kind == "param" {
		return len(w.Writes) == 0
	}
	if in.Dialect().Hints && len(w.Decls) == 1 { // the name of an exception ends with its clause
		at := w.Decls[0].From
		if strings.HasPrefix(strings.TrimSpace(string(in.f.Src[in.f.LineStart(at):at])), "except") {
			return false
		}
	}
	return w.Local() && len(w.Decls) == 1 && len(w.Writes) <= 1 && w.Decls[0].To <= in.stmt.From &&
		w.Scope.Covers(in.stmt.From, in.stmt.To) && !in.looped(w)
}

// entered reports whether a part of the variable's value is named: where assigning copies, it may
// change there.
func (in *inlining) entered(v *kit.Var) bool {
	return slices.ContainsFunc(v.Refs, func(n *kit.Node) bool {
		return n.To < len(in.f.Src) && strings.ContainsRune(".[?!", rune(in.f.Src[n.To]))
	})
}

// looped reports whether a loop around the declaration may give the variable another value.
func (in *inlining) looped(w *kit.Var) bool {
	return slices.ContainsFunc(w.Writes, func(n *kit.Node) bool { return n.Up(kit.Loop) != nil })
}

// untyped reports whether the value may be of several types: it is made of literals and constants,
// or of a shift.
func (in *inlining) untyped() bool {
	if !in.value.Is(kit.Number, kit.String, kit.Unary, kit.Binary) {
		return false
	}
	constant := true
	in.value.Walk(func(n *kit.Node) bool {
		w := in.names[n]
		constant = constant && !n.Is(kit.Call, kit.Other, kit.List) &&
			(!n.Is(kit.Name) || w == nil || w.Kind == "const" || w.Kind == "outside")
		return constant
	})
	text := in.f.Text(in.value)
	return constant || strings.Contains(text, "<<") || strings.Contains(text, ">>")
}

// sameType reports whether what takes the value is of the very type that the variable has.
func (in *inlining) sameType(u *kit.Node) bool {
	p := u.Parent
	if in.value.Is(kit.List) && strings.HasPrefix(in.f.Text(in.value), "{") || !p.Is(kit.Return) || len(p.Code()) != 1 {
		return false
	}
	fn := p.Up(kit.Func)
	t := fn.Get("return_type")
	if t == nil {
		t = fn.Get("type")
	}
	if t == nil {
		return false
	}
	plain := func(n *kit.Node) string { return strings.TrimSpace(strings.TrimPrefix(in.f.Text(n), ":")) }
	return plain(t) == plain(in.typ)
}

// copied reports whether the use may change the variable, or a part of it, and the variable is a
// copy of another one.
func (in *inlining) copied(u *kit.Node) bool {
	if !in.Dialect().AnyOrder || in.value.Is(kit.Call, kit.Binary, kit.Number, kit.String) {
		return false
	}
	at := u
	for at.Parent.Is(kit.Member) && at.Field == "object" || at.Parent.Is(kit.Other) && at.Parent.From == at.From {
		at = at.Parent
	}
	return at != u && (at.Field == "function" || at.Field == "left" || at.Parent.Is(kit.Unary) ||
		strings.Contains(in.f.Text(at), ":"))
}

// shorthand reports {name} for {name: name}.
func (in *inlining) shorthand(u *kit.Node) bool {
	return in.Dialect().Let == "const" && u.Parent.Is(kit.List) && strings.HasPrefix(in.f.Text(u.Parent), "{")
}

// filledIn reports whether the use is all of a place in a string that code fills in, and the value
// can be written there.
func (in *inlining) filledIn(u *kit.Node) bool {
	place, text := in.f.Text(u.Parent), in.f.Text(in.value)
	if u.Parent.Up(kit.String) != u.Parent.Parent || u.Parent.Is(kit.String) {
		return false
	}
	if place == "${"+in.v.Name+"}" {
		return true
	}
	return (place == "{"+in.v.Name+"}" || strings.HasPrefix(place, "{"+in.v.Name+":")) &&
		!strings.ContainsAny(text, "'\"\\{}:!=#\n") && !strings.Contains(text, "lambda") && !in.value.Is(kit.List)
}

// bare reports whether the value needs no parentheses in the place of the use.
func (in *inlining) bare(u *kit.Node) bool {
	if in.value.Is(kit.Name) || in.value.Is(kit.Number) && !u.Parent.Is(kit.Member) || u.Parent.Parent.Is(kit.String) {
		return true
	}
	p, text := u.Parent, in.f.Text(in.value)
	if in.value.Is(kit.Other) && (strings.Contains(text, ",") || strings.HasPrefix(text, "yield")) {
		return false
	}
	return p.Is(kit.Args, kit.Return) || p.Is(kit.Assign, kit.Declare) && u != p.Code()[0] && len(p.Code()) == 2 ||
		p.Is(kit.Other) && (u.Field == "value" || u.Field == "right") && !in.value.Is(kit.Other) ||
		p.Is(kit.Call) && u.Field == "argument" || in.value.Is(kit.String) && p.Is(kit.Binary) || in.atom(in.value) ||
		p.Is(kit.Other) && len(p.Code()) == 1 && strings.HasPrefix(in.f.Text(p), "(")
}

// atom reports whether an expression binds as closely as any: a call, a member, an element, what
// stands in parentheses.
func (in *inlining) atom(n *kit.Node) bool {
	text, code := in.f.Text(n), n.Code()
	if strings.HasPrefix(text, "new") || strings.Contains(text, "?.") || len(code) == 0 {
		return n.Is(kit.Name)
	}
	switch {
	case n.Is(kit.Call, kit.Member), n.Is(kit.Other) && strings.HasSuffix(text, "]"):
		return code[0].From == n.From && (code[0].Is(kit.Name) || in.atom(code[0])) ||
			strings.HasPrefix(text, "this.")
	case n.Is(kit.Other):
		return len(code) == 1 && text[0] == '(' && text[len(text)-1] == ')' && !strings.Contains(text, ",")
	}
	return false
}
