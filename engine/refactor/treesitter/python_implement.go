package treesitter

import (
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/words"
)

// emptyBases have no members that a subclass would have to declare.
var emptyBases = words.Set(`ABC abc.ABC Protocol typing.Protocol object Generic typing.Generic`)

// python makes a class a subclass of an abstract one of the project, or of a protocol.
func (im *implementation) python(text string) error {
	var err error
	if im.of, err = im.target(text); err != nil {
		return err
	}
	im.out.Interface = text
	switch {
	case im.of == im.c:
		return im.decline("%s is %s itself", text, im.c.title())
	case im.of.unit == im.u && im.of.node.from > im.c.node.from:
		return im.decline("%s is declared behind %s", text, im.c.title())
	}
	for _, a := range im.p.ancestry(im.c) {
		if _, out := im.p.bases(a); a != im.of && slices.ContainsFunc(out, func(b *node) bool { return !emptyBase(b) }) {
			return im.decline("%s inherits from a class that is not in this project, so that its members are not known",
				a.title())
		}
	}
	asked := 0
	seen := map[string]bool{}
	for _, a := range im.p.ancestry(im.of) {
		if _, out := im.p.bases(a); slices.ContainsFunc(out, func(b *node) bool { return !emptyBase(b) }) {
			return im.decline("%s inherits from a class that is not in this project, so that its members are not known",
				a.title())
		}
		n, err := im.asks(a, seen)
		if err != nil {
			return err
		}
		asked += n
	}
	if asked == 0 {
		return im.decline("%s (%s) has no abstract methods", text, spot(im.of.unit, im.of.node))
	}
	im.superclass(text)
	im.insertPythonMembers()
	return im.finish()
}

func emptyBase(b *node) bool {
	if b.is("subscript") {
		b = b.get("value")
	}
	return emptyBases[b.text()]
}

// protocol reports whether all methods of a class are asked for.
func protocol(c *class) bool {
	return slices.ContainsFunc(c.bases, func(b *node) bool {
		if b.is("subscript") {
			b = b.get("value")
		}
		return strings.HasSuffix(b.text(), "Protocol")
	})
}

// asks goes through the methods of one class that a subclass has to declare.
func (im *implementation) asks(a *class, seen map[string]bool) (asked int, err error) {
	for m := range a.node.get("body").kids {
		fn := m
		if m.is("decorated_definition") {
			fn = m.get("definition")
		}
		if m.is("expression_statement") && protocol(a) && m.firstKid().is("assignment") &&
			m.firstKid().get("right") == nil && len(im.c.members[m.firstKid().get("left").text()]) == 0 {
			return 0, im.decline("%s asks for the attribute %s, whose value is yours to choose", a.title(),
				m.firstKid().get("left").text())
		}
		if !fn.is("function_definition") {
			continue
		}
		name := fn.get("name").text()
		if seen[name] {
			continue
		}
		seen[name] = true
		if !abstractMethod(fn) && !(protocol(a) && bodyless(fn)) {
			continue
		}
		asked++
		if err := im.method(a, fn, name); err != nil {
			return 0, err
		}
	}
	return asked, nil
}

func abstractMethod(fn *node) bool {
	return slices.ContainsFunc(decorators(fn), func(d string) bool { return strings.HasSuffix(d, "abstractmethod") })
}

// bodyless reports whether a function only says what it is.
func bodyless(fn *node) bool {
	for k := range fn.get("body").kids {
		if !k.is("pass_statement") && !(k.is("expression_statement") && k.firstKid().is("ellipsis", "string")) {
			return false
		}
	}
	return true
}

func (im *implementation) method(a *class, fn *node, name string) error {
	for _, k := range im.p.ancestry(im.c) {
		ms := k.members[name]
		if len(ms) == 0 || k == im.of || has(im.p.ancestry(im.of), k) {
			continue
		}
		def := ms[0].def
		if len(ms) > 1 || !def.is("function_definition") || paramList(def) != paramList(fn) ||
			(def.child("async") != nil) != (fn.child("async") != nil) {
			return im.decline("%s has a member %s (%s) already, and %s asks for %s%s", im.c.title(), name, spot(k.unit, def),
				a.title(), name, paramList(fn))
		}
		im.out.Had = append(im.out.Had, name)
		return nil
	}
	var lines []string
	for _, d := range decorators(fn) {
		switch {
		case d == "property" || d == "staticmethod" || d == "classmethod":
			lines = append(lines, "@"+d)
		case !strings.HasSuffix(d, "abstractmethod"):
			return im.decline("%s has the decorator %s in %s", name, d, a.title())
		}
	}
	head := "def " + name
	if fn.child("async") != nil {
		head = "async " + head
	}
	for _, part := range []*node{fn.get("parameters"), fn.get("return_type")} {
		if part == nil {
			continue
		}
		if part.field == "return_type" {
			head += " -> "
		}
		if err := im.mentionsKnown(a, part); err != nil {
			return err
		}
		head += strings.Join(strings.Fields(part.text()), " ")
	}
	im.out.Lacks = append(im.out.Lacks, name)
	im.members = append(im.members, strings.Join(append(lines, head+":", "\traise NotImplementedError"), "\n"))
	return nil
}

// paramList are the names of the parameters.
func paramList(fn *node) string {
	var out []string
	for p := range fn.get("parameters").kids {
		name := pyParamName(p)
		if name == "" {
			name = strings.TrimSpace(strings.Split(p.text(), ":")[0])
		}
		out = append(out, name)
	}
	return "(" + strings.Join(out, ", ") + ")"
}

// mentionsKnown makes what a signature mentions known in the class's file.
func (im *implementation) mentionsKnown(a *class, part *node) error {
	var fail error
	part.walk(func(k *node) bool {
		r := a.unit.byNode[k]
		if fail != nil || r == nil || !k.is("identifier") || r.decl {
			return fail == nil
		}
		switch {
		case r.b == nil:
			if im.u.module.names[k.text()] != nil {
				fail = im.decline("%s is something else in %s", k.text(), im.u.path)
			}
		case r.b.topLevel():
			fail = im.needs(k.text(), im.p.follow(r.b))
		default:
			fail = im.decline("%s (%s) is known in %s only", k.text(), spot(a.unit, k), a.title())
		}
		return fail == nil
	})
	return fail
}

// superclass names the type in the head of the class.
func (im *implementation) superclass(text string) {
	if has(im.p.ancestry(im.c), im.of) {
		return
	}
	name := text[strings.LastIndexByte(text, '.')+1:]
	list := im.c.node.get("superclasses")
	switch {
	case list == nil:
		at := im.c.node.get("name").to
		if t := im.c.node.get("type_parameters"); t != nil {
			at = t.to
		}
		im.out.Head = append(im.out.Head, kit.Patch{From: at, To: at, With: "(" + name + ")"})
	case len(im.c.bases) > 0:
		at := im.c.bases[len(im.c.bases)-1].to
		im.out.Head = append(im.out.Head, kit.Patch{From: at, To: at, With: ", " + name})
	case list.firstKid() != nil: // metaclass=M
		at := list.firstKid().from
		im.out.Head = append(im.out.Head, kit.Patch{From: at, To: at, With: name + ", "})
	default:
		im.out.Head = append(im.out.Head, kit.Patch{From: list.from, To: list.to, With: "(" + name + ")"})
	}
}

func (im *implementation) insertPythonMembers() {
	if len(im.members) == 0 {
		return
	}
	eol, body := im.u.style().eol, im.c.node.get("body")
	var texts []string
	for _, m := range im.members {
		texts = append(texts, im.indented(m)+eol)
	}
	text := strings.Join(texts, eol)
	last := body.lastKid()
	if last.is("pass_statement") || last.is("expression_statement") && last.firstKid().is("ellipsis") {
		if len(body.list()) == 1 {
			from := lineStart(im.u.src, last.from)
			im.out.Head = append(im.out.Head, kit.Patch{From: from, To: nextLine(im.u.src, last.to), With: text})
			return
		}
	}
	im.out.At, im.out.Text = nextLine(im.u.src, last.to), eol+text
	if n := im.out.At; n > 0 && im.u.src[n-1] != '\n' {
		im.out.Text = eol + eol + text
	}
}
