package treesitter

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// known is a logger as a function can name it, with what is known of it.
type known struct {
	expr string
	b    *binding // what its first name stands for; nil for a member, and what the platform has
	def  *node    // what declares it, where that is known
	unit *unit    // of def
}

// loggerNamed finds the logger that a request names: a name in scope with what stands behind it,
// or a member of the class that the function is a method of.
func (j *job) loggerNamed(f *function, name, self, recv string) (known, error) {
	parts := strings.Split(name, ".")
	if has([]string{"self", "this", "cls"}, parts[0]) && len(parts) > 1 {
		if k, ok := j.memberLogger(f, parts[1:], recv); ok {
			return k, nil
		}
		return known{}, j.noLogger(f, name, self, recv)
	}
	b := f.unit.scopes[f.fn].lookup(parts[0], value)
	if later := f.declaredWithin(parts[0]); later != nil {
		return known{}, j.decline("%s is declared at %s, behind the entry of %s", parts[0], spot(f.unit, later), f.name)
	}
	if b != nil {
		k := known{expr: name, b: b, unit: b.unit, def: b.def()}
		if at := j.p.follow(b); at != b && len(parts) == 1 {
			k.unit, k.def = at.unit, at.def()
		}
		return k, nil
	}
	if len(parts) == 1 {
		if k, ok := j.memberLogger(f, parts, recv); ok {
			return k, nil
		}
	}
	return known{}, j.noLogger(f, name, self, recv)
}

// declaredWithin is a declaration of a name in the body of the function itself, behind its entry.
func (f *function) declaredWithin(name string) *node {
	body := f.fn.get("body")
	for _, b := range f.unit.bindings {
		if b.name != name || b.kind == "param" || b.kind == "func" {
			continue
		}
		for _, d := range b.decls {
			if d.name.within(body) && (b.scope.node == body || b.scope.function() == f.unit.scopes[f.fn].function()) {
				return d.name
			}
		}
	}
	return nil
}

// memberLogger is a member of the class, of its bases in the project, or one that the class uses
// and has from elsewhere. recv is what the method calls its object, "" where it has none.
func (j *job) memberLogger(f *function, names []string, recv string) (known, bool) {
	if recv == "" || f.class == nil {
		return known{}, false
	}
	expr := recv + "." + strings.Join(names, ".")
	for _, c := range j.p.ancestry(f.class) {
		if ms := c.members[names[0]]; len(ms) > 0 {
			k := known{expr: expr, unit: c.unit, def: ms[0].def}
			return k, len(names) > 1 || !ms[0].method
		}
	}
	used := regexp.MustCompile(`\b` + regexp.QuoteMeta(expr) + `\.\w+\(`)
	return known{expr: expr, unit: f.unit}, used.MatchString(f.class.node.text())
}

var loggerName = regexp.MustCompile(`(?i)^_*(\w*logger|log)$`)

// noLogger declines, and says which loggers the function knows. self is what requests call its object.
func (j *job) noLogger(f *function, name, self, recv string) error {
	var all []string
	for s := f.unit.scopes[f.fn]; s != nil; s = s.parent {
		for n, b := range s.names {
			if loggerName.MatchString(n) && b.kind != "class" && b.kind != "type" && !has(all, n) {
				all = append(all, n)
			}
		}
	}
	if f.class != nil && recv != "" {
		for _, c := range j.p.ancestry(f.class) {
			for n, ms := range c.members {
				if loggerName.MatchString(n) && !ms[0].method && !has(all, self+n) {
					all = append(all, self+n)
				}
			}
		}
	}
	slices.Sort(all)
	d := &refactor.Declined{Understood: j.op.String(), Reason: fmt.Sprintf("%s knows no logger %s", f.title(), name)}
	if len(all) > 0 {
		d.Reason += "; it knows " + refactor.Few(all)
	}
	for _, n := range all[:min(len(all), 3)] {
		d.Nearest = append(d.Nearest, "log at entry of "+f.title()+" with "+n)
	}
	return d
}

// logWith logs with the logger that the request names, in the way of its library; an f-string
// is right for any that takes a text.
func (pythonDialect) logWith(j *job, f *function, text string, values []string, with kit.Logger) (string, error) {
	if with.Name == "print" {
		return pyShown("print", f, text, values), nil
	}
	level := map[string]string{"": "debug", "warn": "warning", "trace": "debug"}[with.Level]
	if level == "" {
		level = with.Level
	}
	if with.Name == "logging" && f.unit.module.names["logging"] == nil {
		if !j.visible(f, "logging", nil) {
			return "", j.decline("logging means something else in %s", f.name)
		}
		j.insertPython(f.unit, "import logging")
		return pyLazy("logging."+level, f, text, values), nil
	}
	recv := ""
	if ps := f.params.list(); f.class != nil && f.receiver() == 1 && len(ps) > 0 {
		recv = ps[0].text()
	}
	k, err := j.loggerNamed(f, with.Name, "self.", recv)
	if err != nil {
		return "", err
	}
	from := ""
	if k.def != nil {
		from = k.def.get("right").text() + k.def.get("type").text()
	}
	lib := ""
	if k.b != nil && len(k.b.imps) > 0 {
		lib = k.b.imps[0].full
	}
	switch {
	case k.def.is("function_definition"):
		return pyShown(k.expr, f, text, values), j.takesText(k, f, with.Name)
	case k.def.is("class_definition"), k.b != nil && k.b.kind == "class":
		return "", j.decline("%s is a class in %s, not a logger", k.expr, f.name)
	case strings.Contains(from, "structlog"):
		var args []string
		for _, v := range values {
			args = append(args, v+"="+v)
		}
		q := f.unit.style().quote
		return k.expr + "." + level + "(" + strings.Join(append([]string{q + text + q}, args...), ", ") + ")", nil
	case lib == "logging", strings.Contains(from, "getLogger"), strings.Contains(from, "logging.Logger"):
		return pyLazy(k.expr+"."+level, f, text, values), nil
	}
	if no := j.lacksMethod(k, level); no != nil {
		return "", no
	}
	return pyShown(k.expr+"."+level, f, text, values), nil
}

// takesText declines a function that cannot be called with a text alone.
func (j *job) takesText(k known, f *function, name string) error {
	needs, takes := 0, 0
	for _, p := range k.def.get("parameters").list() {
		if takes++; p.is("identifier", "typed_parameter", "required_parameter") && p.get("value") == nil {
			needs++
		}
	}
	if needs > 1 || takes == 0 {
		return j.decline("%s (%s) cannot be called with a text alone, and %s needs a logger", name,
			spot(k.unit, k.def), f.name)
	}
	return nil
}

// lacksMethod declines a value that surely has no such method: a number, a text, an object of a
// class of the project without it.
func (j *job) lacksMethod(k known, method string) error {
	v := k.def.get("right")
	if v == nil {
		v = k.def.get("value")
	}
	if v.is("integer", "float", "number", "string", "template_string", "list", "array", "true", "false", "none", "null") {
		return j.decline("%s is %s there, not a logger", k.expr, kit.OneLine(v.text()))
	}
	var e entity
	if v != nil {
		e = j.d.entity(j.p, k.unit, v)
	} else if t := k.def.get("type"); k.def.is("typed_parameter", "required_parameter", "public_field_definition") {
		if t.is("type_annotation") {
			t = t.firstKid()
		}
		if t.is("type") && t.firstKid().is("identifier") && has([]string{"int", "str", "float", "bool", "dict", "list"},
			t.text()) ||
			t.is("predefined_type") && t.text() != "any" {
			return j.decline("%s is a %s there, not a logger", k.expr, t.text())
		}
		e = j.d.entity(j.p, k.unit, t)
	}
	if e.class == nil {
		return nil
	}
	for _, c := range j.p.ancestry(e.class) {
		if _, out := j.p.bases(c); len(c.members[method]) > 0 || len(out) > 0 {
			return nil
		}
	}
	return j.decline("%s is a %s, which has no %s", k.expr, e.class.title(), method)
}

// pyLazy is a call in the way of the logging module, which puts the text together itself.
func pyLazy(callee string, f *function, text string, values []string) string {
	q := f.unit.style().quote
	for i, p := range values {
		text += map[bool]string{true: ": ", false: ", "}[i == 0] + p + "=%r"
	}
	return callee + "(" + strings.Join(append([]string{q + text + q}, values...), ", ") + ")"
}

// pyShown is a call with an f-string.
func pyShown(callee string, f *function, text string, values []string) string {
	q := f.unit.style().quote
	if len(values) == 0 {
		return callee + "(" + q + text + q + ")"
	}
	for i, p := range values {
		text += map[bool]string{true: ": ", false: ", "}[i == 0] + p + "={" + p + "!r}"
	}
	return callee + "(f" + q + text + q + ")"
}

// logWith logs with the logger that the request names: a text and an object with the values, as
// the console does it, in the order that the library has them.
func (d ecma) logWith(j *job, f *function, text string, values []string, with kit.Logger) (string, error) {
	st := f.unit.style()
	say := st.quote + text + st.quote
	object := "{ " + strings.Join(values, ", ") + " }"
	if with.Name == "console" {
		if b := f.unit.scopes[f.fn].lookup("console", value); b != nil || f.declaredWithin("console") != nil {
			return "", j.decline("console means something else in %s", f.name)
		}
		level := with.Level
		if level == "" {
			level = "debug"
		}
		return jsCall("console."+level, st, values, say, object), nil
	}
	k, err := j.loggerNamed(f, with.Name, "this.", f.thisName())
	if err != nil {
		return "", err
	}
	if k.b != nil && (k.b.kind == "class" || k.b.kind == "interface" || k.b.kind == "type" || k.b.kind == "enum") {
		return "", j.decline("%s is a %s in %s, not a logger", k.expr, k.b.kind, f.name)
	}
	call := k.def
	if v := k.def.get("value"); v != nil {
		call = v
	}
	if call.is("function_declaration", "arrow_function", "function_expression") {
		if n := len(call.get("parameters").list()); n == 0 || n > 1 && k.unit.d.typed(k.unit) {
			return "", j.decline("%s (%s) cannot be called with a text alone", k.expr, spot(k.unit, k.def))
		}
		return jsShown(k.expr, st, text, values), nil
	}
	level := with.Level
	if level == "" {
		level = "debug"
	}
	if no := j.lacksMethod(k, level); no != nil {
		return "", no
	}
	if m := j.methodOf(k, level); m != nil && len(m.get("parameters").list()) < 2 &&
		!strings.Contains(m.get("parameters").text(), "...") {
		return jsShown(k.expr+"."+level, st, text, values), nil
	}
	if regexp.MustCompile(`\b(pino|bunyan)\b`).MatchString(k.def.text()+k.source()) || j.objectFirst(k, level) {
		return jsCall(k.expr+"."+level, st, values, object, say), nil
	}
	return jsCall(k.expr+"."+level, st, values, say, object), nil
}

// source is the module that the logger is imported from.
func (k known) source() string {
	if k.b != nil && len(k.b.imps) > 0 {
		return " " + k.b.imps[0].module
	}
	return ""
}

// methodOf is the declaration of a logger's method, where the project has it.
func (j *job) methodOf(k known, method string) *node {
	v := k.def.get("value")
	if t := k.def.get("type"); v == nil && t.is("type_annotation") {
		v = t.firstKid()
	}
	if v == nil {
		return nil
	}
	e := j.d.entity(j.p, k.unit, v)
	if e.class == nil {
		return nil
	}
	for _, c := range j.p.ancestry(e.class) {
		if ms := c.members[method]; len(ms) > 0 {
			if fn := ms[0].def.get("value"); fn != nil {
				return fn
			}
			return ms[0].def
		}
	}
	return nil
}

// objectFirst reports whether the file's own calls pass an object before the text.
func (j *job) objectFirst(k known, level string) bool {
	return regexp.MustCompile(regexp.QuoteMeta(k.expr) + `\.\w+\(\s*\{`).MatchString(string(k.unit.src))
}

// thisName is "this" where the function has an object of its own.
func (f *function) thisName() string {
	if f.class == nil || f.def.child("static") != nil {
		return ""
	}
	return "this"
}

func jsCall(callee string, st style, values []string, args ...string) string {
	if len(values) == 0 {
		args = slices.DeleteFunc(args, func(a string) bool { return strings.HasPrefix(a, "{") })
	}
	return callee + "(" + strings.Join(args, ", ") + ")" + st.semi
}

func jsShown(callee string, st style, text string, values []string) string {
	if len(values) == 0 {
		return callee + "(" + st.quote + text + st.quote + ")" + st.semi
	}
	for i, v := range values {
		text += map[bool]string{true: ": ", false: ", "}[i == 0] + v + "=${" + v + "}"
	}
	return callee + "(`" + text + "`)" + st.semi
}
