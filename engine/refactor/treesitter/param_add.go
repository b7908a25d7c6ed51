package treesitter

import (
	"fmt"
	"strconv"
	"strings"
)

func init() { operations["add-param"] = addParam }

// addParam adds a parameter. Behind all others it gets a default, so that no
// call has to change; elsewhere every call passes the value, which takes that
// every use of the function is certainly a call of it.
func addParam(j *job) (string, error) {
	f, err := j.function("func")
	if err != nil {
		return "", err
	}
	p := &newParam{job: j, f: f, name: j.op.Args["name"], typ: j.op.Args["type"], value: j.op.Args["value"]}
	if err := p.valid(); err != nil {
		return "", err
	}
	at, last, err := p.place()
	if err != nil {
		return "", err
	}
	if last {
		err = p.append()
	} else {
		err = p.insert(at)
	}
	if err != nil {
		return "", err
	}
	return p.summary(), nil
}

type newParam struct {
	*job
	f                *function
	name, typ, value string
	calls            int
}

func (p *newParam) summary() string {
	if p.calls == 0 {
		return fmt.Sprintf("Added the parameter %s to %s.", p.name, p.f.name)
	}
	return fmt.Sprintf("Added the parameter %s to %s and the argument to %s.", p.name, p.f.name,
		count(p.calls, "call", "calls"))
}

func (p *newParam) valid() error {
	if why := p.d.invalid(p.name); why != "" {
		return p.decline("%s", why)
	}
	if p.value != "" {
		if err := p.isExpression(p.f.unit, p.value); err != nil {
			return err
		}
	}
	if p.typ != "" && !p.f.unit.d.typed(p.f.unit) {
		return p.decline("%s is JavaScript, whose parameters have no types", p.f.unit.path)
	}
	if err := p.typed(); err != nil {
		return err
	}
	if len(p.f.class.overloads(p.f.name)) > 0 || overloaded(p.f) {
		return p.decline("%s has overloads", p.f.name)
	}
	return p.free()
}

// typed: the type means something where the function is, and the name is not one.
func (p *newParam) typed() error {
	s := p.f.unit.scopes[p.f.fn]
	if p.typ != "" {
		return p.inScope(p.f.unit, s, p.typ)
	}
	if !p.isType(p.f.unit, s, p.name) {
		return nil
	}
	return p.unnamed("add parameter", p.name, p.f.name)
}

func (c *class) overloads(name string) []member {
	if c == nil {
		return nil
	}
	var out []member
	for _, m := range c.members[name] {
		if m.def.is("method_signature") && !c.iface {
			out = append(out, m)
		}
	}
	return out
}

func overloaded(f *function) bool {
	for _, d := range decorators(f.fn) {
		if strings.HasSuffix(d, "overload") {
			return true
		}
	}
	return false
}

// free: nothing in the function may have the name, or mean something outside by it.
func (p *newParam) free() error {
	fs := p.f.unit.scopes[p.f.fn]
	for _, b := range p.f.unit.bindings {
		if b.name == p.name && (b.scope == fs || b.scope.parent == fs && b.scope.kind == functionScope &&
			b.scope.node.parent == p.f.fn) {
			return p.decline("%s already has a %s named %s (line %d)", p.f.name, b.kind, p.name, b.decls[0].name.line())
		}
	}
	for _, r := range p.f.unit.refs {
		if r.node.text() == p.name && r.space&value != 0 && r.scope.under(fs) && captures(fs, r) {
			return p.decline("%s at %s would then mean the new parameter", p.name, spot(p.f.unit, r.node))
		}
	}
	return nil
}

// place is the index among the parameters (self not counted), and whether that is behind all of them.
func (p *newParam) place() (int, bool, error) {
	n := len(p.f.params.list()) - p.f.receiver()
	switch pos := p.op.Args["position"]; pos {
	case "", "last":
		return n, true, nil
	case "first":
		return 0, n == 0, nil
	default:
		i, err := strconv.Atoi(pos)
		if err != nil || i < 1 {
			return 0, false, p.decline("%s is not a position: first, last or a number from 1", pos)
		}
		return min(i-1, n), i > n, nil
	}
}

// append adds the parameter behind the others.
func (p *newParam) append() error {
	if p.f.params == nil {
		return p.appendToBare()
	}
	kids := p.f.params.list()
	if p.f.python() {
		return p.appendPython(kids)
	}
	if err := p.callsTakeOneMore(len(kids)); err != nil {
		return err
	}
	if len(kids) > 0 && isRest(kids[len(kids)-1]) {
		return p.decline("%s takes ...rest, behind which no parameter can be", p.f.name)
	}
	p.splice(kids, len(kids), p.jsDeclaration())
	return nil
}

// appendToBare turns x => ... into (x, name) => ...
func (p *newParam) appendToBare() error {
	only := p.f.fn.get("parameter")
	if only == nil {
		return p.decline("%s has no parameter list", p.f.name)
	}
	if err := p.callsTakeOneMore(1); err != nil {
		return err
	}
	p.replace(p.f.unit.path, only.from, only.to, "("+only.text()+", "+p.jsDeclaration()+")")
	return nil
}

func isRest(n *node) bool {
	return n.is("rest_pattern") || n.is("required_parameter") && n.get("pattern").is("rest_pattern")
}

// jsDeclaration: an optional parameter, so that calls may leave it out.
func (p *newParam) jsDeclaration() string {
	switch {
	case p.value != "" && p.typ != "":
		return p.name + ": " + p.typ + " = " + p.value
	case p.value != "":
		return p.name + " = " + p.value
	case p.typ != "":
		return p.name + "?: " + p.typ
	case p.f.unit.d.typed(p.f.unit):
		return p.name + "?: unknown"
	}
	return p.name
}

// callsTakeOneMore: JavaScript drops surplus arguments silently, so a call that
// passes some (as callbacks do) would fill the new parameter.
func (p *newParam) callsTakeOneMore(params int) error {
	us, err := p.usesOf()
	if err != nil {
		return err
	}
	if len(us.values) > 0 {
		return p.decline("%s is handed on as a value (%s), and what it is called with there is not known", p.f.name,
			few(us.places(us.values)))
	}
	for _, c := range append(us.calls, us.doubts...) {
		if c.call == nil || c.arguments() == nil || c.spreads() || len(c.arguments().list()) > params {
			return p.decline("%s may already pass an argument there", spot(c.u, c.n))
		}
	}
	return nil
}

// usesOf: a constructor is used by the name of its class.
func (p *newParam) usesOf() (*uses, error) {
	if p.f.name == "constructor" {
		return nil, p.decline("parameters of JavaScript constructors are not changed: subclasses call them with super")
	}
	return p.uses(p.f)
}

// appendPython: before **options, and keyword-only behind *args.
func (p *newParam) appendPython(kids []*node) error {
	at := len(kids)
	for i, k := range kids {
		if splatOf(k) == "dictionary_splat_pattern" {
			if at = i; p.mayBeOption() {
				return p.decline("a call may pass %s=... to %s's %s already", p.name, p.f.name, k.text())
			}
		}
	}
	p.splice(kids, at, p.pyDeclaration())
	return nil
}

func splatOf(k *node) string {
	if k.is("typed_parameter") {
		k = k.firstKid()
	}
	return k.kind
}

// mayBeOption looks for calls that pass an option of that name.
func (p *newParam) mayBeOption() bool {
	units, _ := p.p.mentioning(p.ctx, p.name)
	for _, u := range units {
		for _, n := range p.d.mentions(u, p.name) {
			if n.parent.is("keyword_argument") && n.field == "name" {
				return true
			}
		}
	}
	return false
}

// zeros are the defaults of Python's plain types.
var zeros = map[string]string{"int": "0", "float": "0.0", "str": `""`, "bool": "False", "bytes": `b""`}

// pyDeclaration: name=value, or name: type = value.
func (p *newParam) pyDeclaration() string {
	val, typ := p.value, p.typ
	switch {
	case val == "" && zeros[typ] != "":
		val = zeros[typ]
		if typ == "str" || typ == "bytes" {
			val = strings.ReplaceAll(val, `"`, p.f.unit.style().quote)
		}
	case val == "":
		val = "None"
		if typ != "" && !strings.Contains(typ, "None") && !strings.HasPrefix(typ, "Optional") && typ != "Any" &&
			typ != "object" {
			typ = strconv.Quote(strings.Trim(typ, `"'`) + " | None")
		}
	}
	if strings.HasPrefix(val, "[") || strings.HasPrefix(val, "{") {
		p.note("the default %s is one object, shared by all calls", val)
	}
	if typ != "" {
		return p.name + ": " + typ + " = " + val
	}
	return p.name + "=" + val
}

// splice inserts a parameter before kids[at], or behind them, on a line of its
// own when they have theirs.
func (p *newParam) splice(kids []*node, at int, text string) {
	spliceInto(p.job, p.f.unit, p.f.params, kids, at, text)
}

// spliceInto inserts an element into a bracketed, comma-separated list.
func spliceInto(j *job, u *unit, list *node, kids []*node, at int, text string) {
	pos, insert := splice(u, list, kids, at, text)
	j.replace(u.path, pos, pos, insert)
}

// splice is where an element goes in a bracketed, comma-separated list, and its text.
func splice(u *unit, list *node, kids []*node, at int, text string) (pos int, insert string) {
	src := u.src
	if len(kids) == 0 {
		return list.from + 1, text
	}
	if at < len(kids) {
		next := kids[at]
		sep := " "
		if at > 0 && kids[at-1].line() != next.line() || at == 0 && list.line() != next.line() {
			sep = u.style().eol + indentAt(src, next.from)
		}
		return next.from, text + "," + sep
	}
	lastKid := kids[len(kids)-1]
	sep := " "
	if lineOf(src, list.from) != lastKid.line() && (len(kids) == 1 || kids[len(kids)-2].line() != lastKid.line()) {
		sep = u.style().eol + indentAt(src, lastKid.from)
	}
	if c := lastKid.next; c != nil && c.kind == "," { // a trailing comma stays one
		if sep != " " {
			return c.to, sep + text + ","
		}
		return c.to, sep + text
	}
	return lastKid.to, "," + sep + text
}

// insert puts the parameter before others, and the value into every call.
func (p *newParam) insert(at int) error {
	if p.value == "" {
		return p.decline("what should the existing calls pass for %s? give a value, or add it as the last parameter", p.name)
	}
	kids := p.f.params.list()
	i := at + p.f.receiver()
	for _, k := range kids[:i] {
		if k.is("default_parameter", "typed_default_parameter", "list_splat_pattern", "keyword_separator",
			"positional_separator", "assignment_pattern", "optional_parameter") || k.get("value") != nil {
			return p.decline("a required parameter cannot follow %s", k.text())
		}
	}
	us, err := p.certain()
	if err != nil {
		return err
	}
	for _, c := range us.calls {
		if err := p.pass(c, at); err != nil {
			return err
		}
	}
	decl := p.name
	if p.typ != "" {
		decl += ": " + p.typ
	}
	p.splice(kids, i, decl)
	return nil
}

// certain demands that every use of the function is known and is a call.
func (j *job) certainUses(f *function) (*uses, error) {
	if f.name == "constructor" || f.name == "__init__" {
		return nil, j.decline("the calls of a constructor are those of its class and its subclasses, which are not followed")
	}
	us, err := j.uses(f)
	if err != nil {
		return nil, err
	}
	var doubts []string
	for _, d := range us.doubts {
		doubts = append(doubts, spot(d.u, d.n))
	}
	switch {
	case len(doubts) > 0:
		return nil, j.decline("it is not certain whether %s is what is used at %s", f.name, few(doubts))
	case len(us.values) > 0:
		return nil, j.decline("%s is handed on as a value (%s), and what it is called with there is not known", f.name,
			few(us.places(us.values)))
	case f.family != nil && (len(f.family.owners) > 1 || len(f.family.unsure) > 0):
		return nil, j.decline("%s is overridden, or overrides a method of a class outside the project", f.name)
	case !plainlyDecorated(f):
		return nil, j.decline("%s has the decorator %s, which may call it", f.name, decorators(f.fn)[0])
	}
	for _, c := range us.calls {
		if c.arguments() == nil || c.spreads() {
			return nil, j.decline("the arguments of the call at %s are not written one by one", spot(c.u, c.n))
		}
	}
	return us, nil
}

func (p *newParam) certain() (*uses, error) { return p.certainUses(p.f) }

func plainlyDecorated(f *function) bool {
	for _, d := range decorators(f.fn) {
		if d != "staticmethod" && d != "classmethod" {
			return false
		}
	}
	return f.def.child("decorator") == nil
}

// pass adds the argument to one call.
func (p *newParam) pass(c callSite, at int) error {
	p.calls++
	args := c.arguments()
	kids := args.list()
	positional := 0
	for _, k := range kids {
		if !k.is("keyword_argument") {
			positional++
		}
	}
	if c.self {
		at++
	}
	if positional < at {
		if !p.f.python() {
			return p.decline("the call at %s leaves out arguments before the new one", spot(c.u, c.n))
		}
		spliceInto(p.job, c.u, args, kids, len(kids), p.name+"="+p.value)
		return nil
	}
	spliceInto(p.job, c.u, args, kids, at, p.value)
	return nil
}
