package treesitter

import (
	"fmt"
	"slices"
	"strings"

	"waferpair/engine/refactor"
)

func init() {
	operations["extract-variable"] = extractVariable
	operations["extract-constant"] = extractConstant
}

// chosen is the expression that a request points at.
type chosen struct {
	u *unit
	n *node
}

// expressions finds the expressions with the text that was given: all that the named
// function holds, or the one of the file or the lines of the request.
func (j *job) expressions(fits func(*node) bool) ([]chosen, error) {
	text := strings.TrimSpace(j.op.Args["expr"])
	if text == "" {
		return nil, j.decline("which expression? give it as it is written")
	}
	units, within, err := j.where(text)
	if err != nil {
		return nil, err
	}
	return j.written(units, within, text, func(n *node) bool { return isExpr(n) && fits(n) })
}

// written finds the expressions with a text: all of a function or, if the request wants every one, of a
// file; otherwise there may be only one.
func (j *job) written(units []*unit, within *node, text string, fits func(*node) bool) ([]chosen, error) {
	var found []chosen
	for _, u := range units {
		u.root.walk(func(n *node) bool {
			inside := within != nil && n.within(within) || within == nil && (j.target.From <= 0 || j.touches(n))
			if inside && n.named && n.to-n.from == len(text) && n.text() == text && fits(n) {
				found = append(found, chosen{u, n})
				return false
			}
			return true
		})
	}
	switch {
	case len(found) == 0:
		return nil, j.decline("there is no expression %s there that can be extracted", text)
	case len(found) > 1 && within == nil && (j.op.Args["all"] == "" || found[len(found)-1].u != found[0].u):
		return nil, j.whichExpression(found)
	}
	return found, nil
}

// whichExpression asks which of several occurrences is meant: those of a function, or one.
func (j *job) whichExpression(found []chosen) error {
	var all []refactor.Occurrence
	for _, c := range found {
		o := refactor.Occurrence{Path: c.u.path, Line: c.n.line()}
		if f := c.n.up("function_definition", "function_declaration"); f != nil {
			o.Func = f.get("name").text()
		}
		all = append(all, o)
	}
	return refactor.WhichOccurrence(j.op, all)
}

func (j *job) where(text string) ([]*unit, *node, error) {
	if j.op.Args["func"] != "" {
		f, err := j.function("func")
		if err != nil {
			return nil, nil, err
		}
		return []*unit{f.unit}, f.fn, nil
	}
	if j.target.File != "" {
		u, err := j.file()
		return []*unit{u}, nil, err
	}
	units, err := j.p.mentioning(j.ctx, text)
	return units, nil, err
}

// isExpr reports whether a node is a value that is read.
func isExpr(n *node) bool {
	if n.is("identifier", "property_identifier", "type_identifier", "string_content", "string_fragment",
		"expression_statement", "argument_list", "arguments", "parameters", "block", "statement_block", "keyword_argument",
		"pair", "type", "type_annotation", "dotted_name", "expression_list", "predefined_type", "literal_type",
		"import", "super", "this") {
		return false
	}
	if strings.HasSuffix(n.kind, "_statement") || strings.HasSuffix(n.kind, "_declaration") ||
		strings.HasSuffix(n.kind, "_pattern") ||
		strings.HasSuffix(n.kind, "_clause") || strings.HasSuffix(n.kind, "_type") ||
		strings.HasSuffix(n.kind, "_definition") {
		return false
	}
	switch p := n.parent; {
	case p.is("assignment", "augmented_assignment", "assignment_expression", "augmented_assignment_expression",
		"for_statement", "for_in_statement", "for_in_clause") && n.field == "left",
		p.is("update_expression", "delete_statement", "decorator", "as_pattern_target", "literal_type", "case_pattern",
			"import_statement", "export_statement"),
		p.is("unary_expression") && strings.HasPrefix(p.text(), "delete"),
		p.is("call", "call_expression", "new_expression") && (n.field == "function" || n.field == "constructor"),
		p.is("member_expression", "attribute") && n.field != "object":
		return false
	}
	return n.up("type_annotation", "type", "import_statement", "import_from_statement", "type_alias_declaration",
		"interface_declaration", "case_pattern") == nil
}

// extractVariable puts the value of an expression into a variable before its statement.
func extractVariable(j *job) (string, error) {
	name := j.op.Args["name"]
	all, err := j.expressions(func(*node) bool { return true })
	if err != nil {
		return "", err
	}
	c := all[0]
	stmt, err := j.unconditional(c)
	if err != nil {
		return "", err
	}
	if err := j.freeHere(c, stmt, name); err != nil {
		return "", err
	}
	if len(all) > 1 && !alike(all, stmt) {
		return "", j.whichExpression(all)
	}
	st := c.u.style()
	at := lineStart(c.u.src, above(stmt).from)
	line := indentAt(c.u.src, stmt.from) + c.u.constant(name, c.n.text()) + st.eol
	j.replace(c.u.path, at, at, line)
	for _, c := range all {
		j.replace(c.u.path, c.n.from, c.n.to, name)
	}
	return fmt.Sprintf("Extracted %s from %s.", name, from(all)), nil
}

// from is where an extraction took its expression from.
func from(all []chosen) string {
	if len(all) == 1 {
		return spot(all[0].u, all[0].n)
	}
	return fmt.Sprintf("%d places from %s on", len(all), spot(all[0].u, all[0].n))
}

// alike reports whether one variable before the statement has the value of every
// occurrence: they are all in its block, and made of literals and of variables that
// are assigned once.
func alike(all []chosen, stmt *node) bool {
	c := all[0]
	for _, o := range all {
		if o.u != c.u || !o.n.within(stmt.parent) || !sameBindings(c, o) {
			return false
		}
	}
	if !numeric(c.n) && mayChange(stmt.parent, stmt.from, all[len(all)-1].n.to) {
		return false
	}
	ok := true
	c.n.walk(func(k *node) bool {
		switch k.kind {
		case "attribute", "member_expression", "subscript", "subscript_expression", "call", "call_expression", "await",
			"await_expression", "new_expression", "list", "dictionary", "set", "array", "object", "lambda", "arrow_function",
			"list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression",
			"function_expression", "regex":
			ok = false
		case "identifier":
			r := c.u.byNode[k]
			ok = ok && r != nil && r.b != nil && len(r.b.decls) == 1 && !slices.ContainsFunc(r.b.refs, func(r *ref) bool {
				p := r.node.parent
				return !r.decl && (r.node.field == "left" && p.is("assignment_expression", "augmented_assignment_expression",
					"for_in_statement") || p.is("update_expression", "global_statement", "nonlocal_statement"))
			})
		}
		return ok
	})
	return ok
}

// sameBindings reports whether the identifiers of two occurrences mean the same: none is
// shadowed in one of them.
func sameBindings(a, b chosen) bool {
	named := func(c chosen) (out []any) {
		c.n.walk(func(k *node) bool {
			if r := c.u.byNode[k]; k.is("identifier") && r != nil {
				out = append(out, r.b)
			}
			return true
		})
		return out
	}
	return slices.Equal(named(a), named(b))
}

// numeric reports whether an expression computes with numbers alone, as far as its operators
// tell: what its variables hold cannot be changed in its place.
func numeric(n *node) bool {
	switch n.kind {
	case "identifier", "integer", "float", "number":
		return true
	case "parenthesized_expression":
		return numeric(n.firstKid())
	case "binary_operator", "binary_expression":
		op := n.get("operator").text()
		return strings.Contains(" * / - % ** // ", " "+op+" ") && numeric(n.get("left")) && numeric(n.get("right"))
	}
	return false
}

// mayChange reports whether code between two places calls something, or assigns to a part of
// a value: a container may hold something else afterwards.
func mayChange(within *node, from, to int) bool {
	found := false
	within.walk(func(k *node) bool {
		if k.to <= from || k.from >= to {
			return false
		}
		switch k.kind {
		case "call", "call_expression", "new_expression", "await", "await_expression", "delete_statement",
			"augmented_assignment", "augmented_assignment_expression", "update_expression", "yield", "yield_expression":
			found = true
		case "assignment", "assignment_expression":
			found = found || k.get("left").is("subscript", "subscript_expression", "attribute", "member_expression")
		}
		return !found
	})
	return found
}

// unconditional finds the statement, and declines unless the expression is
// evaluated once whenever the statement is, with nothing before it that it
// could depend on or that could depend on it.
func (j *job) unconditional(c chosen) (*node, error) {
	stmt := c.n
	for p := stmt.parent; !p.is("block", "module", "program", "statement_block"); stmt, p = p, p.parent {
		if p == nil || decides(p, stmt) {
			return nil, j.decline("what is around %s at %s decides whether, when or how often it is evaluated",
				c.n.text(), spot(c.u, c.n))
		}
	}
	switch {
	case stmt.parent.parent.is("class_definition"):
		return nil, j.decline("a variable in a class body would be an attribute of the class")
	case !stmt.beginsLine() || stmt.is("function_definition", "class_definition", "function_declaration",
		"class_declaration", "decorated_definition"):
		return nil, j.decline("the statement at %s does not begin its line", spot(c.u, stmt))
	}
	return stmt, j.noEffectBefore(c, stmt)
}

// decides reports whether p evaluates its part k not at all, later, or more than once.
func decides(p, k *node) bool {
	first := p.firstKid() == k
	switch p.kind {
	case "lambda", "arrow_function", "function_expression", "generator_function", "method_definition",
		"list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression", "while_statement",
		"do_statement", "elif_clause", "else_clause", "class_body", "switch_case", "switch_default", "case_clause",
		"decorator", "default_parameter", "typed_default_parameter", "assignment_pattern", "required_parameter",
		"optional_parameter", "object_assignment_pattern", "for_in_clause", "class_heritage", "computed_property_name":
		return true
	case "boolean_operator", "ternary_expression", "assert_statement", "with_clause":
		return !first
	case "binary_expression":
		return !first && p.child("&&", "||", "??") != nil
	case "conditional_expression": // x if condition else y
		kids := p.list()
		return len(kids) != 3 || kids[1] != k
	case "comparison_operator": // a < b < c
		kids := p.list()
		return len(kids) > 2 && kids[0] != k && kids[1] != k
	case "for_statement":
		return k.field != "right"
	case "for_in_statement":
		return k.field != "right"
	case "if_statement":
		return k.field != "condition"
	case "arguments", "subscript_expression":
		return strings.Contains(p.parent.firstKid().text(), "?.") || strings.Contains(p.firstKid().text(), "?.")
	}
	return false
}

// beginsLine reports whether nothing but white space is before n on its line.
func (n *node) beginsLine() bool {
	return strings.TrimSpace(string(n.src[lineStart(n.src, n.from):n.from])) == ""
}

func (j *job) noEffectBefore(c chosen, stmt *node) error {
	var bad *node
	effectful := effectOf(c.n) != nil
	stmt.walk(func(k *node) bool {
		if bad != nil || k.from >= c.n.from {
			return false
		}
		if k.to > c.n.from {
			return true
		}
		if effectOf(k) != nil {
			bad = k
			return false
		}
		if effectful && k.is("identifier", "attribute", "member_expression", "subscript", "subscript_expression") &&
			k.parent.field != "left" && k.field != "left" && k.field != "name" && k.field != "function" {
			if r := c.u.byNode[k]; r == nil || r.b != nil && len(r.b.decls) != 1 {
				bad = k
			}
		}
		return true
	})
	if bad != nil {
		return j.decline("%s comes before it at %s, and the order could matter", oneLine(bad.text()), spot(c.u, bad))
	}
	return nil
}

// freeHere: the new name must be unknown around the statement.
func (j *job) freeHere(c chosen, stmt *node, name string) error {
	if why := j.d.invalid(name); why != "" {
		return j.decline("%s", why)
	}
	outer := stmt.up("function_definition", "function_declaration", "method_definition", "arrow_function",
		"function_expression", "class_definition")
	if outer == nil {
		outer = c.u.root
	}
	for _, r := range c.u.refs {
		if r.node.text() == name && r.node.within(outer) {
			return j.decline("%s is in use already at %s", name, spot(c.u, r.node))
		}
	}
	return nil
}

// extractConstant names a literal at the top of the file.
func extractConstant(j *job) (string, error) {
	name := j.op.Args["name"]
	all, err := j.expressions(isLiteral)
	if err != nil {
		return "", err
	}
	c := all[0]
	if why := j.d.invalid(name); why != "" {
		return "", j.decline("%s", why)
	}
	for _, r := range c.u.refs {
		if r.node.text() == name {
			return "", j.decline("%s is in use already at %s", name, spot(c.u, r.node))
		}
	}
	j.atTop(c.u, c.u.constant(name, c.n.text()))
	for _, c := range all {
		with := name
		if c.n.parent.is("jsx_attribute") {
			with = "{" + name + "}"
		}
		j.replace(c.u.path, c.n.from, c.n.to, with)
	}
	return fmt.Sprintf("Extracted %s from %s.", name, from(all)), nil
}

func isLiteral(n *node) bool {
	switch n.kind {
	case "integer", "float", "number", "true", "false", "none", "null", "regex":
	case "string":
		if n.has("interpolation") || n.parent.is("concatenated_string", "expression_statement", "pair") &&
			n.field != "value" || n.parent.is("call_expression", "enum_body", "enum_assignment") {
			return false
		}
	case "unary_operator", "unary_expression":
		if !n.lastKid().is("integer", "float", "number") {
			return false
		}
	default:
		return false
	}
	return !n.parent.is("enum_assignment", "pair_pattern", "jsx_namespace_name") && n.field != "key"
}

// atTop inserts a line behind the imports, or where the first import would be.
func (j *job) atTop(u *unit, line string) {
	eol := u.style().eol
	var last *node
	for c := range u.root.kids {
		if !c.ownLines() {
			break
		}
		if c.is("import_statement", "import_from_statement", "future_import_statement") ||
			c.is("lexical_declaration", "variable_declaration") && isRequire(c) {
			last = c
			continue
		}
		if !(c.is("expression_statement") && c.firstKid().is("string")) {
			break
		}
	}
	if last == nil {
		j.firstImport(u, line)
		return
	}
	at := nextLine(u.src, last.to)
	text := eol + line + eol
	if at == len(u.src) && u.src[at-1] != '\n' {
		text = eol + text
	}
	if rest := u.src[at:]; len(rest) > 0 && rest[0] != '\n' && rest[0] != '\r' {
		text += eol
	}
	j.replace(u.path, at, at, text)
}
