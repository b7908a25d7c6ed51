package treesitter

import (
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// printing: console.log(...) and its like, as a statement or as all that a function does.
func (ecma) printing(_ *job, u *unit, call *node) (ops.Printed, bool) {
	fn := call.get("function")
	method := strings.TrimPrefix(fn.text(), "console.")
	root := fn.firstKid()
	if r := u.byNode[root]; !fn.is("member_expression") || root.text() != "console" || r == nil || r.b != nil ||
		!has([]string{"log", "info", "warn", "error", "debug", "trace"}, method) ||
		!call.parent.is("expression_statement") && !(call.parent.is("arrow_function") && call.field == "body") {
		return ops.Printed{}, false
	}
	p := ops.Printed{Callee: fn.text()}
	args := call.get("arguments").list()
	for _, a := range args {
		p.Texts = append(p.Texts, literalText(a))
		if a.is("spread_element") {
			p.Keep = "how many values it prints is not known"
		}
	}
	switch {
	case len(args) == 0:
		p.Keep = "it prints an empty line"
	case len(args) > 1 && jsFormat.MatchString(p.Texts[0]):
		p.Keep = "it has a format of the console's"
	}
	p.Level = printLevel(call, p.Texts, args, method == "error")
	if own := map[string]string{"warn": "warning", "debug": "debug", "trace": "debug"}[method]; own != "" {
		p.Level = own
	}
	return p, true
}

var jsFormat = regexp.MustCompile(`%[sdifoOc]`)

// jsLogger is a logger as the code at a print can name it.
type jsLogger struct {
	known
	plain bool // a function that takes the text
	level bool // a function that takes the level and the text
}

func (d ecma) logged(j *job, u *unit, call *node, with kit.Logger) (string, error) {
	l, err := d.loggerAt(j, u, call, with.Name)
	if err != nil {
		return "", err
	}
	args := call.get("arguments").list()
	if l.plain || l.level {
		return d.loggedBy(j, u, l, args, with.Level)
	}
	method, def, err := d.methodFor(j, l, with.Level)
	if err != nil {
		return "", err
	}
	most := d.takes(j, u, l, method, def)
	if len(args) <= most && (jsIsText(args[0]) || most > 1 && def == nil) {
		var all []string
		for _, a := range args {
			all = append(all, a.text())
		}
		return l.expr + "." + method + "(" + strings.Join(all, ", ") + ")", nil
	}
	text, err := jsMessage(j, u, args, l.expr)
	return l.expr + "." + method + "(" + text + ")", err
}

// loggedBy calls a function that logs.
func (d ecma) loggedBy(j *job, u *unit, l jsLogger, args []*node, level string) (string, error) {
	text, err := jsMessage(j, u, args, l.expr)
	if err != nil {
		return "", err
	}
	if l.plain {
		return l.expr + "(" + text + ")", nil
	}
	return d.levelCall(j, u, l, level, text)
}

// levelCall calls a function that takes the level and the text.
func (d ecma) levelCall(j *job, u *unit, l jsLogger, level, text string) (string, error) {
	typ := l.def.get("parameters").firstKid().get("type").firstKid().text()
	if b := l.unit.module.names[typ]; b != nil {
		typ = j.p.follow(b).def().text()
	}
	for _, w := range jsLevels[level] {
		if !strings.ContainsAny(typ, "\"'") || strings.Contains(typ, `"`+w+`"`) || strings.Contains(typ, `'`+w+`'`) {
			q := u.style().quote
			return l.expr + "(" + q + w + q + ", " + text + ")", nil
		}
	}
	return "", j.decline("%s has no level %s", l.expr, level)
}

// jsLevels are the names of levels, the usual ones first.
var jsLevels = map[string][]string{"": {"info", "log"}, "info": {"info", "log", "notice"}, "log": {"info", "log"},
	"debug": {"debug", "trace", "verbose", "info", "log"}, "trace": {"trace", "debug", "log"},
	"warning": {"warn", "warning", "info", "log"}, "warn": {"warn", "warning", "info", "log"},
	"error": {"error", "err", "warn"}}

// methodFor is the method of a logger for a level, with its declaration where the project has it.
func (d ecma) methodFor(j *job, l jsLogger, level string) (string, *node, error) {
	if len(jsLevels[level]) == 0 {
		return "", nil, j.decline("%s has no level %s", l.expr, level)
	}
	if strings.Contains(l.source(), "@nestjs/common") && (level == "info" || level == "") {
		return "log", nil, nil
	}
	for _, m := range jsLevels[level] {
		def, certain := d.memberOf(j, l.known, m)
		if def != nil || !certain {
			return m, def, nil
		}
	}
	return "", nil, j.decline("%s (%s) has no method for level %s", l.expr, spot(l.unit, l.def), level)
}

// memberOf is the function that a logger has under a name; certain is false where what it has is not known.
func (d ecma) memberOf(j *job, k known, name string) (def *node, certain bool) {
	if m := j.methodOf(k, name); m != nil {
		return m, true
	}
	if k.b != nil {
		if at, ok := j.p.moduleOf(k.b); ok && !at.outside && at.file != "" {
			m := d.exported(j.p, at, name, map[string]bool{})
			if m.kind != bound {
				return nil, m.kind != exportOf && d.exportsMethods(j, at)
			}
			def := j.p.follow(m.b).def()
			if v := def.get("value"); v != nil {
				def = v
			}
			return def, true
		}
	}
	v := k.def.get("value")
	if v.is("object") {
		for p := range v.kids {
			if p.get("key").text() == name {
				return p.get("value"), true
			}
			if p.is("method_definition") && p.get("name").text() == name {
				return p, true
			}
		}
		return nil, v.child("spread_element") == nil
	}
	return nil, j.lacksMethod(k, name) != nil
}

// exportsMethods reports whether a module gives any of the methods of a logger by name.
func (d ecma) exportsMethods(j *job, at place) bool {
	u := j.p.unit(at.file)
	return u != nil && slices.ContainsFunc(u.exports, func(e export) bool {
		return has([]string{"info", "warn", "error", "log", "debug"}, e.name)
	})
}

var (
	jsConsoleLike = regexp.MustCompile(`["']?\b(consola|loglevel|log4js|electron-log|signale|tslog|console)\b`)
)

// takes is how many values a method of a logger takes, the text first.
func (d ecma) takes(j *job, u *unit, l jsLogger, method string, def *node) int {
	if def == nil {
		if jsConsoleLike.MatchString(l.def.get("value").text() + l.source()) {
			return 99
		}
		return 1
	}
	if p := def.get("parameter"); p != nil {
		return 1
	}
	ps := def.get("parameters").list()
	for _, p := range ps {
		if p.is("rest_pattern") || p.firstKid().is("rest_pattern") || strings.HasPrefix(p.text(), "...") {
			return 99
		}
	}
	return len(ps)
}

// jsIsText reports whether a value is certainly a text.
func jsIsText(n *node) bool {
	switch {
	case n.is("string", "template_string"):
		return true
	case n.is("parenthesized_expression"):
		return jsIsText(n.firstKid())
	case n.is("binary_expression"):
		return n.get("operator").text() == "+" && (jsIsText(n.get("left")) || jsIsText(n.get("right")))
	case n.is("call_expression"):
		fn := n.get("function")
		return fn.text() == "String" || fn.text() == "JSON.stringify" || fn.is("member_expression") &&
			has([]string{"join", "toFixed", "toString", "toISOString", "padStart", "padEnd", "trim", "toUpperCase",
				"toLowerCase"}, fn.get("property").text())
	}
	return false
}

// jsMessage is one text of what a print prints. It declines where a value may be an object, of which a
// text says nothing.
func jsMessage(j *job, u *unit, args []*node, logger string) (string, error) {
	if len(args) == 1 && jsIsText(args[0]) {
		return args[0].text(), nil
	}
	for _, a := range args {
		if why := j.opaque(u, a); why != "" {
			return "", j.decline("%s %s, and %s takes a text", kit.OneLine(a.text()), why, logger)
		}
	}
	if args[0].is("string") && len(args) > 1 && u.joins() {
		return jsJoined(args), nil
	}
	var out strings.Builder
	for i, a := range args {
		if i > 0 {
			out.WriteByte(' ')
		}
		switch text := a.text(); {
		case a.is("string"):
			out.WriteString(strings.NewReplacer("`", "\\`", "${", "\\${").Replace(text[1 : len(text)-1]))
		case a.is("template_string"):
			out.WriteString(text[1 : len(text)-1])
		case a.is("object", "array"):
			out.WriteString("${JSON.stringify(" + text + ")}")
		default:
			out.WriteString("${" + text + "}")
		}
	}
	return "`" + out.String() + "`", nil
}

// joins reports whether a file puts its texts together with +, and none by a template.
func (u *unit) joins() bool {
	joined, templates := false, false
	u.root.walk(func(n *node) bool {
		joined = joined || n.is("binary_expression") && n.get("operator").text() == "+" &&
			(n.get("left").is("string") || n.get("right").is("string"))
		templates = templates || n.is("template_string")
		return true
	})
	return joined && !templates
}

// jsJoined puts values together with +, behind a text.
func jsJoined(args []*node) string {
	out, first := "", args[0].text()[:1]
	for i, a := range args {
		text := a.text()
		switch {
		case a.is("string"):
			q, s := text[:1], text[1:len(text)-1]
			if i > 0 {
				s = " " + s
			}
			if i+1 < len(args) && !args[i+1].is("string") {
				s += " "
			}
			text = q + s + q
		case a.is("object", "array"):
			text = "JSON.stringify(" + text + ")"
		case !a.is("identifier", "member_expression", "call_expression", "subscript_expression", "number", "template_string"):
			text = "(" + text + ")"
		}
		if i > 0 {
			if !a.is("string") && !args[i-1].is("string") {
				text = first + " " + first + " + " + text
			}
			out += " + "
		}
		out += text
	}
	return out
}

var (
	jsObjects = regexp.MustCompile(`(?i)^(.*_)?(config|cfg|conf|data|obj|object|options|opts|result|results|response|res|req|request|body|payload|params|props|state|settings|ctx|context|items|list|map|rows|event|evt|json|env|args|argv)$`)
	jsSays    = regexp.MustCompile(`^(to[A-Z]\w*|format\w*|describe\w*|slice|substring|substr|replace|replaceAll|repeat|charAt|indexOf|get\w*(Name|Id|Time|Length|Count)|length|size|now|round|floor|ceil|abs|max|min|Number|parseInt|parseFloat|Boolean|reduce|filter|basename|dirname|resolve)$`)
)

// opaque says why a value may be one that a text says nothing of, or "".
func (j *job) opaque(u *unit, n *node) string {
	name := n
	switch {
	case n.is("parenthesized_expression", "non_null_expression", "as_expression"):
		return j.opaque(u, n.firstKid())
	case n.is("await_expression", "new_expression", "arrow_function", "function_expression", "class", "yield_expression",
		"spread_element"):
		return "may be an object"
	case n.is("ternary_expression"):
		for _, f := range []string{"consequence", "alternative"} {
			if why := j.opaque(u, n.get(f)); why != "" {
				return why
			}
		}
		return ""
	case n.is("call_expression"):
		fn := n.get("function")
		if fn.is("member_expression") {
			fn = fn.get("property")
		}
		if jsIsText(n) || jsSays.MatchString(fn.text()) {
			return ""
		}
		return "may be an object"
	case n.is("member_expression"):
		name = n.get("property")
	case n.is("identifier"):
		if e := j.d.entity(j.p, u, n); e.class != nil || e.kind == aModule {
			return "is an object"
		}
		if r := u.byNode[n]; r != nil && r.b != nil && len(r.b.decls) == 1 {
			def := r.b.def()
			if v := def.get("value"); v.is("object", "array", "new_expression", "await_expression") {
				return "may be an object"
			}
			t := def.get("type").firstKid()
			if t.is("predefined_type", "union_type", "literal_type") && t.text() != "any" && t.text() != "object" &&
				t.text() != "unknown" {
				return ""
			}
			if t.is("array_type", "object_type", "generic_type") {
				return "is an object"
			}
		}
	default:
		return ""
	}
	if jsObjects.MatchString(name.text()) {
		return "may be an object"
	}
	return ""
}

// loggerAt finds the logger that the code at a print can name: the one that is asked for, else the nearest, else
// one that other files of the project import.
func (d ecma) loggerAt(j *job, u *unit, call *node, name string) (jsLogger, error) {
	sc := u.scopeAt(call)
	if own, ok := strings.CutPrefix(name, "this."); ok {
		if l, ok := d.thisLogger(j, u, call, own); ok {
			return l, nil
		}
		return jsLogger{}, j.decline("nothing at %s is called %s", spot(u, call), name)
	}
	if name != "" {
		if b := sc.lookup(name, value); b != nil {
			if l, ok := d.bindingLogger(j, b, name); ok {
				return l, nil
			}
			return jsLogger{}, j.decline("%s is a %s in %s, not a logger", name, b.kind, u.path)
		}
		if !loggerName.MatchString(name) {
			return jsLogger{}, j.decline("nothing at %s is called %s", spot(u, call), name)
		}
	}
	if l, ok := d.nearLogger(j, u, call, name); ok {
		return l, nil
	}
	return d.sharedLogger(j, u, sc, name)
}

// nearLogger is the logger that is in scope: a name of the function, a member of the object, a name of the module.
func (d ecma) nearLogger(j *job, u *unit, at *node, _ string) (jsLogger, bool) {
	this, own := d.thisLogger(j, u, at, `_?(?:log|\w*[lL]ogger)`)
	sc := u.scopeAt(at)
	for _, s := range sc.chain() {
		if own && s.kind == moduleScope {
			return this, true
		}
		for _, n := range append(jsLoggers, "_log") {
			if b := s.names[n]; b != nil && sc.lookup(n, value) == b {
				if l, ok := d.bindingLogger(j, b, n); ok {
					return l, true
				}
			}
		}
	}
	return this, own
}

// thisLogger is a member of the object whose method holds the print, which the class logs with.
func (d ecma) thisLogger(j *job, u *unit, call *node, name string) (jsLogger, bool) {
	c := u.classOfThis(call)
	if c == nil {
		return jsLogger{}, false
	}
	re := regexp.MustCompile(`\bthis\.(#?` + name + `)\b`)
	m := re.FindStringSubmatch(c.node.text())
	if m == nil {
		return jsLogger{}, false
	}
	k := known{expr: "this." + m[1], unit: u}
	for _, a := range j.p.ancestry(c) {
		if ms := a.members[m[1]]; len(ms) > 0 {
			if ms[0].method {
				return jsLogger{}, false
			}
			k.unit, k.def = a.unit, ms[0].def
			break
		}
	}
	return jsLogger{known: k}, true
}

// classOfThis is the class of what `this` is at a node, where that is an object of it.
func (u *unit) classOfThis(n *node) *class {
	for p := n.parent; p != nil; p = p.parent {
		switch p.kind {
		case "function_declaration", "function_expression", "generator_function", "generator_function_declaration":
			return nil
		case "method_definition", "public_field_definition", "field_definition":
			if !p.parent.is("class_body") || p.child("static") != nil {
				return nil
			}
			return u.classAt(p.parent.parent)
		}
	}
	return nil
}

// bindingLogger tells whether a name stands for something that logs, and how.
func (d ecma) bindingLogger(j *job, b *binding, name string) (jsLogger, bool) {
	k := known{expr: name, b: b, unit: b.unit, def: b.def()}
	if at := j.p.follow(b); at != b {
		k.unit, k.def = at.unit, at.def()
	}
	fn := k.def
	if v := k.def.get("value"); v != nil {
		fn = v
	}
	switch {
	case has([]string{"class", "interface", "type", "enum"}, b.kind):
		return jsLogger{}, false
	case fn.is("function_declaration", "arrow_function", "function_expression"):
		k.def = fn
		return d.functionLogger(k)
	case fn.is("number", "string", "template_string", "array", "true", "false", "null", "binary_expression"):
		return jsLogger{}, false
	}
	return jsLogger{known: k}, true
}

var jsLevelParam = regexp.MustCompile(`(?i)^(level|lvl|severity|loglevel)$`)

// functionLogger tells how a function that logs is called.
func (d ecma) functionLogger(k known) (jsLogger, bool) {
	ps := k.def.get("parameters").list()
	if p := k.def.get("parameter"); p != nil {
		ps = []*node{p}
	}
	if len(ps) == 0 {
		return jsLogger{}, false
	}
	needed := 0
	for _, p := range ps {
		if p.is("identifier", "required_parameter") && p.get("value") == nil && !p.firstKid().is("rest_pattern") {
			needed++
		}
	}
	first := ps[0]
	if p := first.get("pattern"); p != nil {
		first = p
	}
	level := jsLevelParam.MatchString(first.text())
	typed := k.unit.d.typed(k.unit)
	switch {
	case level && len(ps) > 1 && (needed <= 2 || !typed):
		return jsLogger{known: k, level: true}, true
	case !level && needed <= 1:
		return jsLogger{known: k, plain: true}, true
	}
	return jsLogger{}, false
}

// sharedLogger imports the logger that most of the project's other files import.
func (d ecma) sharedLogger(j *job, u *unit, sc *scope, name string) (jsLogger, error) {
	type way struct {
		b    *binding
		file string
	}
	count := map[string]int{}
	best, most := way{}, 0
	for _, n := range jsLoggers {
		if name != "" && n != name || sc.lookup(n, value) != nil {
			continue
		}
		units, err := j.p.mentioning(j.ctx, n)
		if err != nil {
			return jsLogger{}, err
		}
		for _, v := range units {
			b := v.module.names[n]
			if v == u || b == nil || len(b.imps) != 1 || v.esm != u.esm && v.cjs != u.cjs {
				continue
			}
			at := d.locate(j.p, v.path, b.imps[0].module)
			key := n + " " + at.file + " " + b.imps[0].name
			if count[key]++; count[key] > most {
				best, most = way{b, at.file}, count[key]
			}
		}
	}
	if best.b == nil {
		return jsLogger{},
			j.decline("%s knows no logger, and no other file of the project imports one; import it first", u.path)
	}
	l, ok := d.bindingLogger(j, best.b, best.b.name)
	if !ok {
		return jsLogger{}, j.decline("%s knows no logger; import it first", u.path)
	}
	return l, d.importLogger(j, u, best.b, best.file)
}

// importLogger imports what another file imports.
func (d ecma) importLogger(j *job, u *unit, like *binding, file string) error {
	key := "import " + like.name + " " + u.path
	if j.p.extra[key] != nil {
		return nil
	}
	j.p.extra[key] = true
	o := like.imps[0]
	spec := o.module
	if file != "" {
		jm := &jsMove{moving: &moving{job: j, u: like.unit}, d: d}
		var err error
		if spec, err = jm.specifier(u.path, file, o.module); err != nil {
			return err
		}
	}
	w := wanted{path: spec}
	switch {
	case o.name == "default", o.name == "" && !like.unit.esm, o.name == "=":
		w.alias = like.name
	case o.name == "":
		w.names = []string{"* as " + like.name}
	case o.name == like.name:
		w.names = []string{like.name}
	default:
		w.names = []string{o.name + " as " + like.name}
	}
	return j.addJS(u, w)
}
