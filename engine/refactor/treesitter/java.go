package treesitter

import (
	"path"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/words"
)

// javaDialect is Java. What is particular to it: names of types are known to their whole
// package, every variable has a declared type, and fields and methods do not share names.
type javaDialect struct{}

// javaOps are the operations that Java has, beside those of package ops.
var javaOps = map[string]operation{}

// Java carries operations out on .java files.
func Java() refactor.Language {
	l := newLanguage("java", javaDialect{})
	l.own = javaOps
	return l
}

func (javaDialect) handles(file string) bool { return ext(file) == ".java" }

func (javaDialect) style() kit.Dialect {
	return kit.Dialect{Name: "java", Line: "//", Indent: "    ", Open: " {", Parens: true, End: ";", Not: "!",
		And: "&&", Or: "||"}
}

func (javaDialect) typed(*unit) bool       { return true }
func (javaDialect) grammar(string) grammar { return javaGrammar }
func (javaDialect) bind(u *unit)           { bindJava(u) }

// Modules are no part of Java as it is edited here: types are found by their packages.

func (javaDialect) locate(*project, string, string) place { return place{} }
func (javaDialect) lost(string) bool                      { return false }
func (javaDialect) loads(*project, *unit, *unit) bool     { return false }
func (javaDialect) structural() bool                      { return false }
func (javaDialect) global(*unit) bool                     { return false }

func (javaDialect) exported(*project, place, string, map[string]bool) meaning { return meaning{} }
func (javaDialect) keyMeans(*project, *unit, *node) meaning                   { return meaning{kind: other} }
func (javaDialect) respell(_ *node, to string, _, _ bool) string              { return to }
func (javaDialect) named(*unit, string) []*node                               { return nil }
func (javaDialect) keyed(*unit, string) []*node                               { return nil }
func (javaDialect) special(*project, *subject, string) string                 { return "" }

var javaKeywords = words.Set(`abstract assert boolean break byte case catch char class const continue default do double else
enum extends final finally float for goto if implements import instanceof int interface long native new package
private protected public return short static strictfp super switch synchronized this throw throws transient try void
volatile while true false null _`)

func (javaDialect) invalid(name string) string {
	switch {
	case !identifier(name, "$"):
		return name + " is not a Java identifier"
	case javaKeywords[name]:
		return name + " is a Java keyword"
	}
	return ""
}

func (javaDialect) mentions(u *unit, name string) []*node {
	var out []*node
	u.root.walk(func(n *node) bool {
		if n.is("identifier", "type_identifier") && n.to-n.from == len(name) && n.text() == name {
			out = append(out, n)
		}
		return true
	})
	return out
}

// javaTypes are the declarations of types.
var javaTypes = []string{"class_declaration", "interface_declaration", "enum_declaration", "record_declaration",
	"annotation_type_declaration"}

// javaFuncs are the declarations with parameters and a body.
var javaFuncs = []string{"method_declaration", "constructor_declaration", "compact_constructor_declaration",
	"annotation_type_element_declaration"}

func (javaDialect) declared(n *node) (name, kind string) {
	name = n.get("name").text()
	switch {
	case n.is(javaTypes...):
		return name, "type"
	case n.is("method_declaration", "annotation_type_element_declaration"):
		return name, "method"
	case n.is("constructor_declaration"):
		return name, "method"
	case n.is("enum_constant"):
		return name, "const"
	case n.is("formal_parameter") && n.parent.parent.is("record_declaration"):
		return name, "field"
	case n.is("variable_declarator") && n.parent.is("constant_declaration"):
		return name, "const"
	case n.is("variable_declarator") && n.parent.is("field_declaration"):
		if javaHas(n.parent, "static") && javaHas(n.parent, "final") {
			return name, "const"
		}
		return name, "field"
	}
	return "", ""
}

// javaHas reports whether a declaration has a modifier.
func javaHas(n *node, modifier string) bool { return n.child("modifiers").child(modifier) != nil }

// path lists the types and methods around a declaration; ok is false inside a lambda or an
// anonymous class, which have no name.
func (javaDialect) path(n *node) (names []string, ok bool) {
	for p := n.parent; p != nil; p = p.parent {
		switch {
		case p.is("lambda_expression"), p.is("class_body") && p.parent.is("object_creation_expression", "enum_constant"):
			return nil, false
		case p.is(javaTypes...), p.is(javaFuncs...):
			names = append([]string{p.get("name").text()}, names...)
		}
	}
	return names, true
}

// pkg is the package that a file says it is in.
func javaPackage(root *node) string {
	name := root.child("package_declaration").child("scoped_identifier", "identifier")
	return strings.Join(strings.Fields(name.text()), "")
}

// javaStem is the name of the type that a file is called after.
func javaStem(file string) string { return strings.TrimSuffix(path.Base(file), ".java") }

// outsideBase reports whether a class from outside is known to declare no member of the name.
func (javaDialect) outsideBase(base *node, name string) bool {
	if base.is("generic_type") {
		base = base.firstKid()
	}
	known, ok := javaKnown[base.text()[strings.LastIndexByte(base.text(), '.')+1:]]
	return ok && !known[name] && !javaObject[name]
}

// javaObject are the methods of every object.
var javaObject = words.Set(`equals hashCode toString clone finalize getClass notify notifyAll wait`)

// javaKnown are types from outside whose members are known, with those members: a class that
// extends one of them may call anything else what it likes.
var javaKnown = map[string]map[string]bool{}

func init() {
	throwable := ` getMessage getLocalizedMessage getCause initCause printStackTrace fillInStackTrace getStackTrace
		setStackTrace addSuppressed getSuppressed serialVersionUID`
	for names, members := range map[string]string{
		"Object Record Cloneable Serializable":  "readObject writeObject readResolve writeReplace serialVersionUID",
		"Comparable":                            "compareTo",
		"Runnable":                              "run",
		"Callable":                              "call",
		"AutoCloseable Closeable":               "close",
		"Iterable":                              "iterator forEach spliterator",
		"Iterator":                              "hasNext next remove forEachRemaining",
		"Supplier":                              "get",
		"IntSupplier LongSupplier":              "getAsInt getAsLong",
		"Consumer BiConsumer":                   "accept andThen",
		"Function BiFunction UnaryOperator":     "apply compose andThen identity",
		"BinaryOperator":                        "apply andThen minBy maxBy",
		"Predicate BiPredicate":                 "test and or negate not isEqual",
		"Comparator":                            "compare reversed thenComparing thenComparingInt naturalOrder reverseOrder comparing",
		"Enum":                                  "name ordinal compareTo getDeclaringClass valueOf values describeConstable",
		"Throwable Exception RuntimeException":  throwable,
		"IllegalArgumentException Error":        throwable,
		"IllegalStateException IOException":     throwable,
		"UncheckedIOException TimeoutException": throwable,
		"CharSequence":                          "length charAt subSequence isEmpty chars codePoints",
	} {
		for _, n := range strings.Fields(names) {
			javaKnown[n] = words.Set(members)
		}
	}
}

// lacks are the common operations that Java does not have although their hooks are there.
func (javaDialect) lacks(op string) bool {
	return op == "extract-function" || op == "add-case" || op == "async" || op == "implement" || op == "change-type"
}
