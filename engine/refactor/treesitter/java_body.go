package treesitter

import (
	"fmt"
	"path"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

func init() {
	javaOps["extract-variable"] = javaExtractVariable
	javaOps["extract-constant"] = javaExtractConstant
	javaOps["replace-call"] = javaReplaceCall
	javaOps["add-test"] = javaAddTest
}

// javaExpressions finds the expressions with the text that was given: all that the named
// method holds, or the one of the file or the lines of the request.
func (j *job) javaExpressions(fits func(*node) bool) ([]chosen, error) {
	text := strings.TrimSpace(j.op.Args["expr"])
	if text == "" {
		return nil, j.decline("which expression? give it as it is written")
	}
	var units []*unit
	var within *node
	switch {
	case j.op.Args["func"] != "":
		f, err := j.javaMethod("func")
		if err != nil {
			return nil, err
		}
		units, within = []*unit{f.unit}, f.fn
	case j.target.File != "":
		u, err := j.file()
		if err != nil {
			return nil, err
		}
		units = []*unit{u}
	default:
		var err error
		if units, err = j.p.mentioning(j.ctx, text); err != nil {
			return nil, err
		}
	}
	return j.written(units, within, text, func(n *node) bool { return javaExpr(n) && fits(n) })
}

// javaExpr reports whether a node is a value that is read.
func javaExpr(n *node) bool {
	if !(strings.HasSuffix(n.kind, "_expression") || strings.HasSuffix(n.kind, "_literal") ||
		n.is("method_invocation", "field_access", "array_access", "identifier", "true", "false")) ||
		n.is("lambda_expression", "null_literal", "class_literal", "assignment_expression", "update_expression",
			"array_creation_expression") {
		return false
	}
	p := n.parent
	return p != nil && n.field != "name" && n.field != "field" && !(p.is("assignment_expression") && n.field == "left") &&
		!p.is("update_expression", "expression_statement", "switch_label", "scoped_identifier", "element_value_pair",
			"annotation_argument_list", "method_reference", "labeled_statement", "inferred_parameters", "marker_annotation",
			"import_declaration", "package_declaration", "element_value_array_initializer", "explicit_constructor_invocation",
			"resource") && n.up("annotation", "import_declaration") == nil && n.field != "parameters"
}

// javaExtractVariable puts the value of an expression into a variable before its statement.
func javaExtractVariable(j *job) (string, error) {
	name := j.op.Args["name"]
	all, err := j.javaExpressions(func(*node) bool { return true })
	if err != nil {
		return "", err
	}
	if why := j.d.invalid(name); why != "" {
		return "", j.decline("%s", why)
	}
	c := all[0]
	if len(all) > 1 {
		return "", j.whichExpression(all)
	}
	stmt := c.n
	for p := stmt.parent; !p.is("block", "constructor_body", "switch_block_statement_group"); stmt, p = p, p.parent {
		if p == nil || javaDecides(p, stmt) || p.is(javaFuncs...) || p.is("class_body", "interface_body", "enum_body") {
			return "", j.decline("what is around %s at %s decides whether, when or how often it is evaluated", c.n.text(),
				spot(c.u, c.n))
		}
	}
	if !stmt.beginsLine() || stmt.is("explicit_constructor_invocation") || stmt.parent.is("switch_block_statement_group") {
		return "", j.decline("no statement can be put before that at %s", spot(c.u, stmt))
	}
	if fn := stmt.up(javaFuncs...); fn != nil {
		if err := j.javaFree(c.u, fn, name); err != nil {
			return "", err
		}
	}
	if err := j.javaBefore(c, stmt); err != nil {
		return "", err
	}
	t, err := j.javaTypeText(c)
	if err != nil {
		return "", err
	}
	st := c.u.style()
	at := lineStart(c.u.src, above(stmt).from)
	j.replace(c.u.path, at, at, indentAt(c.u.src, stmt.from)+t+" "+name+" = "+c.n.text()+";"+st.eol)
	j.replace(c.u.path, c.n.from, c.n.to, name)
	return fmt.Sprintf("Extracted %s from %s.", name, from(all)), nil
}

// javaDecides reports whether p evaluates its part k not at all, later, or more than once.
func javaDecides(p, k *node) bool {
	first := p.firstKid() == k
	switch p.kind {
	case "lambda_expression", "class_body", "while_statement", "do_statement", "switch_rule", "switch_label", "guard",
		"try_with_resources_statement", "resource", "resource_specification", "assert_statement", "array_initializer",
		"switch_expression":
		return p.kind != "switch_expression" || k.field != "condition"
	case "ternary_expression":
		return k.field != "condition"
	case "binary_expression":
		return !first && p.child("&&", "||") != nil
	case "if_statement":
		return k.field != "condition"
	case "for_statement":
		return true
	case "enhanced_for_statement":
		return k.field != "value"
	}
	return false
}

// javaBefore declines when something with an effect comes before the expression, or it has
// one itself and something is read before.
func (j *job) javaBefore(c chosen, stmt *node) error {
	var bad *node
	effect := javaEffect(c.n) != nil
	stmt.walk(func(k *node) bool {
		if bad != nil || k.from >= c.n.from {
			return false
		}
		if k.to > c.n.from {
			return true
		}
		if javaEffect(k) != nil || effect && k.is("identifier", "field_access", "array_access") && k.field != "name" &&
			k.field != "left" && !k.parent.is("labeled_statement") && !j.steady(c.u, k) {
			bad = k
		}
		return false
	})
	if stmt.is("local_variable_declaration") { // int a = 1, b = a + 1
		if kids := stmt.all("declarator"); len(kids) > 1 && !c.n.within(kids[0]) {
			bad = kids[0]
		}
	}
	c.n.walk(func(k *node) bool { // what an instanceof in the statement binds
		if r := c.u.byNode[k]; r != nil && r.b != nil && r.b.def().is("instanceof_expression", "type_pattern",
			"record_pattern_component") && r.b.def().within(stmt) {
			bad = k
		}
		return bad == nil
	})
	if bad != nil {
		return j.decline("%s comes before it at %s, and the order could matter", oneLine(bad.text()), spot(c.u, bad))
	}
	return nil
}

// steady: a type, a package, or a variable that is never assigned again.
func (j *job) steady(u *unit, n *node) bool {
	if !n.is("identifier") {
		return false
	}
	m, t := j.p.javaValue(u, n)
	if m.kind == other {
		return t.static
	}
	if m.kind == memberOf {
		d := memberOfSort(m.class, m.name, false)
		return d != nil && javaHas(d.def.parent, "final")
	}
	if m.kind != bound {
		return false
	}
	for _, r := range m.b.refs {
		if p := r.node.parent; p.is("assignment_expression") && r.node.field == "left" || p.is("update_expression") {
			return false
		}
	}
	return true
}

// javaTypeText is the type that the variable is declared with. A number keeps its type only
// when it is evident; var takes that of anything else.
func (j *job) javaTypeText(c chosen) (string, error) {
	switch n := c.n; {
	case n.is("string_literal"):
		return "String", nil
	case n.is("true", "false", "instanceof_expression"):
		return "boolean", nil
	case n.is("character_literal"):
		return "char", nil
	case strings.HasSuffix(n.kind, "_integer_literal"):
		if strings.HasSuffix(strings.ToUpper(n.text()), "L") {
			return "long", nil
		}
		return "int", nil
	case n.is("identifier", "field_access"):
		if e := j.d.entity(j.p, c.u, n); e.kind == aClass {
			return "", j.decline("%s is a type, and no value", n.text())
		}
		if n.is("identifier") {
			if m, t := j.p.javaValue(c.u, n); m.kind != bound && m.kind != memberOf || t.static {
				return "", j.decline("%s is not known to be a value", n.text())
			}
		}
	}
	// var fits where nothing gives the expression a type: a poly expression has another type alone.
	if c.n.is("method_invocation", "object_creation_expression", "ternary_expression", "switch_expression") {
		generic := c.n.is("object_creation_expression") && strings.Contains(c.n.get("type").text(), "<>") ||
			c.n.is("method_invocation") && !j.plainCall(c.u, c.n) || c.n.is("switch_expression", "ternary_expression") ||
			c.n.has("lambda_expression", "method_reference")
		if generic {
			if t := j.typeWritten(c.u, c.n); t != "" {
				return t, nil
			}
			return "", j.decline("the type of %s cannot be told from the code alone", oneLine(c.n.text()))
		}
	}
	if c.n.parent.is("argument_list", "return_statement", "variable_declarator", "assignment_expression") &&
		c.n.is("binary_expression", "unary_expression") {
		if t := j.typeWritten(c.u, c.n); t != "" {
			return t, nil
		}
	}
	return "var", nil
}

// plainCall reports whether a call gives a value whose type does not depend on where it stands.
func (j *job) plainCall(u *unit, call *node) bool {
	t := j.p.callType(u, call)
	return t.class != nil || t.out == "String" || t.out == "int" || t.out == "boolean" || t.out == "long" ||
		t.out == "double"
}

// typeWritten is the type of the variable that the expression is the whole value of, as written.
func (j *job) typeWritten(u *unit, n *node) string {
	if p := n.parent; p.is("variable_declarator") && p.get("dimensions") == nil && p.parent.get("type").text() != "var" {
		return p.parent.get("type").text()
	}
	return ""
}

// javaExtractConstant names a literal as a constant of the outermost class around it.
func javaExtractConstant(j *job) (string, error) {
	name := j.op.Args["name"]
	all, err := j.javaExpressions(javaLiteral)
	if err != nil {
		return "", err
	}
	if why := j.d.invalid(name); why != "" {
		return "", j.decline("%s", why)
	}
	c := all[0]
	var k *class
	for at := c.u.typeAround(c.n); at != nil; at = c.u.typeAround(at.node) {
		k = at
	}
	if k == nil || k.def.is("annotation_type_declaration") || bodyOf(k) == nil {
		return "", j.decline("%s is in no class that could hold a constant", spot(c.u, c.n))
	}
	for _, r := range c.u.refs {
		if r.node.text() == name {
			return "", j.decline("%s is in use already at %s", name, spot(c.u, r.node))
		}
	}
	for _, a := range j.p.ancestry(k) {
		if memberOfSort(a, name, false) != nil {
			return "", j.decline("%s has a %s already", a.title(), name)
		}
	}
	if len(k.unit.root.child("import_declaration").text()) > 0 && j.p.staticField(c.u, name) != nil {
		return "", j.decline("%s is imported already", name)
	}
	t, err := j.javaTypeText(c)
	if err != nil {
		return "", err
	}
	if c.n.is("decimal_floating_point_literal") {
		if t = "double"; strings.HasSuffix(strings.ToLower(c.n.text()), "f") {
			t = "float"
		}
	}
	for _, o := range all {
		if narrowed(o.n) {
			return "", j.decline("%s at %s is narrowed to a smaller type, which a constant of it is not",
				o.n.text(), spot(o.u, o.n))
		}
	}
	line := "private static final " + t + " " + name + " = " + c.n.text() + ";"
	if k.iface {
		line = t + " " + name + " = " + c.n.text() + ";"
	}
	if err := j.putConstant(k, line); err != nil {
		return "", err
	}
	for _, o := range all {
		j.replace(o.u.path, o.n.from, o.n.to, name)
	}
	return fmt.Sprintf("Extracted %s from %s.", name, from(all)), nil
}

// narrowed: a literal that a case, an annotation or a byte takes because it is one.
func narrowed(n *node) bool { return n.up("annotation", "switch_label") != nil }

func javaLiteral(n *node) bool {
	if n.is("null_literal", "class_literal") || !(strings.HasSuffix(n.kind, "_literal") || n.is("true", "false")) {
		return false
	}
	return !n.parent.is("switch_label") && n.up("annotation", "annotation_argument_list") == nil &&
		!strings.HasPrefix(n.text(), `"""`)
}

// putConstant inserts a constant behind the others, or first.
func (j *job) putConstant(c *class, line string) error {
	body, u := bodyOf(c), c.unit
	var last *node
	for _, k := range body.list() {
		if k.is("field_declaration", "constant_declaration") && (c.iface || javaHas(k, "static") && javaHas(k, "final")) &&
			k.ownLines() {
			last = k
		}
	}
	if last != nil {
		j.afterLine(u, last.to, indentAt(u.src, last.from)+line)
		return nil
	}
	return j.putFirst(c, body, u.style(), line)
}

func (javaDialect) prints() {}

// javaPrints are the statements of a file that only print.
func (s syntax) javaPrints(f *kit.File) []kit.Print {
	var out []kit.Print
	f.Raw.(*unit).root.walk(func(n *node) bool {
		call := n.firstKid()
		if !n.is("expression_statement") || !javaPrints(call) {
			return true
		}
		p := kit.Print{Node: f.Of(n), Sure: call.get("name").text() == "dumpStack"}
		if e := javaEffectIn(call.get("arguments")); e != nil {
			p.Keep = oneLine(e.text()) + " in it may have an effect"
		} else if !n.ownLines() || !n.parent.is("block", "constructor_body", "switch_block_statement_group") {
			p.Keep = "it shares its lines with other code"
		}
		call.get("arguments").walk(func(k *node) bool {
			if k.is("string_fragment") {
				p.Texts = append(p.Texts, k.text())
			}
			return true
		})
		next := nextKid(n)
		p.Tells = next.is("return_statement", "throw_statement") || strings.HasPrefix(next.text(), "System.exit") ||
			n.up("catch_clause") != nil
		arg := call.get("arguments").firstKid() // "x = " + x
		if arg.is("binary_expression") && arg.get("left").is("string_literal") {
			shown := arg.get("right").text()
			p.Shows = refactor.Labels(arg.get("left").firstKid().text(), shown)
			p.Tells = p.Tells || refactor.ErrorName(shown)
		}
		out = append(out, p)
		return true
	})
	return out
}

func javaPrints(call *node) bool {
	if !call.is("method_invocation") {
		return false
	}
	switch o := call.get("object").text(); {
	case o == "System.out" || o == "System.err":
		return has([]string{"println", "print", "printf"}, call.get("name").text())
	case call.get("name").text() == "printStackTrace", o == "Thread" && call.get("name").text() == "dumpStack":
		return len(call.get("arguments").list()) == 0
	}
	return false
}

// javaEffectIn finds a call that may do more than give a value: getters and the like do not.
func javaEffectIn(args *node) *node {
	var found *node
	args.walk(func(n *node) bool {
		switch {
		case n.is("method_invocation"):
			name := n.get("name").text()
			w := wordsOf(name)
			plain := len(w) > 0 && has([]string{"get", "is", "has", "size", "length", "name", "to", "value", "format", "join",
				"count", "description", "describe"}, w[0])
			if !plain && len(n.get("arguments").list()) > 0 ||
				len(w) > 0 && has([]string{"next", "read", "poll", "pop", "remove",
					"add", "put", "close", "take", "incr", "increment"}, w[0]) {
				found = n
			}
		case n.is("assignment_expression", "update_expression", "object_creation_expression"):
			found = n
		}
		return found == nil
	})
	return found
}

// javaReplaceCall writes another method's name into the calls of a static method, or of a
// method on a value: the value stays.
func javaReplaceCall(j *job) (string, error) {
	fromName, to := j.op.Args["from"], j.op.Args["to"]
	owner, name := "", fromName
	if i := strings.LastIndexByte(fromName, '.'); i >= 0 {
		owner, name = fromName[:i], fromName[i+1:]
	}
	toOwner, toName := "", to
	if i := strings.LastIndexByte(to, '.'); i >= 0 {
		toOwner, toName = to[:i], to[i+1:]
	}
	if why := j.d.invalid(toName); why != "" {
		return "", j.decline("%s", why)
	}
	units, err := j.p.mentioning(j.ctx, name)
	if err != nil {
		return "", err
	}
	calls, files := 0, map[string]bool{}
	for _, u := range units {
		if j.target.File != "" && u.path != j.target.File {
			continue
		}
		for _, n := range j.d.mentions(u, name) {
			call := n.parent
			if !call.is("method_invocation") || n.field != "name" || j.target.From > 0 && !j.touches(call) {
				continue
			}
			if call.get("object").text() != owner {
				continue
			}
			if err := j.callable(u, call, toOwner, toName); err != nil {
				return "", err
			}
			start := n.from
			if call.get("object") != nil {
				start = call.get("object").from
			}
			calls++
			files[u.path] = true
			j.replace(u.path, start, n.to, to)
		}
	}
	if calls == 0 {
		return "", j.decline("nothing calls %s", fromName)
	}
	return fmt.Sprintf("Replaced %s of %s by %s in %s.", count(calls, "call", "calls"), fromName, to,
		count(len(files), "file", "files")), nil
}

// callable: the method that is to be called is of the project and takes as many arguments, or
// of a type from outside that the file knows.
func (j *job) callable(u *unit, call *node, owner, name string) error {
	args := len(call.get("arguments").list())
	var c *class
	switch {
	case owner == "":
		if c = j.p.methodAround(u, call, name); c == nil {
			return j.decline("%s is not known in %s", name, u.path)
		}
	case owner == call.get("object").text():
		if c = j.p.valueOf(u, call.get("object")).class; c == nil {
			return nil
		}
	default:
		t, b := j.p.typeNamed(u, j.p.scopeAt(u, call), strings.Split(owner, ".")[0])
		if !t.known() && b == nil {
			return j.decline("%s is not known in %s: import it first", owner, u.path)
		}
		if c = t.class; c == nil || strings.Contains(owner, ".") {
			return nil
		}
	}
	for _, k := range j.p.declarersOf(c, name, true) {
		for _, m := range k.members[name] {
			if m.method && takes(m.def, args) {
				return nil
			}
		}
	}
	return j.decline("%s has no %s that takes %s", c.title(), name, count(args, "argument", "arguments"))
}

func (p *project) scopeAt(u *unit, n *node) *scope {
	for at := n; at != nil; at = at.parent {
		if s := u.scopes[at]; s != nil {
			return s
		}
	}
	return u.module
}

// javaAddTest adds a JUnit 5 test that is disabled until somebody writes it.
func javaAddTest(j *job) (string, error) {
	f, err := j.javaMethod("func")
	if err != nil {
		return "", err
	}
	outer := f.class
	for at := f.unit.typeAround(f.class.def); at != nil; at = f.unit.typeAround(at.def) {
		outer = at
	}
	if javaHas(f.def, "private") {
		return "", j.decline("%s is private, and no test can call it", f.name)
	}
	file := strings.Replace(f.unit.path, "src/main/java/", "src/test/java/", 1)
	file = path.Join(path.Dir(file), outer.title()+"Test.java")
	method := f.name + "IsTested"
	body := "@Test\n@Disabled(\"not written yet\")\nvoid " + method + "() {\n}"
	if t := j.p.unit(file); j.p.index[file] && t != nil {
		if err := j.appendJavaTest(t, method, body, f); err != nil {
			return "", err
		}
		return fmt.Sprintf("Added a test of %s to %s, disabled until it is written.", f.name, file), nil
	}
	text := ""
	if f.unit.pkg != "" {
		text = "package " + f.unit.pkg + ";\n\n"
	}
	text += "import org.junit.jupiter.api.Disabled;\nimport org.junit.jupiter.api.Test;\n\nclass " + outer.title() +
		"Test {\n    " + strings.ReplaceAll(body, "\n", "\n    ") + "\n}\n"
	j.create[file] = text
	return fmt.Sprintf("Added a test of %s to %s, disabled until it is written.", f.name, file), nil
}

func (j *job) appendJavaTest(t *unit, method, body string, f *function) error {
	var c *class
	for _, k := range t.classes {
		if k.b != nil && k.b.scope.kind == moduleScope {
			c = k
			break
		}
	}
	if c == nil || t.errors > 0 {
		return j.decline("%s holds no class to put a test into", t.path)
	}
	if memberOfSort(c, method, true) != nil {
		return j.already("%s has a test of %s", t.path, f.name)
	}
	for _, o := range t.imports {
		if strings.HasPrefix(o.full, "org.junit.") && !strings.HasPrefix(o.full, "org.junit.jupiter") {
			return j.decline("%s is written for JUnit 4", t.path)
		}
	}
	for _, name := range []string{"Test", "Disabled"} {
		if k, _ := j.p.typeNamed(t, t.module, name); !k.known() {
			j.insertImport(t, "import org.junit.jupiter.api."+name+";", false)
		}
	}
	j.putMethods(c, []string{body})
	return nil
}
