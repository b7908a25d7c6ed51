package treesitter

import (
	"fmt"
	"strings"
)

func (j *job) jsdoc(d documented, text string) string {
	src, st := d.u.src, d.u.style()
	if strings.Contains(text, "*/") {
		return "cannot have a comment that contains */"
	}
	first := d.stmt
	for c := first.prev; c != nil && c.kind == "comment" && c.ownLines() && lineOf(src, c.to)+
		1 == first.line(); c = c.prev {
		first = c
	}
	if strings.TrimSpace(string(src[lineStart(src, first.from):first.from])) != "" {
		return "does not begin its line"
	}
	lead := indentAt(src, first.from)
	tags := knownTags(d)
	lines := strings.Split(text, "\n")
	at := lineStart(src, first.from)
	if len(tags) == 0 && len(lines) == 1 {
		j.replace(d.u.path, at, at, lead+"/** "+text+" */"+st.eol)
		return ""
	}
	if len(tags) > 0 {
		lines = append(lines, "")
	}
	doc := lead + "/**" + st.eol
	for _, l := range append(lines, tags...) {
		doc += strings.TrimRight(lead+" * "+l, " ") + st.eol
	}
	j.replace(d.u.path, at, at, doc+lead+" */"+st.eol)
	return ""
}

// knownTags are the @param and @returns of a JavaScript function that say more
// than its header does: the type of a default, and of what is returned when every
// way out returns an evident one. TypeScript has them in the signature.
func knownTags(d documented) []string {
	if (ecma{}).grammar(d.u.path) != jsGrammar || d.kind != "func" && d.kind != "method" {
		return nil
	}
	fn := d.def
	if fn.is("variable_declarator") {
		fn = fn.get("value")
	}
	var tags []string
	for p := range fn.get("parameters").kids {
		if tag := defaultTag(p); tag != "" {
			tags = append(tags, tag)
		}
	}
	if t := returnType(fn); t != "" {
		tags = append(tags, "@returns {"+t+"}")
	}
	return tags
}

// defaultTag describes a parameter with a default of an evident type.
func defaultTag(p *node) string {
	name, t := paramName(p), evidentType(p.get("right"))
	if name == "" || t == "" {
		return ""
	}
	// A bracket would end the tag's name, and */ the comment.
	if value := p.get("right").text(); !strings.ContainsAny(value, "[]\r\n") && !strings.Contains(value, "*/") {
		name += "=" + value
	}
	return fmt.Sprintf("@param {%s} [%s]", t, name)
}

// returnType is the type that a function returns for certain, or "".
func returnType(fn *node) string {
	if fn.is("generator_function", "generator_function_declaration") || fn.child("*") != nil {
		return ""
	}
	t := ""
	for i, v := range returned(fn.get("body")) {
		if one := evidentType(v); one == "" || i > 0 && one != t {
			return ""
		} else {
			t = one
		}
	}
	if t != "" && fn.child("async") != nil {
		return "Promise<" + t + ">"
	}
	return t
}

// returned lists what a function's body returns, nil for a bare return. It is
// empty when the end of the body can be reached, which returns undefined.
func returned(body *node) []*node {
	if !body.is("statement_block") {
		return []*node{body}
	}
	if !body.lastKid().is("return_statement", "throw_statement") {
		return nil
	}
	var out []*node
	body.walk(func(n *node) bool {
		if n.is("return_statement") {
			out = append(out, n.firstKid())
		}
		return !n.is("function_declaration", "function_expression", "generator_function", "generator_function_declaration",
			"arrow_function", "method_definition", "class_body")
	})
	return out
}

// evidentType is the type of an expression whose text alone tells it, or "".
func evidentType(n *node) string {
	if n == nil {
		return ""
	}
	switch n.kind {
	case "number":
		if strings.HasSuffix(n.text(), "n") {
			return "bigint"
		}
		return "number"
	case "string", "template_string":
		return "string"
	case "true", "false":
		return "boolean"
	case "parenthesized_expression":
		return evidentType(n.firstKid())
	case "ternary_expression":
		return common(n.get("consequence"), n.get("alternative"))
	case "unary_expression", "binary_expression":
		return operatorType(n)
	}
	return ""
}

func operatorType(n *node) string {
	left, right := n.get("left"), n.get("right")
	switch n.get("operator").text() {
	case "!", "==", "!=", "===", "!==", "<", "<=", ">", ">=", "in", "instanceof":
		return "boolean"
	case "typeof":
		return "string"
	case "&&", "||", "??":
		return common(left, right)
	case "+":
		if evidentType(left) == "string" || evidentType(right) == "string" {
			return "string"
		}
	case "-":
		if n.kind == "unary_expression" {
			return evidentType(n.get("argument"))
		}
	}
	return ""
}

// common is the evident type that two expressions share, or "".
func common(a, b *node) string {
	if t := evidentType(a); t == evidentType(b) {
		return t
	}
	return ""
}
