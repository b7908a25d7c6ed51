package treesitter

import (
	"strings"

	"waferpair/engine/refactor/kit"
)

func (pythonDialect) docForm(*unit) kit.DocForm { return kit.Docstring }

func (pythonDialect) documentable(u *unit, n *node) (kit.Documented, bool) {
	if !n.is("function_definition", "class_definition") || n.get("name") == nil || n.get("body") == nil {
		return kit.Documented{}, false
	}
	name, body := n.get("name"), n.get("body")
	d := kit.Documented{Name: name.text(), At: name.from, Kind: "func", Body: kitOf(body)}
	owner := n.up("function_definition", "class_definition")
	d.Exported = !strings.HasPrefix(d.Name, "_") && n.up("function_definition") == nil
	if owner.is("class_definition") {
		d.Owner = owner.get("name").text()
		d.Kind = "method"
		d.Exported = d.Exported && !strings.HasPrefix(d.Owner, "_")
	}
	if n.is("class_definition") {
		d.Kind = "class"
		pyClass(&d, n)
	} else {
		pyFunction(&d, n)
	}
	first := body.firstKid()
	d.Has = first.is("expression_statement") && first.firstKid().is("string", "concatenated_string")
	pyPlace(&d, n, first)
	return d, true
}

// pyPlace is behind the colon that ends the header.
func pyPlace(d *kit.Documented, def, first *node) {
	if first == nil || !first.ownLines() || first.line() == def.line() {
		d.Cannot = "has its body on the line of its header"
		return
	}
	d.Line, d.Indent, d.Blank = nextLine(def.src, headerEnd(def)), indentAt(def.src, first.from), d.Kind == "class"
	if first.line() == lineOf(def.src, headerEnd(def)) {
		d.Cannot = "has its body on the line of its header"
	}
}

// headerEnd is the offset of the colon that ends a Python header.
func headerEnd(def *node) int {
	for c := def.last; c != nil; c = c.prev {
		if c.kind == ":" {
			return c.from
		}
	}
	return def.get("body").from
}

func pyFunction(d *kit.Documented, n *node) {
	d.Async = n.child("async") != nil
	if t := n.get("return_type"); t != nil && t.text() != "None" {
		d.Results = []string{bareType(t)}
	}
	for o := range n.parent.kids {
		if n.parent.is("decorated_definition") && o.is("decorator") {
			switch strings.TrimSpace(strings.TrimPrefix(o.text(), "@")) {
			case "staticmethod":
				d.Fixed = true
			case "property", "cached_property", "functools.cached_property":
				d.Kind = "property"
			case "override", "typing.override":
				d.Inherits = true
			}
		}
	}
	if d.Name == "__init__" && d.Owner != "" {
		d.Kind = "constructor"
	}
	i := 0
	for p := range n.get("parameters").kids {
		i++
		if i == 1 && d.Owner != "" && !d.Fixed {
			d.Self = pyParamName(p)
			continue
		}
		q := kit.Parameter{Name: pyParamName(p), Type: bareType(p.get("type")), Value: kitOf(p.get("value"))}
		splat := p
		if p.is("typed_parameter") {
			splat = p.firstKid()
		}
		if splat.is("list_splat_pattern", "dictionary_splat_pattern") {
			q.Rest, q.Name = true, splat.firstKid().text()
		}
		if p.is("keyword_separator", "positional_separator") {
			continue
		}
		d.Params = append(d.Params, q)
	}
	d.Generator = pyYields(n.get("body"))
}

// pyYields reports whether a body is a generator's.
func pyYields(body *node) bool {
	found := false
	body.walk(func(n *node) bool {
		found = found || n.is("yield")
		return !found && !n.is("function_definition", "class_definition", "lambda")
	})
	return found
}

func pyClass(d *kit.Documented, n *node) {
	for b := range n.get("superclasses").kids {
		if !b.is("keyword_argument") {
			d.Bases = append(d.Bases, b.text())
		}
	}
	own := func(name string) bool { return name != "" && !strings.HasPrefix(name, "_") && !has(d.Fields, name) }
	for k := range n.get("body").kids {
		if k.is("function_definition") && k.get("name").text() == "__init__" {
			pyAttributes(d, k, own)
		}
	}
	for k := range n.get("body").kids {
		if k.is("decorated_definition") {
			decorator := k.child("decorator").text()
			k = k.get("definition")
			if name := k.get("name").text(); strings.HasSuffix(decorator, "property") && own(name) {
				d.Fields = append(d.Fields, name)
			}
			if strings.HasSuffix(decorator, "property") || strings.HasSuffix(decorator, ".setter") {
				continue
			}
		}
		if k.is("function_definition") {
			name := k.get("name").text()
			if !strings.HasPrefix(name, "_") && !has(d.Methods, name) {
				d.Methods = append(d.Methods, name)
			}
			continue
		}
		if a := k.firstKid(); k.is("expression_statement") && a.is("assignment") && a.get("left").is("identifier") {
			if name := a.get("left").text(); own(name) {
				d.Fields = append(d.Fields, name)
			}
		}
	}
	for _, b := range d.Bases {
		if has([]string{"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"}, b[strings.LastIndexByte(b, '.')+1:]) {
			d.Values, d.Fields = d.Fields, nil
		}
	}
}

// pyAttributes are what a constructor sets of the instance.
func pyAttributes(d *kit.Documented, init *node, own func(string) bool) {
	self := pyParamName(init.get("parameters").firstKid())
	init.get("body").walk(func(n *node) bool {
		if l := n.get("left"); n.is("assignment") && l.is("attribute") && l.get("object").text() == self {
			if name := l.get("attribute").text(); own(name) {
				d.Fields = append(d.Fields, name)
			}
		}
		return !n.is("function_definition", "class_definition", "lambda")
	})
}
