package treesitter

import (
	"fmt"
	"strings"
	"unicode"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

func init() {
	javaOps["add-field"] = javaAddField
	javaOps["accessors"] = javaAccessors
	javaOps["set-constant"] = javaSetConstant
}

// javaClass is the type that an argument names.
func (j *job) javaClass(arg string) (*class, error) {
	s, err := j.one(j.op.Args[arg], "type")
	if err != nil {
		return nil, err
	}
	if c := s.unit.classOf(s.b); s.b != nil && c != nil {
		return c, nil
	}
	return nil, j.decline("%s (%s) is a %s, which has no fields", s.name, s.spot(), s.kind)
}

func javaAddField(j *job) (string, error) {
	c, err := j.javaClass("type")
	if err != nil {
		return "", err
	}
	name, typ, val := j.op.Args["name"], strings.TrimSpace(j.op.Args["fieldtype"]), strings.TrimSpace(j.op.Args["value"])
	if why := j.d.invalid(name); why != "" {
		return "", j.decline("%s", why)
	}
	if c.def.is("record_declaration") {
		return "", j.decline("%s is a record: its fields are what it is made of", c.title())
	}
	if c.iface || c.def.is("annotation_type_declaration") {
		return "", j.decline("%s is an interface, which has no fields", c.title())
	}
	if typ == "" {
		if t, b := j.p.typeNamed(c.unit, c.scope, name); t.known() || b != nil {
			return "", j.unnamed("add field", name, c.title())
		}
		return "", j.noType("field", name, c.title())
	}
	if err := j.javaType(c.unit, c.scope, typ); err != nil {
		return "", err
	}
	for _, a := range j.p.ancestry(c) {
		if m := memberOfSort(a, name, false); m != nil {
			return "", j.decline("%s already has a %s (%s)", a.title(), name, spot(a.unit, m.name))
		}
	}
	if err := j.notCaptured(c, name); err != nil {
		return "", err
	}
	line := "private " + typ + " " + name
	if val != "" {
		if err := j.javaExpression(val); err != nil {
			return "", err
		}
		line += " = " + val
	}
	if err := j.putField(c, line+";"); err != nil {
		return "", err
	}
	return fmt.Sprintf("Added the field %s to %s.", name, c.title()), nil
}

// notCaptured: nothing in the class, or in one below it, means something outside by the name.
func (j *job) notCaptured(c *class, name string) error {
	for _, u := range append(j.p.all(), c.unit) {
		for _, r := range u.refs {
			if r.node.text() != name || r.decl || r.space != value {
				continue
			}
			k := u.typeAround(r.node)
			if m, _ := j.p.javaValue(u, r.node); m.kind != bound && k != nil && (k == c || has(j.p.ancestry(k), c) ||
				r.node.within(c.node)) {
				return j.decline("%s at %s would then mean the new field", name, spot(u, r.node))
			}
		}
	}
	return nil
}

// bodyOf is where the members of a type stand: behind the constants of an enum.
func bodyOf(c *class) *node {
	body := c.def.get("body")
	if c.def.is("enum_declaration") {
		return body.child("enum_body_declarations")
	}
	return body
}

// putField inserts a line behind the last field of a class, or first.
func (j *job) putField(c *class, line string) error {
	body, u := bodyOf(c), c.unit
	if body == nil {
		return j.decline("%s has nothing but its constants", c.title())
	}
	st := u.style()
	var last *node
	for _, k := range body.list() {
		if k.is("field_declaration") && k.ownLines() {
			last = k
		}
	}
	if last != nil {
		j.afterLine(u, last.to, indentAt(u.src, last.from)+line)
		return nil
	}
	return j.putFirst(c, body, st, line)
}

func (j *job) putFirst(c *class, body *node, st style, line string) error {
	u := c.unit
	outer := indentAt(u.src, c.def.from)
	inner := outer + javaTab(u)
	open := body.from + 1 // behind the brace, or behind the semicolon of an enum
	if rest := strings.TrimSpace(string(u.src[open:lineEnd(u.src, open)])); rest == "}" ||
		rest == "" && len(body.list()) == 0 {
		if body.is("enum_body_declarations") {
			j.replace(u.path, open, open, st.eol+inner+line)
			return nil
		}
		j.replace(u.path, open, body.to-1, st.eol+inner+line+st.eol+outer)
		return nil
	} else if rest != "" && !strings.HasPrefix(rest, "//") {
		return j.decline("%s is not laid out line by line", c.title())
	}
	at := nextLine(u.src, open)
	j.replace(u.path, at, at, inner+line+st.eol+st.eol)
	return nil
}

// javaTab is one level of indentation: four blanks in a file that shows none.
func javaTab(u *unit) string {
	if t := indentUnit(u); t != "  " || strings.Contains(string(u.src), "\n  ") {
		return t
	}
	return "    "
}

// javaAccessors writes the getters and setters that the fields of a class lack.
func javaAccessors(j *job) (string, error) {
	c, err := j.javaClass("type")
	if err != nil {
		return "", err
	}
	if c.def.is("record_declaration") {
		return "", j.already("%s is a record, which has an accessor for each of its fields", c.title())
	}
	if c.iface || bodyOf(c) == nil {
		return "", j.decline("%s has no fields", c.title())
	}
	only, which := j.op.Args["name"], j.op.Args["which"]
	if only != "" && memberOfSort(c, only, false) == nil {
		names := map[string]bool{}
		for n := range c.members {
			names[n] = true
		}
		return "", coded(refactor.NoSymbol, j.declineNear(closest(only, names), "%s has no field %s", c.title(), only))
	}
	var out []string
	var made []string
	for _, f := range bodyOf(c).list() {
		if !f.is("field_declaration") || javaHas(f, "static") {
			continue
		}
		for _, d := range f.all("declarator") {
			name := d.get("name").text()
			if only != "" && name != only || d.get("dimensions") != nil {
				continue
			}
			typ := f.get("type").text()
			if get := getterName(name, typ); which != "setter" && j.lacks(c, get) {
				out = append(out, "public "+typ+" "+get+"() {\n\treturn "+name+";\n}")
				made = append(made, get)
			}
			if set := "set" + capital(name); which != "getter" && !javaHas(f, "final") && j.lacks(c, set) {
				out = append(out, "public void "+set+"("+typ+" "+name+") {\n\tthis."+name+" = "+name+";\n}")
				made = append(made, set)
			}
		}
	}
	if only != "" && len(out) == 0 && which != "getter" && javaHas(memberOfSort(c, only, false).def.parent, "final") {
		return "", j.decline("%s is final, so it has no setter", only)
	}
	if len(out) == 0 {
		return "", j.already("%s has the accessors of its fields", c.title())
	}
	j.putMethods(c, out)
	return fmt.Sprintf("Added %s to %s.", few(made), c.title()), nil
}

func getterName(field, typ string) string {
	if typ == "boolean" {
		if rest, ok := strings.CutPrefix(field, "is"); ok && rest != "" && unicode.IsUpper(rune(rest[0])) {
			return field
		}
		return "is" + capital(field)
	}
	return "get" + capital(field)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// lacks reports whether neither the class nor one above or below it has a method of the name,
// so that a new one overrides nothing.
func (j *job) lacks(c *class, name string) bool {
	if javaObject[name] || j.p.unsureOf(c, name) != nil {
		return false
	}
	if _, err := j.p.mentioning(j.ctx, name); err != nil {
		return false
	}
	for _, u := range append(j.p.all(), c.unit) {
		for _, k := range u.classes {
			if memberOfSort(k, name, true) != nil && (has(j.p.ancestry(k), c) || has(j.p.ancestry(c), k)) {
				return false
			}
		}
	}
	return true
}

// putMethods inserts methods at the end of a class, each behind a blank line. Their lines are
// indented by tabs, which become the file's.
func (j *job) putMethods(c *class, methods []string) {
	u, st := c.unit, c.unit.style()
	outer, tab := indentAt(u.src, c.def.from), javaTab(u)
	body := c.def.get("body")
	end := body.to - 1
	var b strings.Builder
	for _, m := range methods {
		b.WriteString(st.eol)
		for line := range strings.SplitSeq(m, "\n") {
			b.WriteString(outer + tab + strings.ReplaceAll(line, "\t", tab) + st.eol)
		}
	}
	at := lineStart(u.src, end)
	if strings.TrimSpace(string(u.src[at:end])) != "" { // } is not alone on its line
		j.replace(u.path, end, end, st.eol+strings.TrimPrefix(b.String(), st.eol)+outer)
		return
	}
	text := b.String()
	if last := strings.TrimSpace(string(u.src[lineStart(u.src, max(at-1, 0)):at])); strings.HasSuffix(last, "{") {
		text = strings.TrimPrefix(text, st.eol)
	}
	j.replace(u.path, at, at, text)
}

// javaUnreached declines when anything mentions a method, or may call it.
func (s syntax) javaUnreached(d *kit.Decl) error {
	subject := d.Raw.(whole).subject
	if subject.kind != "method" {
		return s.javaIdle(subject)
	}
	f := &function{subject: subject, fn: subject.def, params: subject.def.get("parameters")}
	if f.name == "main" || javaObject[f.name] || f.def.is("annotation_type_element_declaration") || f.class == nil {
		return s.decline("%s is called by what runs the program", f.name)
	}
	for a := range f.def.child("modifiers").kids {
		if t := a.get("name").text(); t != "" && t != "Deprecated" && t != "SuppressWarnings" {
			return s.decline("%s has the annotation @%s, by which it may be called", f.name, t)
		}
	}
	if memberCount(f.subject) > 1 {
		if err := s.onlyOverload(f); err != nil {
			return err
		}
	} else if err := s.memberNeeded(f.class, f.name, *memberOfSort(f.class, f.name, true),
		f.def.from, f.def.to); err != nil {
		return err
	}
	units, err := s.p.mentioning(s.ctx, f.name)
	if err != nil {
		return err
	}
	for _, u := range units {
		for _, n := range stringsNaming(u, f.name) {
			return s.decline("the string at %s names %s", spot(u, n), f.name)
		}
	}
	if !javaHas(f.def, "private") {
		s.note("%s is not private; code outside this project may use it", f.name)
	}
	return nil
}

// onlyOverload declines when a call may be one of this overload.
func (j *job) onlyOverload(f *function) error {
	use, err := j.methodUses(f)
	if err != nil {
		return err
	}
	if len(use.decls) > 1 {
		return j.decline("%s overrides, or is overridden by, another (%s)", f.name, use.decls[1].spot())
	}
	for _, c := range use.calls {
		if !c.n.within(f.def) {
			return j.decline("%s is used at %s", f.name, spot(c.u, c.n))
		}
	}
	return nil
}

// javaSetConstant replaces the value of a field that is declared with one.
func javaSetConstant(j *job) (string, error) {
	name, val := j.op.Args["name"], strings.TrimSpace(j.op.Args["value"])
	s, err := j.one(name, "")
	if err != nil {
		return "", err
	}
	if s.class == nil || s.kind == "method" {
		return "", j.decline("%s (%s) is a %s, not a constant", s.name, s.spot(), s.kind)
	}
	old := s.def.get("value")
	if !s.def.is("variable_declarator") || old == nil {
		return "", j.decline("%s (%s) is not declared with a value of its own", s.name, s.spot())
	}
	if err := j.javaExpression(val); err != nil {
		return "", err
	}
	if old.text() == val {
		return "", j.already("%s is %s already", name, val)
	}
	if why := misfit(s.def.parent.get("type"), old, val); why != "" {
		near := []string{}
		if old.is("string_literal") {
			near = append(near, `"`+val+`"`)
		}
		return "", j.declineNear(near, "%s", why)
	}
	j.replace(s.unit.path, old.from, old.to, val)
	return fmt.Sprintf("Set %s to %s (it was %s).", name, val, oneLine(old.text())), nil
}

// misfit says why a literal is no value of a type.
func misfit(t, old *node, val string) string {
	root, err := parse(javaGrammar, []byte("class T { Object t = "+val+"; }"))
	if err != nil {
		return val + " is not an expression"
	}
	var v *node
	root.walk(func(n *node) bool {
		if n.is("variable_declarator") {
			v = n.get("value")
		}
		return v == nil
	})
	for v.is("unary_expression", "parenthesized_expression") {
		v = v.lastKid()
	}
	want := t.text()
	is := map[string]string{"string_literal": "String", "true": "boolean", "false": "boolean", "character_literal": "char",
		"decimal_floating_point_literal": "double", "null_literal": "null"}[v.kind]
	if strings.HasSuffix(v.kind, "_integer_literal") {
		is = "int"
	}
	numeric := has([]string{"int", "long", "short", "byte", "double", "float", "char", "Integer", "Long", "Double"}, want)
	switch {
	case is == "":
		return ""
	case is == "null" && !numeric && want != "boolean", is == want:
		return tooLarge(want, v)
	case is == "int" && numeric, is == "char" && numeric, is == "double" && (want == "double" || want == "Double"):
		if (want == "Long") != strings.HasSuffix(strings.ToUpper(v.text()), "L") && (want == "Long" || want == "int" ||
			want == "Integer" || want == "short" || want == "byte" || want == "char") {
			return val + " is not " + want
		}
		if (want == "Double" || want == "float") && is != "double" && want != "float" {
			return val + " is not " + want
		}
		return tooLarge(want, v)
	case is == "double" && want == "float" && strings.HasSuffix(strings.ToLower(v.text()), "f"):
		return ""
	case is != "null" && !numeric && want != "boolean" && want != "String":
		return "" // boxed, or an Object: javac knows
	}
	return val + " is not " + want
}

// tooLarge says that an integer does not fit its type.
func tooLarge(want string, v *node) string {
	digits := strings.ReplaceAll(strings.ToLower(v.text()), "_", "")
	if !v.is("decimal_integer_literal") {
		return ""
	}
	most := map[string]int{"int": 9, "Integer": 9, "short": 4, "byte": 2, "char": 4, "long": 9}[want]
	if most == 0 || len(strings.TrimSuffix(digits, "l")) <= most || strings.HasSuffix(digits, "l") &&
		len(digits) < 20 {
		return ""
	}
	return v.text() + " may be too large for " + want
}
