package treesitter

import (
	"bytes"
	"strings"

	"waferpair/engine/refactor/words"
)

// jType is what is known of the type of an expression, or, when static, of the type that a
// name stands for. The zero value is a type of which nothing is known.
type jType struct {
	class  *class  // of the project
	out    string  // the simple name of a type from outside, or a primitive one
	args   []jType // of a generic one; for an array, what it holds
	static bool
}

func (t jType) known() bool { return t.class != nil || t.out != "" }

// arg is the i-th type argument.
func (t jType) arg(i int) jType {
	if i < len(t.args) {
		return t.args[i]
	}
	return jType{}
}

// javaFiles are the files that declare a type of that name somewhere, by their words.
func (p *project) javaFiles(name string) []string {
	index, ok := p.extra["java"].(map[string][]string)
	if !ok {
		index = map[string][]string{}
		for _, f := range p.files {
			if b, err := p.src.Read(f); (javaDialect{}).handles(f) && err == nil {
				for n := range javaDeclares(b) {
					index[n] = append(index[n], f)
				}
			}
		}
		p.extra["java"] = index
	}
	return index[name]
}

// javaDeclares are the words behind class, interface, enum and record in a file.
func javaDeclares(src []byte) map[string]bool {
	out := map[string]bool{}
	for _, word := range []string{"class", "interface", "enum", "record"} {
		for rest := src; ; {
			i := bytes.Index(rest, []byte(word))
			if i < 0 {
				break
			}
			rest = rest[i+len(word):]
			name := bytes.TrimLeft(rest, " \t\r\n")
			n := 0
			for n < len(name) && (wordByte(name[n]) || name[n] == '$') {
				n++
			}
			if len(name) < len(rest) && n > 0 {
				out[string(name[:n])] = true
			}
		}
	}
	return out
}

// topType is the type that a package declares under a name, or nil.
func (p *project) topType(pkg, name string) *class {
	for _, f := range p.javaFiles(name) {
		if u := p.unit(f); u != nil && u.pkg == pkg {
			if b := u.module.names[name]; b != nil && len(b.imps) == 0 {
				return u.classOf(b)
			}
		}
	}
	return nil
}

// fullType is the type of a name with its package: a.b.C or a.b.C.D. inside reports whether
// the project has the package, so that what is not found there is not outside either.
func (p *project) fullType(full string) (c *class, inside bool) {
	parts := strings.Split(full, ".")
	for i := len(parts) - 1; i >= 0; i-- {
		c := p.topType(strings.Join(parts[:i], "."), parts[i])
		for _, inner := range parts[i+1:] {
			if c == nil {
				break
			}
			c = p.innerType(c, inner, 0)
		}
		if c != nil {
			return c, true
		}
	}
	return nil, false
}

// innerType is a type that c or one of its bases declares.
func (p *project) innerType(c *class, name string, depth int) *class {
	if b := c.scope.names[name]; b != nil && b.spaces&typ != 0 {
		return b.unit.classOf(b)
	}
	if depth > 20 {
		return nil
	}
	for _, base := range c.bases {
		if t := p.typeOf(c.unit, base); t.class != nil && t.class != c {
			if inner := p.innerType(t.class, name, depth+1); inner != nil {
				return inner
			}
		}
	}
	return nil
}

// typeNamed is what a simple name means as a type. b is set for a variable of types, and for
// a type of this file.
func (p *project) typeNamed(u *unit, s *scope, name string) (t jType, b *binding) {
	for at := s; at != nil; at = at.parent {
		if b := at.names[name]; b != nil && b.spaces&typ != 0 && len(b.imps) == 0 {
			if b.kind == "type" {
				return jType{}, b
			}
			return jType{class: b.unit.classOf(b), static: true}, b
		}
		if at.class != nil {
			if c := p.innerOfBases(at.class, name); c != nil {
				return jType{class: c, static: true}, c.b
			}
		}
	}
	return p.typeOfPackage(u, name)
}

// innerOfBases guards against a class that is being asked for its own base.
func (p *project) innerOfBases(c *class, name string) *class {
	busy, _ := p.extra["bases"].(map[*class]bool)
	if busy == nil {
		busy = map[*class]bool{}
		p.extra["bases"] = busy
	}
	if busy[c] || len(c.bases) == 0 {
		return nil
	}
	busy[c] = true
	defer delete(busy, c)
	return p.innerType(c, name, 0)
}

// typeOfPackage: imported by name, of the package, imported with others, of java.lang.
func (p *project) typeOfPackage(u *unit, name string) (jType, *binding) {
	stars := false
	for _, o := range u.imports {
		if !o.star && o.name == name {
			if c, _ := p.fullType(o.full); c != nil {
				return jType{class: c, static: true}, c.b
			}
			if !o.typed {
				return jType{out: name, static: true}, nil
			}
		}
		stars = stars || o.star
	}
	if c := p.topType(u.pkg, name); c != nil {
		return jType{class: c, static: true}, c.b
	}
	for _, o := range u.imports {
		if o.star {
			if c, _ := p.fullType(o.full + "." + name); c != nil {
				return jType{class: c, static: true}, c.b
			}
		}
	}
	if javaLang[name] || stars {
		return jType{out: name, static: true}, nil
	}
	return jType{}, nil
}

// typeOf is the type that a type node stands for, as that of a value.
func (p *project) typeOf(u *unit, n *node) jType {
	switch {
	case n == nil:
	case n.is("integral_type", "floating_point_type", "boolean_type", "void_type"):
		return jType{out: n.text()}
	case n.is("array_type"):
		return jType{out: "[]", args: []jType{p.typeOf(u, n.get("element"))}}
	case n.is("annotated_type"):
		return p.typeOf(u, n.lastKid())
	case n.is("generic_type"):
		t := p.typeOf(u, n.firstKid())
		for a := range n.child("type_arguments").kids {
			t.args = append(t.args, p.typeOf(u, a))
		}
		return t
	case n.is("wildcard"):
		if n.child("super") != nil {
			return jType{}
		}
		return p.typeOf(u, n.lastKid())
	case n.is("scoped_type_identifier"):
		if outer := p.typeOf(u, n.firstKid()); outer.class != nil {
			return jType{class: p.innerType(outer.class, n.lastKid().text(), 0)}
		}
		if c, _ := p.fullType(strings.Join(strings.Fields(n.text()), "")); c != nil {
			return jType{class: c}
		}
		return jType{out: n.lastKid().text()}
	case n.is("type_identifier", "identifier"):
		s := u.module
		if r := u.byNode[n]; r != nil {
			s = r.scope
		}
		t, b := p.typeNamed(u, s, n.text())
		if b != nil && b.kind == "type" { // a variable of types: what it extends
			if bound := b.def().child("type_bound"); bound != nil && len(bound.list()) == 1 {
				return p.typeOf(b.unit, bound.firstKid())
			}
			return jType{}
		}
		t.static = false
		return t
	}
	return jType{}
}

// valueOf is the type of an expression.
func (p *project) valueOf(u *unit, n *node) jType {
	switch n.kind {
	case "parenthesized_expression":
		return p.valueOf(u, n.firstKid())
	case "string_literal":
		return jType{out: "String"}
	case "decimal_integer_literal", "hex_integer_literal", "binary_integer_literal", "octal_integer_literal",
		"decimal_floating_point_literal", "character_literal", "true", "false", "class_literal":
		return jType{out: "int"}
	case "this", "super":
		return p.self(u, n)
	case "identifier":
		return p.nameType(u, n)
	case "field_access":
		return p.fieldType(u, n)
	case "method_invocation":
		return p.callType(u, n)
	case "object_creation_expression":
		if body := n.child("class_body"); body != nil {
			return jType{class: u.classAt(body)}
		}
		return p.typeOf(u, n.get("type"))
	case "cast_expression":
		return p.typeOf(u, n.get("type"))
	case "array_access":
		return p.valueOf(u, n.get("array")).arg(0)
	case "array_creation_expression":
		return jType{out: "[]", args: []jType{p.typeOf(u, n.get("type"))}}
	case "assignment_expression":
		return p.valueOf(u, n.get("left"))
	case "ternary_expression":
		a, b := p.valueOf(u, n.get("consequence")), p.valueOf(u, n.get("alternative"))
		if a.class == b.class && a.out == b.out {
			return a
		}
	case "binary_expression", "unary_expression", "update_expression", "instanceof_expression":
		return jType{out: "int"} // a number, a truth value or a String
	}
	return jType{}
}

// typeAround is the type whose body n is in.
func (u *unit) typeAround(n *node) *class {
	for p := n.parent; p != nil; p = p.parent {
		if p.is("class_body", "interface_body", "enum_body", "annotation_type_body") {
			for _, c := range u.classes {
				if c.scope.node == p {
					return c
				}
			}
		}
	}
	return nil
}

func (p *project) self(u *unit, n *node) jType {
	c := u.typeAround(n)
	if c == nil {
		return jType{}
	}
	if n.kind == "this" {
		return jType{class: c}
	}
	for _, b := range c.bases {
		if t := p.typeOf(u, b); t.known() && !(t.class != nil && t.class.iface) {
			return t
		}
	}
	return jType{out: "Object"}
}

// nameType is the type of a plain name: a variable, a field, or a type.
func (p *project) nameType(u *unit, n *node) jType {
	m, t := p.javaValue(u, n)
	switch m.kind {
	case bound:
		return p.variableType(m.b)
	case memberOf:
		return p.memberType(m.class, m.name, false, -1)
	case other:
		return t
	case unknown, exportOf, module, ambiguousName:
	}
	return jType{}
}

// variableType is the type that a local variable or a parameter is declared with.
func (p *project) variableType(b *binding) jType {
	if len(b.decls) != 1 {
		return jType{}
	}
	busy, _ := p.extra["vars"].(map[*binding]bool)
	if busy == nil {
		busy = map[*binding]bool{}
		p.extra["vars"] = busy
	}
	if busy[b] {
		return jType{}
	}
	busy[b] = true
	defer delete(busy, b)
	u, def := b.unit, b.def()
	switch {
	case def.is("variable_declarator"):
		return p.declaredType(u, def, def.parent.get("type"))
	case def.is("spread_parameter"):
		return jType{out: "[]", args: []jType{p.typeOf(u, javaSpreadType(def))}}
	case def.is("catch_formal_parameter"):
		if ts := def.child("catch_type").list(); len(ts) == 1 {
			return p.typeOf(u, ts[0])
		}
		return jType{out: "Exception"}
	case def.is("enhanced_for_statement"):
		if t := def.get("type"); t.text() != "var" {
			return p.dims(def, p.typeOf(u, t))
		}
		return p.held(p.valueOf(u, def.get("value")))
	case def.is("formal_parameter", "resource"):
		return p.declaredType(u, def, def.get("type"))
	case def.is("instanceof_expression"):
		return p.typeOf(u, def.get("right"))
	case def.is("type_pattern", "record_pattern_component"):
		if t := def.firstKid(); t.text() != "var" {
			return p.typeOf(u, t)
		}
	case def.is("identifier"):
		return p.lambdaParam(u, def)
	}
	return jType{}
}

func javaSpreadType(def *node) *node {
	for c := range def.kids {
		if !c.is("modifiers", "variable_declarator") {
			return c
		}
	}
	return nil
}

// declaredType: var takes the type of its value.
func (p *project) declaredType(u *unit, def, t *node) jType {
	if t.text() == "var" {
		if v := def.get("value"); v != nil {
			return p.valueOf(u, v)
		}
		return jType{}
	}
	return p.dims(def, p.typeOf(u, t))
}

// dims: int x[].
func (p *project) dims(def *node, t jType) jType {
	if def.get("dimensions") != nil {
		return jType{out: "[]", args: []jType{t}}
	}
	return t
}

// held is what a loop over a value gives.
func (p *project) held(t jType) jType {
	if t.out == "[]" || javaOfOne[t.out] {
		return t.arg(0)
	}
	return jType{}
}

// javaOfOne are types from outside whose only argument is what they hold.
var javaOfOne = words.Set(`Iterable Collection List Set Queue Deque SortedSet NavigableSet ArrayList LinkedList HashSet
LinkedHashSet TreeSet ArrayDeque PriorityQueue CopyOnWriteArrayList BlockingQueue LinkedBlockingQueue Vector Stack
Optional Stream Iterator ListIterator AtomicReference ThreadLocal Supplier Class Predicate Consumer Comparator`)

var javaMaps = words.Set(`Map HashMap LinkedHashMap TreeMap SortedMap NavigableMap EnumMap ConcurrentMap
	ConcurrentHashMap`)

// outsideCall is the type of what a method of a type from outside gives.
func (p *project) outsideCall(t jType, name string, call *node, u *unit) jType {
	switch {
	case t.out == "String", t.out == "StringBuilder":
		switch name {
		case "split":
			return jType{out: "[]", args: []jType{{out: "String"}}}
		case "chars", "lines", "describeConstable", "transform":
			return jType{}
		case "equals", "isEmpty", "isBlank", "contains", "startsWith", "endsWith", "length", "indexOf", "charAt":
			return jType{out: "int"}
		}
		return jType{out: t.out}
	case javaOfOne[t.out]:
		switch name {
		case "get", "getFirst", "getLast", "orElse", "orElseThrow", "orElseGet", "remove", "poll", "peek", "pop", "next",
			"first", "last", "element", "take", "removeFirst", "removeLast", "pollFirst", "pollLast", "peekFirst", "peekLast":
			if t.out != "Stream" && t.out != "Optional" || name != "peek" {
				return t.arg(0)
			}
			return t
		case "stream", "parallelStream":
			return jType{out: "Stream", args: t.args}
		case "iterator":
			return jType{out: "Iterator", args: t.args}
		case "filter", "sorted", "distinct", "limit", "skip", "takeWhile", "dropWhile", "or", "subList":
			return t
		case "findFirst", "findAny", "min", "max", "reduce":
			return jType{out: "Optional", args: t.args}
		case "toList":
			return jType{out: "List", args: t.args}
		case "size", "isEmpty", "isPresent", "contains", "count", "anyMatch", "allMatch", "noneMatch", "indexOf", "add",
			"hasNext":
			return jType{out: "int"}
		case "map":
			if t.out == "Stream" || t.out == "Optional" {
				return jType{out: t.out, args: []jType{p.lambdaResult(u, call)}}
			}
		}
	case javaMaps[t.out]:
		switch name {
		case "get", "getOrDefault", "remove", "computeIfAbsent", "put", "merge", "computeIfPresent":
			return t.arg(1)
		case "keySet":
			return jType{out: "Set", args: []jType{t.arg(0)}}
		case "values":
			return jType{out: "Collection", args: []jType{t.arg(1)}}
		case "entrySet":
			return jType{out: "Set", args: []jType{{out: "Entry", args: t.args}}}
		case "size", "isEmpty", "containsKey", "containsValue":
			return jType{out: "int"}
		}
	case t.out == "Entry":
		switch name {
		case "getKey":
			return t.arg(0)
		case "getValue":
			return t.arg(1)
		}
	case t.static && (t.out == "List" || t.out == "Set" || t.out == "Stream" || t.out == "Optional") &&
		(name == "of" || name == "copyOf"):
		if a := call.get("arguments").firstKid(); a != nil && name == "of" {
			return jType{out: t.out, args: []jType{p.valueOf(u, a)}}
		}
	case t.static && (t.out == "Math" || t.out == "Integer" || t.out == "Long" || t.out == "Double"):
		return jType{out: "int"}
	case t.static && t.out == "String":
		return jType{out: "String"}
	}
	return jType{}
}

// lambdaResult is what the only argument of a call gives when it is called.
func (p *project) lambdaResult(u *unit, call *node) jType {
	f := call.get("arguments").firstKid()
	if f.is("lambda_expression") && !f.get("body").is("block") {
		return p.valueOf(u, f.get("body"))
	}
	if f.is("method_reference") {
		if t := p.receiver(u, f.firstKid()); t.class != nil && f.lastKid().is("identifier") {
			return p.memberType(t.class, f.lastKid().text(), true, -1)
		}
	}
	return jType{}
}

// lambdaParam is the type of a parameter of a lambda that is passed to a method of a
// collection, a stream, an Optional or a map.
func (p *project) lambdaParam(u *unit, id *node) jType {
	fn, at := id.parent, 0
	if fn.is("inferred_parameters") {
		for i, k := range fn.list() {
			if k == id {
				at = i
			}
		}
		fn = fn.parent
	}
	call := fn.parent.parent
	if !fn.parent.is("argument_list") || !call.is("method_invocation") || call.get("object") == nil {
		return jType{}
	}
	t, name := p.valueOf(u, call.get("object")), call.get("name").text()
	if javaMaps[t.out] && (name == "forEach" || name == "computeIfPresent" || name == "replaceAll" ||
		name == "computeIfAbsent") {
		return t.arg(at)
	}
	switch name {
	case "filter", "map", "mapToInt", "mapToLong", "mapToDouble", "mapToObj", "flatMap", "forEach", "anyMatch", "allMatch",
		"noneMatch", "takeWhile", "dropWhile", "peek", "removeIf", "ifPresent", "ifPresentOrElse", "forEachOrdered", "sort",
		"sorted", "replaceAll", "min", "max":
		if javaOfOne[t.out] {
			return t.arg(0)
		}
	}
	return jType{}
}

// receiver is what stands before a dot: a value, or a type.
func (p *project) receiver(u *unit, n *node) jType {
	if n.is("type_identifier", "generic_type", "scoped_type_identifier", "array_type") {
		t := p.typeOf(u, n)
		t.static = true
		return t
	}
	return p.valueOf(u, n)
}

// fieldType is the type of a.b: a field, an inner type, or a type with its package.
func (p *project) fieldType(u *unit, n *node) jType {
	f := n.get("field")
	t := p.valueOf(u, n.get("object"))
	switch {
	case f.is("this") && t.static:
		return jType{class: t.class, out: t.out}
	case t.class != nil:
		if c := p.innerType(t.class, f.text(), 0); c != nil && t.static {
			return jType{class: c, static: true}
		}
		return p.memberType(t.class, f.text(), false, -1)
	case t.out == "[]":
		return jType{out: "int"}
	case t.out != "":
		return jType{}
	}
	if c, _ := p.fullType(strings.Join(strings.Fields(n.text()), "")); c != nil && p.packageLike(u, n) {
		return jType{class: c, static: true}
	}
	return jType{}
}

// packageLike reports whether a.b.C begins with no variable.
func (p *project) packageLike(u *unit, n *node) bool {
	for n.is("field_access") {
		n = n.get("object")
	}
	m, _ := p.javaValue(u, n)
	return n.is("identifier") && m.kind == unknown
}

func (p *project) callType(u *unit, n *node) jType {
	name, args := n.get("name").text(), len(n.get("arguments").list())
	if n.get("object") == nil {
		if c := p.methodAround(u, n, name); c != nil {
			return p.memberType(c, name, true, args)
		}
		return jType{}
	}
	t := p.receiver(u, n.get("object"))
	switch {
	case t.class != nil && len(p.declarersOf(t.class, name, true)) > 0:
		got := p.memberType(t.class, name, true, args)
		if len(t.args) > 0 || len(t.class.typeVars()) > 0 && got.class == nil && got.out == "" {
			return jType{}
		}
		return got
	case t.class != nil && t.class.def.is("record_declaration") && args == 0:
		return p.memberType(t.class, name, false, -1) // the accessor of a component
	case t.class != nil && t.static && t.class.def.is("enum_declaration"):
		switch name {
		case "values":
			return jType{out: "[]", args: []jType{{class: t.class}}}
		case "valueOf":
			return jType{class: t.class}
		}
	case t.class != nil && has([]string{"toString", "name"}, name):
		return jType{out: "String"}
	case t.out != "":
		return p.outsideCall(t, name, n, u)
	}
	return jType{}
}

func (c *class) typeVars() []*node { return c.node.child("type_parameters").list() }

// memberType is the type of a field, or of what a method gives: the same for each overload
// that takes so many arguments (-1: for each).
func (p *project) memberType(c *class, name string, method bool, args int) jType {
	var t jType
	found := false
	for _, k := range p.ancestry(c) {
		for _, m := range k.members[name] {
			if m.method != method || method && args >= 0 && !takes(m.def, args) {
				continue
			}
			got := p.memberDef(k, m)
			if found && (got.class != t.class || got.out != t.out) {
				return jType{}
			}
			t, found = got, true
		}
		if found {
			break
		}
	}
	return t
}

func (p *project) memberDef(k *class, m member) jType {
	switch {
	case m.def.is("variable_declarator"):
		return p.declaredType(k.unit, m.def, m.def.parent.get("type"))
	case m.def.is("formal_parameter", "method_declaration", "annotation_type_element_declaration"):
		return p.dims(m.def, p.typeOf(k.unit, m.def.get("type")))
	case m.def.is("spread_parameter"):
		return jType{out: "[]", args: []jType{p.typeOf(k.unit, javaSpreadType(m.def))}}
	case m.def.is("enum_constant"):
		return jType{class: k}
	}
	return jType{}
}

// takes reports whether a method can be called with so many arguments.
func takes(fn *node, args int) bool {
	ps := javaParams(fn)
	if len(ps) > 0 && ps[len(ps)-1].is("spread_parameter") {
		return args >= len(ps)-1
	}
	return args == len(ps)
}

func javaParams(fn *node) []*node {
	var out []*node
	for p := range fn.get("parameters").kids {
		if p.is("formal_parameter", "spread_parameter") {
			out = append(out, p)
		}
	}
	return out
}

// declarersOf are the classes of c's ancestry that declare a member.
func (p *project) declarersOf(c *class, name string, method bool) []*class {
	var out []*class
	for _, k := range p.ancestry(c) {
		for _, m := range k.members[name] {
			if m.method == method {
				out = append(out, k)
				break
			}
		}
	}
	return out
}

// methodAround is the innermost type around a call without a receiver that has the method.
func (p *project) methodAround(u *unit, n *node, name string) *class {
	for at := n; at != nil; {
		c := u.typeAround(at)
		if c == nil {
			break
		}
		if len(p.declarersOf(c, name, true)) > 0 {
			return c
		}
		at = c.scope.node
	}
	for _, o := range u.imports {
		if !o.typed {
			continue
		}
		full := o.full
		if !o.star {
			if o.name != name {
				continue
			}
			full = strings.TrimSuffix(full, "."+name)
		}
		if c, _ := p.fullType(full); c != nil && len(p.declarersOf(c, name, true)) > 0 {
			return c
		}
	}
	return nil
}

// unsure reports whether a base of c or of its ancestors is outside and may declare the name.
func (p *project) unsureOf(c *class, name string) *node {
	for _, a := range p.ancestry(c) {
		_, out := p.bases(a)
		for _, b := range out {
			if !p.d.outsideBase(b, name) {
				return b
			}
		}
	}
	return nil
}

// javaValue is what a plain name means as a value: a variable, a field, a type (other, with
// the type), or nothing that is known.
func (p *project) javaValue(u *unit, n *node) (meaning, jType) {
	name := n.text()
	r := u.byNode[n]
	if r == nil {
		return meaning{}, jType{}
	}
	if r.decl {
		return meaning{kind: bound, b: r.b}, jType{}
	}
	if n.parent.is("switch_label") {
		if sw := n.up("switch_expression"); sw != nil {
			if t := p.valueOf(u, sw.get("condition")); t.class != nil && len(t.class.members[name]) > 0 {
				return meaning{kind: memberOf, class: t.class, name: name}, jType{}
			}
		}
	}
	for at := r.scope; at != nil; at = at.parent {
		if b := at.names[name]; b != nil && b.spaces&value != 0 && len(b.imps) == 0 {
			return meaning{kind: bound, b: b}, jType{}
		}
		if at.class == nil {
			continue
		}
		if ks := p.declarersOf(at.class, name, false); len(ks) > 0 {
			return meaning{kind: memberOf, class: ks[0], name: name}, jType{}
		}
		if p.unsureOf(at.class, name) != nil {
			if t, _ := p.typeNamed(u, r.scope, name); t.known() && strings.ToUpper(name[:1]) == name[:1] {
				return meaning{kind: other}, t
			}
			if p.laterValue(u, at.parent, name) {
				return meaning{}, jType{}
			}
			return meaning{kind: other}, jType{}
		}
	}
	if c := p.staticField(u, name); c != nil {
		return meaning{kind: memberOf, class: c, name: name}, jType{}
	}
	if t, b := p.typeNamed(u, r.scope, name); t.known() || b != nil {
		return meaning{kind: other}, t
	}
	return meaning{}, jType{}
}

// laterValue reports whether a scope further out binds the name: a base from outside that may
// have it, too, leaves open which is meant.
func (p *project) laterValue(u *unit, s *scope, name string) bool {
	for ; s != nil; s = s.parent {
		if b := s.names[name]; b != nil && b.spaces&value != 0 ||
			s.class != nil && len(p.declarersOf(s.class, name, false)) > 0 {
			return true
		}
	}
	return p.staticField(u, name) != nil
}

// staticField is the class that a static import takes a field from.
func (p *project) staticField(u *unit, name string) *class {
	for _, o := range u.imports {
		if !o.typed || !o.star && o.name != name {
			continue
		}
		full := o.full
		if !o.star {
			full = strings.TrimSuffix(full, "."+name)
		}
		if c, _ := p.fullType(full); c != nil {
			if ks := p.declarersOf(c, name, false); len(ks) > 0 {
				return ks[0]
			}
		}
	}
	return nil
}

// javaLang are the types of java.lang, which need no import.
var javaLang = words.Set(`Object String Class System Math Integer Long Short Byte Character Boolean Double Float Number Void
Thread Runnable Iterable Comparable CharSequence StringBuilder StringBuffer Record Enum Cloneable AutoCloseable
Appendable Readable Process ProcessBuilder ProcessHandle Runtime ClassLoader Module ModuleLayer Package StackWalker
StackTraceElement StrictMath ThreadGroup ThreadLocal InheritableThreadLocal ScopedValue Throwable Exception
RuntimeException Error ArithmeticException ArrayIndexOutOfBoundsException ArrayStoreException ClassCastException
ClassNotFoundException CloneNotSupportedException EnumConstantNotPresentException IllegalAccessException
IllegalArgumentException IllegalCallerException IllegalMonitorStateException IllegalStateException
IllegalThreadStateException IndexOutOfBoundsException InstantiationException InterruptedException
LayerInstantiationException MatchException NegativeArraySizeException NoSuchFieldException NoSuchMethodException
NullPointerException NumberFormatException ReflectiveOperationException SecurityException
StringIndexOutOfBoundsException TypeNotPresentException UnsupportedOperationException AssertionError
BootstrapMethodError ClassCircularityError ClassFormatError ExceptionInInitializerError IllegalAccessError
IncompatibleClassChangeError InstantiationError InternalError LinkageError NoClassDefFoundError NoSuchFieldError
NoSuchMethodError OutOfMemoryError StackOverflowError ThreadDeath UnknownError UnsatisfiedLinkError
UnsupportedClassVersionError VerifyError VirtualMachineError Deprecated FunctionalInterface Override SafeVarargs
SuppressWarnings`)
