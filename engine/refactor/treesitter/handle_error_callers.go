package treesitter

import (
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor/words"
)

// stillCaught declines a request to wrap an error where somebody in the project catches it by the
// type that it has now, however many calls away.
func (e *tried) stillCaught(types []string) error {
	wrapper, same := e.d.(catcher).wrapping(e, types)
	if !e.wraps() || same || e.f == nil {
		return nil
	}
	return e.caughtAbove(e.f, map[*node]bool{}, func(u *unit, n *node) error {
		for p := n; p.parent != nil; n, p = p, p.parent {
			var by []*node
			switch {
			case p.is("try_statement", "try_with_resources_statement") && n.field == "body":
				by = handlersOf(p)
			case p.is("with_statement") && n.field == "body":
				by = p.child("with_clause").list()
			case p.is("call", "call_expression", "method_invocation"):
				by = []*node{p}
			}
			for _, h := range by {
				if t := e.d.(catcher).missed(h, types, wrapper); t != "" {
					return e.decline("%s looks for %s in what %s raises, and would no longer find it in %s; "+
						"ask to handle the error instead, which keeps its type", spot(u, h), t, calleeText(e.call), wrapper)
				}
			}
		}
		return nil
	})
}

// caughtAbove looks at each place that may call a function, and at those that may call what is
// around it.
func (e *tried) caughtAbove(f *function, seen map[*node]bool, look func(*unit, *node) error) error {
	if seen[f.fn] {
		return nil
	}
	seen[f.fn] = true
	name := f.name
	if f.class != nil && f.class.b != nil && has([]string{"__init__", "constructor"}, name) {
		name = f.class.b.name
	}
	units, err := e.p.mentioning(e.ctx, name)
	if err != nil {
		return err
	}
	for _, u := range units {
		for _, n := range e.d.mentions(u, name) {
			if !e.mayMean(u, n, f) || declares(u, n, f) {
				continue
			}
			if err := look(u, n); err != nil {
				return err
			}
			for p := n.parent; p != nil; p = p.parent {
				if !isFunction(p) {
					continue
				}
				in, err := e.functionAt(u, p)
				if err == nil && in != nil {
					err = e.caughtAbove(in, seen, look)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// mayMean reports whether a name may stand for a function: it does not surely mean something else.
func (e *tried) mayMean(u *unit, n *node, f *function) bool {
	switch m := e.d.means(e.p, u, n); m.kind {
	case bound:
		return f.b != nil && e.p.follow(m.b) == e.p.follow(f.b) || f.class != nil && f.class.b == m.b
	case memberOf:
		return f.class != nil && (slices.Contains(e.p.ancestry(m.class), f.class) ||
			slices.Contains(e.p.ancestry(f.class), m.class))
	case other, module:
		return false
	case unknown, exportOf, ambiguousName:
	}
	return true
}

// pySuper are the builtin exceptions that extend another than Exception, and a few of libraries.
var pySuper = map[string]string{"JSONDecodeError": "ValueError", "TOMLDecodeError": "ValueError",
	"UnicodeError": "ValueError", "UnicodeDecodeError": "UnicodeError", "UnicodeEncodeError": "UnicodeError",
	"ModuleNotFoundError": "ImportError", "RequestException": "OSError", "URLError": "OSError", "HTTPError": "URLError",
	"CalledProcessError": "SubprocessError", "ValueError": "Exception", "OSError": "Exception", "KeyError": "LookupError",
	"IndexError": "LookupError", "LookupError": "Exception", "TypeError": "Exception", "AttributeError": "Exception",
	"ImportError": "Exception", "RuntimeError": "Exception", "Exception": "BaseException"}

func init() {
	for name := range words.Set(`IOError EnvironmentError FileNotFoundError FileExistsError PermissionError IsADirectoryError
		NotADirectoryError ConnectionError TimeoutError BlockingIOError InterruptedError ChildProcessError`) {
		pySuper[name] = "OSError"
	}
}

// related reports whether one of two types extends the other, going by a table of what types
// extend. Those that are not in it may.
func related(a, b string, super map[string]string) bool {
	if a == b || super[a] == "" || super[b] == "" {
		return true
	}
	above := func(x, y string) bool {
		for ; x != ""; x = super[x] {
			if x == y {
				return true
			}
		}
		return false
	}
	return above(a, b) || above(b, a)
}

var (
	dottedName = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_.]*`)
	pyAsserts  = regexp.MustCompile(`(?i)(raises|suppress)\w*$`)
	jsAsserts  = regexp.MustCompile(`^(toThrow|toThrowError|throws|rejects|assertThrows\w*)$`)
	looksAt    = regexp.MustCompile(`\b(instanceof|isinstance|type)\b|\.(name|code|errno|status\w*|constructor|type)\b`)
)

// byType is the first of the types that a handler names which an error of those types may be, unless it
// names one that the wrapper is, too.
func byType(named, types []string, wrapper string, super map[string]string) string {
	found := ""
	for _, n := range named {
		n = n[strings.LastIndexByte(n, '.')+1:]
		for above := wrapper; above != ""; above = super[above] {
			if n == above {
				return ""
			}
		}
		for _, t := range types {
			if found == "" && related(n, t[strings.LastIndexByte(t, '.')+1:], super) {
				found = n
			}
		}
	}
	return found
}

func (pythonDialect) missed(h *node, types []string, wrapper string) string {
	switch {
	case h.is("except_clause"):
		var named []string
		for k := range h.kids {
			if k.is("as_pattern") {
				k = k.firstKid()
			}
			if k != handlerBody(h) {
				named = append(named, dottedName.FindAllString(k.text(), -1)...)
			}
		}
		if t := byType(named, types, wrapper, pySuper); t != "" {
			return t
		}
		return looksAt.FindString(handlerBody(h).text())
	case h.is("with_item"):
		if h = h.get("value"); h.is("as_pattern") {
			h = h.firstKid()
		}
	}
	if h.is("call") && pyAsserts.MatchString(h.get("function").text()) {
		var named []string
		for _, a := range h.get("arguments").list() {
			named = append(named, dottedName.FindAllString(a.text(), -1)...)
		}
		return byType(named, types, wrapper, pySuper)
	}
	return ""
}

func (ecma) missed(h *node, _ []string, _ string) string {
	if h.is("catch_clause") {
		return looksAt.FindString(handlerBody(h).text())
	}
	fn := h.get("function")
	switch name := lastName(fn); {
	case !h.is("call_expression") || !fn.is("member_expression"):
	case name == "catch":
		return looksAt.FindString(h.get("arguments").text())
	case jsAsserts.MatchString(name):
		if args := h.get("arguments").list(); len(args) > 0 && !args[len(args)-1].is(functions...) {
			return args[len(args)-1].text()
		}
	}
	return ""
}

func (javaDialect) missed(h *node, types []string, wrapper string) string {
	if h.is("catch_clause") {
		var named []string
		for _, t := range h.child("catch_formal_parameter").child("catch_type").list() {
			named = append(named, t.text())
		}
		if t := byType(named, types, wrapper, javaSuper); t != "" {
			return t
		}
		return looksAt.FindString(handlerBody(h).text())
	}
	if h.is("method_invocation") && jsAsserts.MatchString(h.get("name").text()) {
		var named []string
		for _, a := range h.get("arguments").list() {
			if a.is("class_literal") {
				named = append(named, a.firstKid().text())
			}
		}
		return byType(named, types, wrapper, javaSuper)
	}
	return ""
}
