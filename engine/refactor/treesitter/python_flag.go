package treesitter

import (
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// Python's command lines: argparse and optparse, which are called, and click, which decorates.

func (pythonDialect) flagWords() *regexp.Regexp {
	return regexp.MustCompile(`\badd_argument\b|\badd_option\b|\bArgumentParser\b|\bclick\b`)
}

func (pythonDialect) commandLines(s syntax, u *unit) []*commandLine {
	return append(pyParsers(u), pyCommands(u)...)
}

// pyParsers are the parsers on which a file calls add_argument or add_option, or which it makes.
func pyParsers(u *unit) []*commandLine {
	var out []*commandLine
	byKey := map[any]*commandLine{}
	of := func(call, on *node) *commandLine {
		key, made := pyParser(u, on)
		c := byKey[key]
		if c == nil {
			c = &commandLine{u: u, made: made, write: argparse{}}
			c.called = pyCalled(u, call, on, made)
			c.title = c.called[0]
			out, byKey[key] = append(out, c), c
		}
		return c
	}
	u.root.walk(func(n *node) bool {
		fn := n.get("function")
		switch {
		case !n.is("call"):
		case fn.is("attribute") && fn.get("attribute").is("identifier") &&
			(fn.get("attribute").text() == "add_argument" || fn.get("attribute").text() == "add_option"):
			if o, ok := pyOption(n); ok {
				on, apart := ungrouped(u, fn.get("object"))
				o.apart = o.apart || apart
				c := of(n, on)
				c.options = append(c.options, o)
			}
		case strings.HasSuffix("."+fn.text(), ".ArgumentParser") || strings.HasSuffix("."+fn.text(), ".OptionParser"):
			if as := n.parent; as.is("assignment") && as.get("right") == n && as.get("left").is("identifier") &&
				as.parent.is("expression_statement") {
				of(n, as.get("left"))
			}
		}
		return true
	})
	return out
}

// pyOption reads what an argument's call declares; false where its names are not written there.
func pyOption(call *node) (option, bool) {
	o := option{node: call}
	for _, a := range call.get("arguments").list() {
		if a.is("keyword_argument") {
			if a.get("name").text() == "help" {
				o.help, _ = plainString(a.get("value"))
				if o.help == "" {
					o.help = "?"
				}
				o.apart = strings.Contains(a.get("value").text(), "SUPPRESS")
			}
			continue
		}
		name, ok := plainString(a)
		if !ok || len(o.names) > 0 && !strings.HasPrefix(name, "-") {
			break
		}
		o.names = append(o.names, name)
	}
	return o, len(o.names) > 0
}

// ungrouped is the parser of a group.
func ungrouped(u *unit, on *node) (parser *node, apart bool) {
	for range 4 {
		from := on
		if d := pyAssigned(u, on); d != nil {
			from = d.get("right")
		}
		fn := from.get("function")
		if !from.is("call") || !fn.is("attribute") || !strings.HasSuffix(fn.get("attribute").text(), "_group") {
			return on, apart
		}
		on, apart = fn.get("object"), true
	}
	return on, apart
}

// pyAssigned is the last assignment to a variable before a use of it, nil if there is none.
func pyAssigned(u *unit, on *node) *node {
	r := u.byNode[on]
	if !on.is("identifier") || r == nil || r.b == nil {
		return nil
	}
	var found *node
	for _, d := range r.b.decls {
		if d.name.from > on.from {
			break
		}
		found = d.name.parent
	}
	if found.is("assignment") && found.get("left").is("identifier") {
		return found
	}
	return nil
}

// pyParser tells parsers apart: by what makes them, or their variable.
func pyParser(u *unit, on *node) (key any, made *node) {
	if as := pyAssigned(u, on); as != nil {
		return as, as.parent
	}
	if r := u.byNode[on]; r != nil && r.b != nil {
		return r.b, nil
	}
	return on.text() + "@" + pyAround(on), nil
}

// pyAround is the function that holds a node, with its class; "" at the top of the file.
func pyAround(n *node) string {
	var names []string
	for p := n.up("function_definition", "class_definition"); p != nil; p = p.up("function_definition",
		"class_definition") {
		names = append([]string{p.get("name").text()}, names...)
	}
	return strings.Join(names, ".")
}

// pyCalled is what a request can call a parser: the subcommand, its function, its variable.
func pyCalled(u *unit, call, on, made *node) []string {
	var out []string
	if made != nil {
		fn := made.firstKid().get("right")
		if strings.HasSuffix(fn.get("function").text(), ".add_parser") {
			if name, ok := plainString(fn.get("arguments").firstKid()); ok {
				out = append(out, name)
			}
		}
	}
	around := pyAround(call)
	if on.is("identifier") && around != "" {
		out = append(out, around, around+"."+on.text(), on.text())
	} else if around != "" {
		out = append(out, around)
	}
	return append(out, on.text())
}

// argparse writes flags as calls.
type argparse struct{}

func (argparse) flag(s syntax, c *commandLine, f ops.Flag, e *kit.Edits) (string, error) {
	own, st, before := c.own(), c.made, false
	head, quote, like := "", c.u.style().quote, (*node)(nil)
	if len(own) == 0 && len(c.options) > 0 { // all are in groups
		own = slices.DeleteFunc(slices.Clone(c.options), func(o option) bool { return !o.dashed() })
	}
	switch {
	case len(own) > 0:
		var o option
		o, before = neighbour(own, f.Name)
		st, like = statementOf(o.node), o.node
		head, quote = o.node.get("function").text(),
			string(strings.TrimLeft(o.node.get("arguments").firstKid().text(), "rRuU")[0])
	case st != nil:
		method := ".add_argument"
		if strings.HasSuffix(st.firstKid().get("right").get("function").text(), "OptionParser") {
			method = ".add_option"
		}
		head, like = st.firstKid().get("left").text()+method, st.firstKid().get("right")
	}
	if st == nil {
		return "", s.decline("the flags of %s (%s:%d) are not declared by statements of their own", c.title, c.u.path,
			c.options[0].node.line())
	}
	args, err := argparse{}.arguments(s, c, f, strings.HasSuffix(head, "option"), quote)
	if err != nil {
		return "", err
	}
	text := c.u.laidOut(indentAt(c.u.src, st.from), head, args, like)
	return c.parsed(f.Snake()), s.putBeside(c.u, st, before, text, e)
}

// statementOf is the statement that a call is all of, or nil.
func statementOf(call *node) *node {
	n := call
	if as := n.parent; as.is("assignment") {
		n = as
	}
	if st := n.parent; st.is("expression_statement") {
		return st
	}
	return nil
}

// parsed is where the value of an attribute is found.
func (c *commandLine) parsed(attr string) string {
	name := ""
	c.u.root.walk(func(n *node) bool {
		if as := n.parent; n.is("call") && strings.HasSuffix(n.get("function").text(), ".parse_args") && as.is("assignment") {
			if left := as.get("left"); left.is("identifier") {
				name = left.text()
			} else if left.is("pattern_list", "tuple_pattern") && left.firstKid().is("identifier") {
				name = left.firstKid().text()
			}
		}
		return true
	})
	if name == "" {
		return "the attribute " + attr + " of the parsed arguments"
	}
	return name + "." + attr
}

// dests are the attributes that other arguments have.
func (c *commandLine) dests() []string {
	var out []string
	for _, o := range c.options {
		if !o.dashed() {
			out = append(out, o.names...)
		}
		if d := keyword(o.node, "dest"); d != nil {
			name, _ := plainString(d)
			out = append(out, name)
		}
	}
	return out
}

// keyword is the value of an argument that is passed by name, or nil.
func keyword(call *node, name string) *node {
	for a := range call.get("arguments").kids {
		if a.is("keyword_argument") && a.get("name").text() == name {
			return a.get("value")
		}
	}
	return nil
}

var pyListType = regexp.MustCompile(`^[Ll]ist(\[(\w+)\])?$`)

func (argparse) arguments(s syntax, c *commandLine, f ops.Flag, old bool, quote string) ([]string, error) {
	if slices.Contains(c.dests(), f.Snake()) {
		return nil, s.decline("another argument of %s has the attribute %s", c.title, f.Snake())
	}
	args := []string{inQuotes(f.Dashed(), quote)}
	typ := map[ops.FlagKind]string{ops.Int: "int", ops.Float: "float", ops.OtherFlag: f.Type}[f.Kind]
	list := pyListType.FindStringSubmatch(f.Type)
	switch {
	case f.Kind == ops.Switch && f.On():
		module := c.argparseModule()
		if module == "" || old {
			return nil, s.decline("a flag that is on needs another one that turns it off; ask for --no-%s", f.Name)
		}
		args = append(args, "action="+module+"BooleanOptionalAction", "default=True")
	case f.Kind == ops.Switch:
		args = append(args, "action="+inQuotes("store_true", quote))
		if old { // whose flags are None otherwise
			args = append(args, "default=False")
		}
	case f.Kind == ops.Duration:
		return nil, s.decline("Python's parsers know no durations; say int or float, for seconds")
	case old && f.Kind == ops.OtherFlag:
		return nil, s.decline("optparse has no options of type %s", f.Type)
	case old && typ != "":
		args = append(args, "type="+inQuotes(typ, quote))
	case list != nil:
		args = append(args, "nargs="+inQuotes("+", quote))
		if list[2] != "" && list[2] != "str" {
			args = append(args, "type="+list[2])
		}
	case f.Kind == ops.Text && c.writes("str"):
		args = append(args, "type=str")
	case f.Kind == ops.OtherFlag:
		if err := s.isExpression(c.u, typ); err != nil {
			return nil, err
		}
		fallthrough
	case typ != "":
		args = append(args, "type="+typ)
	}
	if f.Value != "" && f.Kind != ops.Switch {
		args = append(args, "default="+pyDefault(f, quote))
	}
	if help := strings.ReplaceAll(f.HelpLike(c.helps()), "%", "%%"); help != "" {
		args = append(args, "help="+inQuotes(help, quote))
	}
	return args, nil
}

func pyDefault(f ops.Flag, quote string) string {
	if !f.Code && (f.Kind == ops.Text || f.Kind == ops.OtherFlag) {
		return inQuotes(f.Value, quote)
	}
	return f.Value
}

// writes reports whether an option says this type.
func (c *commandLine) writes(typ string) bool {
	return slices.ContainsFunc(c.options, func(o option) bool { return keyword(o.node, "type").text() == typ })
}

// argparseModule is what the file calls argparse, with the dot; "" where it does not import the module.
func (c *commandLine) argparseModule() string {
	for _, o := range c.u.imports {
		if o.full == "argparse" && o.name == "" {
			if name := o.stmt.child("aliased_import"); name != nil && o.alias {
				return name.get("alias").text() + "."
			}
			return "argparse."
		}
	}
	return ""
}

// pyCommands are the functions that click makes commands of.
func pyCommands(u *unit) []*commandLine {
	module := ""
	for _, o := range u.imports {
		if o.full == "click" || o.full == "rich_click" || o.full == "asyncclick" {
			module = "click."
			if a := o.stmt.child("aliased_import"); a != nil {
				module = a.get("alias").text() + "."
			} else if o.name == "" {
				module = o.full + "."
			}
		}
		if o.module == "click" && o.name == "option" {
			module = ""
			break
		}
	}
	var out []*commandLine
	u.root.walk(func(n *node) bool {
		if !n.is("decorated_definition") || !n.get("definition").is("function_definition") || !importsModule(u, "click") {
			return true
		}
		def := n.get("definition")
		name := def.get("name").text()
		c := &commandLine{u: u, title: name, called: []string{name}, write: click{module, def}}
		command := false
		for d := range n.kids {
			call := d.firstKid()
			if !d.is("decorator") || !call.is("call", "attribute", "identifier") {
				continue
			}
			fn := call.text()
			if call.is("call") {
				fn = call.get("function").text()
			}
			switch last := fn[strings.LastIndexByte(fn, '.')+1:]; {
			case last == "command" || last == "group":
				command = true
				c.made = d
				if call.is("call") {
					if s, ok := plainString(call.get("arguments").firstKid()); ok {
						c.called = append(c.called, s)
					}
				}
			case fn == module+"option":
				if o, ok := pyOption(call); ok {
					c.options = append(c.options, o)
				}
			}
		}
		if command {
			out = append(out, c)
		}
		return true
	})
	return out
}

func importsModule(u *unit, name string) bool {
	return slices.ContainsFunc(u.imports, func(o *origin) bool {
		return strings.HasSuffix(o.full, name) || o.module == name
	})
}

// click writes flags as decorators, with a parameter for each.
type click struct {
	module string
	def    *node
}

func (k click) flag(s syntax, c *commandLine, f ops.Flag, e *kit.Edits) (string, error) {
	at, like, before, quote := c.made, c.made.firstKid(), false, c.u.style().quote
	if own := c.own(); len(own) > 0 {
		var o option
		o, before = neighbour(own, f.Name)
		at, like = o.node.parent, o.node
		quote = o.node.get("arguments").firstKid().text()[:1]
	}
	args := []string{inQuotes(f.Dashed(), quote)}
	typ := map[ops.FlagKind]string{ops.Int: "int", ops.Float: "float", ops.Text: "str", ops.Switch: "bool"}[f.Kind]
	switch f.Kind {
	case ops.Switch:
		if f.On() {
			args = []string{inQuotes("--"+f.Name+"/--no-"+f.Name, quote), "default=True"}
		} else {
			args = append(args, "is_flag=True")
		}
	case ops.Int, ops.Float:
		args = append(args, "type="+typ)
	case ops.Text:
		if c.writes("str") {
			args = append(args, "type=str")
		}
	case ops.Duration, ops.OtherFlag:
		return "", s.decline("say bool, int, float or string; click's other types need code of their own")
	}
	if f.Value != "" && f.Kind != ops.Switch {
		args = append(args, "default="+pyDefault(f, quote))
		if slices.ContainsFunc(c.options, func(o option) bool { return keyword(o.node, "show_default") != nil }) {
			args = append(args, "show_default=True")
		}
	}
	if help := f.HelpLike(c.helps()); help != "" {
		args = append(args, "help="+inQuotes(help, quote))
	}
	if !like.is("call") { // @click.command
		like = at
	}
	indent := indentAt(c.u.src, at.from)
	text := "@" + k.module + "option"
	if like.is("call") {
		text = c.u.laidOut(indent, text, args, like)
	} else {
		text += "(" + strings.Join(args, ", ") + ")"
	}
	if err := s.putBeside(c.u, at, before, text, e); err != nil {
		return "", err
	}
	return f.Snake(), k.parameter(s, c, f, typ)
}

// parameter gives the function the parameter that click passes by its name.
func (k click) parameter(s syntax, c *commandLine, f ops.Flag, typ string) error {
	name := f.Snake()
	if why := s.d.invalid(name); why != "" {
		return s.decline("%s", why)
	}
	list := k.def.get("parameters")
	kids := list.list()
	at, typed, all := 0, false, false
	for i, p := range kids {
		own := pyParamName(p)
		if own == name {
			return s.decline("%s has the parameter %s already", c.title, name)
		}
		typed = typed || p.is("typed_parameter", "typed_default_parameter")
		all = all || p.is("dictionary_splat_pattern") || strings.HasPrefix(p.text(), "**")
		if p.is("identifier") || p.is("typed_parameter") && p.firstKid().is("identifier") {
			at = i + 1
		}
	}
	if all && at < len(c.options) {
		return nil // **kwargs takes it
	}
	taken := false
	k.def.get("body").walk(func(n *node) bool {
		taken = taken || n.is("identifier") && n.text() == name && s.names(c.u, n)
		return !taken
	})
	if taken {
		return s.decline("%s means something else in %s", name, c.title)
	}
	text := name
	if typed {
		if f.Kind == ops.Text && f.Value == "" {
			typ = "str | None"
		}
		text += ": " + typ
	}
	spliceInto(s.job, c.u, list, kids, at, text)
	return nil
}

// names reports whether an identifier is a name of a variable.
func (s syntax) names(u *unit, n *node) bool { return u.byNode[n] != nil }
