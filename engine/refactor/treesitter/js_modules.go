package treesitter

import "strings"

// unquote is the text of a string literal.
func unquote(n *node) string {
	if n == nil || n.to-n.from < 2 {
		return ""
	}
	return string(n.src[n.from+1 : n.to-1])
}

func (b *jsBinder) imports(s *scope, name, def *node, o *origin) {
	b.u.imports = append(b.u.imports, o)
	if bd := b.declare(s, name, def, "import", both); bd != nil {
		bd.imps = append(bd.imps, o)
	}
}

func (b *jsBinder) importStatement(n *node, s *scope) {
	from := n.get("source")
	typed := n.child("type") != nil
	if r := n.child("import_require_clause"); r != nil {
		m := unquote(r.get("source"))
		b.imports(s, r.firstKid(), r, &origin{module: m, full: m, name: "=", alias: true, stmt: n})
		return
	}
	m := unquote(from)
	base := origin{module: m, full: m, stmt: n, typed: typed}
	clause := n.child("import_clause")
	if clause == nil {
		o := base
		b.u.imports = append(b.u.imports, &o)
		return
	}
	for c := range clause.kids {
		o := base
		switch c.kind {
		case "identifier":
			o.name, o.alias = "default", true
			b.imports(s, c, c, &o)
		case "namespace_import":
			o.alias = true
			b.imports(s, c.firstKid(), c, &o)
		case "named_imports":
			for sp := range c.kids {
				b.importSpecifier(sp, s, base)
			}
		}
	}
}

func (b *jsBinder) importSpecifier(sp *node, s *scope, o origin) {
	if !sp.is("import_specifier") {
		return
	}
	o.node, o.name = sp.get("name"), sp.get("name").text()
	o.typed = o.typed || sp.child("type") != nil
	local := o.node
	if a := sp.get("alias"); a != nil {
		local, o.alias = a, true
	}
	b.imports(s, local, sp, &o)
}

// required gives the names of `const {a, b: c} = require('./x')` their origins.
func (b *jsBinder) required(d *node) {
	v := d.get("value")
	if v.is("await_expression") {
		v = v.firstKid()
	}
	m, ok := b.requires(v)
	if !ok {
		return
	}
	o := origin{module: m, full: m, stmt: d.parent}
	switch name := d.get("name"); name.kind {
	case "identifier":
		o.name, o.alias = "=", true
		b.origin(name, &o)
	case "object_pattern":
		for p := range name.kids {
			b.requiredName(p, o)
		}
	}
}

func (b *jsBinder) requiredName(p *node, o origin) {
	if p.is("object_assignment_pattern") {
		p = p.get("left")
	}
	o.node, o.name = p, p.text()
	local := p
	if p.is("pair_pattern") {
		o.node, o.name, o.alias = p.get("key"), p.get("key").text(), true
		local = p.get("value")
	}
	b.origin(local, &o)
}

func (b *jsBinder) origin(local *node, o *origin) {
	if r := b.u.byNode[local]; r != nil && r.decl && r.b != nil {
		r.b.imps = append(r.b.imps, o)
		b.u.imports = append(b.u.imports, o)
	}
}

// requires recognizes require('x') and import('x').
func (b *jsBinder) requires(v *node) (string, bool) {
	if !v.is("call_expression") {
		return "", false
	}
	fn, arg := v.get("function"), v.get("arguments").firstKid()
	if !arg.is("string") || !(fn.is("import") || fn.is("identifier") && fn.text() == "require") {
		return "", false
	}
	b.u.cjs = b.u.cjs || fn.is("identifier")
	return unquote(arg), true
}

func (b *jsBinder) exportStatement(n *node, s *scope) {
	from := unquote(n.get("source"))
	isDefault := n.child("default") != nil
	switch {
	case n.get("declaration") != nil:
		b.exportedDeclaration(n.get("declaration"), s, isDefault)
	case n.child("export_clause") != nil:
		for sp := range n.child("export_clause").kids {
			b.exportSpecifier(sp, s, n.get("source") != nil, from)
		}
	case n.child("namespace_export") != nil:
		name := n.child("namespace_export").firstKid()
		b.export(s, export{name: name.text(), from: from, node: name})
	case n.get("source") != nil:
		b.export(s, export{name: "*", from: from})
	case n.child("namespace") != nil: // export as namespace X
	default:
		name := "default"
		if n.child("=") != nil {
			name = "="
		}
		e := export{name: name}
		for c := range n.kids {
			if c.is("identifier") {
				e.ref = b.u.refer(s, c, both)
			} else {
				b.visit(c, s)
			}
		}
		b.export(s, e)
	}
	for _, d := range n.all("decorator") {
		b.visit(d, s)
	}
}

func (b *jsBinder) export(s *scope, e export) {
	if s.kind == moduleScope {
		b.u.exports = append(b.u.exports, e)
	}
}

// exportedDeclaration exports every name that a declaration binds.
func (b *jsBinder) exportedDeclaration(d *node, s *scope, isDefault bool) {
	before := len(b.u.refs)
	b.visit(d, s)
	for _, r := range b.u.refs[before:] {
		// In the scope of the module itself, and not of a function inside d.
		if !r.decl || r.b.scope != s {
			continue
		}
		r.b.exported = true
		e := export{name: r.b.name, b: r.b, node: r.node}
		if isDefault {
			e.name = "default"
		}
		b.export(s, e)
	}
	if isDefault && d.get("name") == nil {
		b.export(s, export{name: "default"})
	}
}

func (b *jsBinder) exportSpecifier(sp *node, s *scope, re bool, from string) {
	if !sp.is("export_specifier") {
		return
	}
	name := sp.get("name")
	as := name
	if a := sp.get("alias"); a != nil {
		as = a
	}
	e := export{name: as.text(), node: as}
	if re {
		e.from, e.inner = from, name.text()
	} else {
		e.ref = b.u.refer(s, name, both)
	}
	b.export(s, e)
}

// commonExports recognizes module.exports = ..., module.exports.x = ... and exports.x = ...
func (b *jsBinder) commonExports(n *node, s *scope) {
	l, r := n.get("left"), n.get("right")
	switch {
	case l.text() == "module.exports":
		b.u.cjs = true
		b.wholeExports(r)
	case isExportsObject(l.get("object")) && l.get("property").is("property_identifier"):
		b.u.cjs = true
		name := l.get("property")
		b.u.exports = append(b.u.exports, export{name: name.text(), node: name, ref: b.u.byNode[r]})
	}
}

func isExportsObject(n *node) bool {
	t := n.text()
	return t == "exports" || t == "module.exports"
}

func (b *jsBinder) wholeExports(r *node) {
	if m, ok := b.requires(r); ok {
		b.u.exports = append(b.u.exports, export{name: "*", from: m})
		return
	}
	if !r.is("object") {
		b.u.exports = append(b.u.exports, export{name: "=", ref: b.u.byNode[r]})
		return
	}
	for p := range r.kids {
		b.exportedProperty(p)
	}
}

func (b *jsBinder) exportedProperty(p *node) {
	switch p.kind {
	case "shorthand_property_identifier":
		b.u.exports = append(b.u.exports, export{name: p.text(), node: p, ref: b.u.byNode[p]})
	case "pair":
		k := p.get("key")
		if k.is("property_identifier") {
			b.u.exports = append(b.u.exports, export{name: k.text(), node: k, ref: b.u.byNode[p.get("value")]})
		}
	case "method_definition":
		k := p.get("name")
		b.u.exports = append(b.u.exports, export{name: k.text(), node: k})
	case "spread_element":
		if m, ok := b.requires(p.firstKid()); ok {
			b.u.exports = append(b.u.exports, export{name: "*", from: m})
		}
	}
}

func (b *jsBinder) finishExports() {
	for i := range b.u.exports {
		e := &b.u.exports[i]
		if e.ref != nil {
			e.b = e.ref.b
		}
		if e.b != nil && strings.TrimSpace(e.name) != "" {
			e.b.exported = true
		}
	}
}
