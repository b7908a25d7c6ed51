package treesitter

import (
	"path"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/words"
)

func (pythonDialect) never(u *unit, fn *node) string {
	name := fn.get("name").text()
	switch {
	case fn.is("lambda"):
		return "a lambda cannot be async"
	case generates(fn):
		return "it is a generator"
	case strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__"):
		return "Python calls " + name + ", and does not wait for it"
	}
	return ""
}

// plainDecorators leave a function what it is.
var plainDecorators = words.Set(`staticmethod classmethod override typing.override abstractmethod abc.abstractmethod
	final typing.final`)

func (d pythonDialect) bound(j *job, f *function) string {
	for _, dec := range decorators(f.fn) {
		switch {
		case plainDecorators[dec] || j.asyncRoute(f.unit, dec):
		case dec == "property" || strings.HasSuffix(dec, ".setter") || strings.HasSuffix(dec, "cached_property"):
			return "it is a property"
		default:
			return "the decorator " + dec + " may call it"
		}
	}
	if f.class == nil && f.name == "lambda_handler" {
		return "what runs the program calls it"
	}
	starts, err := j.p.holding(j.ctx, func(file string) bool {
		return templates(file) && ext(file) != ".ipynb" || path.Base(file) == "setup.py"
	}, ":"+f.name)
	if err == nil && len(starts) > 0 && f.class == nil {
		return starts[0] + " starts the program with it"
	}
	return f.shared()
}

// asyncRoute reports whether a decorator registers a handler that may as well be async.
func (j *job) asyncRoute(u *unit, dec string) bool {
	root, verb, ok := strings.Cut(dec, ".")
	b := u.module.names[root]
	if !ok || b == nil || !words.Set("get post put patch delete options head on_event exception_handler")[verb] {
		return false
	}
	b = j.p.follow(b)
	made := b.def().get("right").get("function").text()
	return importsFrom(b.unit, "fastapi") && (lastName(b.def().get("right").get("function")) == "FastAPI" ||
		strings.HasSuffix(made, "APIRouter"))
}

func (pythonDialect) promises(j *job, u *unit, fn *node) bool {
	values, ok := givenValues(fn)
	for _, v := range values {
		ok = ok && v.is("call") && j.isAsyncCall(u, v)
	}
	return ok
}

func (d pythonDialect) patches(j *job, u *unit, fn *node) (out []kit.Patch, why string) {
	out = []kit.Patch{{From: fn.from, To: fn.from, With: "async "}}
	own(fn, func(n *node) {
		if !n.is("call") {
			return
		}
		args := n.get("arguments").list()
		switch name := n.get("function").text(); {
		case name == "asyncio.run" && len(args) == 1 && !n.up("generator_expression").within(fn):
			from, to := "await ", ""
			if d.binds(n) {
				from, to = "(await ", ")"
			}
			out = append(out, kit.Patch{From: n.from, To: args[0].from, With: from},
				kit.Patch{From: args[0].to, To: n.to, With: to})
		case name == "asyncio.run" || lastName(n.get("function")) == "run_until_complete":
			why = "it runs an event loop itself (" + spot(u, n) + ")"
		case j.isAsyncCall(u, n) && givenBack(n):
			out = append(out, kit.Patch{From: n.from, To: n.from, With: "await "})
		}
	})
	return out, why
}

// givenBack reports whether the value of n is what a function returns.
func givenBack(n *node) bool {
	for n.parent.is("parenthesized_expression") {
		n = n.parent
	}
	return n.parent.is("return_statement")
}

// awaiters take a coroutine and see to it that it runs.
var awaiters = words.Set(`run run_until_complete create_task ensure_future gather wait_for shield run_coroutine_threadsafe
	as_completed start_soon`)

func (pythonDialect) done(c callSite) bool {
	if to := passedTo(c.call); to != nil && awaiters[lastName(to.get("function"))] {
		fn := to.get("function")
		return fn.is("attribute") && fn.text() != "subprocess.run"
	}
	return c.call.parent.is("await")
}

func (pythonDialect) binds(call *node) bool {
	p := call.parent
	return p.is("attribute") && call.field == "object" || p.is("subscript") && call.field == "value" ||
		p.is("call") && call.field == "function"
}

func (d pythonDialect) handled(j *job, u *unit, n *node) string {
	if call := passedTo(n); call != nil {
		return oneLine(call.get("function").text()) + " (" + spot(u, call) + ") would not wait for it"
	}
	switch p := n.parent; {
	case p.is("keyword_argument"):
		return "what gets it as " + p.get("name").text() + " would not wait for it"
	case p.is("decorator"):
		return "a decorator cannot be async"
	}
	return "what calls it is not known"
}

func (d pythonDialect) around(j *job, c callSite) around {
	loops := 0
	for n := c.call; n.parent != nil; n = n.parent {
		p := n.parent
		switch {
		case p.is("function_definition") && n.field == "body":
			if d.isTest(j, c.u, p) {
				return j.runs(c, p)
			}
			return around{fn: p}
		case p.is("lambda") && n.field == "body":
			return around{why: "it is in a lambda, which cannot wait"}
		case p.is("for_in_clause") && n.field == "right" && p.prev == p.parent.get("body"):
			n = p // evaluated once, outside
		case p.is("generator_expression"):
			return around{why: "it is in a generator expression, which would become an async one"}
		case p.is("list_comprehension", "set_comprehension", "dictionary_comprehension"):
			if loops++; loops > 1 {
				return around{why: "it is in a comprehension within another"}
			}
		case p.is("class_definition") && n.field == "body":
			return around{why: "it is in the body of a class"}
		}
	}
	return j.runs(c, nil)
}

// runs is how a call is waited for where nothing around it is async: asyncio.run.
func (j *job) runs(c callSite, fn *node) around {
	scope := c.u.module
	if fn != nil {
		scope = c.u.scopes[fn]
	}
	if b := scope.lookup("asyncio", value); b != nil && (len(b.imps) != 1 || b.imps[0].full != "asyncio" ||
		b.imps[0].name != "") {
		return around{why: "asyncio means something else there"}
	}
	if fn == nil && !entry(c.call) {
		if by := j.importer(c.u); by != "" {
			return around{why: "it runs when the module is imported, as " + by + " does"}
		}
	}
	return around{run: "asyncio.run"}
}

// entry reports whether a statement runs only when its file is started.
func entry(n *node) bool {
	for n = n.up("if_statement"); n != nil; n = n.up("if_statement") {
		if strings.Contains(n.get("condition").text(), "__name__") {
			return true
		}
	}
	return false
}

// importer is a file that imports another one, or "".
func (j *job) importer(of *unit) string {
	stem := strings.TrimSuffix(path.Base(of.path), ext(of.path))
	if stem == "__init__" {
		return "its package"
	}
	units, err := j.p.mentioning(j.ctx, stem)
	if err != nil {
		return "another file"
	}
	for _, u := range units {
		for _, o := range u.imports {
			at := j.d.locate(j.p, u.path, o.full)
			if at.file == "" && at.dir == "" || at.file != of.path {
				at = j.d.locate(j.p, u.path, o.full+"."+o.name)
			}
			if u != of && at.file == of.path {
				return u.path
			}
		}
	}
	return ""
}

// replaced is where a test puts something else in the place of a function, which would give its
// result at once, or nil: patch("a.load", other), setattr("a.load", other). What patch makes of its
// own accord can be awaited.
func replaced(u *unit, name string) *node {
	for _, n := range stringsNaming(u, name) {
		args := passedTo(n.parent)
		if args == nil || n.text() == name {
			continue
		}
		switch lastName(args.get("function")) {
		case "patch", "setattr":
			next := nextKid(n.parent)
			if next != nil && (!next.is("keyword_argument") || next.get("name").text() == "new") {
				return n
			}
		}
	}
	return nil
}

// isTest reports whether a function is a test that nothing awaits.
func (pythonDialect) isTest(j *job, u *unit, fn *node) bool {
	name, base := fn.get("name").text(), path.Base(u.path)
	c := fn.up("class_definition", "function_definition")
	if fn.child("async") != nil || c.is("function_definition") {
		return false
	}
	for _, dec := range decorators(fn) {
		if strings.Contains(dec, "fixture") || strings.Contains(dec, "asyncio") {
			return false
		}
	}
	bases := c.get("superclasses").text()
	if strings.Contains(bases, "TestCase") {
		return strings.HasPrefix(name, "test") || name == "setUp" || name == "tearDown"
	}
	return strings.HasPrefix(name, "test") && (strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py"))
}

// importsAsyncio imports asyncio in a file that does not yet.
func (j *job) importsAsyncio(u *unit) {
	if u.module.names["asyncio"] != nil {
		return
	}
	for _, c := range j.edits[u.path] {
		if strings.Contains(c.Insert, "import asyncio") {
			return
		}
	}
	j.insertPython(u, "import asyncio")
}
