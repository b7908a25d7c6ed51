package treesitter

import (
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// stringDialect is how a dialect puts strings together.
type stringDialect interface {
	stringStyles() []string
	built(n *node) (ops.Built, bool)
	rewritten(b ops.Built, style string) (string, bool)
}

func (s syntax) StringStyles() []string {
	if d, ok := s.d.(stringDialect); ok {
		return d.stringStyles()
	}
	return nil
}

// Strings finds the outermost ones.
func (s syntax) Strings(f *kit.File, from, to int) []ops.Built {
	var out []ops.Built
	f.Raw.(*unit).root.walk(func(n *node) bool {
		if n.to <= from || n.from >= to {
			return n.parent == nil
		}
		if n.from < from || n.to > to {
			return true
		}
		b, ok := s.d.(stringDialect).built(n)
		if ok {
			b.From, b.To, b.Alone = n.from, n.to, n.parent.is("assignment", "return_statement", "argument_list", "arguments",
				"keyword_argument", "pair", "variable_declarator", "expression_statement", "list", "array",
				"parenthesized_expression", "assignment_expression", "arrow_function", "template_substitution")
			out = append(out, b)
		}
		return !ok
	})
	return out
}

func (s syntax) Rewrite(_ *kit.File, b ops.Built, style string) (string, bool) {
	return s.d.(stringDialect).rewritten(b, style)
}

// addends are the operands of a chain of +, from left to right.
func addends(n *node) []*node {
	if n.is("binary_operator", "binary_expression") && n.get("operator").is("+") {
		return append(addends(n.get("left")), n.get("right"))
	}
	return []*node{n}
}

// plainCode reports whether an f-string can hold the code, in every version of Python.
func plainCode(s string) bool { return !strings.ContainsAny(s, "\n\\#") }

// Python.

func (pythonDialect) stringStyles() []string { return []string{"fstring", "format", "concat"} }

// pyLiteral is the text of a literal with its quote; ok is false for bytes, raw and long strings.
func pyLiteral(n *node) (prefix, quote, text string, ok bool) {
	if !n.is("string") {
		return "", "", "", false
	}
	start := n.child("string_start")
	quote = strings.TrimLeft(start.text(), "rRbBfFuU")
	prefix = strings.ToLower(strings.TrimSuffix(start.text(), quote))
	if prefix != "" && prefix != "f" || len(quote) != 1 {
		return "", "", "", false
	}
	return prefix, quote, string(n.src[start.to:n.child("string_end").from]), true
}

func (d pythonDialect) built(n *node) (ops.Built, bool) {
	if n.parent.is("concatenated_string") {
		return ops.Built{}, false
	}
	switch {
	case n.is("string"):
		return pyFormatted(n)
	case n.is("call"):
		return pyFormat(n)
	case n.is("binary_operator") && n.get("operator").is("%"):
		return pyPercent(n)
	case n.is("binary_operator") && n.get("operator").is("+"):
		return pyConcat(n)
	}
	return ops.Built{}, false
}

// pyFormatted reads an f-string.
func pyFormatted(n *node) (ops.Built, bool) {
	prefix, quote, _, ok := pyLiteral(n)
	if !ok || prefix != "f" {
		return ops.Built{}, false
	}
	b := ops.Built{Style: "fstring", Quote: quote}
	for k := range n.kids {
		switch {
		case k.is("string_content"):
			b.Parts = append(b.Parts, ops.Part{Text: strings.NewReplacer("{{", "{", "}}", "}").Replace(k.text())})
		case k.is("interpolation"):
			if k.child("=", "ERROR") != nil || k.get("expression") == nil || k.get("format_specifier").child("interpolation",
				"format_expression") != nil {
				return ops.Built{}, false
			}
			value := k.get("expression").text()
			if k.get("expression").is("expression_list", "yield", "lambda") {
				value = "(" + value + ")"
			}
			b.Parts = append(b.Parts, ops.Part{Value: value, Spec: k.get("type_conversion").text() +
				k.get("format_specifier").text()})
		}
	}
	return b, true
}

var pyField = regexp.MustCompile(`\{\{|\}\}|\{([A-Za-z_]\w*|\d*)((?:![rsa])?(?::[^{}]*)?)\}`)

// pyFormat reads "...".format(...).
func pyFormat(n *node) (ops.Built, bool) {
	fn := n.get("function")
	prefix, quote, text, ok := pyLiteral(fn.get("object"))
	if !fn.is("attribute") || fn.get("attribute").text() != "format" || !ok || prefix != "" ||
		!n.get("arguments").is("argument_list") {
		return ops.Built{}, false
	}
	byName, byPlace, effects := map[string]*node{}, []*node{}, false
	for _, a := range n.get("arguments").list() {
		switch {
		case a.is("keyword_argument"):
			byName[a.get("name").text()] = a.get("value")
		case a.is("list_splat", "dictionary_splat"):
			return ops.Built{}, false
		default:
			byPlace = append(byPlace, a)
		}
		effects = effects || effectOf(a) != nil
	}
	b, at, next, last, used := ops.Built{Style: "format", Quote: quote}, 0, 0, 0, map[*node]bool{}
	add := func(s string) {
		if s != "" {
			b.Parts = append(b.Parts, ops.Part{Text: s})
		}
	}
	for _, m := range pyField.FindAllStringSubmatchIndex(text, -1) {
		add(text[at:m[0]])
		at = m[1]
		if m[2] < 0 {
			add(text[m[0] : m[0]+1])
			continue
		}
		name := text[m[2]:m[3]]
		value, ok := byName[name]
		switch i := next; {
		case name == "" && i < len(byPlace):
			value, ok = byPlace[i], true
			next++
		case name != "" && name[0] <= '9' && int(name[0]-'0') < len(byPlace) && len(name) == 1:
			value, ok = byPlace[name[0]-'0'], true
		}
		if !ok {
			return ops.Built{}, false
		}
		b.Doubt = b.Doubt || used[value] || effects && value.from < last // it would run twice, or too late
		used[value], last = true, value.from
		b.Parts = append(b.Parts, ops.Part{Value: value.text(), Spec: text[m[4]:m[5]]})
	}
	add(text[at:])
	for _, p := range b.Parts {
		if p.Value == "" && len(p.Text) > 1 && strings.ContainsAny(p.Text, "{}") {
			return ops.Built{}, false // a field that is more than a name
		}
	}
	b.Doubt = b.Doubt || len(used) < len(byPlace)+len(byName)
	return b, true
}

var pyVerb = regexp.MustCompile(`%([-0]?)(\d*)((?:\.\d+)?)([sdirxXfge%])`)

// pyPercent reads "..." % (...).
func pyPercent(n *node) (ops.Built, bool) {
	prefix, quote, text, ok := pyLiteral(n.get("left"))
	right := n.get("right")
	if !ok || prefix != "" || right.is("dictionary", "list_splat") {
		return ops.Built{}, false
	}
	values := []*node{right}
	if right.is("tuple") {
		values = right.list()
	}
	b, at := ops.Built{Style: "percent", Quote: quote, Doubt: !right.is("tuple") && !pyNoTuple(right)}, 0
	verbs := pyVerb.FindAllStringSubmatchIndex(text, -1)
	if strings.Contains(pyVerb.ReplaceAllString(text, ""), "%") {
		return ops.Built{}, false
	}
	for _, m := range verbs {
		if m[0] > at {
			b.Parts = append(b.Parts, ops.Part{Text: text[at:m[0]]})
		}
		at = m[1]
		flag, width, precision, verb := text[m[2]:m[3]], text[m[4]:m[5]], text[m[6]:m[7]], text[m[8]:m[9]]
		if verb == "%" {
			b.Parts = append(b.Parts, ops.Part{Text: "%"})
			continue
		}
		if len(values) == 0 || values[0].is("list_splat") {
			return ops.Built{}, false
		}
		switch verb {
		case "s", "r":
			b.Doubt = b.Doubt || flag == "0"
		case "d", "i", "x", "X":
			b.Doubt = b.Doubt || precision != "" || !values[0].is("integer") && !pyCalls(values[0], "len")
		}
		b.Doubt = b.Doubt || strings.HasPrefix(width, "0")
		b.Parts = append(b.Parts, ops.Part{Value: values[0].text(), Spec: pySpec(flag, width, precision, verb)})
		values = values[1:]
	}
	if at < len(text) {
		b.Parts = append(b.Parts, ops.Part{Text: text[at:]})
	}
	return b, len(values) == 0
}

// pySpec is a verb of % as a format specifier.
func pySpec(flag, width, precision, verb string) string {
	align := ""
	if flag == "-" {
		align = "<"
	} else if width != "" && (verb == "s" || verb == "r") {
		align = ">"
	}
	spec := align + strings.TrimPrefix(flag, "-") + width + precision
	switch verb {
	case "s", "r":
		if spec != "" {
			return "!" + verb + ":" + spec
		}
		return map[string]string{"s": "", "r": "!r"}[verb]
	case "i":
		verb = "d"
	}
	return ":" + spec + verb
}

func pyConcat(n *node) (ops.Built, bool) {
	if p := n.parent; p.is("binary_operator") && p.get("operator").is("+") && p.get("left") == n {
		return ops.Built{}, false
	}
	b, literal := ops.Built{Style: "concat"}, false
	all := addends(n)
	must := pyIs(all[0], "str") && pyMustBeString(n)
	for _, k := range all {
		prefix, quote, text, ok := pyLiteral(k)
		switch {
		case ok && prefix == "" && (b.Quote == "" || b.Quote == quote):
			b.Quote, literal = quote, true
			b.Parts = append(b.Parts, ops.Part{Text: text})
		case k.is("string", "concatenated_string"):
			return ops.Built{}, false
		case k.is("call") && k.get("function").text() == "str" && len(k.get("arguments").list()) == 1 &&
			!k.get("arguments").firstKid().is("keyword_argument", "list_splat", "dictionary_splat"):
			b.Parts = append(b.Parts, ops.Part{Value: k.get("arguments").firstKid().text()})
		default:
			b.Doubt = b.Doubt || !must && !pyIs(k, "str")
			b.Parts = append(b.Parts, ops.Part{Value: k.text(), String: true})
		}
	}
	return b, literal && len(b.Parts) > 1
}

// pyMustBeString reports whether Python itself rejects any other value there: what __repr__ and
// __str__ return is a string. What is added to a string then is one, too.
func pyMustBeString(n *node) bool {
	fn := n.up("function_definition", "lambda")
	return n.parent.is("return_statement") && fn.is("function_definition") && fn.parent.parent.is("class_definition") &&
		has([]string{"__repr__", "__str__", "__format__"}, fn.get("name").text()) && !fn.has("yield")
}

// pyCalls reports whether a node calls one of those built-in functions.
func pyCalls(n *node, names ...string) bool {
	return n.is("call") && n.get("function").is("identifier") && slices.Contains(names, n.get("function").text())
}

// pyIs reports whether a value is surely of one of those types, of which str is the first.
func pyIs(n *node, types ...string) bool {
	switch {
	case n.is("parenthesized_expression"):
		return pyIs(n.firstKid(), types...)
	case n.is("string"):
		return !strings.ContainsAny(strings.TrimRight(n.child("string_start").text(), `"'`), "bBtT")
	case n.is("binary_operator") && n.get("operator").is("%"):
		return pyIs(n.get("left"), "str")
	case n.is("binary_operator") && n.get("operator").is("+"):
		return pyIs(n.get("left"), "str") && pyIs(n.get("right"), "str")
	case n.is("binary_operator") && n.get("operator").is("*"):
		return pyIs(n.get("left"), "str") && n.get("right").is("integer")
	case n.is("subscript"):
		return pyIs(n.get("value"), "str")
	case n.is("call") && n.get("function").is("attribute"):
		fn := n.get("function")
		return fn.text() == "os.path.join" || pyIs(fn.get("object"), "str") && slices.Contains([]string{"join", "format",
			"upper", "lower", "strip", "lstrip", "rstrip", "title", "replace"}, fn.get("attribute").text())
	case n.is("identifier"):
		return pyAnnotated(n, types)
	}
	return pyCalls(n, "str", "repr", "chr", "hex")
}

// pyAnnotated reports whether a name is a parameter of one of those types that is bound nowhere else in its function.
func pyAnnotated(n *node, types []string) bool {
	fn := n.up("function_definition", "lambda", "class_definition", "list_comprehension", "set_comprehension",
		"dictionary_comprehension", "generator_expression")
	if !fn.is("function_definition") {
		return false
	}
	found, sure := false, true
	for p := range fn.get("parameters").kids {
		name := p.get("name")
		if p.is("typed_parameter") {
			name = p.firstKid()
		}
		if name.is("identifier") && name.text() == n.text() && slices.Contains(types, p.get("type").text()) {
			found = !p.get("value").is("none")
		}
	}
	fn.get("body").walk(func(k *node) bool {
		if k.is("identifier") && k.text() == n.text() {
			for p := k; p != fn && p.parent != nil; p = p.parent {
				if p.parent.is("global_statement", "nonlocal_statement", "as_pattern_target", "case_pattern") ||
					p.parent.is("assignment", "augmented_assignment", "for_statement") && p.parent.get("left") == p ||
					p.parent.is("named_expression") && p.parent.get("name") == p {
					sure = false
				}
			}
		}
		return sure
	})
	return found && sure
}

// pyNoTuple reports whether a value is surely no tuple.
func pyNoTuple(n *node) bool {
	switch {
	case n.is("parenthesized_expression"):
		return pyNoTuple(n.firstKid())
	case n.is("binary_operator"):
		left, right := pyNoTuple(n.get("left")), pyNoTuple(n.get("right"))
		switch n.get("operator").text() {
		case "-", "/", "//", "**", "%":
			return true
		case "+":
			return left || right
		case "*":
			return left && right
		}
		return false
	}
	return n.is("integer", "float", "true", "false", "none", "list", "set", "list_comprehension", "set_comprehension",
		"concatenated_string", "string", "unary_operator", "not_operator") ||
		pyCalls(n, "len", "int", "float", "bool") || pyIs(n, "str", "int", "float", "bool")
}

func (d pythonDialect) rewritten(b ops.Built, style string) (string, bool) {
	if b.Escaped() {
		return "", false
	}
	if b.Quote == "" {
		b.Quote = `"`
	}
	var out, args []string
	for _, p := range b.Parts {
		switch {
		case !plainCode(p.Value):
			return "", false
		case p.Value == "" && style == "concat":
			out = append(out, b.Quote+p.Text+b.Quote)
		case p.Value == "":
			out = append(out, strings.NewReplacer("{", "{{", "}", "}}").Replace(p.Text))
		case style == "format":
			out, args = append(out, "{"+p.Spec+"}"), append(args, p.Value)
		case style == "concat" && p.Spec == "":
			if !p.String {
				p.Value = "str(" + p.Value + ")"
			}
			out = append(out, p.Value)
		case style == "fstring" && !strings.Contains(p.Value, b.Quote) && !strings.Contains(p.Value, `"""`):
			out = append(out, pyValue(p))
		default:
			return "", false
		}
	}
	switch style {
	case "fstring":
		if !strings.Contains(strings.ReplaceAll(strings.Join(out, ""), "{{", ""), "{") { // no value in it
			return "", false
		}
		return "f" + b.Quote + strings.Join(out, "") + b.Quote, true
	case "format":
		return b.Quote + strings.Join(out, "") + b.Quote + ".format(" + strings.Join(args, ", ") + ")", len(args) > 0
	}
	return b.Held(strings.Join(out, " + ")), len(out) > 1
}

// pyValue is a value in an f-string.
func pyValue(p ops.Part) string {
	v := p.Value
	if strings.HasPrefix(v, "{") {
		v = " " + v
	}
	if strings.Contains(v, "lambda") || strings.ContainsAny(v, ":!=") && !strings.ContainsAny(v[len(v)-1:], ")]") {
		v = "(" + p.Value + ")"
	}
	return "{" + v + p.Spec + "}"
}

// TypeScript and JavaScript.

func (ecma) stringStyles() []string { return []string{"template", "concat"} }

var octal = regexp.MustCompile(`\\[0-9]`)

func (ecma) built(n *node) (ops.Built, bool) {
	switch {
	case n.is("template_string"):
		return jsTemplate(n)
	case n.is("binary_expression") && n.get("operator").is("+"):
		return jsConcat(n)
	}
	return ops.Built{}, false
}

func jsTemplate(n *node) (ops.Built, bool) {
	b := ops.Built{Style: "template", Quote: "`"}
	if n.parent.is("call_expression", "literal_type", "template_literal_type") || strings.Contains(n.text(), "\n") {
		return b, false // tagged, or of several lines
	}
	at := n.from + 1
	for k := range n.kids {
		if !k.is("template_substitution") {
			continue
		}
		if k.from > at {
			b.Parts = append(b.Parts, ops.Part{Text: string(n.src[at:k.from])})
		}
		b.Parts = append(b.Parts, jsValue(k.firstKid()))
		at = k.to
	}
	if at < n.to-1 {
		b.Parts = append(b.Parts, ops.Part{Text: string(n.src[at : n.to-1])})
	}
	return b, true
}

// jsValue is a value; Spec says that it holds together without parentheses.
func jsValue(n *node) ops.Part {
	for n.is("parenthesized_expression") {
		n = n.firstKid()
	}
	p := ops.Part{Value: n.text()}
	if n.is("identifier", "member_expression", "call_expression", "subscript_expression", "number", "this",
		"template_string", "non_null_expression") {
		p.Spec = "single"
	}
	return p
}

func jsConcat(n *node) (ops.Built, bool) {
	b, all, first := ops.Built{Style: "concat"}, addends(n), -1
	for i, k := range all {
		if k.is("string", "template_string") && first < 0 {
			first = i
		}
	}
	if p := n.parent; first < 0 || p.is("binary_expression") && p.get("operator").is("+") && p.get("left") == n {
		return b, false
	}
	values := 0
	for i, k := range all {
		switch {
		case i+1 < first: // a + b + "c" adds a and b first
			continue
		case i+1 == first && first > 1:
			b.Parts = append(b.Parts, ops.Part{Value: strings.TrimSpace(string(n.src[n.from:k.to]))})
			values++
		case k.is("string"):
			text := k.text()
			if octal.MatchString(text) || strings.Contains(text, "\n") {
				return b, false
			}
			b.Parts = append(b.Parts, ops.Part{Text: jsTemplateText(text[1 : len(text)-1])})
		case k.is("template_string"):
			t, ok := jsTemplate(k)
			if !ok {
				return b, false
			}
			b.Parts = append(b.Parts, t.Parts...)
		default:
			b.Parts = append(b.Parts, jsValue(k))
			values++
		}
	}
	return b, values > 0
}

// jsTemplateText is the text of a quoted string as a template writes it.
func jsTemplateText(s string) string {
	return strings.NewReplacer(`\\`, `\\`, `\'`, `'`, `\"`, `"`, "`", "\\`", "${", "\\${").Replace(s)
}

func (ecma) rewritten(b ops.Built, style string) (string, bool) {
	var out []string
	quoted := func(s string) string {
		return `"` + strings.NewReplacer(`\\`, `\\`, "\\`", "`", `\$`, `$`, `\"`, `\"`, `"`, `\"`).Replace(s) + `"`
	}
	for i, p := range b.Parts {
		switch {
		case strings.Contains(p.Value, "//") || strings.Contains(p.Value, "\n"), p.Value == "" &&
			strings.Contains(strings.ReplaceAll(p.Text, "\\${", ""), "${"): // two texts made one
			return "", false
		case style == "template" && p.Value == "":
			out = append(out, p.Text)
		case style == "template":
			out = append(out, "${"+p.Value+"}")
		case p.Value == "":
			out = append(out, quoted(p.Text))
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
	if style == "template" {
		return "`" + strings.Join(out, "") + "`", true
	}
	if len(out) == 1 {
		return out[0], true
	}
	return b.Held(strings.Join(out, " + ")), true
}
