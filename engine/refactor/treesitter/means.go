package treesitter

// sort says how certain the meaning of an identifier is.
type meaningKind uint8

const (
	unknown       meaningKind = iota // could be anything of that name
	other                            // surely not something that can be renamed here
	bound                            // a binding of some file
	exportOf                         // a name that a module exports, bound to no declaration of that name
	memberOf                         // a member of a class of the project
	module                           // a module of the project
	ambiguousName                    // more than one symbol of the project at once
)

// meaning is what an identifier stands for in the whole project.
type meaning struct {
	kind   meaningKind
	b      *binding // bound; module: the binding that names the module for others, if any
	at     place    // module, exportOf
	name   string   // exportOf, memberOf
	class  *class   // memberOf: the class that the receiver is known to be
	of     []meaning
	static bool
}

// same reports whether two meanings are one symbol. Members are compared by family, elsewhere.
func (m meaning) same(o meaning) bool {
	m, o = m.named(), o.named()
	return m.kind == o.kind && m.b == o.b && m.at.file == o.at.file && m.name == o.name && m.class == o.class
}

// named: a module that others reach through a binding (import * as z; export { z })
// goes by the name of that binding.
func (m meaning) named() meaning {
	if m.kind == module && m.b != nil {
		return meaning{kind: bound, b: m.b}
	}
	return m
}

// entity is what an expression is known to stand for.
type entity struct {
	kind  entityKind
	at    place    // aModule
	class *class   // aClass, anInstance
	b     *binding // aBinding: a function or a variable
}

type entityKind uint8

const (
	anything entityKind = iota
	outsider            // a value that comes from outside the project and holds none of its symbols
	aModule
	aClass
	anInstance
	aBinding
)

// canonical follows an import to what it imports, as long as the name stays the
// same: `from config import load` makes load of this file the load of config.
// Under another name (`as`), the binding stands for itself.
func (p *project) canonical(b *binding, seen map[string]bool) meaning {
	self := meaning{kind: bound, b: b}
	var found []meaning
	outside := false
	for _, o := range b.imps {
		m := p.imported(b, o, seen).named()
		switch m.kind {
		case bound, exportOf, memberOf, ambiguousName:
			if len(found) == 0 || !found[0].same(m) {
				found = append(found, m)
			}
		case other:
			outside = true
		case unknown, module:
		}
	}
	switch {
	case len(found) == 0:
		return self
	case len(found) == 1 && !outside:
		return found[0]
	}
	return meaning{kind: ambiguousName, of: found}
}

// imported is what one import statement makes of a binding: the symbol, when it
// keeps its name; other, when it comes from outside; unknown, when it stands for itself.
func (p *project) imported(b *binding, o *origin, seen map[string]bool) meaning {
	if o.name == "" {
		return meaning{}
	}
	at := p.d.locate(p, b.unit.path, o.module)
	if at.outside {
		return meaning{kind: other}
	}
	m := p.d.exported(p, at, o.name, seen)
	if o.name != b.name && !((o.name == "default" || o.name == "=") && m.kind == bound && m.b.name == b.name) {
		return meaning{}
	}
	return m
}

// moduleOf is the module that a binding stands for, if it stands for one.
func (p *project) moduleOf(b *binding) (place, bool) {
	if len(b.imps) == 0 || len(b.imps) != len(b.decls) {
		return place{}, false
	}
	o := b.imps[0]
	at := p.d.locate(p, b.unit.path, o.module)
	if o.name == "" || at.outside {
		return at, true
	}
	// An unknown place of this project is no module to look into.
	if at.file == "" && at.dir == "" {
		return place{}, false
	}
	if m := p.d.exported(p, at, o.name, map[string]bool{}); m.kind == module {
		return m.at, true
	}
	return place{}, false
}

// follow goes through imports whatever the local name is, to the declaration itself.
func (p *project) follow(b *binding) *binding {
	for range 20 {
		if len(b.imps) != 1 || len(b.decls) != 1 || b.imps[0].name == "" {
			return b
		}
		at := p.d.locate(p, b.unit.path, b.imps[0].module)
		m := p.d.exported(p, at, b.imps[0].name, map[string]bool{})
		if m.kind != bound || m.b == b {
			return b
		}
		b = m.b
	}
	return b
}
