package treesitter

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor/words"
)

// pyRaises are the exceptions of calls that everybody knows, by the full name of the function.
var pyRaises = map[string]string{
	"open": "OSError", "io.open": "OSError", "urllib.request.urlopen": "OSError", "socket.create_connection": "OSError",
	"json.load": "json.JSONDecodeError", "json.loads": "json.JSONDecodeError",
	"int": "ValueError", "float": "ValueError", "datetime.datetime.strptime": "ValueError",
	"datetime.datetime.fromisoformat": "ValueError", "datetime.date.fromisoformat": "ValueError",
	"base64.b64decode": "ValueError", "struct.unpack": "struct.error", "importlib.import_module": "ImportError",
	"subprocess.check_call": "subprocess.CalledProcessError", "subprocess.check_output": "subprocess.CalledProcessError",
	"tomllib.load": "tomllib.TOMLDecodeError", "tomllib.loads": "tomllib.TOMLDecodeError",
	"sqlite3.connect": "sqlite3.Error", "yaml.safe_load": "yaml.YAMLError", "yaml.load": "yaml.YAMLError",
	"requests.get": "requests.RequestException", "requests.post": "requests.RequestException",
	"requests.put": "requests.RequestException", "requests.delete": "requests.RequestException",
	"requests.request": "requests.RequestException",
}

// pySystem are modules whose functions fail as the operating system does, and methods of paths.
var pySystem = words.Set(`remove unlink rename replace makedirs mkdir rmdir removedirs listdir scandir stat lstat chmod chown
	link symlink readlink utime truncate copy copy2 copyfile copytree move rmtree disk_usage`)

var pyPathMethods = words.Set(`read_text write_text read_bytes write_bytes unlink touch iterdir`)

// exactly are the functions that raise that very type, none that extends it.
var exactly = words.Set(`int float datetime.datetime.strptime datetime.datetime.fromisoformat
	datetime.date.fromisoformat`)

// entersItself are the functions whose results a with statement gives to its body as they are.
var entersItself = words.Set(`open io.open urllib.request.urlopen socket.create_connection sqlite3.connect requests.get
	requests.post requests.put requests.delete requests.request`)

// pyCallee is the full name of the function that the call calls, "" for one of the project, and
// pyRoot the name by which the file knows its module, "" for a builtin.
func (e *tried) pyCallee() string {
	name, _ := e.pyRoot()
	return name
}

func (e *tried) pyRoot() (name, prefix string) {
	fn := e.call.get("function")
	root := fn
	for root.is("attribute") {
		root = root.get("object")
	}
	r := e.u.byNode[root]
	if r == nil || r.b == nil {
		return fn.text(), ""
	}
	if len(r.b.imps) == 0 {
		return "", ""
	}
	o := r.b.imps[0]
	full := o.full
	if o.name != "" {
		full += "." + o.name
	}
	return full + strings.TrimPrefix(fn.text(), root.text()), root.text()
}

// raised are the exceptions that a call is known for, and those that a function of the project
// raises itself.
func (d pythonDialect) raised(e *tried) []string {
	fn := e.call.get("function")
	name, prefix := e.pyRoot()
	if known := pyRaises[name]; known != "" {
		module, exc, dotted := strings.Cut(known, ".")
		switch {
		case !dotted && e.visibleBuiltin(known):
			return []string{known}
		case dotted && prefix != "" && !strings.Contains(fn.text(), module+".") && e.u.module.names[exc] == nil:
			return nil // from json import loads: the exception has no name here
		case dotted && e.u.module.names[module] == nil && prefix != "":
			return []string{prefix + "." + exc} // import json as j
		case dotted:
			return []string{known}
		}
		return nil
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 && (name[:i] == "os" || name[:i] == "shutil") &&
		pySystem[name[i+1:]] ||
		fn.is("attribute") && pyPathMethods[fn.get("attribute").text()] && e.visibleBuiltin("OSError") {
		return []string{"OSError"}
	}
	return e.ownRaises(fn)
}

func (e *tried) visibleBuiltin(name string) bool {
	s := e.u.module
	if e.f != nil {
		s = e.u.scopes[e.f.fn]
	}
	return s.lookup(name, value) == nil
}

// definition is the function of the project that a call runs, or nil.
func (e *tried) definition(call *node) (*unit, *node) {
	name := call.get("function")
	if call.is("method_invocation") {
		name = call.get("name")
	}
	for name.is("attribute", "member_expression") {
		name = name.lastKid()
	}
	if name == nil {
		return nil, nil
	}
	switch m := e.d.means(e.p, e.u, name); m.kind {
	case bound:
		b := e.p.follow(m.b)
		if def := b.def(); len(b.decls) == 1 {
			if v := def.get("value"); def.is("variable_declarator") && v != nil {
				def = v
			}
			return b.unit, def
		}
	case memberOf:
		for _, c := range e.p.ancestry(m.class) {
			if ms := c.members[m.name]; len(ms) == 1 {
				return c.unit, ms[0].def
			} else if len(ms) > 1 {
				return nil, nil
			}
		}
	case unknown, other, exportOf, module, ambiguousName:
	}
	return nil, nil
}

// ownRaises are the types that a function of the project raises, by names that the caller knows, too.
func (e *tried) ownRaises(fn *node) []string {
	u, def := e.definition(e.call)
	if !def.is("function_definition") {
		return nil
	}
	var out []string
	certain := true
	def.get("body").walk(func(n *node) bool {
		if isFunction(n) {
			return false
		}
		if n.is("raise_statement") && n.up("try_statement") == nil {
			t := n.firstKid()
			if t.is("call") {
				t = t.get("function")
			}
			if !t.is("identifier") {
				certain = certain && t == nil
				return true
			}
			was, is := u.module.lookup(t.text(), value), e.u.module.lookup(t.text(), value)
			same := was == nil && is == nil && pyBuiltins[t.text()]
			if was != nil && is != nil {
				same = e.p.follow(was) == e.p.follow(is)
			}
			certain = certain && same
			if !has(out, t.text()) {
				out = append(out, t.text())
			}
		}
		return true
	})
	if !certain {
		return nil
	}
	return out
}

func (d pythonDialect) heard(e *tried, text, _ string, must bool) (string, error) {
	q := e.u.style().quote
	if e.at != nil {
		if l, ok := d.nearLogger(e.job, e.u, e.at, e.u.scopeAt(e.at), ""); ok && l.style == byPercent && !l.fn {
			return l.expr + ".exception(" + q + text + q + ")", nil
		}
	}
	if e.f != nil {
		if logger := fileLogger(e.job, e.f); logger != "" {
			return logger + ".exception(" + q + text + q + ")", nil
		}
	}
	b := e.u.module.names["logging"]
	switch {
	case b == nil && !must:
		return "", nil
	case b == nil:
		e.insertPython(e.u, "import logging")
	case len(b.imps) == 0 || b.imps[0].full != "logging" || e.f != nil && !e.visible(e.f, "logging", b):
		if must {
			return "", e.decline("logging means something else in %s", e.u.path)
		}
		return "", nil
	case !must && !strings.Contains(string(e.u.src), "logging."):
		return "", nil
	}
	return "logging.exception(" + q + text + q + ")", nil
}

func (d pythonDialect) frame(e *tried, types []string) (string, []string, error) {
	which := strings.Join(types, ", ")
	if len(types) > 1 {
		which = "(" + which + ")"
	}
	wrapper, same := d.wrapping(e, types)
	if !e.wraps() && (!same || e.hasLogger(d)) {
		line, err := d.heard(e, e.text, "", true)
		return "try:", []string{"except " + which + ":", line, "raise"}, err
	}
	name := ""
	for _, n := range []string{"err", "exc", "error", "cause"} {
		if name == "" && len(d.mentions(e.u, n)) == 0 {
			name = n
		}
	}
	if name == "" || !e.visibleBuiltin(wrapper) {
		return "", nil, e.decline("there is no free name for the exception in %s", e.u.path)
	}
	q, f := e.u.style().quote, ""
	text := e.text
	if same { // whoever shows the error goes on to see what it says
		f, text = "f", text+": {"+name+"}"
	}
	return "try:", []string{"except " + which + " as " + name + ":",
		"raise " + wrapper + "(" + f + q + text + q + ") from " + name}, nil
}

// wrapping: a ValueError of a function that raises no other kind of it stays one.
func (pythonDialect) wrapping(e *tried, types []string) (wrapper string, same bool) {
	if len(types) == 1 && exactly[e.pyCallee()] && !e.mixed {
		return types[0], true
	}
	return "RuntimeError", false
}

// hasLogger reports whether the file logs by now.
func (e *tried) hasLogger(d pythonDialect) bool {
	line, err := d.heard(e, "", "", false)
	return err == nil && line != ""
}

// raised: a handler of JavaScript takes whatever is thrown.
func (ecma) raised(*tried) []string { return []string{""} }

var jsLoggers = []string{"logger", "log", "LOGGER", "LOG", "_logger"}

func (d ecma) heard(e *tried, text, name string, must bool) (string, error) {
	st := e.u.style()
	if e.at != nil {
		if line := d.heardBy(e, text, name); line != "" {
			return line, nil
		}
	}
	for _, l := range jsLoggers {
		b := e.u.module.names[l]
		if b == nil || b.kind != "const" && b.kind != "import" || e.f != nil && !e.visible(e.f, l, b) {
			continue
		}
		k := known{expr: l, b: b, unit: b.unit, def: b.def()}
		if at := e.p.follow(b); at != b {
			k.unit, k.def = at.unit, at.def()
		}
		if isFunction(k.def) || isFunction(k.def.get("value")) || e.lacksMethod(k, "error") != nil ||
			e.methodOf(k, "error") != nil {
			continue // what it takes is not known
		}
		args := []string{st.quote + text + st.quote, name}
		if regexp.MustCompile(`\b(pino|bunyan)\b`).MatchString(k.def.text() + k.source()) {
			args = []string{name, args[0]}
		}
		return l + ".error(" + strings.Join(args, ", ") + ")" + st.semi, nil
	}
	if !must {
		return "", nil
	}
	if e.u.module.names["console"] != nil || e.f != nil && e.u.scopes[e.f.fn].lookup("console", value) != nil {
		return "", e.decline("console means something else in %s", e.u.path)
	}
	return "console.error(" + st.quote + text + st.quote + ", " + name + ")" + st.semi, nil
}

// heardBy logs an error with the logger that is in scope, as that takes it; "" where there is none.
func (d ecma) heardBy(e *tried, text, name string) string {
	l, ok := d.nearLogger(e.job, e.u, e.at, "")
	if !ok {
		return ""
	}
	st := e.u.style()
	shown := "`" + text + ": ${" + name + "}`"
	if e.u.joins() {
		shown = st.quote + text + ": " + st.quote + " + " + name
	}
	switch {
	case l.plain:
		return l.expr + "(" + shown + ")" + st.semi
	case l.level:
		call, err := d.levelCall(e.job, e.u, l, "error", shown)
		if err != nil {
			return ""
		}
		return call + st.semi
	}
	method, def, err := d.methodFor(e.job, l, "error")
	if err != nil {
		return ""
	}
	if regexp.MustCompile(`\b(pino|bunyan)\b`).MatchString(l.def.text() + l.source()) {
		return l.expr + "." + method + "(" + name + ", " + st.quote + text + st.quote + ")" + st.semi
	}
	if d.takes(e.job, e.u, l, method, def) < 2 && (def != nil || l.b == nil) {
		return l.expr + "." + method + "(" + shown + ")" + st.semi
	}
	return l.expr + "." + method + "(" + st.quote + text + st.quote + ", " + name + ")" + st.semi
}

func (d ecma) frame(e *tried, _ []string) (string, []string, error) {
	st := e.u.style()
	if !e.wraps() {
		line, err := d.heard(e, e.text, "err", true)
		return "try {", []string{"} catch (err) {", line, "throw err" + st.semi, "}"}, err
	}
	thrown := "throw new Error(" + st.quote + e.text + st.quote + ", { cause: err })" + st.semi
	if e.u.d.typed(e.u) && d.grammar(e.u.path) != jsGrammar && !e.p.knowsCauses(e.u.path) {
		thrown = "throw new Error(`" + e.text + ": ${err}`)" + st.semi
	}
	return "try {", []string{"} catch (err) {", thrown, "}"}, nil
}

func (ecma) wrapping(*tried, []string) (wrapper string, same bool) { return "Error", false }

var since2022 = regexp.MustCompile(`(?i)^es(20(2[2-9]|[3-9]\d)|next)`)

// knowsCauses reports whether the TypeScript of a file knows the cause of an Error.
func (p *project) knowsCauses(file string) bool {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if c := p.config(dir); c != nil {
			o := c.CompilerOptions
			if len(o.Lib) > 0 {
				return slices.ContainsFunc(o.Lib, since2022.MatchString)
			}
			return since2022.MatchString(o.Target)
		}
		if dir == "." || dir == "/" {
			return false
		}
	}
}

// awaitCall awaits a call of an async function of the project whose promise nobody looks at.
func (e *tried) awaitCall(call *node) (bool, error) {
	if !call.is("call", "call_expression") || call.parent.is("await", "await_expression") {
		return false, nil
	}
	_, def := e.definition(call)
	promise := def.child("async") != nil ||
		strings.HasPrefix(strings.TrimLeft(def.get("return_type").text(), ": "), "Promise<")
	if def == nil || !promise || !isFunction(def) {
		return false, nil
	}
	if def.is("generator_function_declaration") || def.child("*") != nil || yields(def) {
		return false, nil
	}
	if !call.parent.is("expression_statement") {
		if call.parent.is("return_statement", "arrow_function") {
			return false, e.decline("%s gives a promise, which %s hands on to its caller", calleeText(call),
				spot(e.u, call.parent))
		}
		return false, e.decline("%s gives a promise (%s), which is not awaited", calleeText(call), spot(e.u, call))
	}
	fn := call.parent
	for fn != nil && (!isFunction(fn) || fn.is("class_body")) {
		fn = fn.parent
	}
	if fn.child("async") != nil {
		if late := lateEvent(fn, call); late != "" && !e.u.python() {
			return false, e.decline("%s is not awaited at %s: %s", calleeText(call), spot(e.u, call), late)
		}
		e.replace(e.u.path, call.from, call.from, "await ")
		return true, nil
	}
	if e.u.python() || !strings.Contains(string(e.u.src), ".catch(") {
		if e.call == nil {
			e.note("%s: %s is not awaited, and the function around it is not async.", spot(e.u, call), calleeText(call))
			return false, nil
		}
		return false, e.decline("%s is not awaited at %s, where the function is not async; make it async first",
			calleeText(call), spot(e.u, call))
	}
	line, err := e.d.(catcher).heard(e, calleeText(call)+" failed", "err", true)
	if err != nil {
		return false, err
	}
	st, lead := e.u.style(), indentAt(e.u.src, call.from)
	e.replace(e.u.path, call.to, call.to, ".catch((err) => {"+st.eol+lead+st.tab+line+st.eol+lead+"})")
	return true, nil
}

func yields(def *node) bool {
	found := false
	def.get("body").walk(func(n *node) bool {
		found = found || n.is("yield")
		return !found && !isFunction(n)
	})
	return found
}
