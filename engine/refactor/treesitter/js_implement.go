package treesitter

import (
	"encoding/json"
	"maps"
	"path"
	"strings"

	"waferpair/engine/refactor/kit"
)

// typescript makes a class implement an interface of the project, or extend an abstract class.
func (im *implementation) typescript(text string) error {
	v := im.p.fresh("t.ts", []byte("let x: "+text+";"))
	t := v.root.firstKid().child("variable_declarator").get("type").firstKid()
	name := t
	if t.is("generic_type") {
		name = t.get("name")
	}
	if v.errors > 0 || !name.is("type_identifier") {
		return im.decline("%s is not the name of a type", text)
	}
	var err error
	if im.of, err = im.target(name.text()); err != nil {
		return err
	}
	im.out.Interface = text
	abstract := im.of.node.is("abstract_class_declaration")
	switch {
	case !im.of.iface && !abstract:
		return im.decline("%s (%s) is a class, and no abstract one", text, spot(im.of.unit, im.of.node))
	case im.of == im.c:
		return im.decline("%s is %s itself", text, im.c.title())
	}
	for _, a := range im.p.ancestry(im.c) {
		if _, out := im.p.bases(a); len(out) > 0 && !a.iface {
			return im.decline("%s, which %s inherits from, is not in this project, so that its members are not known",
				out[0].text(), im.c.title())
		}
	}
	var args []string
	for a := range t.get("type_arguments").kids {
		args = append(args, a.text())
	}
	if err := im.ask(im.of, args, map[string]bool{}); err != nil {
		return err
	}
	if err := im.head(text, abstract); err != nil {
		return err
	}
	im.insertTypescript()
	return im.finish()
}

// head names the type in the head of the class.
func (im *implementation) head(text string, abstract bool) error {
	for _, b := range im.c.bases {
		if e := im.d.entity(im.p, im.u, b); e.class == im.of {
			return nil
		}
		if b.is("generic_type") && im.d.entity(im.p, im.u, b.firstKid()).class == im.of {
			return nil
		}
	}
	n := im.c.node
	after := n.get("type_parameters")
	if after == nil {
		after = n.get("name")
	}
	heritage := n.child("class_heritage")
	ext, impl := heritage.child("extends_clause"), heritage.child("implements_clause")
	p := kit.Patch{From: after.to, To: after.to, With: " implements " + text}
	switch {
	case abstract && ext != nil:
		return im.decline("%s extends another class already", im.c.title())
	case abstract && len(im.c.members["constructor"]) > 0:
		return im.decline("%s has a constructor, which would have to call that of %s", im.c.title(), text)
	case abstract:
		p.With = " extends " + text
	case impl != nil:
		p = kit.Patch{From: impl.to, To: impl.to, With: ", " + text}
	case ext != nil:
		p.From, p.To = heritage.to, heritage.to
	}
	im.out.Head = append(im.out.Head, p)
	return nil
}

// ask goes through the members that a type asks for, its own before those that it inherits.
func (im *implementation) ask(c *class, args []string, seen map[string]bool) error {
	is := map[string]string{}
	params := c.node.get("type_parameters").list()
	for i, p := range params {
		name := p.get("name").text()
		switch value := p.get("value"); {
		case i < len(args):
			is[name] = args[i]
		case value != nil:
			is[name] = value.lastKid().text()
		default:
			return im.decline("%s is generic: say what for, as in %s<string>", c.title(), c.title())
		}
	}
	if len(args) > len(params) {
		return im.decline("%s has %s", c.title(), count(len(params), "type parameter", "type parameters"))
	}
	_, out := im.p.bases(c)
	if len(out) > 0 {
		return im.decline("%s is part of %s and not in this project, so that its members are not known",
			out[0].text(), c.title())
	}
	body := c.node.get("body")
	if c.node.is("type_alias_declaration") {
		body = c.node.get("value")
	}
	for m := range body.kids {
		if err := im.member(c, m, is, seen); err != nil {
			return err
		}
	}
	for _, b := range c.bases {
		e := im.d.entity(im.p, c.unit, b)
		if e.class == nil && b.is("generic_type") {
			e = im.d.entity(im.p, c.unit, b.firstKid())
		}
		if e.class == nil || e.class == c {
			continue
		}
		var inner []string
		for a := range b.get("type_arguments").kids {
			text, err := im.written(c, a, is)
			if err != nil {
				return err
			}
			inner = append(inner, text)
		}
		if err := im.ask(e.class, inner, seen); err != nil {
			return err
		}
	}
	return nil
}

// member is one member that is asked for.
func (im *implementation) member(c *class, m *node, is map[string]string, seen map[string]bool) error {
	if !c.iface && !m.is("abstract_method_signature") && m.child("abstract") == nil {
		if name := memberName(m); name != nil {
			seen[name.text()] = true
		}
		return nil // the class has it
	}
	name := memberName(m)
	switch {
	case name == nil:
		return im.decline("%s asks for more than members with names (%s)", c.title(), spot(c.unit, m))
	case m.child("?") != nil || seen[name.text()]:
		return nil
	case len(c.members[name.text()]) > 1:
		return im.decline("%s has overloads in %s", name.text(), c.title())
	case m.child("get", "set") != nil:
		return im.decline("%s (%s) is a getter or a setter", name.text(), spot(c.unit, m))
	}
	seen[name.text()] = true
	before := maps.Clone(im.imports) // comparing types imports nothing
	had, err := im.has(c, m, name.text(), is)
	im.imports = before
	if had || err != nil {
		return err
	}
	text, err := im.text(c, m, name, is)
	if err != nil {
		return err
	}
	im.out.Lacks = append(im.out.Lacks, name.text())
	im.members = append(im.members, text)
	return nil
}

// text writes a member.
func (im *implementation) text(c *class, m, name *node, is map[string]string) (string, error) {
	flags := im.p.flags(im.u.path)
	override := ""
	if !c.iface && flags.NoImplicitOverride {
		override = "override "
	}
	if m.is("abstract_method_signature") && m.child("accessibility_modifier").text() == "protected" {
		override = "protected " + override
	}
	semi := im.u.style().semi
	if m.is("property_signature", "public_field_definition") {
		typ, err := im.written(c, m.get("type"), is)
		if m.child("readonly") != nil {
			override += "readonly "
		}
		return override + name.text() + "!" + typ + semi, err
	}
	head := override + name.text()
	for _, part := range []*node{m.get("type_parameters"), m.get("parameters"), m.get("return_type")} {
		s, err := im.written(c, part, is)
		if err != nil {
			return "", err
		}
		head += s
	}
	return head + " {\n\tthrow new Error(" + im.u.style().quote + "Method not implemented." +
		im.u.style().quote + ")" + semi +
		"\n}", nil
}

// written is a part of the asked type's source as the class's file writes it; what it mentions is
// imported there.
func (im *implementation) written(c *class, n *node, is map[string]string) (string, error) {
	if n == nil {
		return "", nil
	}
	var b strings.Builder
	at := n.from
	var fail error
	unused := im.p.flags(im.u.path).NoUnusedParameters
	n.walk(func(k *node) bool {
		if fail != nil || !k.is("type_identifier", "identifier") {
			return fail == nil
		}
		r := c.unit.byNode[k]
		with := k.text()
		switch arg, ok := is[with]; {
		case r == nil || r.b == nil:
			if r != nil && im.u.module.names[with] != nil {
				fail = im.decline("%s is something else in %s", with, im.u.path)
			}
		case ok && r.b.def().is("type_parameter") && r.b.scope == c.scope:
			with = arg
		case unused && k.field == "pattern" && r.b.kind == "param" && with != "this" && !strings.HasPrefix(with, "_") &&
			n.field == "parameters" && k.parent.parent == n:
			with = "_" + with
		case r.b.topLevel():
			fail = im.needs(with, im.p.follow(r.b))
		}
		b.Write(c.unit.src[at:k.from])
		b.WriteString(with)
		at = k.to
		return true
	})
	b.Write(c.unit.src[at:n.to])
	return strings.Join(strings.Fields(b.String()), " "), fail
}

// has reports whether the class has a member already; it declines one that may be another.
func (im *implementation) has(c *class, m *node, name string, is map[string]string) (bool, error) {
	for _, k := range im.p.ancestry(im.c) {
		ms := k.members[name]
		if len(ms) == 0 || k.iface || k == im.of {
			continue
		}
		def := ms[0].def
		mine := strings.Join(im.types(def), "; ")
		want, err := im.wantedTypes(c, m, is)
		if err != nil {
			return false, err
		}
		private := def.child("accessibility_modifier").text()
		if len(ms) > 1 || private == "private" || private == "protected" && c.iface || !passesFor(im.types(def), want) {
			return false, im.decline("%s has a member %s (%s) already, and whether it is the one of %s is not certain: "+
				"it takes and gives %s, and %s asks for %s", im.c.title(), name, spot(k.unit, def), c.title(), mine, c.title(),
				strings.Join(want, "; "))
		}
		im.out.Had = append(im.out.Had, name)
		return true, nil
	}
	return false, nil
}

// passesFor: a method that gives something passes for one that gives nothing.
func passesFor(mine, want []string) bool {
	if len(mine) != len(want) {
		return false
	}
	for i := range mine {
		if mine[i] != want[i] && !(i == len(mine)-1 && i > 0 && want[i] == "void") {
			return false
		}
	}
	return true
}

// types are those of the parameters and of the result, or that of a field.
func (im *implementation) types(def *node) []string {
	if def.is("public_field_definition", "property_signature", "required_parameter") {
		return []string{typeText(def.get("type"))}
	}
	out := []string{"()"}
	for p := range def.get("parameters").kids {
		mark := ""
		if p.is("optional_parameter") || p.get("value") != nil {
			mark = "?"
		}
		out = append(out, typeText(p.get("type"))+mark)
	}
	return append(out, typeText(def.get("return_type")))
}

func (im *implementation) wantedTypes(c *class, m *node, is map[string]string) ([]string, error) {
	if m.is("public_field_definition", "property_signature") {
		s, err := im.written(c, m.get("type"), is)
		return []string{strings.TrimSpace(strings.TrimPrefix(s, ":"))}, err
	}
	out := []string{"()"}
	for p := range m.get("parameters").kids {
		s, err := im.written(c, p.get("type"), is)
		if err != nil {
			return nil, err
		}
		mark := ""
		if p.is("optional_parameter") {
			mark = "?"
		}
		out = append(out, strings.TrimSpace(strings.TrimPrefix(s, ":"))+mark)
	}
	s, err := im.written(c, m.get("return_type"), is)
	return append(out, strings.TrimSpace(strings.TrimPrefix(s, ":"))), err
}

func typeText(t *node) string {
	return strings.Join(strings.Fields(strings.TrimPrefix(t.text(), ":")), " ")
}

func (im *implementation) insertTypescript() {
	if len(im.members) == 0 {
		return
	}
	eol, body := im.u.style().eol, im.c.node.get("body")
	var texts []string
	for i, m := range im.members {
		gap := ""
		if i > 0 && (strings.Contains(m, "\n") || strings.Contains(im.members[i-1], "\n")) {
			gap = eol
		}
		texts = append(texts, gap+im.indented(m)+eol)
	}
	text := strings.Join(texts, "")
	closing := body.last
	if at := lineStart(im.u.src, closing.from); at > body.from &&
		strings.TrimSpace(string(im.u.src[at:closing.from])) == "" {
		if len(body.list()) > 0 {
			text = eol + text
		}
		im.out.At, im.out.Text = at, text
		return
	}
	im.out.At, im.out.Text = closing.from, eol+text+indentAt(im.u.src, im.c.node.from)
}

// flags are the settings of a file's tsconfig.json that say how code has to be written.
type flags struct{ NoUnusedParameters, NoImplicitOverride, VerbatimModuleSyntax bool }

func (p *project) flags(file string) (out flags) {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if f := path.Join(dir, "tsconfig.json"); p.index[f] {
			var c struct {
				CompilerOptions flags `json:"compilerOptions"`
			}
			if b, err := p.src.Read(f); err == nil && json.Unmarshal(plainJSON(b), &c) == nil {
				out = c.CompilerOptions
			}
			return out
		}
		if dir == "." || dir == "/" {
			return out
		}
	}
}
