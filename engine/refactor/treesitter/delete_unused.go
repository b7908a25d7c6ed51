package treesitter

import (
	"path"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/words"
)

// Unreached implements the hook of delete-unused.
func (s syntax) Unreached(ds []*kit.Decl) error {
	if _, ok := s.d.(typed); ok {
		return s.javaUnreached(ds[0])
	}
	if of := ds[0].Raw.(whole).subject; functionNode(of) == nil {
		return s.idle(of)
	}
	f, err := s.function("func")
	if err != nil {
		return err
	}
	if f.class != nil && (len(f.family.owners) > 1 || len(f.family.unsure) > 0) {
		return s.decline("%s overrides, or is called by, a class it inherits from", ds[0].Title)
	}
	if strings.HasPrefix(f.name, "__") && strings.HasSuffix(f.name, "__") || f.name == "constructor" ||
		strings.HasPrefix(f.name, "test") || f.name == "main" {
		return s.decline("%s is called by what runs the program", f.name)
	}
	if len(decorators(f.fn)) > 0 || f.def.child("decorator") != nil {
		return s.decline("%s has a decorator, which may register it", f.name)
	}
	return s.nowhere(f)
}

// idle declines what is no function and may be used, or whose value may do something.
func (s syntax) idle(of *subject) error {
	switch {
	case of.export:
		return s.decline("%s (%s) is what the module gives to others", of.name, of.spot())
	case of.kind == "param":
		return s.decline("%s (%s) is a parameter", of.name, of.spot())
	case of.b != nil && len(of.b.decls) > 1:
		return s.decline("%s gets a value in several places: %s", of.name, few(of.b.places()))
	case of.class != nil:
		if err := s.idleMember(of); err != nil {
			return err
		}
	case of.def.is("class_definition", "class_declaration", "abstract_class_declaration"):
		if err := s.idleClass(of); err != nil {
			return err
		}
	case of.unit.python() && of.b.topLevel() && (strings.HasPrefix(of.name, "__") || readByTools(of.unit.path)):
		return s.decline("%s is a name that is read from outside (%s)", of.name, of.spot())
	case !declaresAlone(of):
		return s.decline("%s (%s) is not declared by itself", of.name, of.spot())
	}
	if err := s.idleValue(of); err != nil {
		return err
	}
	return s.nowhere(&function{subject: of})
}

func (b *binding) places() []string {
	var out []string
	for _, d := range b.decls {
		out = append(out, spot(b.unit, d.name))
	}
	return out
}

// readByTools reports files whose variables are read by what loads the file.
func readByTools(file string) bool {
	base := path.Base(file)
	return base == "conftest.py" || base == "setup.py" || base == "conf.py" || strings.Contains(file, "settings") ||
		strings.Contains(base, ".config.")
}

// declaresAlone: one name by one assignment or declaration; a type, an enum.
func declaresAlone(of *subject) bool {
	def := of.def
	switch {
	case def.is("interface_declaration", "type_alias_declaration", "enum_declaration"):
		return true
	case def.is("variable_declarator"):
		return of.node.parent == def && !readByTools(of.unit.path) && !def.parent.parent.is("for_statement")
	case def.is("assignment"):
		return def.get("left") == of.node && def.parent.is("expression_statement") && !def.get("right").is("assignment")
	}
	return false
}

// idleMember: a field that only its class sees, declared in one place.
func (s syntax) idleMember(of *subject) error {
	def := of.def
	private := strings.HasPrefix(of.name, "#") || levelOf(def) == "private" || of.unit.python() &&
		strings.HasPrefix(of.name, "_") && !strings.HasPrefix(of.name, "__")
	switch {
	case !private:
		return s.decline("%s (%s) is not private; what reads an object may list its fields", of.name, of.spot())
	case len(of.class.members[of.name]) > 1:
		return s.decline("%s gets a value in several places", of.name)
	case def.is("assignment") && def.parent.is("expression_statement"):
		if left := def.get("left"); left == of.node && (&newField{job: s.job, c: of.class}).annotated() {
			return s.decline("%s is a field of the constructor of %s", of.name, of.class.title())
		}
		return nil
	case def.is("public_field_definition", "field_definition") && def.child("decorator") == nil &&
		!def.prev.is("decorator"):
		return nil
	}
	return s.decline("%s (%s) is not declared by itself", of.name, of.spot())
}

// idleClass: nothing registers it, and its body does nothing but declare.
func (s syntax) idleClass(of *subject) error {
	if len(decorators(of.def)) > 0 || of.def.child("decorator") != nil || of.def.prev.is("decorator") {
		return s.decline("%s has a decorator, which may register it", of.name)
	}
	if of.unit.python() && strings.HasPrefix(of.name, "Test") {
		return s.decline("%s is found by what runs the tests", of.name)
	}
	c := of.unit.classOf(of.b)
	if c == nil {
		return nil
	}
	for _, b := range c.bases {
		if t := b.text(); of.unit.python() && !plainBases[t[strings.LastIndexByte(t, '.')+1:]] {
			return s.decline("%s extends %s, which may keep a list of what does", of.name, t)
		}
	}
	for k := range of.def.get("body").kids {
		v := k.get("value")
		if k.is("expression_statement") {
			v = k.firstKid()
		}
		if k.is("class_static_block") || v != nil && runs(v) != nil {
			return s.decline("the body of %s does something (%s)", of.name, spot(of.unit, k))
		}
	}
	return nil
}

// plainBases do nothing when a class extends them.
var plainBases = words.Set(`object Exception ValueError RuntimeError KeyError TypeError LookupError OSError IOError
	Enum IntEnum StrEnum Flag NamedTuple TypedDict Protocol ABC Generic`)

// idleValue: making the value does nothing else. What is loaded only for its name is an import.
func (s syntax) idleValue(of *subject) error {
	v := of.def.get("value")
	if of.def.is("assignment") {
		v = of.def.get("right")
	}
	if v == nil || isRequire(of.def.parent) || of.def.is("type_alias_declaration") {
		return nil
	}
	if r := runs(v); r != nil {
		return s.decline("nothing reads %s, but %s, which gives it its value, may do something (%s)", of.name,
			oneLine(r.text()), of.spot())
	}
	return nil
}

// makers are calls that make a value and do nothing else.
var makers = words.Set(`Map Set WeakMap WeakSet Date Array Object RegExp Error URL Symbol Number String Boolean BigInt
	re.compile set dict list tuple frozenset int str float bool object Path Decimal timedelta datetime.timedelta
	defaultdict Counter deque OrderedDict namedtuple logging.getLogger Object.freeze Math.max Math.min`)

// runs is a part of an expression that may do more than give a value.
func runs(n *node) *node {
	var found *node
	n.walk(func(k *node) bool {
		switch {
		case k.is("lambda", "arrow_function", "function_expression"):
			return false
		case k.is("call", "call_expression", "new_expression"):
			fn := k.get("function")
			if k.is("new_expression") {
				fn = k.get("constructor")
			}
			if !makers[fn.text()] {
				found = k
			}
		case k.is("await", "await_expression", "yield", "yield_expression", "named_expression", "assignment_expression",
			"augmented_assignment_expression", "update_expression"):
			found = k
		}
		return found == nil
	})
	return found
}

// nowhere declines when anything at all could refer to the declaration: an
// identifier outside of it, a string, a template, or code outside the project.
func (j *job) nowhere(f *function) error {
	units, err := j.p.mentioning(j.ctx, f.name)
	if err != nil {
		return err
	}
	for _, u := range units {
		for _, n := range j.d.mentions(u, f.name) {
			if n == f.node || n.within(f.def) {
				continue
			}
			m := j.d.means(j.p, u, n)
			if m.kind == other || m.kind == bound && m.b != f.b || m.kind == memberOf && f.b != nil {
				continue
			}
			return j.decline("%s is used at %s", f.name, spot(u, n))
		}
		for _, n := range append(stringsNaming(u, f.name), j.d.named(u, f.name)...) {
			if n.within(f.def) {
				continue
			}
			return j.decline("the string at %s names %s", spot(u, n), f.name)
		}
	}
	others, err := j.p.holding(j.ctx, templates, f.name)
	if len(others) > 0 {
		return j.decline("%s mentions %s", others[0], f.name)
	}
	if f.b != nil && f.b.exported || !f.nested() && (f.python() || f.class != nil) && f.name[0] != '_' &&
		f.name[0] != '#' {
		j.note("%s is exported or public; code outside this project may use it", f.name)
	}
	return err
}

// javaIdle declines a field, a variable or a type of Java that may be used.
func (s syntax) javaIdle(of *subject) error {
	def := of.def
	stmt := def
	if def.is("variable_declarator") {
		stmt = def.parent
	}
	for a := range stmt.child("modifiers").kids {
		if t := a.get("name").text(); t != "" && t != "Deprecated" && t != "SuppressWarnings" {
			return s.decline("%s has the annotation @%s, by which it may be used", of.name, t)
		}
	}
	switch {
	case def.is("variable_declarator"):
		if v := def.get("value"); v != nil && javaRuns(v) != nil {
			return s.decline("nothing reads %s, but %s, which gives it its value, may do something (%s)", of.name,
				oneLine(javaRuns(v).text()), of.spot())
		}
		if of.name == "serialVersionUID" {
			return s.decline("%s is read by serialization", of.name)
		}
	case def.is("class_declaration", "interface_declaration", "enum_declaration", "record_declaration"):
		for k := range def.get("body").kids {
			if k.get("name").text() == "main" || k.is("static_initializer") ||
				strings.Contains(k.child("modifiers").text(), "@") {
				return s.decline("%s is run, or may be: %s", of.name, spot(of.unit, k))
			}
		}
	default:
		return s.decline("%s (%s) is not declared by itself", of.name, of.spot())
	}
	if of.class != nil {
		m := memberOfSort(of.class, of.name, false)
		if m == nil {
			return s.decline("%s (%s) is not declared by itself", of.name, of.spot())
		}
		if err := s.memberNeeded(of.class, of.name, *m, stmt.from, stmt.to); err != nil {
			return err
		}
	}
	units, err := s.p.mentioning(s.ctx, of.name)
	if err != nil {
		return err
	}
	for _, u := range units {
		for _, n := range stringsNaming(u, of.name) {
			return s.decline("the string at %s names %s", spot(u, n), of.name)
		}
	}
	if of.b != nil {
		return s.javaUnbound(of, stmt, units)
	}
	if !javaHas(stmt, "private") {
		s.note("%s is not private; code outside this project may use it", of.name)
	}
	return nil
}

// javaUnbound: nothing outside a local variable's declaration, or a type's, mentions it.
func (s syntax) javaUnbound(of *subject, stmt *node, units []*unit) error {
	for _, u := range units {
		for _, n := range s.d.mentions(u, of.name) {
			if u == of.unit && n.within(stmt) {
				continue
			}
			m := s.d.means(s.p, u, n)
			if m.kind == other || m.kind == memberOf || m.kind == bound && m.b != of.b {
				continue
			}
			return s.decline("%s is used at %s", of.name, spot(u, n))
		}
	}
	if !of.nested() && !javaHas(stmt, "private") {
		s.note("%s is not private; code outside this project may use it", of.name)
	}
	return nil
}

// javaMakers are classes whose constructors do nothing but make an object.
var javaMakers = words.Set(`ArrayList LinkedList HashMap LinkedHashMap TreeMap HashSet LinkedHashSet TreeSet ArrayDeque
	StringBuilder Object Random AtomicInteger AtomicLong BigDecimal ConcurrentHashMap Date`)

func javaRuns(n *node) *node {
	var found *node
	n.walk(func(k *node) bool {
		switch {
		case k.is("lambda_expression"):
			return false
		case k.is("object_creation_expression"):
			name, _, _ := strings.Cut(k.get("type").text(), "<")
			if k.child("class_body") != nil || !javaMakers[name] {
				found = k
			}
		case k.is("method_invocation"):
			switch obj := k.get("object").text() + "." + k.get("name").text(); obj {
			case "List.of", "Set.of", "Map.of", "Pattern.compile", "String.valueOf", "Collections.emptyList", "Arrays.asList":
			default:
				found = k
			}
		case k.is("assignment_expression", "update_expression", "switch_expression"):
			found = k
		}
		return found == nil
	})
	return found
}
