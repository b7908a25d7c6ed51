package treesitter

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// Enclosing names the smallest declaration that encloses the selected lines or,
// failing that, the only one that they cover.
func (l *language) Enclosing(ctx context.Context, src refactor.Source,
	target refactor.Target, kind string) (string, string, bool, error) {
	b, err := src.Read(target.File)
	if err != nil {
		return "", "", false, fmt.Errorf("read %s: %w", target.File, err)
	}
	root, err := parse(l.d.grammar(target.File), b)
	if err != nil {
		return "", "", false, fmt.Errorf("parse %s: %w", target.File, err)
	}
	return kit.Enclosing(b, l.spans(root), target, kind)
}

// spans lists the declarations, outer ones before the ones that they hold.
func (l *language) spans(root *node) []kit.Span {
	var out []kit.Span
	root.walk(func(n *node) bool {
		if name, kind := l.d.declared(n); kind != "" {
			s := kit.Span{Kind: kind, Names: 1}
			if path, ok := l.d.path(n); ok && name != "" {
				s.Symbol = strings.Join(append(path, name), ".")
			}
			s.From, s.To = linesOf(n)
			out = append(out, s)
		}
		return true
	})
	return out
}

// declared is the name and the kind of what n declares; kind "" is for other
// nodes and for what only a function can see.
func declared(n *node) (name, kind string) {
	name = n.get("name").text()
	switch n.kind {
	case "function_definition":
		if n.up("function_definition", "class_definition").is("class_definition") {
			return name, "method"
		}
		return name, "func"
	case "function_declaration", "generator_function_declaration":
		return name, "func"
	case "class_definition", "class_declaration", "abstract_class_declaration", "interface_declaration",
		"type_alias_declaration", "enum_declaration":
		return name, "type"
	case "method_definition", "method_signature", "abstract_method_signature":
		if !n.parent.is("class_body", "interface_body", "object_type") {
			name = "" // a method of an object literal
		}
		return name, "method"
	case "public_field_definition", "field_definition", "property_signature":
		if n.get("name") == nil {
			name = n.get("property").text() // JavaScript's grammar
		}
		if n.get("value").is("arrow_function", "function_expression") {
			return name, "method"
		}
		return name, "field"
	case "variable_declarator":
		return jsVariable(n)
	case "assignment":
		return pyVariable(n)
	}
	return "", ""
}

// jsVariable is a variable of the module, or one that holds a function.
func jsVariable(n *node) (name, kind string) {
	if !n.get("name").is("identifier") || len(n.parent.list()) != 1 {
		return "", ""
	}
	name = n.get("name").text()
	if n.get("value").is("arrow_function", "function_expression", "generator_function") {
		return name, "func"
	}
	stmt := n.parent
	if stmt.parent.is("export_statement") {
		stmt = stmt.parent
	}
	if !stmt.parent.is("program") {
		return "", ""
	}
	if n.parent.child("const") != nil {
		return name, "const"
	}
	return name, "var"
}

// pyVariable is a name that a module or a class sets.
func pyVariable(n *node) (name, kind string) {
	if !n.parent.is("expression_statement") || !n.get("left").is("identifier") {
		return "", ""
	}
	name = n.get("left").text()
	switch in := n.parent.parent; {
	case in.is("module") && strings.ToUpper(name) == name:
		return name, "const"
	case in.is("module"):
		return name, "var"
	case in.is("block") && in.parent.is("class_definition"):
		return name, "field"
	}
	return "", ""
}

// pathTo lists the names of the classes and functions around n, outermost
// first; ok is false when one of them has no name.
func pathTo(n *node) (path []string, ok bool) {
	for p := n.parent; p != nil; p = p.parent {
		switch {
		case p.is("lambda", "object", "class"), p.is("arrow_function", "function_expression") &&
			!p.parent.is("variable_declarator"):
			return nil, false
		case p.is("function_definition", "class_definition", "function_declaration", "generator_function_declaration",
			"class_declaration", "abstract_class_declaration", "interface_declaration", "enum_declaration", "method_definition",
			"internal_module", "variable_declarator"):
			path = append([]string{p.get("name").text()}, path...)
		}
	}
	return path, true
}

// linesOf are the lines of the whole statement with the comments directly above it.
func linesOf(n *node) (from, to int) {
	stmt := n
	if n.is("variable_declarator", "assignment") {
		stmt = n.parent
	}
	for stmt.parent.is("export_statement", "decorated_definition", "ambient_declaration") {
		stmt = stmt.parent
	}
	end := stmt.to
	if end > stmt.from && end <= len(stmt.src) && bytes.HasSuffix(stmt.src[stmt.from:end], []byte("\n")) {
		end--
	}
	return startOf(stmt).line(), lineOf(stmt.src, end)
}

// startOf is the first of the comments and decorators directly above a statement, or it.
func startOf(stmt *node) *node {
	first := stmt
	for c := stmt.prev; c.is("comment", "decorator"); c = c.prev {
		if c.kind == "decorator" { // TypeScript: those of a member stand before it
			first = c
		} else if c.ownLines() && lineOf(c.src, c.to)+1 == first.line() {
			first = c
		} else if c.ownLines() {
			break
		}
	}
	return first
}
