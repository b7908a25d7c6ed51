package treesitter

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/ops"
)

func init() {
	javaOps["add-param"] = javaAddParam
	javaOps["remove-param"] = javaRemoveParam
}

// methodUse is a method with the methods that override it or that it overrides, and every call.
type methodUse struct {
	decls []*function
	calls []callSite
}

// methodUses declines when a place that calls the method cannot be seen, or may call another.
func (j *job) methodUses(f *function) (*methodUse, error) {
	mu, err := j.memberUses(f.class, f.name, true)
	if err != nil {
		return nil, err
	}
	if b := j.p.unsureOf(f.class, f.name); b != nil && !mu.private && !javaHas(f.def, "static") {
		return nil, j.decline("%s extends %s, which is not in this project and may declare %s", f.class.title(), b.text(),
			f.name)
	}
	above := slices.ContainsFunc(mu.owners, func(k *class) bool { return k != f.class && has(j.p.ancestry(f.class), k) })
	if javaObject[f.name] || !above && strings.Contains(f.def.child("modifiers").text(), "@Override") {
		return nil, j.decline("%s overrides a method that is not of this project", f.name)
	}
	out := &methodUse{}
	n := len(javaParams(f.fn))
	for _, k := range mu.owners {
		for _, m := range k.members[f.name] {
			switch {
			case !m.method:
			case len(javaParams(m.def)) == n && (m.def == f.def || k != f.class):
				if lambdas := k.iface && m.def.get("body") == nil && onlyAbstract(k); lambdas {
					return nil, j.decline("%s is the one method of the interface %s, which a lambda may stand for", f.name, k.title())
				}
				s := *f.subject
				s.class, s.unit, s.def, s.node = k, k.unit, m.def, m.name
				out.decls = append(out.decls, &function{subject: &s, fn: m.def, params: m.def.get("parameters")})
			case takes(m.def, n) || takes(f.fn, len(javaParams(m.def))):
				return nil, j.decline("%s has overloads with as many parameters (%s), which only the types of the arguments "+
					"tell apart", f.name, spot(k.unit, m.name))
			}
		}
	}
	for _, s := range append(slices.Clone(mu.sure), mu.doubts...) {
		doubt := !slices.Contains(mu.sure, s)
		call := s.n.parent
		switch {
		case declaresMember(s.n):
		case call.is("method_invocation") && s.n.field == "name":
			if args := len(call.get("arguments").list()); !takes(f.fn, args) {
				continue
			}
			if doubt {
				return nil, j.decline("it is not certain whether %s is what is called at %s", f.name, s.spot())
			}
			out.calls = append(out.calls, callSite{u: s.u, n: s.n, call: call})
		case s.n.up("import_declaration") != nil:
		default:
			return nil, j.decline("%s is handed on as a value (%s), and what it is called with there is not known", f.name,
				s.spot())
		}
	}
	return out, nil
}

// onlyAbstract reports whether an interface has one method without a body, or none.
func onlyAbstract(c *class) bool {
	n := 0
	for _, ms := range c.members {
		for _, m := range ms {
			if m.method && m.def.get("body") == nil {
				n++
			}
		}
	}
	return n < 2
}

// javaSignature is the method with its parameters and calls.
func (s syntax) javaSignature(arg string) (*ops.Signature, error) {
	f, err := s.javaMethod(arg)
	if err != nil {
		return nil, err
	}
	use, err := s.methodUses(f)
	if err != nil {
		return nil, err
	}
	out := &ops.Signature{Title: f.name}
	for _, d := range use.decls {
		list := ops.ParamList{File: s.kitFile(d.unit)}
		for _, k := range javaParams(d.fn) {
			p := ops.Parameter{Name: javaParamName(k).text(), From: k.from, To: k.to, End: k.to}
			if k.is("spread_parameter") {
				p.Fixed = "it takes what is left"
			}
			list.Params = append(list.Params, p)
		}
		out.Lists = append(out.Lists, list)
	}
	for _, c := range use.calls {
		passed := s.passed(c)
		for i, k := range c.arguments().list() {
			passed.Args[i].Runs = javaEffect(k) != nil
		}
		out.Calls = append(out.Calls, passed)
	}
	slices.SortFunc(out.Calls, func(a, b ops.Passed) int {
		return cmp.Or(cmp.Compare(a.File.Path, b.File.Path), cmp.Compare(a.At, b.At))
	})
	return out, nil
}

// javaEffect finds what evaluating an expression could do besides giving a value.
func javaEffect(n *node) *node {
	var found *node
	n.walk(func(k *node) bool {
		if k.is("lambda_expression", "class_body") {
			return false
		}
		if k.is("method_invocation", "object_creation_expression", "assignment_expression", "update_expression",
			"switch_expression") {
			found = k
		}
		return found == nil
	})
	return found
}

func javaAddParam(j *job) (string, error) {
	f, err := j.javaMethod("func")
	if err != nil {
		return "", err
	}
	name, typ, val := j.op.Args["name"], j.op.Args["type"], strings.TrimSpace(j.op.Args["value"])
	if why := j.d.invalid(name); why != "" {
		return "", j.decline("%s", why)
	}
	if typ == "" {
		if t, b := j.p.typeNamed(f.unit, f.class.scope, name); t.known() || b != nil {
			return "", j.unnamed("add parameter", name, f.name)
		}
		return "", j.noType("parameter", name, f.name)
	}
	if err := j.javaType(f.unit, j.p.scopeOf(f.unit, f.fn), typ); err != nil {
		return "", err
	}
	if val == "" {
		val = javaZero(typ)
	} else if err := j.javaExpression(val); err != nil {
		return "", err
	}
	use, err := j.methodUses(f)
	if err != nil {
		return "", err
	}
	n := len(javaParams(f.fn))
	for _, m := range f.class.members[f.name] {
		if m.method && m.def != f.def && takes(m.def, n+1) {
			return "", j.decline("%s has an overload with %d parameters already (%s)", f.name, n+1, spot(f.unit, m.name))
		}
	}
	at := n
	switch pos := j.op.Args["position"]; pos {
	case "", "last":
		if n > 0 && javaParams(f.fn)[n-1].is("spread_parameter") {
			return "", j.decline("%s takes any number of arguments at its end, behind which no parameter can be", f.name)
		}
	case "first":
		at = 0
	default:
		i, err := strconv.Atoi(pos)
		if err != nil || i < 1 {
			return "", j.decline("%s is not a position: first, last or a number from 1", pos)
		}
		at = min(i-1, n)
	}
	for _, d := range use.decls {
		if err := j.javaFree(d.unit, d.fn, name); err != nil {
			return "", err
		}
		spliceInto(j, d.unit, d.params, javaParams(d.fn), at, typ+" "+name)
	}
	for _, c := range use.calls {
		spliceInto(j, c.u, c.arguments(), c.arguments().list(), at, val)
	}
	if len(use.calls) == 0 {
		return fmt.Sprintf("Added the parameter %s to %s.", name, f.name), nil
	}
	return fmt.Sprintf("Added the parameter %s to %s and the argument %s to %s.", name, f.name, val,
		count(len(use.calls), "call", "calls")), nil
}

func (j *job) noType(what, name, owner string) error {
	return &refactor.Declined{Code: refactor.Ambiguous, Understood: j.op.String(),
		Reason: "which type has the " + what + " " + name + "?",
		Nearest: []string{"add " + what + " " + name + " of type `String` to " + owner,
			"add " + what + " " + name + " of type `int` to " + owner}}
}

// javaZero is what a variable of a type holds when nothing has been put into it.
func javaZero(typ string) string {
	switch typ {
	case "int", "short", "byte":
		return "0"
	case "long":
		return "0L"
	case "float":
		return "0f"
	case "double":
		return "0.0"
	case "boolean":
		return "false"
	case "char":
		return `'\0'`
	}
	return "null"
}

func (p *project) scopeOf(u *unit, fn *node) *scope {
	if s := u.scopes[fn]; s != nil {
		return s
	}
	return u.module
}

// javaType declines what is no type, or one that means nothing in the scope.
func (j *job) javaType(u *unit, s *scope, text string) error {
	v := j.p.fresh("T.java", []byte("class T { void t("+text+" x) {} }"))
	if v == nil || v.errors > 0 || len(v.root.list()) != 1 {
		return j.decline("%s is not a type", text)
	}
	for _, r := range inOrder(v.refs) {
		if r.decl || r.space != typ {
			continue
		}
		name := r.node.text()
		if r.node.parent.is("scoped_type_identifier") {
			continue // with its package
		}
		if t, b := j.p.typeNamed(u, s, name); !t.known() && b == nil {
			return j.foreign(u, name)
		}
	}
	return nil
}

// javaExpression declines what is not one expression.
func (j *job) javaExpression(text string) error {
	v := j.p.fresh("T.java", []byte("class T { Object t = t(0, "+text+"\n); }"))
	if v == nil || v.errors > 0 {
		return j.decline("%s is not an expression", text)
	}
	args := 0
	v.root.walk(func(n *node) bool {
		if n.is("argument_list") {
			args = len(n.list())
		}
		return args == 0
	})
	if args != 2 || len(v.root.firstKid().get("body").list()) != 1 {
		return j.decline("%s is not one expression", text)
	}
	return nil
}

// javaFree: nothing in the function has the name, or means a field by it.
func (j *job) javaFree(u *unit, fn *node, name string) error {
	var taken *node
	fn.walk(func(n *node) bool {
		if n.is("identifier") && n.text() == name && u.byNode[n] != nil && u.byNode[n].space&value != 0 {
			taken = n
		}
		return taken == nil
	})
	if taken != nil {
		return j.decline("%s is in use already at %s", name, spot(u, taken))
	}
	return nil
}

func javaRemoveParam(j *job) (string, error) {
	f, err := j.javaMethod("func")
	if err != nil {
		return "", err
	}
	name := j.op.Args["name"]
	at := slices.IndexFunc(javaParams(f.fn), func(p *node) bool { return javaParamName(p).text() == name })
	if at < 0 {
		names := map[string]bool{}
		for _, p := range javaParams(f.fn) {
			names[javaParamName(p).text()] = true
		}
		return "", j.declineNear(closest(name, names), "%s has no parameter %s", f.name, name)
	}
	use, err := j.methodUses(f)
	if err != nil {
		return "", err
	}
	n := len(javaParams(f.fn))
	for _, m := range f.class.members[f.name] {
		if m.method && m.def != f.def && takes(m.def, n-1) {
			return "", j.decline("%s has an overload with %d parameters already (%s)", f.name, n-1, spot(f.unit, m.name))
		}
	}
	for _, d := range use.decls {
		p := javaParams(d.fn)[at]
		b := d.unit.scopes[d.fn].names[javaParamName(p).text()]
		for _, r := range b.refs {
			if !r.decl {
				return "", j.decline("%s uses %s (%s)", d.name, b.name, spot(d.unit, r.node))
			}
		}
		cut(j, d.unit, d.params, javaParams(d.fn), at)
		j.dropTag(d, b.name)
	}
	for _, c := range use.calls {
		args := c.arguments().list()
		if at >= len(args) {
			continue // of a method with any number of arguments
		}
		for _, a := range args[at:min(len(args), at+1)] {
			if e := javaEffect(a); e != nil {
				return "", j.decline("the argument %s at %s may have an effect", oneLine(a.text()), spot(c.u, a))
			}
		}
		if javaParams(f.fn)[at].is("spread_parameter") && len(args) != at+1 {
			return "", j.decline("the call at %s passes several arguments for %s", spot(c.u, c.n), name)
		}
		cut(j, c.u, c.arguments(), args, at)
	}
	return fmt.Sprintf("Removed the parameter %s from %s and the argument from %s.", name, f.name,
		count(len(use.calls), "call", "calls")), nil
}

// dropTag removes the line of the Javadoc that is about a parameter.
func (j *job) dropTag(f *function, name string) {
	doc := f.def.prev
	if !doc.is("comment") || !strings.HasPrefix(doc.text(), "/**") {
		return
	}
	for at := lineStart(doc.src, doc.from); at < doc.to; at = nextLine(doc.src, at) {
		words := strings.Fields(string(doc.src[at:lineEnd(doc.src, at)]))
		if len(words) > 2 && words[0] == "*" && words[1] == "@param" && words[2] == name {
			next := strings.TrimSpace(string(doc.src[nextLine(doc.src, at):lineEnd(doc.src, nextLine(doc.src, at))]))
			if strings.HasPrefix(next, "* @") || strings.HasPrefix(next, "*/") {
				j.replace(f.unit.path, at, nextLine(doc.src, at), "")
			}
		}
	}
}
