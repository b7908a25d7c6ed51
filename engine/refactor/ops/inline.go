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
//   - it is used once, by the next statement, which evaluates nothing before it.
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
	code := p.Code()
	if len(code) != 2 || code[0] != in.name {
		return in.Declined("the statement at %s declares more than %s and its value, or its type", in.f.Place(p.From), v.Name)
	}
	in.value = code[1]
	if sign := strings.TrimSpace(string(in.f.Src[in.name.To:in.value.From])); sign != "=" && sign != ":=" {
		return in.Declined("%s is declared with %q at %s", v.Name, sign, in.f.Place(p.From))
	}
	in.stmt = p
	for s := p; !s.Parent.Is(kit.Block, kit.Case); in.stmt = s {
		if s = s.Parent; s.Parent == nil || len(s.Code()) != 1 || s.Is(kit.Loop, kit.If, kit.Switch, kit.Func) {
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
	if !in.stable(in.value) && (count > 1 || !in.first(u)) {
		return in.Declined("the value of %s may be another one at %s, or come in another order", in.v.Name, at)
	}
	text := in.f.Text(in.value)
	if !in.bare(u) {
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
	case p.Is(kit.List) && strings.HasPrefix(in.f.Text(p), "{"), p.Is(kit.Other) && in.f.Text(p) == in.f.Text(u):
		return "may be a name as well as a value"
	case u.Up(kit.String) != nil:
		return "is in a string"
	case strings.HasPrefix(in.f.Text(p), "typeof"), strings.HasPrefix(in.f.Text(p), "&"):
		return "is needed as a variable"
	case in.value.Is(kit.Number, kit.Unary) && strings.HasPrefix(in.f.Text(p), "(") && !p.Is(kit.Args),
		p.Is(kit.Binary) && in.value.Is(kit.Number, kit.String, kit.Unary, kit.Binary) && in.literal(p, u):
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

// first reports whether the use is the first thing that the next statement evaluates, and always.
func (in *inlining) first(u *kit.Node) bool {
	code := in.stmt.Parent.Code()
	i := slices.Index(code, in.stmt)
	if i+1 >= len(code) {
		return false
	}
	at := u
	for at.Parent.Is(kit.Args) || at.Parent.Is(kit.Call) && at.Field != "function" {
		list, arg := at.Parent, at
		if list.Is(kit.Args) {
			list = list.Parent
		}
		callee := list.Code()[0]
		if strings.Contains(string(in.f.Src[callee.From:arg.From]), "?.") {
			return false // it is computed only if there is something to call
		}
		if w := in.names[callee]; !callee.Is(kit.Name) || w == nil || len(w.Writes) > 0 || len(in.names[callee].Decls) > 1 ||
			!slices.Contains([]string{"func", "import", "class", "type", "outside"}, w.Kind) || w.Local() {
			return false
		}
		if list.Args()[0] != arg || in.acts() && slices.ContainsFunc(list.Args()[1:], func(k *kit.Node) bool {
			return !in.stable(k) // it may be read before the value is computed, or behind it
		}) {
			return false
		}
		at = list
	}
	p := at.Parent
	if p.Is(kit.Assign, kit.Declare, kit.Other) && len(p.Code()) == 2 && p.Code()[1] == at && p.Code()[0].Is(kit.Name) &&
		strings.Trim(string(in.f.Src[p.Code()[0].To:at.From]), ": \t") == "=" {
		at, p = p, p.Parent
	}
	for at != code[i+1] {
		if !p.Is(kit.Return, kit.Expr, kit.Declare, kit.Other) || len(p.Code()) != 1 || p.Is(kit.Block, kit.Func, kit.Loop) {
			return false
		}
		at, p = p, p.Parent
	}
	return true
}

// acts reports whether computing the value may do more than read.
func (in *inlining) acts() bool {
	found := false
	in.value.Walk(func(n *kit.Node) bool {
		found = found || !n.Is(kit.Name, kit.Member, kit.Binary, kit.Number, kit.String)
		return !found
	})
	return found
}

// bare reports whether the value needs no parentheses in the place of the use.
func (in *inlining) bare(u *kit.Node) bool {
	if in.value.Is(kit.Name) || in.value.Is(kit.Number) && !u.Parent.Is(kit.Member) {
		return true
	}
	p, text := u.Parent, in.f.Text(in.value)
	if in.value.Is(kit.Other) && (strings.Contains(text, ",") || strings.HasPrefix(text, "yield")) {
		return false
	}
	return p.Is(kit.Args, kit.Return) || p.Is(kit.Assign, kit.Declare) && u != p.Code()[0] && len(p.Code()) == 2 ||
		p.Is(kit.Call) && u.Field == "argument" || in.value.Is(kit.String, kit.Call) && p.Is(kit.Binary)
}
