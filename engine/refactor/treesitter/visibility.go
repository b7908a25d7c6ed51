package treesitter

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"strings"

	"waferpair/engine/refactor"
)

func init() { operations["visibility"] = visibility }

// visibility says who can see a symbol in the way of its language: a name with an underscore, a
// modifier, `export`.
func visibility(j *job) (string, error) {
	s, err := j.one(j.op.Args["symbol"], "")
	if err != nil {
		return "", err
	}
	to := j.op.Args["to"]
	switch {
	case s.nested() || s.kind == "param":
		return "", j.decline("%s (%s) is local, and nothing outside sees it", s.name, s.spot())
	case to != "public" && to != "private" && to != "protected":
		return "", j.decline("%q is none of public, private and protected", to)
	}
	v := &seen{job: j, subject: s, to: to}
	switch {
	case s.unit.python():
		return v.underscore()
	case s.class == nil && s.b != nil:
		return v.export()
	case s.class == nil || s.class.iface:
		return "", j.decline("%s (%s) is no member of a class", s.name, s.spot())
	case j.d.grammar(s.unit.path) == jsGrammar:
		return v.hash()
	}
	return v.modifier()
}

// seen is a symbol whose visibility changes.
type seen struct {
	*job
	*subject
	to string
}

func (v *seen) said() string { return fmt.Sprintf("Made %s %s.", v.name, v.to) }

// underscore renames a Python symbol: one underscore before the name says that it is not for others.
func (v *seen) underscore() (string, error) {
	bare := strings.TrimLeft(v.name, "_")
	name := bare
	if v.to != "public" {
		name = "_" + bare
	}
	switch hidden := bare != v.name; {
	case strings.HasPrefix(v.name, "__") && strings.HasSuffix(v.name, "__"):
		return "", v.decline("%s is a name that Python itself looks up", v.name)
	case name == v.name, v.to == "private" && hidden:
		return "", v.already("%s is %s", v.name, v.to)
	}
	asked := v.op
	v.op.Args = maps.Clone(v.op.Args)
	v.op.Name, v.op.Args["to"] = "rename", name // checked as a rename is
	_, err := rename(v.job)
	var d *refactor.Declined
	if errors.As(err, &d) {
		d.Understood = asked.String()
	}
	return fmt.Sprintf("Made %s %s: it is %s now.", v.name, v.to, name), err
}

// export writes the keyword before a top-level declaration, or takes it away.
func (v *seen) export() (string, error) {
	stmt := v.def
	for !stmt.parent.is("program", "export_statement") {
		if stmt = stmt.parent; stmt.parent == nil {
			return "", v.decline("%s (%s) is not declared at the top level", v.name, v.spot())
		}
	}
	outer := stmt.parent
	exported := outer.is("export_statement")
	if as := v.exportedAs(); as != nil && !exported {
		if v.to == "public" {
			return "", v.already("%s is exported as %s (%s)", v.name, as.name, spot(v.unit, v.exportNode(as)))
		}
		return "", v.decline("%s exports %s as %s", spot(v.unit, v.exportNode(as)), v.name, as.name)
	}
	switch {
	case v.to == "protected":
		return "", v.decline("a module exports a name or does not; nothing in it is protected")
	case len(v.b.decls) > 1:
		return "", v.decline("%s is declared more than once in %s", v.name, v.unit.path)
	case exported == (v.to == "public") && (exported || !v.b.exported):
		return "", v.already("%s is %s", v.name, map[bool]string{true: "exported", false: "not exported"}[exported])
	case v.b.exported && !exported:
		if v.to == "public" {
			return "", v.already("%s is exported", v.name)
		}
		return "", v.decline("%s exports %s in a list", v.unit.path, v.name)
	case len(stmt.list()) > 1 && stmt.is("lexical_declaration", "variable_declaration"):
		return "", v.decline("%s is declared together with others (line %d)", v.name, stmt.line())
	case v.unit.cjs || !v.unit.esm && v.d.grammar(v.unit.path) == jsGrammar && ext(v.unit.path) != ".mjs":
		return "", v.decline("%s is a script or a CommonJS module, where export is no keyword", v.unit.path)
	}
	if v.to == "public" {
		return v.said(), v.addExport(stmt)
	}
	return v.said(), v.dropExport(outer, stmt)
}

// exportedAs is an export of the symbol under another name, or nil.
func (v *seen) exportedAs() *export {
	for i := range v.unit.exports {
		if e := &v.unit.exports[i]; e.b == v.b && e.name != v.name {
			return e
		}
	}
	return nil
}

func (v *seen) exportNode(e *export) *node {
	if e.node == nil {
		return v.node
	}
	return e.node
}

func (v *seen) addExport(stmt *node) error {
	if !v.unit.esm { // it becomes a module, whose names other scripts do not see
		for name := range v.unit.module.names {
			units, err := v.p.mentioning(v.ctx, name)
			if err != nil {
				return err
			}
			for _, u := range units {
				for _, r := range u.refs {
					if u != v.unit && r.b == nil && r.node.text() == name {
						return v.decline("%s is a script whose %s is used at %s; an export would make it a module", v.unit.path, name,
							spot(u, r.node))
					}
				}
			}
		}
	}
	at := stmt.from
	if d := stmt.child("decorator"); d != nil {
		return v.decline("%s has a decorator (line %d)", v.name, d.line())
	}
	v.replace(v.unit.path, at, at, "export ")
	return nil
}

func (v *seen) dropExport(outer, stmt *node) error {
	if outer.child("default", "decorator") != nil {
		return v.decline("%s is the default export of %s, or decorated", v.name, v.unit.path)
	}
	modules := 0
	for c := range v.unit.root.kids {
		if c.is("import_statement", "export_statement") {
			modules++
		}
	}
	if modules == 1 {
		return v.decline("without this export %s would be a script, and its names global", v.unit.path)
	}
	r, err := v.places()
	if err != nil {
		return err
	}
	for u, spots := range r.spots {
		if u != v.unit {
			return v.decline("%s is used at %s", v.name, spot(u, spots[0].n))
		}
	}
	others, err := v.p.holding(v.ctx, templates, v.name)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		return v.decline("%s may use %s", few(others), v.name)
	}
	if err := v.stillRead(r); err != nil {
		return err
	}
	v.replace(v.unit.path, outer.from, stmt.from, "")
	return nil
}

// places are all the places where the symbol is named, found as a rename finds them; it declines
// where it is not certain.
func (v *seen) places() (*renaming, error) {
	units, err := v.p.mentioning(v.ctx, v.name)
	if err != nil {
		return nil, err
	}
	quiet := *v.job
	quiet.notes = nil
	r := &renaming{job: &quiet, from: v.name, to: v.name + "_" + v.to, spots: map[*unit][]spotted{}}
	if v.class != nil {
		return r, r.member(v.subject, units)
	}
	if err := r.binding(v.subject, units); err != nil {
		return nil, err
	}
	if len(quiet.notes) > 0 {
		return nil, v.decline("%s", quiet.notes[0])
	}
	return r, nil
}

// stillRead declines hiding what nothing uses, where the compiler is told to refuse that.
func (v *seen) stillRead(r *renaming) error {
	if len(r.spots[v.unit]) > 1 {
		return nil
	}
	strict, err := v.p.search(v.ctx, func(f string) bool {
		return strings.HasPrefix(path.Base(f), "tsconfig") && ext(f) == ".json"
	}, func(b []byte) bool { return bytes.Contains(b, []byte("noUnused")) })
	if err == nil && len(strict) > 0 {
		err = v.decline("nothing uses %s, and %s refuses what is unused", v.name, strict[0])
	}
	return err
}

// modifier writes a member's modifier in TypeScript.
func (v *seen) modifier() (string, error) {
	if v.name == "constructor" || strings.HasPrefix(v.name, "#") {
		return "", v.decline("%s has a visibility of its own, which no modifier changes", v.name)
	}
	members := v.class.members[v.name]
	now := levelOf(members[0].def)
	if now == v.to {
		return "", v.already("%s is %s", v.name, v.to)
	}
	r, err := v.places()
	if err != nil {
		return "", err
	}
	if err := v.allowed(r, now); err != nil {
		return "", err
	}
	word := v.to + " "
	if v.to == "public" && !v.saysPublic() {
		word = ""
	}
	for _, m := range members {
		if m.def.child("abstract") != nil && v.to == "private" {
			return "", v.decline("%s is abstract, and what is abstract cannot be private", v.name)
		}
		at := m.def.from
		for c := m.def.first; c.is("decorator"); c = c.next {
			at = c.next.from
		}
		old := m.def.child("accessibility_modifier")
		switch {
		case m.def.is("assignment_expression", "member_expression"):
			return "", v.decline("%s is not declared in the body of %s", v.name, v.class.title())
		case old == nil:
			v.replace(v.unit.path, at, at, word)
		case word == "":
			v.replace(v.unit.path, old.from, old.next.from, "")
		default:
			v.replace(v.unit.path, old.from, old.to, v.to)
		}
	}
	return v.said(), nil
}

func levelOf(def *node) string {
	if m := def.child("accessibility_modifier"); m != nil {
		return m.text()
	}
	return "public"
}

// saysPublic reports whether the class writes the modifier that could be left out.
func (v *seen) saysPublic() bool {
	for _, ms := range v.class.members {
		if m := ms[0].def.child("accessibility_modifier"); m.text() == "public" {
			return true
		}
	}
	return false
}

// allowed declines when a use would be out of reach, or another class has a say.
func (v *seen) allowed(r *renaming, now string) error {
	f, err := v.familyOf(v.class, v.name)
	if err != nil {
		return err
	}
	if len(f.owners) > 1 {
		return v.decline("%s is declared in several classes of one family, which must agree", v.name)
	}
	if now == "private" || v.to == "public" {
		return nil
	}
	units, err := v.p.mentioning(v.ctx, v.name)
	if err != nil {
		return err
	}
	for _, u := range units {
		for _, n := range stringsNaming(u, v.name) {
			if n.up("literal_type", "lookup_type") != nil {
				return v.decline("%s names %s in a type", spot(u, n), v.name)
			}
		}
	}
	for u, spots := range r.spots {
		for _, sp := range spots {
			if !v.reaches(f, u, sp.n) {
				return v.decline("%s is used at %s", v.name, spot(u, sp.n))
			}
		}
	}
	if v.to == "private" {
		return v.stillRead(r)
	}
	return nil
}

// reaches reports whether a use may stand where it does.
func (v *seen) reaches(f *family, u *unit, n *node) bool {
	if u == v.unit && n.within(v.class.node) {
		return true
	}
	own := n.parent.get("object")
	for c := range f.classes {
		if v.to == "protected" && c.unit == u && n.within(c.node) && own.is("this", "super") {
			return true
		}
	}
	return false
}

// hash makes a JavaScript method private where all that calls it is in the class.
func (v *seen) hash() (string, error) {
	members := v.class.members[v.name]
	switch {
	case v.to == "protected":
		return "", v.decline("JavaScript has no protected members")
	case strings.HasPrefix(v.name, "#") == (v.to == "private"):
		return "", v.already("%s is %s", v.name, v.to)
	case v.to == "public":
		return "", v.decline("%s would need another name, without #: rename it", v.name)
	case len(members) > 1 || !members[0].def.is("method_definition") || v.name == "constructor":
		return "", v.decline("%s is not a plain method: what lists the fields of an object would not see it any more", v.name)
	}
	r, err := v.places()
	if err != nil {
		return "", err
	}
	for u, spots := range r.spots {
		for _, sp := range spots {
			switch {
			case u != v.unit || !sp.n.within(v.class.node):
				return "", v.decline("%s is used at %s", v.name, spot(u, sp.n))
			case sp.n != members[0].name && (!sp.n.parent.is("member_expression") || !sp.n.parent.get("object").is("this")):
				return "", v.decline("%s is used in a way that a private method cannot be, at %s", v.name, spot(u, sp.n))
			}
			v.replace(u.path, sp.n.from, sp.n.to, "#"+v.name)
		}
	}
	return v.said(), nil
}
