package treesitter

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/words"
)

// site is a mention of a member.
type site struct {
	u *unit
	n *node
}

func (s site) spot() string { return spot(s.u, s.n) }

// javaMemberUses sorts the mentions of a member: those that mean it, and those of which that is not known.
// Declarations are among the first.
type javaMemberUses struct {
	family        *family
	owners        []*class
	sure, doubts  []site
	private       bool
	name          string
	method        bool
	declarations  []*node
	accessors     bool // of a record component: its accessor is used by the same name
	overloadNames int  // declarations of methods of that name in one class
}

// memberUses follows a field or the methods of one name.
func (j *job) memberUses(c *class, name string, method bool) (*javaMemberUses, error) {
	mu := &javaMemberUses{name: name, method: method}
	m := memberOfSort(c, name, method)
	if m == nil {
		return nil, j.decline("%s declares no %s", c.title(), name)
	}
	mu.private = javaHas(m.def, "private") || m.def.is("variable_declarator") && javaHas(m.def.parent, "private")
	mu.accessors = m.def.is("formal_parameter", "spread_parameter") && m.def.parent.parent.is("record_declaration")
	if mu.private {
		mu.family = &family{classes: map[*class]bool{c: true}}
		mu.owners = []*class{c}
	} else {
		f, err := j.familyOf(c, name)
		if err != nil {
			return nil, err
		}
		mu.family = f
		for _, k := range f.owners {
			if memberOfSort(k, name, method) != nil {
				mu.owners = append(mu.owners, k)
			}
		}
	}
	for _, k := range mu.owners {
		n := 0
		for _, m := range k.members[name] {
			if m.method == method {
				mu.declarations = append(mu.declarations, m.def)
				n++
			}
		}
		mu.overloadNames = max(mu.overloadNames, n)
	}
	return mu, j.gather(mu)
}

func memberOfSort(c *class, name string, method bool) *member {
	for i, m := range c.members[name] {
		if m.method == method {
			return &c.members[name][i]
		}
	}
	return nil
}

func (j *job) gather(mu *javaMemberUses) error {
	units, err := j.p.mentioning(j.ctx, mu.name)
	if err != nil {
		return err
	}
	for _, u := range units {
		for _, n := range j.d.mentions(u, mu.name) {
			if asMethod(n) != mu.method && !mu.accessors {
				continue
			}
			switch m := j.d.means(j.p, u, n); {
			case m.kind == memberOf && slices.Contains(mu.owners, m.class):
				mu.sure = append(mu.sure, site{u, n})
			case m.kind == memberOf && mu.family.classes[m.class] && !mu.private:
				mu.sure = append(mu.sure, site{u, n})
			case m.kind == unknown:
				mu.doubts = append(mu.doubts, site{u, n})
			}
		}
	}
	return nil
}

// asMethod reports whether an identifier stands where Java looks for a method.
func asMethod(n *node) bool {
	p := n.parent
	return p.is("method_invocation") && n.field == "name" || p.is("method_reference") && p.lastKid() == n &&
		p.firstKid() != n || p.is("method_declaration", "annotation_type_element_declaration") && n.field == "name" ||
		p.is("element_value_pair") && n.field == "key" || n.up("import_declaration") != nil
}

func (d javaDialect) membersUsed(j *job, u *unit, from, to int) error {
	for _, c := range u.classes {
		if c.def.from >= from && c.def.to <= to {
			continue // it goes as a whole
		}
		for name, ms := range c.members {
			for _, m := range ms {
				if m.name.from < from || m.name.to > to {
					continue
				}
				if err := j.memberNeeded(c, name, m, from, to); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (j *job) memberNeeded(c *class, name string, m member, from, to int) error {
	mu, err := j.memberUses(c, name, m.method)
	if err != nil {
		return err
	}
	outside := func(s site) bool {
		return s.u != c.unit || s.n.from < from || s.n.from >= to
	}
	for _, k := range mu.owners {
		if k != c && m.method && !m.static && has(j.p.ancestry(k), c) {
			return j.decline("%s.%s is overridden by %s", c.title(), name, k.title())
		}
		if k != c && m.method && !m.static && has(j.p.ancestry(c), k) {
			if o := memberOfSort(k, name, true); o.def.get("body") == nil {
				return j.decline("%s.%s is asked for by %s", c.title(), name, k.title())
			}
		}
	}
	if b := j.p.unsureOf(c, name); b != nil && m.method && !mu.private && !m.static {
		return j.decline("%s.%s may be asked for by %s, which is not in this project", c.title(), name, b.text())
	}
	for _, s := range append(mu.sure, mu.doubts...) {
		if outside(s) && !declaresMember(s.n) {
			return j.decline("%s is used at %s", name, s.spot())
		}
	}
	return nil
}

// declaresMember reports whether an identifier is that of a member's own declaration.
func declaresMember(n *node) bool {
	return n.field == "name" && n.parent.is("method_declaration", "variable_declarator", "enum_constant",
		"annotation_type_element_declaration", "formal_parameter")
}

// knows: a type that is declared, imported or of java.lang; a variable, a field, a package.
func (d javaDialect) knows(p *project, u *unit, r *ref) bool {
	name := r.node.text()
	if r.space == typ {
		t, b := p.typeNamed(u, r.scope, name)
		return t.known() || b != nil
	}
	m, t := p.javaValue(u, r.node)
	if m.kind != unknown || t.known() {
		return true
	}
	for _, o := range u.imports {
		if o.typed && (o.star || o.name == name) {
			return true
		}
	}
	pkg := r.node.parent.is("field_access", "method_invocation") && r.node.field == "object" &&
		unicode.IsLower(rune(name[0]))
	return pkg && r.scope.lookup(name, value) == nil && p.hasPackage(u, r.node)
}

// hasPackage reports whether a name begins a longer one that ends in a type: java.util.List.
func (p *project) hasPackage(u *unit, n *node) bool {
	whole := n
	for whole.parent.is("field_access") && whole.field == "object" {
		whole = whole.parent
	}
	for _, part := range strings.Split(whole.text(), ".")[1:] {
		if part != "" && unicode.IsUpper(rune(part[0])) {
			return true
		}
	}
	return false
}

// javaMethod finds the one method, or constructor, that an operation is about. Overloads are
// told apart by the selected lines.
func (j *job) javaMethod(arg string) (*function, error) {
	name := j.op.Args[arg]
	all, err := j.some(name, "method")
	if err != nil {
		return nil, err
	}
	if len(all) > 1 {
		return nil, j.ambiguous(name, "method", all)
	}
	return j.overload(all[0], name)
}

// overload is the one declaration of a method, or that on the selected lines.
func (j *job) overload(s *subject, name string) (*function, error) {
	var defs []*node
	_, types, written := strings.Cut(strings.TrimSuffix(name, ")"), "(")
	for _, m := range s.class.members[s.name] {
		if written && !takesTypes(m.def, types) {
			continue
		}
		if m.method && (j.target.From <= 0 || j.touches(m.def)) {
			defs = append(defs, m.def)
		}
	}
	if len(defs) > 1 {
		var near []string
		for _, d := range defs {
			at := d.get("name").line()
			near = append(near, fmt.Sprintf("%s:%d (type --file %s --lines %d-%d)", s.unit.path, at,
				words.Shell(s.unit.path), at, at))
		}
		return nil, &refactor.Declined{Code: refactor.Ambiguous, Understood: j.op.String(), Nearest: near,
			Reason: name + " has " + count(len(defs), "overload", "overloads") + ": select the line of one"}
	}
	if len(defs) == 1 {
		s.def, s.node = defs[0], defs[0].get("name")
	}
	return &function{subject: s, fn: s.def, params: s.def.get("parameters")}, nil
}

// takesTypes reports whether a method's parameters have the types of a list: "int, String".
func takesTypes(fn *node, list string) bool {
	var types []string
	for _, t := range strings.Split(list, ",") {
		if t = strings.Join(strings.Fields(t), ""); t != "" {
			types = append(types, t)
		}
	}
	ps := javaParams(fn)
	if len(ps) != len(types) {
		return false
	}
	for i, p := range ps {
		if strings.Join(strings.Fields(p.get("type").text()), "") != types[i] {
			return false
		}
	}
	return true
}

// memberCount is how many methods of the subject's class share its name.
func memberCount(s *subject) int {
	n := 0
	for _, m := range s.class.members[s.name] {
		if m.method {
			n++
		}
	}
	return n
}
