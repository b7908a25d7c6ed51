package treesitter

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

func init() {
	operations["handle-error"] = handleError
	javaOps["handle-error"] = handleError
}

// catcher is what a dialect implements that has exceptions.
type catcher interface {
	// raised are the types of exceptions that a call certainly can raise; nil declines, where the
	// language's handlers name types.
	raised(e *tried) []string
	// heard is a statement that logs the error name with its file's logger, "" if it has none and
	// must is false.
	heard(e *tried, text, name string, must bool) (string, error)
	// frame are the lines around a statement that is tried: they log and raise the same again, or
	// raise another where the request says so.
	frame(e *tried, types []string) (open string, rest []string, err error)
	// wrapping is the type that wraps errors of those types; same is set where all that catch those
	// catch it too.
	wrapping(e *tried, types []string) (wrapper string, same bool)
	// missed are the types that a handler names which no longer catches an error of those types,
	// once it is wrapped in the wrapper; "" for none.
	missed(handler *node, types []string, wrapper string) string
}

// tried is code whose errors are to be handled, within a function or, f being nil, within a file.
type tried struct {
	*job
	u    *unit
	f    *function
	root *node
	call *node // the call that the request names, or nil
	text string
	with *node // the item of Python's with statement that is the call, as in open(path) as f
	// mixed says that the statement calls something else: the error that is caught may be of that.
	mixed bool

	heardBy map[*node]bool // handlers that log by now
	at      *node          // the handler that is to log, or nil
}

// handleError handles errors that a function, the selection or the file ignores. A call that the
// request names is tried: what it raises is logged and raised again, so that those who catch it by
// its type still do; only a request to wrap it changes the type. Without a call, handlers that do
// nothing log, and calls of async functions are awaited.
func handleError(j *job) (string, error) {
	e, err := j.triedPlace()
	if err != nil {
		return "", err
	}
	if name := strings.TrimSuffix(strings.TrimSpace(j.op.Args["call"]), "()"); name != "" {
		if j.op.Args["mode"] == "wrap-all" {
			return "", j.decline("name the one call whose error is wrapped")
		}
		return e.tryCall(strings.TrimPrefix(name, "new "))
	}
	if m := j.op.Args["mode"]; m != "" && m != "log" {
		return "", j.decline("say which call it is whose error is passed on")
	}
	n, err := e.handleIgnored()
	if err != nil {
		return "", err
	}
	if n == 0 {
		return "", j.decline("no handler%s does nothing, and no call of an async function is left alone; name the call "+
			"whose error is to be handled", e.where())
	}
	return fmt.Sprintf("Handled %s%s instead of ignoring %s.", count(n, "error", "errors"), e.where(),
		map[bool]string{true: "it", false: "them"}[n == 1]), nil
}

func (e *tried) where() string {
	if e.f == nil {
		return " there"
	}
	return " in " + e.f.title()
}

func (j *job) triedPlace() (*tried, error) {
	if j.op.Args["func"] == "" {
		u, err := j.file()
		if err != nil {
			return nil, err
		}
		return &tried{job: j, u: u, root: u.root, heardBy: map[*node]bool{}}, nil
	}
	s, err := j.one(j.op.Args["func"], "func")
	if err != nil {
		return nil, err
	}
	fn := functionNode(s)
	if fn == nil || fn.get("body") == nil {
		return nil, j.decline("%s (%s) is a %s, not a function with a body", s.name, s.spot(), s.kind)
	}
	f := &function{subject: s, fn: fn, params: fn.get("parameters")}
	return &tried{job: j, u: s.unit, f: f, root: fn.get("body"), heardBy: map[*node]bool{}}, nil
}

// around is the function that a node is in, for its names and loggers.
func (e *tried) around(n *node) *function {
	if e.f != nil {
		return e.f
	}
	for p := n.parent; p != nil; p = p.parent {
		name := p.get("name")
		if p.is("variable_declarator") || name == nil {
			continue
		}
		for _, s := range e.u.subjects(name.text()) {
			if fn := functionNode(s); fn == p {
				return &function{subject: s, fn: fn, params: fn.get("parameters")}
			}
		}
	}
	return nil
}

var callKinds = []string{"call", "call_expression", "new_expression", "method_invocation", "object_creation_expression"}

// calleeText is what a call calls, as it is written.
func calleeText(call *node) string {
	switch {
	case call.is("method_invocation"):
		if o := call.get("object"); o != nil {
			return o.text() + "." + call.get("name").text()
		}
		return call.get("name").text()
	case call.is("new_expression"):
		return call.get("constructor").text()
	case call.is("object_creation_expression"):
		return call.get("type").text()
	}
	return call.get("function").text()
}

// named are the calls of what the request calls it: JSON.parse, parse.
func (e *tried) named(name string) []*node {
	var out []*node
	e.root.walk(func(n *node) bool {
		if n.is(callKinds...) {
			if c := strings.Join(strings.Fields(calleeText(n)), ""); c == name || strings.HasSuffix(c, "."+name) {
				if e.target.From <= 0 || e.f != nil || e.touches(n) {
					out = append(out, n)
				}
			}
		}
		return true
	})
	return out
}

// tryCall handles the errors of the call that the request names: of each of them in the function.
func (e *tried) tryCall(name string) (string, error) {
	calls := e.named(name)
	if len(calls) == 0 {
		return "", e.decline("nothing%s calls %s", e.where(), name)
	}
	if len(calls) > 1 && e.f == nil {
		var at []string
		for _, c := range calls {
			at = append(at, spot(e.u, c))
		}
		return "", e.decline("%s is called %d times%s (%s); name the function or select one", name, len(calls), e.where(),
			few(at))
	}
	said := ""
	var done []*node // the statements that are tried
	for _, c := range calls {
		if slices.ContainsFunc(done, c.within) {
			continue
		}
		one := *e
		one.call = c
		if one.f == nil {
			one.f = e.around(c)
		}
		one.text = one.failed(spoken(c))
		how, stmt, err := one.tryOne(name)
		if err != nil {
			return "", err
		}
		if said = how; stmt != nil {
			done = append(done, stmt)
		}
	}
	return said, nil
}

// failed says what failed, within the function around it.
func (e *tried) failed(what string) string {
	switch {
	case e.f == nil:
		return cmp.Or(what, "this") + " failed"
	case what == "":
		return e.f.title() + " failed"
	}
	return e.f.title() + ": " + what + " failed"
}

// spoken is what a call calls, by words that stand in any string: fs.readFile, or read where an
// expression is before the dot.
func spoken(call *node) string {
	name := strings.Join(strings.Fields(calleeText(call)), "")
	if plainCallee.MatchString(name) {
		return name
	}
	name = name[strings.LastIndexByte(name, '.')+1:]
	if plainCallee.MatchString(name) {
		return name
	}
	return "call"
}

var plainCallee = regexp.MustCompile(`^[\p{L}\p{N}_$.]+$`)

// wraps reports whether the request says that the error becomes another one.
func (e *tried) wraps() bool { return e.op.Args["mode"] == "wrap" }

// tryOne handles the error of one call, and gives the statement that is tried for it.
func (e *tried) tryOne(name string) (string, *node, error) {
	if handled, err := e.inTry(); handled || err != nil {
		return e.tries(name), nil, err
	}
	if async, err := e.awaitCall(e.call); async || err != nil {
		return "The error of " + name + e.where() + " is no longer lost.", nil, err
	}
	if e.op.Args["mode"] == "return" {
		return "", nil, e.already("what %s raises leaves the function already", name)
	}
	stmt, err := e.statementOf()
	if err != nil {
		return "", nil, err
	}
	return e.tries(name), stmt, e.wrap(stmt)
}

func (e *tried) tries(name string) string {
	return map[bool]string{false: "Handled", true: "Wrapped"}[e.wraps()] + " the error of " + name + e.where() + "."
}

// inTry deals with a call in a try statement of its own function: a handler that does nothing logs.
func (e *tried) inTry() (bool, error) {
	for n := e.call; n.parent != nil && !isFunction(n); n = n.parent {
		p := n.parent
		if !p.is("try_statement", "try_with_resources_statement") || n.field != "body" && !n.is("resource_specification") {
			continue
		}
		handlers := slices.DeleteFunc(handlersOf(p), func(h *node) bool { return !e.handledBy(h) })
		if len(handlers) == 0 {
			continue
		}
		done := 0
		for _, h := range handlers {
			if empty(h) {
				done++
				if err := e.hear(h); err != nil {
					return true, err
				}
			}
		}
		if done == 0 {
			return true, e.already("%s is in a try statement that handles its errors (%s)", calleeText(e.call), spot(e.u, p))
		}
		return true, nil
	}
	return false, nil
}

// handledBy reports whether a handler may catch what the call raises.
func (e *tried) handledBy(h *node) bool {
	types := e.d.(catcher).raised(e)
	if len(types) == 0 || types[0] == "" || h.firstKid() == handlerBody(h) {
		return true
	}
	return e.d.(catcher).missed(h, types, "") != ""
}

func isFunction(n *node) bool {
	return n.is("function_definition", "function_declaration", "generator_function_declaration", "method_definition",
		"method_declaration", "constructor_declaration", "arrow_function", "function_expression", "lambda",
		"lambda_expression", "class_body", "class_definition")
}

func handlersOf(try *node) []*node {
	var out []*node
	for k := range try.kids {
		if k.is("except_clause", "catch_clause") {
			out = append(out, k)
		}
	}
	return out
}

// empty reports whether a handler does nothing.
func empty(h *node) bool {
	body := handlerBody(h)
	for k := range body.kids {
		if !k.is("pass_statement", "empty_statement") && !(k.is("expression_statement") && k.firstKid().is("ellipsis")) {
			return false
		}
	}
	return body != nil
}

func handlerBody(h *node) *node {
	if b := h.get("body"); b != nil {
		return b
	}
	return h.child("block")
}

// handleIgnored makes handlers that do nothing log, and awaits calls of async functions. Handlers that swallow
// an error log where there is none that does nothing, or the request says that it is to be logged.
func (e *tried) handleIgnored() (int, error) {
	n, err := 0, error(nil)
	whole := e.f == nil && e.target.From <= 0
	var swallow []*node
	e.root.walk(func(h *node) bool {
		if err != nil || e.f == nil && e.target.From > 0 && !e.touches(h) {
			return err == nil && lineOf(h.src, h.to) >= e.target.From
		}
		switch {
		case h.is("except_clause", "catch_clause") && empty(h) && !e.meant(h):
			n++
			err = e.hear(h)
		case h.is("except_clause", "catch_clause") && e.swallows(h):
			swallow = append(swallow, h)
		case h.is("call_expression", "call") && h.parent.is("expression_statement") && e.op.Args["mode"] == "":
			done, fail := e.awaitCall(h)
			if err = fail; done {
				n++
			}
		}
		return err == nil
	})
	if n == 0 || e.op.Args["mode"] == "log" {
		for _, h := range swallow {
			if n++; err == nil {
				err = e.hear(h)
			}
		}
	}
	if err == nil && whole && n > 1 {
		err = e.decline("%d errors are ignored in %s; name the function or select one", n, e.u.path)
	}
	return n, err
}

// swallows reports whether a handler does something, but tells nobody of the error: it does not mention it, raises
// nothing, and logs nothing. A handler of one type may well answer for it; it counts where it is selected, or the
// request is to log.
func (e *tried) swallows(h *node) bool {
	body, name := handlerBody(h), caughtName(h)
	if body == nil || empty(h) {
		return false
	}
	tells := false
	body.walk(func(n *node) bool {
		tells = tells || n.is("raise_statement", "throw_statement") || n.is("identifier") && (n.text() == name ||
			loggerName.MatchString(n.text()) || has([]string{"console", "logging", "print", "traceback", "warnings"}, n.text()))
		return !tells
	})
	narrow := h.firstKid() != body && !h.is("catch_clause") && !broad.MatchString(h.firstKid().text()) ||
		strings.Contains(h.child("catch_formal_parameter").text(), "NumberFormat")
	return !tells && (!narrow || e.op.Args["mode"] == "log" || e.target.From > 0)
}

var broad = regexp.MustCompile(`\b(Exception|BaseException|OSError|IOError|\w*Error)$`)

// caughtName is what a handler calls the error, "" where it does not.
func caughtName(h *node) string {
	if p := h.get("parameter"); p != nil {
		return p.text()
	}
	if p := h.child("catch_formal_parameter"); p != nil {
		return p.get("name").text()
	}
	if as := h.firstKid(); as.is("as_pattern") {
		return as.get("alias").text()
	}
	return ""
}

// meant reports whether a handler that does nothing catches what is no error: the end of an
// iteration, a module that need not be there.
func (e *tried) meant(h *node) bool {
	var types []string
	for k := range h.kids {
		if k != handlerBody(h) {
			types = append(types, strings.FieldsFunc(k.text(), func(r rune) bool { return !wordByte(byte(min(r, 0x80))) })...)
		}
	}
	kind := slices.IndexFunc(types, func(t string) bool {
		return has([]string{"StopIteration", "StopAsyncIteration", "GeneratorExit", "KeyboardInterrupt", "CancelledError",
			"ImportError", "ModuleNotFoundError"}, t)
	})
	if kind >= 0 {
		e.note("%s: left alone, because %s is often no error.", spot(e.u, h), types[kind])
	}
	return kind >= 0
}

// hear makes a handler that does nothing log what it catches.
func (e *tried) hear(h *node) error {
	if e.heardBy[h] {
		return nil
	}
	e.heardBy[h] = true
	at := &tried{job: e.job, u: e.u, f: e.f, root: e.root, at: h}
	if at.f == nil {
		at.f = e.around(h)
	}
	text := "failed"
	if at.f != nil {
		text = at.f.title() + " failed"
	}
	body := handlerBody(h)
	name := ""
	if p := h.get("parameter"); p.is("identifier") {
		name = p.text()
	} else if p != nil {
		return e.decline("%s: the handler takes the error apart", spot(e.u, h))
	}
	if p := h.child("catch_formal_parameter"); p != nil {
		name = p.get("name").text()
	}
	fresh := name == "" && !e.u.python()
	if fresh {
		name = "err"
	}
	line, err := e.d.(catcher).heard(at, text, name, true)
	if err != nil {
		return err
	}
	if fresh {
		kw := h.child("catch")
		e.replace(e.u.path, kw.to, kw.to, " ("+name+")")
	}
	if kw := h.child("except"); kw != nil && h.firstKid() == body && e.visibleBuiltin("Exception") {
		e.replace(e.u.path, kw.to, kw.to, " Exception") // who ends the program is no error
	}
	if !empty(h) {
		e.beforeBody(body, line)
		return nil
	}
	return e.fillBody(body, line)
}

// beforeBody makes a statement the first one of a block that holds others.
func (e *tried) beforeBody(body *node, line string) {
	first := body.firstKid()
	st := e.u.style()
	switch {
	case first.line() > body.parent.line() && first.line() != body.prev.line():
		e.replace(e.u.path, first.from, first.from, line+st.eol+indentAt(e.u.src, first.from))
	case e.u.python():
		e.replace(e.u.path, first.from, first.from, line+"; ")
	default:
		e.replace(e.u.path, first.from, first.from, strings.TrimSuffix(line, ";")+"; ")
	}
}

// fillBody makes a statement the only one of a block that does nothing.
func (e *tried) fillBody(body *node, line string) error {
	if k := body.firstKid(); k != nil { // pass, ...
		if len(body.list()) > 1 {
			return e.decline("%s has more than one statement that does nothing", spot(e.u, body))
		}
		e.replace(e.u.path, k.from, k.to, line)
		return nil
	}
	st := e.u.style()
	lead := indentAt(e.u.src, body.from)
	if c := body.child("comment"); c != nil {
		last := c
		for k := c; k != nil; k = k.next {
			if k.is("comment") {
				last = k
			}
		}
		if last.line() == body.line() || lineOf(e.u.src, body.to) == lineOf(e.u.src, last.to) {
			return e.decline("%s: the comment in the handler shares its line", spot(e.u, body))
		}
		at := lineEnd(e.u.src, last.to)
		e.replace(e.u.path, at, at, st.eol+indentAt(e.u.src, last.from)+line)
		return nil
	}
	e.replace(e.u.path, body.from+1, body.to-1, st.eol+lead+st.tab+line+st.eol+lead)
	return nil
}

// statementOf is the statement that holds the call, and nothing of which runs later.
func (e *tried) statementOf() (*node, error) {
	n := e.call
	for !n.parent.is("block", "module", "program", "statement_block", "constructor_body") {
		if isFunction(n) {
			return nil, e.decline("%s is in a function without a block of statements", calleeText(e.call))
		}
		if n = n.parent; n.parent == nil {
			return nil, e.decline("%s is in no statement that can be tried", calleeText(e.call))
		}
	}
	plain := n.is("expression_statement", "return_statement", "lexical_declaration", "variable_declaration",
		"local_variable_declaration", "throw_statement", "raise_statement", "delete_statement", "assert_statement")
	if n.is("with_statement") && e.call.up("with_clause").within(n) {
		return n, e.withItem(n)
	}
	switch {
	case !plain:
		return nil, e.decline("%s is a part of a larger statement (%s); give its value a name first, with extract variable",
			calleeText(e.call), spot(e.u, n))
	case !n.ownLines():
		return nil, e.decline("%s: the statement shares its lines with other code", spot(e.u, n))
	}
	var long, yield *node
	n.walk(func(k *node) bool {
		// What the consumer throws arrives at the yield, and a handler around it would take that for the call's.
		if k.is("yield", "yield_expression") {
			yield = cmp.Or(yield, k)
		}
		if k.is("string", "template_string", "concatenated_string", "string_literal", "text_block") &&
			strings.Contains(k.text(), "\n") && !k.is("concatenated_string") {
			long = cmp.Or(long, k)
		}
		return long == nil
	})
	if yield != nil {
		return nil, e.decline("%s: the handler would catch what is thrown in at the yield as well; "+
			"give the value of %s a name first, with extract variable", spot(e.u, yield), calleeText(e.call))
	}
	if long != nil {
		return nil, e.decline("%s: a text of several lines would be indented", spot(e.u, long))
	}
	return n, nil
}

// withItem finds the item of a with statement that is the call. Its value is opened before the
// statement, which runs its body untried: errors of the body are others.
func (e *tried) withItem(with *node) error {
	items := with.child("with_clause").list()
	if len(items) != 1 || !items[0].is("with_item") || with.child("async") != nil || !with.ownLines() {
		return e.decline("%s is in a with statement with more than one thing in it (%s); open it before, in a "+
			"statement of its own", calleeText(e.call), spot(e.u, with))
	}
	as := items[0].get("value")
	name := as.get("alias").firstKid()
	switch {
	case !as.is("as_pattern") || as.firstKid() != e.call || !name.is("identifier"):
		return e.decline("%s: the with statement does more than to open it and give it a name; open it before, in a "+
			"statement of its own", spot(e.u, with))
	case !entersItself[e.pyCallee()]:
		return e.decline("%s: whether the with statement gives the very thing that %s returns is not known; open it "+
			"before, in a statement of its own", spot(e.u, with), calleeText(e.call))
	case strings.Contains(e.call.text(), "\n"):
		return e.decline("%s: %s goes over several lines; open it before, in a statement of its own", spot(e.u, with),
			calleeText(e.call))
	}
	e.with = as
	return nil
}

// wrap puts the statement that holds the call into a try statement, or what a with statement opens.
func (e *tried) wrap(stmt *node) error {
	types := e.d.(catcher).raised(e)
	if types == nil {
		return e.decline("which exceptions %s raises is not known here", calleeText(e.call))
	}
	if e.mixed = e.with == nil && e.callsMore(stmt); e.mixed {
		e.text = e.failed("")
		if e.wraps() && types[0] == "" { // a handler that names no type
			return e.decline("%s: the statement calls something else, too, whose errors would be wrapped; give the value of "+
				"%s a name first, with extract variable", spot(e.u, stmt), calleeText(e.call))
		}
	}
	if err := e.stillCaught(types); err != nil {
		return err
	}
	open, rest, err := e.d.(catcher).frame(e, types)
	if err != nil {
		return err
	}
	if e.with != nil {
		e.openBefore(stmt, open, rest)
		return nil
	}
	src, st, lead := e.u.src, e.u.style(), indentAt(e.u.src, stmt.from)
	first, err := e.hoist(stmt)
	if err != nil {
		return err
	}
	head := ""
	if first != "" {
		head = lead + first + st.eol
	}
	tab := e.tab()
	for at := lineStart(src, stmt.from); at < stmt.to; at = nextLine(src, at) {
		s := ""
		if at == lineStart(src, stmt.from) {
			s = head + lead + open + st.eol
		}
		if strings.TrimSpace(string(src[at:lineEnd(src, at)])) != "" {
			s += tab
		}
		e.replace(e.u.path, at, at, s)
	}
	end := lineEnd(src, stmt.to)
	e.replace(e.u.path, end, end, e.rest(rest, lead))
	return nil
}

func (e *tried) tab() string {
	if _, ok := e.d.(typed); ok {
		return javaTab(e.u)
	}
	return e.u.style().tab
}

// rest are the lines behind what is tried.
func (e *tried) rest(lines []string, lead string) string {
	tail := ""
	for _, l := range lines {
		inner := e.tab()
		if strings.HasPrefix(l, "}") || strings.HasPrefix(l, "except ") {
			inner = ""
		}
		tail += e.u.style().eol + lead + inner + l
	}
	return tail
}

// openBefore tries what a with statement opens in a statement before it.
func (e *tried) openBefore(with *node, open string, rest []string) {
	st, lead := e.u.style(), indentAt(e.u.src, with.from)
	name := e.with.get("alias").text()
	at := lineStart(e.u.src, with.from)
	e.replace(e.u.path, at, at, lead+open+st.eol+lead+e.tab()+name+" = "+e.call.text()+e.rest(rest, lead)+st.eol)
	e.replace(e.u.path, e.with.from, e.with.to, name)
}

// callsMore reports whether a statement calls something else that may fail.
func (e *tried) callsMore(stmt *node) bool {
	more := false
	name := calleeText(e.call)
	stmt.walk(func(n *node) bool {
		if n.is(callKinds...) && calleeText(n) != name && !e.onlyReads(e.u, n) {
			more = true
		}
		return !more && !isFunction(n)
	})
	return more
}

// hoist declares a variable before the try statement, where a block would hide it from what
// uses it behind.
func (e *tried) hoist(stmt *node) (string, error) {
	if !stmt.is("lexical_declaration", "local_variable_declaration") {
		return "", nil
	}
	var ds []*node
	for k := range stmt.kids {
		if k.is("variable_declarator") {
			ds = append(ds, k)
		}
	}
	used := func(n *node) *ref {
		for _, r := range e.u.refs {
			if r.b != nil && !r.decl && r.node.from >= stmt.to && slices.ContainsFunc(r.b.decls, func(d decl) bool {
				return d.name.within(n)
			}) {
				return r
			}
		}
		return nil
	}
	if used(stmt) == nil {
		return "", nil
	}
	if len(ds) != 1 || !ds[0].get("name").is("identifier") {
		return "", e.decline("%s declares several names that are used behind it; declare them apart first", spot(e.u, stmt))
	}
	d, st := ds[0], e.u.style()
	name, typ := d.get("name"), d.get("type")
	e.replace(e.u.path, stmt.from, name.from, "")
	if typ != nil { // TypeScript
		e.replace(e.u.path, typ.from, typ.to, "")
		return "let " + name.text() + typ.text() + st.semi, nil
	}
	if stmt.is("local_variable_declaration") {
		t := stmt.get("type").text()
		if t == "var" || d.get("dimensions") != nil || stmt.child("modifiers") != nil {
			return "", e.decline("%s: write the type of %s first, as in String %s = ...", spot(e.u, stmt),
				name.text(), name.text())
		}
		return t + " " + name.text() + ";", nil
	}
	b := e.u.byNode[name].b
	for _, r := range b.refs {
		if r.scope.function() != b.scope.function() && e.u.d.typed(e.u) {
			return "", e.decline("%s is used in a function at %s: write its type first", name.text(), spot(e.u, r.node))
		}
	}
	return "let " + name.text() + st.semi, nil
}
