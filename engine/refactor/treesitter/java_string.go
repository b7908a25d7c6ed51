package treesitter

import (
	"regexp"
	"strings"

	"waferpair/engine/refactor/ops"
)

func (javaDialect) stringStyles() []string { return []string{"format", "concat"} }

func (javaDialect) built(n *node) (ops.Built, bool) {
	var b ops.Built
	ok := false
	switch {
	case n.is("method_invocation"):
		b, ok = javaFormat(n)
	case n.is("binary_expression") && n.get("operator").is("+"):
		b, ok = javaConcat(n)
	}
	if c := n.up("field_declaration", "annotation", "switch_label", "method_declaration", "element_value_pair"); ok &&
		(c.is("annotation", "switch_label", "element_value_pair") || c.is("field_declaration") && javaHas(c, "final")) {
		b.Doubt = true // what has to be a constant
	}
	return b, ok
}

// javaText is what stands between the quotes of a literal on one line.
func javaText(n *node) (string, bool) {
	if !n.is("string_literal") || strings.HasPrefix(n.text(), `"""`) {
		return "", false
	}
	return n.text()[1 : len(n.text())-1], true
}

var javaVerb = regexp.MustCompile(`%[-#+ 0,(<$\d.]*[a-zA-Z%]`)

// javaFormat reads String.format("...", ...) and "...".formatted(...).
func javaFormat(n *node) (ops.Built, bool) {
	values, name, object := n.get("arguments").list(), n.get("name").text(), n.get("object")
	form := object
	switch {
	case name == "format" && object.text() == "String" && len(values) > 0:
		form, values = values[0], values[1:]
	case name != "formatted":
		return ops.Built{}, false
	}
	text, ok := javaText(form)
	if !ok {
		return ops.Built{}, false
	}
	b, at := ops.Built{Style: "format", Quote: `"`}, 0
	for _, m := range javaVerb.FindAllStringIndex(text, -1) {
		if m[0] > at {
			b.Parts = append(b.Parts, ops.Part{Text: text[at:m[0]]})
		}
		at = m[1]
		switch verb := text[m[0]:m[1]]; {
		case verb == "%%":
			b.Parts = append(b.Parts, ops.Part{Text: "%"})
		case len(values) == 0 || verb != "%s" && verb != "%d":
			return ops.Built{}, false
		default:
			b.Parts = append(b.Parts, javaHole(values[0]))
			values = values[1:]
		}
	}
	if at < len(text) {
		b.Parts = append(b.Parts, ops.Part{Text: text[at:]})
	}
	return b, len(values) == 0
}

// javaHole is a value; Spec says that it holds together without parentheses.
func javaHole(n *node) ops.Part {
	for n.is("parenthesized_expression") {
		n = n.firstKid()
	}
	p := ops.Part{Value: n.text()}
	if n.is("identifier", "method_invocation", "field_access", "array_access", "decimal_integer_literal", "this",
		"string_literal", "character_literal", "true", "false", "null_literal") {
		p.Spec = "single"
	}
	return p
}

// javaConcat reads a chain of + with a literal in it. What stands before the first literal is one value.
func javaConcat(n *node) (ops.Built, bool) {
	b, all, first := ops.Built{Style: "concat", Quote: `"`}, addends(n), -1
	for i, k := range all {
		if k.is("string_literal") && first < 0 {
			first = i
		}
	}
	if p := n.parent; first < 0 || p.is("binary_expression") && p.get("operator").is("+") && p.get("left") == n {
		return b, false
	}
	values := 0
	for i, k := range all {
		text, plain := javaText(k)
		switch {
		case i+1 < first:
			continue
		case i+1 == first && first > 1:
			b.Parts = append(b.Parts, ops.Part{Value: strings.TrimSpace(string(n.src[n.from:k.to]))})
			values++
		case plain:
			b.Parts = append(b.Parts, ops.Part{Text: text})
		case k.is("string_literal"), k.is("array_creation_expression"):
			return b, false
		default:
			b.Parts = append(b.Parts, javaHole(k))
			values++
		}
	}
	for _, p := range b.Parts { // the only value of a format is taken for all of them, if it is an array
		array := regexp.MustCompile(`(\]|\.\.\.)\s*` + regexp.QuoteMeta(p.Value) + `\b|\b` +
			regexp.QuoteMeta(p.Value) + `\[\]`)
		b.Doubt = b.Doubt || values == 1 && p.Value != "" && (p.Value == "null" || array.Match(n.src))
	}
	return b, values > 0
}

func (javaDialect) rewritten(b ops.Built, style string) (string, bool) {
	if b.Escaped() {
		return "", false
	}
	var out, args []string
	for i, p := range b.Parts {
		switch {
		case strings.Contains(p.Value, "//") || strings.Contains(p.Value, "\n"):
			return "", false
		case style == "format" && p.Value == "":
			out = append(out, strings.ReplaceAll(p.Text, "%", "%%"))
		case style == "format":
			out, args = append(out, "%s"), append(args, p.Value)
		case p.Value == "":
			out = append(out, `"`+p.Text+`"`)
		default:
			if i == 0 && (len(b.Parts) == 1 || b.Parts[1].Value != "") {
				out = append(out, `""`)
			}
			if p.Spec == "" {
				p.Value = "(" + p.Value + ")"
			}
			out = append(out, p.Value)
		}
	}
	if style == "format" {
		return `String.format("` + strings.Join(out, "") + `", ` + strings.Join(args, ", ") + ")", len(args) > 0
	}
	return b.Held(strings.Join(out, " + ")), len(out) > 0
}
