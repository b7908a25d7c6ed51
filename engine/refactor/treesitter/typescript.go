package treesitter

import (
	"context"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/typecheck"
	"waferpair/engine/refactor/words"
)

// ecma is the dialect of TypeScript and JavaScript, which import each other.
type ecma struct{}

// TypeScript carries operations out on TypeScript and JavaScript files, JSX included.
func TypeScript() refactor.Language {
	l := newLanguage("typescript", ecma{})
	l.types = &typecheck.Checker{}
	return l
}

// Types is part of refactor.TypeChecker.
func (l *language) Types(ctx context.Context, root string, edited []refactor.Edited) refactor.Types {
	if l.types == nil {
		return refactor.Types{}
	}
	return l.types.Check(ctx, root, edited)
}

func (ecma) handles(file string) bool {
	switch ext(file) {
	case ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs":
		return true
	}
	return false
}

func (ecma) style() kit.Dialect {
	return kit.Dialect{Name: "typescript", Let: "const", Line: "//", Indent: "  ", Open: " {", Parens: true, End: ";",
		Not: "!", And: "&&", Or: "||", Nothing: "undefined"}
}

func (ecma) declared(n *node) (name, kind string)   { return declared(n) }
func (ecma) path(n *node) (names []string, ok bool) { return pathTo(n) }

func (ecma) grammar(file string) grammar {
	switch ext(file) {
	case ".ts", ".mts", ".cts":
		return tsGrammar
	case ".tsx":
		return tsxGrammar
	}
	return jsGrammar
}

func (d ecma) typed(u *unit) bool { return d.grammar(u.path) != jsGrammar }

func (ecma) bind(u *unit) { bindJS(u) }

func (ecma) mentions(u *unit, name string) []*node {
	var out []*node
	u.root.walk(func(n *node) bool {
		if n.first == nil && n.named && n.to-n.from == len(name) && n.text() == name {
			switch n.kind {
			case "identifier", "type_identifier", "property_identifier", "private_property_identifier",
				"shorthand_property_identifier", "shorthand_property_identifier_pattern":
				out = append(out, n)
			}
		}
		return true
	})
	return out
}

func (ecma) invalid(name string) string {
	switch {
	case !identifier(strings.TrimPrefix(name, "#"), "$"):
		return name + " is not a JavaScript identifier"
	case jsKeywords[name]:
		return name + " is a reserved word of JavaScript"
	}
	return ""
}

// respell: {old} in an object or a pattern is a property and a variable at once.
func (ecma) respell(n *node, to string, asRef, asKey bool) string {
	if !n.is("shorthand_property_identifier", "shorthand_property_identifier_pattern") || asRef && asKey {
		return to
	}
	if asKey {
		return to + ": " + n.text()
	}
	return n.text() + ": " + to
}

func (ecma) named(*unit, string) []*node { return nil }

// known are base classes from outside that look at no names but these of their subclasses.
var reactNames = words.Set(`render componentDidMount componentDidUpdate componentWillUnmount shouldComponentUpdate
getSnapshotBeforeUpdate componentDidCatch getDerivedStateFromProps getDerivedStateFromError state props context
refs setState forceUpdate defaultProps contextType propTypes displayName componentWillMount constructor
UNSAFE_componentWillMount UNSAFE_componentWillUpdate UNSAFE_componentWillReceiveProps isReactComponent`)

var errorNames = words.Set(`name message stack cause toString constructor`)

func (ecma) outsideBase(base *node, name string) bool {
	switch base.text() {
	case "React.Component", "React.PureComponent", "Component", "PureComponent":
		return !reactNames[name]
	case "Error", "TypeError", "RangeError", "SyntaxError":
		return !errorNames[name]
	}
	return strings.HasPrefix(name, "#")
}

func (d ecma) special(p *project, s *subject, to string) string {
	switch {
	case strings.HasPrefix(s.name, "#") != strings.HasPrefix(to, "#"):
		return "a private name begins with # and a public one does not: " + s.name + " cannot become " + to
	case s.name == "constructor":
		return "constructor is a name that JavaScript itself looks up"
	case s.class != nil && len(s.class.members[s.name]) > 0 && s.def.is("required_parameter", "optional_parameter"):
		return "the parameter property " + s.name + " is a parameter and a field at once"
	case s.node.up("ambient_declaration").child("statement_block") != nil || ambientModule(s.node):
		return s.name + " is declared for code that is not in this project"
	case s.b != nil && s.b.scope.kind == namespaceScope && s.b.scope.node.is("internal_module") && s.b.exported:
		return mergedNamespace(s)
	}
	return ""
}

func ambientModule(n *node) bool {
	m := n.up("module")
	return m != nil && m.get("name").is("string")
}

// mergedNamespace: the blocks of one namespace see each other's exports.
func mergedNamespace(s *subject) string {
	name := s.b.scope.node.get("name")
	if name.is("nested_identifier") {
		return "namespaces with dotted names are not followed"
	}
	if r := s.unit.byNode[name]; r != nil && r.b != nil && len(r.b.decls) == 1 {
		return ""
	}
	return "the namespace " + name.text() + " is declared in several places, which see each other's names"
}

func (ecma) lost(module string) bool { return module != "" && module[0] != '.' && module[0] != '/' }

// global: a script, neither an ES module nor a CommonJS one.
func (ecma) global(u *unit) bool { return !u.esm && !u.cjs }

func (ecma) structural() bool { return true }

// loads: import('./x') that is not awaited on the spot, and the mocks of test
// runners, whose factories have keys that are the module's names.
func (d ecma) loads(p *project, u, target *unit) bool {
	found := false
	u.root.walk(func(n *node) bool {
		if found || !n.is("call_expression") {
			return !found
		}
		fn, arg := n.get("function"), n.get("arguments").firstKid()
		switch {
		case fn.is("import") && !n.parent.is("await_expression"):
		case strings.HasSuffix(fn.text(), ".mock") || strings.HasSuffix(fn.text(), ".doMock") ||
			strings.HasSuffix(fn.text(), ".importActual") || strings.HasSuffix(fn.text(), ".requireActual"):
		default:
			return true
		}
		if arg.is("call_expression") { // vi.mock(import('./x'), ...)
			arg = arg.get("arguments").firstKid()
		}
		if !arg.is("string") {
			found = true
			return false
		}
		found = d.reaches(p, d.locate(p, u.path, unquote(arg)), target, 0)
		return true
	})
	return found
}

// reaches reports whether a module is target or re-exports from it.
func (d ecma) reaches(p *project, at place, target *unit, depth int) bool {
	if at.file == target.path {
		return true
	}
	if at.file == "" || depth > 10 {
		return false
	}
	u := p.unit(at.file)
	if u == nil {
		return false
	}
	for _, e := range u.exports {
		if e.from != "" && d.reaches(p, d.locate(p, u.path, e.from), target, depth+1) {
			return true
		}
	}
	for _, o := range u.imports {
		if b := u.module.names[o.name]; b != nil && b.exported &&
			d.reaches(p, d.locate(p, u.path, o.module), target, depth+1) {
			return true
		}
	}
	return false
}

// keyed: x["name"], "name" in x, and TypeScript's literal types, which Pick and keyof compare with.
func (ecma) keyed(u *unit, name string) []*node {
	var out []*node
	for _, n := range stringsNaming(u, name) {
		s := n.parent
		if n.text() == name && (s.parent.is("literal_type", "subscript_expression") ||
			s.parent.is("binary_expression") && s.parent.child("in") != nil) {
			out = append(out, n)
		}
	}
	return out
}
