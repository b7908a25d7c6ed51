package treesitter

import (
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// printing: print(...) as a statement. What goes to a file, or is a part of a line, stays.
func (pythonDialect) printing(_ *job, u *unit, call *node) (ops.Printed, bool) {
	fn := call.get("function")
	if trace := fn.text() == "traceback.print_exc" && call.parent.is("expression_statement"); trace {
		return ops.Printed{Callee: fn.text(), Level: "error"}, true
	}
	r := u.byNode[fn]
	if fn.text() != "print" || r == nil || r.b != nil || !call.parent.is("expression_statement") {
		return ops.Printed{}, false
	}
	p := ops.Printed{Callee: "print"}
	args, stderr := call.get("arguments"), false
	for k := range args.kids {
		p.Texts = append(p.Texts, literalText(k))
		name, v := k.get("name").text(), k.get("value")
		switch {
		case k.is("list_splat", "dictionary_splat"), !k.is("keyword_argument") && args.is("generator_expression"):
			p.Keep = "how many values it prints is not known"
		case !k.is("keyword_argument"), name == "flush":
		case name == "file" && v.text() == "sys.stderr":
			stderr = true
		case name == "file" && v.text() == "sys.stdout":
		case name == "file":
			p.Keep = "it prints to " + v.text()
		case name == "sep" && pyPlain(v):
		case name == "end" && v.text() != `"\n"` && v.text() != `'\n'`:
			p.Keep = "it prints a part of a line"
		}
	}
	if len(args.list()) == 0 {
		p.Keep = "it prints an empty line"
	}
	p.Level = printLevel(call, p.Texts, args.list(), stderr)
	return p, true
}

// pyPlain reports a string on one line without a prefix.
func pyPlain(n *node) bool {
	return n.is("string") && n.child("interpolation") == nil && strings.ContainsRune(`"'`, rune(n.text()[0])) &&
		!strings.HasPrefix(n.text(), `"""`) && !strings.HasPrefix(n.text(), "'''")
}

// pyLogger is a logger as the code of a module can name it.
type pyLogger struct {
	expr  string
	style int // how it takes values
	fn    bool
}

// How a logger takes values.
const (
	byPercent = iota // behind the text, which has a %s for each
	byText           // within the text
)

func (d pythonDialect) logged(j *job, u *unit, call *node, with kit.Logger) (string, error) {
	l, err := d.loggerAt(j, u, call, with)
	if err != nil {
		return "", err
	}
	level := pyLevels[with.Level]
	if call.get("function").text() != "print" {
		if l.style != byPercent {
			return "", j.decline("%s is no logger of the logging module", l.expr)
		}
		what := "failed"
		if fn := call.up("function_definition"); fn != nil {
			what = fn.get("name").text() + " failed"
		}
		q := u.style().quote
		return l.expr + ".exception(" + q + what + q + ")", nil
	}
	var args []*node
	sep := " "
	for k := range call.get("arguments").kids {
		if !k.is("keyword_argument") {
			args = append(args, k)
		} else if k.get("name").text() == "sep" {
			sep = pyContent(k.get("value"))
		}
	}
	message, err := pyMessage(j, u, args, sep, l.style)
	if err != nil {
		return "", err
	}
	callee := l.expr
	if !l.fn {
		callee += "." + level
	}
	return callee + "(" + message + ")", nil
}

var pyLevels = map[string]string{"": "info", "info": "info", "debug": "debug", "trace": "debug", "warn": "warning",
	"warning": "warning", "error": "error", "critical": "critical", "exception": "exception", "notice": "info",
	"severe": "error"}

// pyMessage is what a logger is given for the values of a print.
func pyMessage(j *job, u *unit, args []*node, sep string, how int) (string, error) {
	if len(args) == 1 && (pyIsText(args[0]) || how != byPercent) {
		return args[0].text(), nil
	}
	q := u.style().quote
	if i := slices.IndexFunc(args, pyPlain); i >= 0 {
		q = args[i].text()[:1]
	}
	var text strings.Builder
	var values []string
	for i, a := range args {
		if i > 0 {
			text.WriteString(pySpelled(sep, how))
		}
		if pyPlain(a) && a.text()[:1] == q {
			text.WriteString(pySpelled(pyContent(a), how))
			continue
		}
		v := a.text()
		if a.is("generator_expression", "named_expression", "lambda") {
			v = "(" + strings.TrimSuffix(strings.TrimPrefix(v, "("), ")") + ")"
		}
		values = append(values, v)
		text.WriteString(map[int]string{byPercent: "%s", byText: "{" + v + "}"}[how])
		if how == byText && strings.ContainsAny(v, "\"'\\\n{}!:#") {
			return "", j.decline("%s is too long for a text; give it a name first", kit.OneLine(v))
		}
	}
	s := q + text.String() + q
	switch {
	case len(values) == 0 && how == byPercent:
		return strings.ReplaceAll(s, "%%", "%"), nil
	case len(values) == 0:
		return strings.NewReplacer("{{", "{", "}}", "}").Replace(s), nil
	case how == byText:
		return "f" + s, nil
	}
	return s + ", " + strings.Join(values, ", "), nil
}

// pySpelled is a part of a text as a format, or an f-string, has it.
func pySpelled(s string, how int) string {
	if how == byPercent {
		return strings.ReplaceAll(s, "%", "%%")
	}
	return strings.NewReplacer("{", "{{", "}", "}}").Replace(s)
}

func pyContent(n *node) string { return n.text()[1 : len(n.text())-1] }

// pyIsText reports whether a value is certainly a text.
func pyIsText(n *node) bool {
	switch {
	case n.is("string", "concatenated_string"):
		return !strings.ContainsAny(n.text()[:1], "bB")
	case n.is("parenthesized_expression"):
		return pyIsText(n.firstKid())
	case n.is("binary_operator"):
		return pyIsText(n.get("left")) || n.get("operator").text() == "+" && pyIsText(n.get("right"))
	case n.is("call"):
		fn := n.get("function")
		return fn.is("attribute") && pyIsText(fn.get("object")) && has([]string{"format", "join"}, fn.get("attribute").text())
	}
	return false
}

var (
	pyModuleLogger = regexp.MustCompile(`\b(getLogger|get_logger)\(`)
	pyLogCall      = `\.(debug|info|warning|warn|error|exception|critical)\(`
)

// loggerAt finds the logger that the code at a call can name: the one that is asked for, else the nearest; where
// the file has none, one of its own.
func (d pythonDialect) loggerAt(j *job, u *unit, call *node, with kit.Logger) (pyLogger, error) {
	sc := pyScope(u, call)
	name := with.Name
	if name != "" && name != "logging" && !(loggerName.MatchString(name) && sc.lookup(name, value) == nil) {
		return d.namedLogger(j, u, call, sc, name)
	}
	if l, ok := d.nearLogger(j, u, call, sc, name); ok {
		return l, nil
	}
	if l, ok := d.sharedLogger(j, u, sc); ok {
		return l, nil
	}
	return d.newLogger(j, u, sc, name)
}

func pyScope(u *unit, call *node) *scope {
	fn := call.get("function")
	for fn.is("attribute") {
		fn = fn.get("object")
	}
	if r := u.byNode[fn]; r != nil {
		return r.scope
	}
	return u.module
}

func (d pythonDialect) namedLogger(j *job, u *unit, call *node, sc *scope, name string) (pyLogger, error) {
	root, rest, dotted := strings.Cut(name, ".")
	if dotted && has([]string{"self", "cls", "this"}, root) {
		c, recv, _ := u.classAround(call)
		used := regexp.MustCompile(`\b` + regexp.QuoteMeta(recv+"."+rest) + `\b`)
		if c == nil || !used.MatchString(c.node.text()) {
			return pyLogger{}, j.decline("nothing at %s is called %s", spot(u, call), name)
		}
		return pyLogger{expr: recv + "." + rest, style: d.styleOf(j, u, nil, recv+"."+rest)}, nil
	}
	b := sc.lookup(root, value)
	if b == nil {
		return pyLogger{}, j.decline("nothing at %s is called %s", spot(u, call), name)
	}
	l, ok := d.bindingLogger(j, u, b, name)
	if !ok {
		return pyLogger{}, j.decline("%s is a %s in %s, not a logger", name, b.kind, u.path)
	}
	return l, nil
}

// nearLogger is the logger that is in scope: a name, or an attribute of the object. Of several, the one that is
// asked for.
func (d pythonDialect) nearLogger(j *job, u *unit, call *node, sc *scope, _ string) (pyLogger, bool) {
	for _, s := range sc.chain() {
		for _, n := range []string{"logger", "log", "LOGGER", "LOG", "_logger", "_log"} {
			if b := s.names[n]; b != nil && sc.lookup(n, value) == b {
				if l, ok := d.bindingLogger(j, u, b, n); ok {
					return l, true
				}
			}
		}
	}
	if c, recv, _ := u.classAround(call); c != nil {
		used := regexp.MustCompile(`\b` + regexp.QuoteMeta(recv) + `\.((?:_?\w*logger|_?log))` + pyLogCall)
		if m := used.FindStringSubmatch(c.node.text()); m != nil {
			expr := recv + "." + m[1]
			return pyLogger{expr: expr, style: d.styleOf(j, u, nil, expr)}, true
		}
	}
	if b := sc.lookup("logging", value); b != nil && len(b.imps) > 0 && b.imps[0].full == "logging" &&
		regexp.MustCompile(`\blogging`+pyLogCall).Match(u.src) {
		return pyLogger{expr: "logging"}, true
	}
	return pyLogger{}, false
}

// bindingLogger tells whether a name stands for something that logs, and how that takes values.
func (d pythonDialect) bindingLogger(j *job, u *unit, b *binding, expr string) (pyLogger, bool) {
	at := j.p.follow(b)
	def := at.def()
	switch {
	case b.kind == "class" || at.kind == "class":
		return pyLogger{}, false
	case def.is("function_definition"):
		k := known{expr: expr, b: b, def: def, unit: at.unit}
		return pyLogger{expr: expr, style: byText, fn: true}, j.takesText(k, nil, expr) == nil
	case pyModuleLogger.MatchString(def.get("right").text()):
		return pyLogger{expr: expr, style: d.styleOf(j, u, at, expr)}, true
	case len(b.imps) > 0 && has([]string{"loguru", "logging", "structlog"}, b.imps[0].full),
		regexp.MustCompile(`\b` + regexp.QuoteMeta(expr) + pyLogCall).Match(u.src),
		b.kind == "param" && loggerName.MatchString(b.name):
		return pyLogger{expr: expr, style: d.styleOf(j, u, at, expr)}, true
	}
	return pyLogger{}, false
}

// styleOf is how a logger takes values: those of the logging module behind the text, others within it.
func (d pythonDialect) styleOf(j *job, u *unit, at *binding, expr string) int {
	if at != nil {
		if def := at.def().get("right").text(); strings.Contains(def, "logging.getLogger") {
			return byPercent
		} else if strings.Contains(def, "getLogger") && !strings.Contains(def, "structlog") {
			return byPercent
		}
		if len(at.imps) > 0 && at.imps[0].full == "logging" {
			return byPercent
		}
	}
	lazy := regexp.MustCompile(`\b` + regexp.QuoteMeta(expr) + `\.\w+\(\s*["'][^"'\n]*%[sdrif.0-9][^"'\n]*["'],`)
	if lazy.Match(u.src) || regexp.MustCompile(regexp.QuoteMeta(expr)+`\s*=\s*logging\.getLogger\(`).Match(u.src) {
		return byPercent
	}
	return byText
}

// sharedLogger imports the logger that the project's files import from one of them, or from a library.
func (d pythonDialect) sharedLogger(j *job, u *unit, sc *scope) (pyLogger, bool) {
	count := map[string]int{}
	best, most := "", 0
	for _, name := range []string{"logger", "log", "LOGGER", "LOG"} {
		if sc.lookup(name, value) != nil {
			continue
		}
		units, err := j.p.mentioning(j.ctx, name)
		if err != nil {
			return pyLogger{}, false
		}
		for _, v := range units {
			b := v.module.names[name]
			if v == u || b == nil || len(b.imps) != 1 || b.imps[0].name != name ||
				!regexp.MustCompile(`\b`+name+pyLogCall).Match(v.src) {
				continue
			}
			line := "from " + b.imps[0].module + " import " + name
			if strings.HasPrefix(b.imps[0].module, ".") {
				if strings.Contains(u.path, "/") != strings.Contains(v.path, "/") || dirOf(u.path) != dirOf(v.path) {
					continue
				}
			}
			if count[line]++; count[line] > most {
				best, most = line, count[line]
			}
		}
	}
	if best == "" || most <= d.ownLoggers(j) {
		return pyLogger{}, false
	}
	name := best[strings.LastIndexByte(best, ' ')+1:]
	style := byPercent
	if strings.Contains(best, "loguru") {
		style = byText
	}
	j.insertPython(u, best)
	return pyLogger{expr: name, style: style}, true
}

func dirOf(file string) string {
	if i := strings.LastIndexByte(file, '/'); i >= 0 {
		return file[:i]
	}
	return ""
}

// ownLoggers counts the project's files that have a logger of their own.
func (d pythonDialect) ownLoggers(j *job) int {
	units, err := j.p.mentioning(j.ctx, "getLogger")
	if err != nil {
		return 0
	}
	return len(units)
}

// newLogger gives the module a logger of its own, under the name that the project's other modules use.
func (d pythonDialect) newLogger(j *job, u *unit, sc *scope, _ string) (pyLogger, error) {
	name := "logger"
	if units, err := j.p.mentioning(j.ctx, "getLogger"); err == nil {
		count := map[string]int{}
		for _, v := range units {
			for _, n := range []string{"logger", "log", "LOGGER", "LOG", "_logger", "_log"} {
				if b := v.module.names[n]; b != nil && pyModuleLogger.MatchString(b.def().get("right").text()) {
					if count[n]++; count[n] > count[name] {
						name = n
					}
				}
			}
		}
	}
	if b := sc.lookup("logging", value); b != nil && (len(b.imps) == 0 || b.imps[0].full != "logging") {
		return pyLogger{}, j.decline("logging means something else in %s", u.path)
	}
	if len(d.mentions(u, name)) > 0 {
		return pyLogger{}, j.decline("%s is something else in %s, so that it cannot get a logger of that name", name, u.path)
	}
	key := "logger of " + u.path
	if j.p.extra[key] == nil {
		j.p.extra[key] = true
		j.putPyLogger(u, name+" = logging.getLogger(__name__)", u.module.names["logging"] == nil)
	}
	return pyLogger{expr: name}, nil
}

// putPyLogger puts the line behind the imports of a module, with the import that it needs.
func (j *job) putPyLogger(u *unit, line string, imports bool) {
	eol := u.style().eol
	var last *node
	for c := range u.root.kids {
		if sortable(c) {
			last = c
		}
		if c.is("if_statement", "try_statement", "function_definition", "class_definition", "decorated_definition") {
			break
		}
	}
	if last == nil {
		j.firstImport(u, "import logging"+eol+eol+line)
		return
	}
	at := nextLine(u.src, last.to)
	text := eol + line + eol
	if at == len(u.src) && u.src[at-1] != '\n' {
		text = eol + text
	}
	if imports {
		before := len(j.edits[u.path])
		j.insertPython(u, "import logging")
		if es := j.edits[u.path]; len(es) > before && int(es[len(es)-1].From) == at {
			// The import goes to the same place: one text, in this order.
			text = es[len(es)-1].Insert + text
			j.edits[u.path] = es[:before]
		}
	}
	if at < len(u.src) && strings.TrimSpace(string(u.src[at:lineEnd(u.src, at)])) != "" {
		text += eol
	}
	j.replace(u.path, at, at, text)
}
