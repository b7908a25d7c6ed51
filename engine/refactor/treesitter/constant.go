package treesitter

import (
	"fmt"
	"regexp"
)

func init() { operations["set-constant"] = setConstant }

// setConstant replaces the value of a name that is assigned once.
func setConstant(j *job) (string, error) {
	name, val := j.op.Args["name"], j.op.Args["value"]
	s, err := j.one(name, "")
	if err != nil {
		return "", err
	}
	old, err := j.onlyValue(s)
	if err != nil {
		return "", err
	}
	if err := j.isExpression(s.unit, val); err != nil {
		return "", err
	}
	if old.text() == val {
		return "", j.already("%s is %s already", name, val)
	}
	if err := j.bareWord(s, old, val); err != nil {
		return "", err
	}
	if isMade(old) && constantText.MatchString(val) {
		return "", j.decline("%s is %s, which a plain value does not replace", name, oneLine(old.text()))
	}
	j.replace(s.unit.path, old.from, old.to, val)
	return fmt.Sprintf("Set %s to %s (it was %s).", name, val, oneLine(old.text())), nil
}

// constantText is a number, a string, or a word for a value.
var constantText = regexp.MustCompile(`^([-+]?[0-9][0-9A-Za-z_.]*|"[^"]*"|'[^']*'|true|false|True|False|null|None)$`)

// isMade reports whether a value is made by a call or is code: no constant, whatever its name.
func isMade(v *node) bool {
	return v.is("call", "call_expression", "new_expression", "await_expression", "await", "arrow_function",
		"function_expression", "lambda", "class")
}

func oneLine(s string) string {
	r := []rune(s)
	for i, c := range r {
		if c == '\n' || i == 60 {
			return string(r[:i]) + "..."
		}
	}
	return s
}

// onlyValue is the expression that the subject is declared with.
func (j *job) onlyValue(s *subject) (*node, error) {
	var defs []decl
	switch {
	case s.export:
		return nil, j.decline("%s (%s) is an export of another name or value", s.name, s.spot())
	case s.b != nil && len(s.b.imps) > 0:
		return nil, j.decline("%s (%s) is an import", s.name, s.spot())
	case s.b != nil:
		defs = s.b.decls
		if s.nested() {
			return nil, j.decline("%s is a local of a function (%s), not a constant", s.name, s.spot())
		}
	default:
		for _, m := range s.class.members[s.name] {
			defs = append(defs, decl{m.name, m.def, ""})
		}
	}
	if len(defs) > 1 {
		var places []string
		for _, d := range defs {
			places = append(places, spot(s.unit, d.name))
		}
		return nil, j.decline("%s is assigned in %d places (%s)", s.name, len(defs), few(places))
	}
	d := defs[0]
	v := d.def.get("right")
	if v == nil {
		v = d.def.get("value")
	}
	direct := d.name.parent == d.def
	if v == nil || !direct || !d.def.is("assignment", "variable_declarator", "public_field_definition", "field_definition",
		"enum_assignment", "assignment_expression") {
		return nil, j.decline("%s (%s) is not declared with a value of its own", s.name, s.spot())
	}
	for v.is("assignment") { // a = b = 1
		v = v.get("right")
	}
	return v, nil
}

// isExpression declines source text that is not one expression.
func (j *job) isExpression(u *unit, text string) error {
	if text == "" {
		return j.decline("the value is missing")
	}
	root, err := parse(j.d.grammar(u.path), []byte("x = [0, "+text+"\n]"))
	if err != nil {
		return err
	}
	list := root.firstKid().firstKid().get("right")
	if root.errors() > 0 || len(root.list()) != 1 || !list.is("list", "array") || len(list.list()) != 2 {
		return j.decline("%s is not an expression", text)
	}
	return nil
}

// bareWord declines a value that is a name nothing binds: a string was meant, most likely.
func (j *job) bareWord(s *subject, old *node, val string) error {
	if !identifier(val, "$") || j.d.invalid(val) != "" || pyBuiltins[val] || s.unit.module.names[val] != nil ||
		jsGlobals[val] {
		return nil
	}
	q := s.unit.style().quote
	if old.is("string") {
		q = old.text()[:1]
	}
	return j.declineNear([]string{q + val + q}, "nothing is named %s in %s", val, s.unit.path)
}
