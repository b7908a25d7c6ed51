package treesitter

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/words"
)

func (ecma) never(u *unit, fn *node) string {
	switch {
	case fn.is("generator_function", "generator_function_declaration") || fn.child("*") != nil:
		return "it is a generator"
	case fn.child("get", "set") != nil:
		return "it is a getter or a setter"
	case fn.get("name").text() == "constructor" && fn.is("method_definition"):
		return "it is a constructor"
	case fn.is("method_definition") && (converts[fn.get("name").text()] || fn.get("name").is("computed_property_name")):
		return "JavaScript calls " + fn.get("name").text() + ", and does not wait for it"
	}
	return ""
}

// converts are the methods that make something else of an object, wherever that is needed.
var converts = words.Set(`toString toLocaleString valueOf toJSON`)

var (
	component = regexp.MustCompile(`^[A-Z]`)
	reactHook = regexp.MustCompile(`^use[A-Z]`)
	// routes are the decorators of methods that may be async for those who call them.
	routes = words.Set(`Get Post Put Patch Delete Options Head All`)
)

func (ecma) bound(j *job, f *function) string {
	for _, d := range decoratorsOfMember(f.def) {
		if !routes[d] || !importsFrom(f.unit, "@nestjs/common") {
			return "the decorator " + d + " may call it"
		}
	}
	switch jsx := f.fn.has("jsx_element", "jsx_self_closing_element", "jsx_fragment"); {
	case jsx && component.MatchString(f.name):
		return "it is a component, which is drawn without waiting"
	case reactHook.MatchString(f.name) && f.class == nil:
		return "it is a hook, which components call while they are drawn"
	}
	return f.shared()
}

func decoratorsOfMember(def *node) []string {
	all := def.all("decorator")
	for c := def.prev; c.is("decorator"); c = c.prev {
		all = append(all, c)
	}
	var out []string
	for _, d := range all {
		d = d.firstKid()
		if d.is("call_expression") {
			d = d.get("function")
		}
		out = append(out, d.text())
	}
	return out
}

func (ecma) promises(j *job, u *unit, fn *node) bool {
	if t := fn.get("return_type"); t != nil {
		return isPromise(t.firstKid())
	}
	values, ok := givenValues(fn)
	for _, v := range values {
		ok = ok && j.givesPromise(u, v)
	}
	return ok
}

func isPromise(t *node) bool { return t.is("generic_type") && t.get("name").text() == "Promise" }

var chained = words.Set(`then catch finally`)

// givesPromise reports whether an expression evidently is a promise.
func (j *job) givesPromise(u *unit, v *node) bool {
	fn := v.get("function")
	switch {
	case v.is("new_expression"):
		return v.get("constructor").text() == "Promise"
	case !v.is("call_expression"):
		return false
	case fn.is("member_expression"):
		if chained[fn.lastKid().text()] || fn.firstKid().text() == "Promise" {
			return true
		}
	case fn.is("import"):
		return true
	case fn.text() == "fetch":
		r := u.byNode[fn]
		return r != nil && r.b == nil
	}
	return j.isAsyncCall(u, v)
}

func (ecma) patches(j *job, u *unit, fn *node) ([]kit.Patch, string) {
	at := fn.from
	if fn.is("method_definition") {
		at = fn.get("name").from
	}
	out := []kit.Patch{{From: at, To: at, With: "async "}}
	switch t := fn.get("return_type"); {
	case t == nil:
		if c := docOf(fn); c != nil {
			if m := returnsTag.FindStringSubmatchIndex(c.text()); m != nil &&
				!strings.HasPrefix(c.text()[m[2]:m[3]], "Promise") {
				out = append(out, kit.Patch{From: c.from + m[2], To: c.from + m[2], With: "Promise<"},
					kit.Patch{From: c.from + m[3], To: c.from + m[3], With: ">"})
			}
		}
	case !t.is("type_annotation"):
		return nil, "its return type " + strings.TrimSpace(strings.TrimPrefix(t.text(), ":")) +
			" says something about its arguments"
	case u.scopes[fn].lookup("Promise", typ) != nil:
		return nil, "Promise means something else in " + u.path
	case isPromise(t.firstKid()):
	case j.thenable(u, t.firstKid(), 0):
		return nil, "its return type " + t.firstKid().text() + " may be a promise, and that of an async function is " +
			"written Promise<...>"
	default:
		k := t.firstKid()
		out = append(out, kit.Patch{From: k.from, To: k.from, With: "Promise<"}, kit.Patch{From: k.to, To: k.to, With: ">"})
	}
	return out, ""
}

var returnsTag = regexp.MustCompile(`@returns?\s*\{([^{}]*)\}`)

// docOf is the JSDoc above the statement that declares a function.
func docOf(fn *node) *node {
	n := fn
	for !n.parent.is("program", "statement_block", "class_body") {
		if n = n.parent; n.parent == nil || n.is("arguments") {
			return nil
		}
	}
	if c := n.prev; c.is("comment") && strings.HasPrefix(c.text(), "/**") {
		return c
	}
	return nil
}

// thenable reports whether a type that is not written Promise<...> may be one.
func (j *job) thenable(u *unit, t *node, depth int) bool {
	found := false
	t.walk(func(n *node) bool {
		switch {
		case n.is("type_arguments", "function_type", "object_type", "array_type"):
			return false
		case n.is("type_identifier") && strings.Contains(n.text(), "Promise"):
			found = true
		case n.is("type_identifier") && depth < 5:
			if r := u.byNode[n]; r != nil && r.b != nil {
				if b := j.p.follow(r.b); b.def().is("type_alias_declaration") {
					found = found || j.thenable(b.unit, b.def().get("value"), depth+1)
				}
			}
		}
		return !found
	})
	return found
}

func (ecma) done(c callSite) bool {
	n := c.call
	for n.parent.is("parenthesized_expression", "non_null_expression") {
		n = n.parent
	}
	p := n.parent
	if p.is("member_expression") && n.field == "object" && chained[p.lastKid().text()] && callOf(p.lastKid()) != nil {
		return true
	}
	if p.is("variable_declarator") && n.field == "value" && p.get("name").is("identifier") {
		if r := c.u.byNode[p.get("name")]; r != nil && r.b != nil {
			for _, use := range r.b.refs {
				if q := use.node.parent; q.is("member_expression") && chained[q.lastKid().text()] {
					return true
				}
			}
		}
	}
	return p.is("await_expression")
}

func (ecma) binds(call *node) bool {
	p := call.parent
	switch call.field {
	case "object":
		return p.is("member_expression", "subscript_expression")
	case "function", "constructor":
		return true
	case "left":
		return p.is("binary_expression") && p.child("**") != nil
	}
	return p.is("non_null_expression", "extends_clause", "class_heritage")
}

func (d ecma) around(j *job, c callSite) around {
	if c.call.is("new_expression") {
		return around{why: "it is made with new"}
	}
	if d.binds(c.call) && optional(c.call) {
		return around{why: "what stands behind it is left out where its ?. finds nothing"}
	}
	for n := c.call; n.parent != nil; n = n.parent {
		switch p := n.parent; {
		case p.is(functions...) && n.field == "body":
			if late := lateEvent(p, c.call); late != "" {
				return around{why: late}
			}
			return around{fn: p}
		case p.is(functions...) && (n.field == "parameters" || n.field == "parameter"):
			return around{why: "it is in the default value of a parameter"}
		case p.is("class_static_block"):
			return around{why: "it is in a static block"}
		case p.is("public_field_definition", "field_definition") && n.field == "value":
			return around{why: "it is the initial value of a field"}
		case p.is("decorator", "enum_assignment", "internal_module"):
			return around{why: "nothing can wait there"}
		}
	}
	return around{why: d.topLevel(j, c.u)}
}

// What works only until the handlers of an event have returned: its methods, and what is read of it.
var (
	eventMethods = words.Set(`preventDefault stopPropagation stopImmediatePropagation composedPath respondWith waitUntil`)
	eventReads   = words.Set(`currentTarget dataTransfer clipboardData eventPhase returnValue`)
	eventName    = regexp.MustCompile(`^(e|ev|evt|event)$`)
	eventType    = regexp.MustCompile(`Event(<|$)`)
)

// lateEvent says what a function does with an event behind a call, or "". Once the function waits
// for the call, the event is over by then.
func lateEvent(fn, call *node) string {
	late := ""
	own(fn, func(n *node) {
		if late != "" || !behind(fn, call, n) {
			return
		}
		switch p := n.parent; {
		case n.is("property_identifier") && p.is("member_expression") && callOf(n) != nil && eventMethods[n.text()]:
			late = n.text() + " behind it would come when the event is over"
		case n.is("property_identifier", "shorthand_property_identifier_pattern") && eventReads[n.text()]:
			late = n.text() + " is used behind it, when the event is over"
		case n.is("identifier") && isEvent(fn, n.text()) && (passedTo(n) != nil || p.is("variable_declarator")):
			late = "the event is handed on behind it, when it is over"
		}
	})
	return late
}

// behind reports whether a node runs after a call, or may: in a loop around both.
func behind(fn, call, n *node) bool {
	if n.from >= call.to {
		return true
	}
	for l := call; l != fn && l != nil; l = l.parent {
		if l.is("for_statement", "for_in_statement", "while_statement", "do_statement") && n.within(l) &&
			!n.within(call) {
			return true
		}
	}
	return false
}

// isEvent reports whether the parameter of that name is an event.
func isEvent(fn *node, name string) bool {
	if p := fn.get("parameter"); p != nil {
		return p.text() == name && eventName.MatchString(name)
	}
	for k := range fn.get("parameters").kids {
		t := k.get("type")
		if k.is("required_parameter", "optional_parameter") {
			k = k.get("pattern")
		}
		if k.text() == name {
			return t == nil && eventName.MatchString(name) || eventType.MatchString(t.text())
		}
	}
	return false
}

// refuses reports whether a function refuses an event by what it gives: false.
func refuses(fn *node) bool {
	values, _ := givenValues(fn)
	for _, v := range values {
		if v.is("false") {
			return true
		}
	}
	return false
}

// optional reports whether a chain that ends in the call has a ?. in it.
func optional(call *node) bool {
	for n := call; n.is("call_expression", "member_expression", "subscript_expression", "non_null_expression"); n = n.
		firstKid() {
		if n.child("optional_chain", "?.") != nil {
			return true
		}
	}
	return false
}

// What is called with a function, by the last name of what is called.
var (
	// unawaited call a function later and look at nothing that it gives.
	unawaited = words.Set(`addEventListener on once addListener setTimeout setInterval setImmediate queueMicrotask`)
	// lastEvents are those behind which nothing else runs.
	lastEvents = words.Set(`exit beforeunload unload pagehide`)
	testRuns   = words.Set(`it test specify beforeEach afterEach beforeAll afterAll before after setup teardown`)
	testTurns  = words.Set(`only skip todo concurrent failing fails sequential`)
	// testArgs are the parameters of a test that are no callback.
	testArgs   = words.Set(`t ctx context task assert`)
	routeCalls = words.Set(`get post put patch delete use all`)
	routers    = words.Set(`app router server api`)
)

func (d ecma) handled(j *job, u *unit, n *node) string {
	p := n.parent
	if call := passedTo(n); call != nil {
		return d.handledBy(j, u, call, n)
	}
	fn := d.function(j, u, n)
	switch {
	case p.is("assignment_expression") && n.field == "right" && fn.is(functions...) && refuses(fn):
		return refusal
	case p.is("jsx_expression") && p.parent.is("jsx_attribute") && strings.HasPrefix(p.parent.firstKid().text(), "on"),
		p.is("assignment_expression") && n.field == "right" && strings.HasPrefix(lastName(p.get("left")), "on"):
		return ""
	case p.is("parenthesized_expression") && p.parent.is("call_expression") && p.field == "function":
		if p.parent.parent.is("await_expression") || p.parent.parent.is("expression_statement") &&
			p.parent.parent.parent.is("program") && nextKid(p.parent.parent) == nil {
			return ""
		}
		return "it is called where it stands, and what comes behind would not wait for it"
	case p.is("object", "pair"):
		return "it is in an object, whose users are not followed"
	}
	return "what calls it is not known"
}

const refusal = "it gives false to refuse the event, and a promise does not"

// function is what is handed to something: a function, or what a name stands for.
func (ecma) function(j *job, u *unit, n *node) *node {
	r := u.byNode[n]
	if r == nil || r.b == nil {
		return n
	}
	fn := j.p.follow(r.b).def()
	if v := fn.get("value"); v != nil {
		return v
	}
	return fn
}

func (d ecma) handledBy(j *job, u *unit, call, n *node) string {
	fn := call.get("function")
	name, root := lastName(fn), fn
	for root.is("member_expression", "call_expression") {
		root = root.firstKid()
	}
	first := call.get("arguments").firstKid()
	each := fn.is("call_expression") && lastName(fn.get("function")) == "each"
	switch {
	case each && testRuns[root.text()]:
		return ""
	case testRuns[name] || testTurns[name] && testRuns[root.text()]:
		if d.foreign(j, u, root) {
			return testParams(n)
		}
	case fn.is("member_expression") && chained[name]:
		return ""
	case unawaited[name] && (fn.is("member_expression") || d.foreign(j, u, fn)):
		if (name == "on" || name == "once") && refuses(d.function(j, u, n)) {
			return refusal
		}
		if first.is("string") && lastEvents[unquote(first)] {
			return "it handles " + unquote(first) + ", behind which nothing that it waits for comes any more"
		}
		return ""
	case fn.is("member_expression") && routeCalls[name] && routers[lastName(fn.firstKid())] && first != n &&
		first.is("string"):
		return ""
	case (name == "map" || name == "flatMap") && fn.is("member_expression"):
		if out := passedTo(call); out != nil && strings.HasPrefix(out.get("function").text(), "Promise.") {
			return ""
		}
	}
	return oneLine(fn.text()) + " (" + spot(u, call) + ") would not wait for it"
}

// foreign reports whether a name means nothing of the project's.
func (ecma) foreign(j *job, u *unit, n *node) bool {
	r := u.byNode[n]
	if r == nil {
		return n.is("this")
	}
	if r.b == nil {
		return true
	}
	at, ok := place{}, len(r.b.imps) > 0
	if ok {
		at = j.d.locate(j.p, u.path, r.b.imps[0].module)
	}
	return ok && at.outside
}

// testParams: a test with a callback of its own says with it that it is done.
func testParams(fn *node) string {
	if fn.is("identifier") {
		return ""
	}
	for k := range fn.get("parameters").kids {
		name := k
		if k.is("required_parameter", "optional_parameter") {
			name = k.get("pattern")
		}
		if name.is("identifier") && !testArgs[name.text()] {
			return "the test says with " + name.text() + " that it is done"
		}
	}
	if p := fn.get("parameter"); p != nil && !testArgs[p.text()] {
		return "the test says with " + p.text() + " that it is done"
	}
	return ""
}

// topLevel is why the top level of a file cannot wait, or "".
func (ecma) topLevel(j *job, u *unit) string {
	e := ext(u.path)
	switch {
	case e == ".cjs" || e == ".cts" || u.cjs && !u.esm:
		return "the top level of a CommonJS module cannot wait; an ES module's can"
	case !u.esm:
		return "the top level of " + u.path + " cannot wait, since it is no ES module"
	case e == ".mjs" || e == ".mts":
		return ""
	}
	kind := j.p.packageType(u.path)
	if kind == "commonjs" {
		return "the top level cannot wait: package.json says that its modules are CommonJS"
	}
	if !typescriptFile(u.path) {
		return ""
	}
	c, file := j.p.compilerOptions(u.path)
	if file == "" {
		return ""
	}
	module, target := strings.ToLower(c.Module), strings.ToLower(c.Target)
	old := target == "es3" || target == "es5" || target == "es6" || target == "es2015" || target == "es2016"
	switch module {
	case "es2022", "esnext", "preserve", "system":
		if target != "" && !old {
			return ""
		}
	case "node16", "node18", "node20", "nodenext":
		if kind == "module" && !old {
			return ""
		}
	}
	return "with the module " + cmp.Or(module, "unset") + " and the target " + cmp.Or(target, "unset") + " of " + file +
		" the top level cannot wait"
}

// packageType is the "type" of the package.json that is nearest to a file.
func (p *project) packageType(file string) string {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if b, err := p.src.Read(path.Join(dir, "package.json")); err == nil && p.index[path.Join(dir, "package.json")] {
			var pkg struct {
				Type string `json:"type"`
			}
			if json.Unmarshal(b, &pkg) != nil {
				return ""
			}
			return pkg.Type
		}
		if dir == "." || dir == "/" {
			return ""
		}
	}
}

type moduleOptions struct{ Module, Target string }

// compilerOptions are those of the nearest tsconfig.json, with what it extends; file is "" where
// there is none.
func (p *project) compilerOptions(of string) (out moduleOptions, file string) {
	for dir := path.Dir(of); ; dir = path.Dir(dir) {
		if f := path.Join(dir, "tsconfig.json"); p.index[f] {
			p.extendOptions(&out, f, 0)
			return out, f
		}
		if dir == "." || dir == "/" {
			return out, ""
		}
	}
}

func (p *project) extendOptions(out *moduleOptions, file string, depth int) {
	var c struct {
		Extends         any           `json:"extends"`
		CompilerOptions moduleOptions `json:"compilerOptions"`
	}
	b, err := p.src.Read(file)
	if err != nil || depth > 5 || json.Unmarshal(plainJSON(b), &c) != nil {
		return
	}
	out.Module = cmp.Or(out.Module, c.CompilerOptions.Module)
	out.Target = cmp.Or(out.Target, c.CompilerOptions.Target)
	if e, ok := c.Extends.(string); ok && strings.HasPrefix(e, ".") {
		if e = path.Join(path.Dir(file), e); !strings.HasSuffix(e, ".json") {
			e += ".json"
		}
		p.extendOptions(out, e, depth+1)
	}
}
