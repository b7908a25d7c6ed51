package treesitter

import (
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// Java's command lines: picocli and JCommander, which annotate fields, and Commons CLI, whose
// options are calls.

func (javaDialect) flagWords() *regexp.Regexp {
	return regexp.MustCompile(`\bpicocli\b|\bcom\.beust\.jcommander\b|\borg\.apache\.commons\.cli\b`)
}

func (javaDialect) commandLines(_ syntax, u *unit) []*commandLine {
	var out []*commandLine
	calls := map[string]*commandLine{}
	u.root.walk(func(n *node) bool {
		switch {
		case n.is("class_declaration"):
			if c := annotated(u, n); c != nil {
				out = append(out, c)
			}
		case n.is("method_invocation") && n.get("name").text() == "addOption" && n.get("object") != nil:
			o, ok := commonsOption(n)
			if !ok || !strings.Contains(string(u.src), "commons.cli") {
				return true
			}
			method := n.up("method_declaration", "constructor_declaration", "class_declaration").get("name").text()
			key := method + "." + n.get("object").text()
			c := calls[key]
			if c == nil {
				c = &commandLine{u: u, title: method, called: []string{method, key}, write: commonsCLI{}}
				calls[key], out = c, append(out, c)
			}
			c.options = append(c.options, o)
		}
		return true
	})
	return out
}

// annotationOf is an annotation of a declaration whose last name is one of these.
func annotationOf(decl *node, names ...string) *node {
	for a := range decl.child("modifiers").kids {
		name := a.get("name").text()
		if a.is("annotation", "marker_annotation") && slices.Contains(names, name[strings.LastIndexByte(name, '.')+1:]) {
			return a
		}
	}
	return nil
}

// element is the value of an annotation's element, or nil.
func element(annotation *node, key string) *node {
	for p := range annotation.get("arguments").kids {
		if p.is("element_value_pair") && p.get("key").text() == key {
			return p.get("value")
		}
	}
	return nil
}

// javaStrings are the string literals of a value.
func javaStrings(n *node) (out []string) {
	n.walk(func(k *node) bool {
		if s, ok := plainString(k); ok {
			out = append(out, s)
		}
		return true
	})
	return out
}

// annotated is a class with fields that options set, or nil.
func annotated(u *unit, class *node) *commandLine {
	name := class.get("name").text()
	c := &commandLine{u: u, title: name, called: []string{name}, write: fieldOptions{class}}
	if s := javaStrings(element(annotationOf(class, "Command"), "name")); len(s) == 1 {
		c.called = append(c.called, s[0])
	}
	for f := range class.get("body").kids {
		a := annotationOf(f, "Option", "Parameter")
		if !f.is("field_declaration") || element(a, "names") == nil {
			continue
		}
		c.options = append(c.options, option{node: f, names: javaStrings(element(a, "names")),
			help: strings.Join(javaStrings(element(a, "description")), " ")})
	}
	if len(c.options) == 0 {
		return nil
	}
	return c
}

// fieldOptions writes options as annotated fields.
type fieldOptions struct{ class *node }

func (k fieldOptions) flag(s syntax, c *commandLine, f ops.Flag, e *kit.Edits) (string, error) {
	o, before := neighbour(c.own(), f.Name)
	a := annotationOf(o.node, "Option", "Parameter")
	name := f.Camel()
	if javaKeywords[name] {
		name += "Flag"
	}
	for m := range k.class.get("body").kids {
		for _, d := range m.all("declarator") {
			if d.get("name").text() == name {
				return "", s.decline("%s has the field %s already", c.title, name)
			}
		}
	}
	typ, value, err := javaFlagType(s, f)
	if err != nil {
		return "", err
	}
	if value != "" {
		value = " = " + value
	}
	spelled := inQuotes(f.Dashed(), `"`)
	if element(a, "names").is("element_value_array_initializer") {
		if open := element(a, "names").text(); strings.HasPrefix(open, "{ ") {
			spelled = "{ " + spelled + " }"
		} else {
			spelled = "{" + spelled + "}"
		}
	}
	text := "@" + a.get("name").text() + "(names = " + spelled
	if help := f.HelpLike(c.helps()); help != "" {
		text += ", description = " + inQuotes(help, `"`)
	}
	indent, eol := indentAt(c.u.src, o.node.from), c.u.style().eol
	sep := " "
	if o.node.get("type").line() != a.line() {
		sep = eol + indent
	}
	text += ")" + sep
	for _, m := range []string{"public", "protected", "private"} {
		if javaHas(o.node, m) {
			text += m + " "
		}
	}
	text += typ + " " + name + value + ";"
	if prev := o.node.prev; len(c.options) > 1 && !before && prev != nil &&
		lineOf(c.u.src, prev.to)+1 < above(o.node).line() {
		return name, k.apart(s, c, o.node, eol+indent+text, e)
	}
	return name, s.putBeside(c.u, o.node, before, text, e)
}

// apart writes a field behind another one, with a blank line between them.
func (k fieldOptions) apart(s syntax, c *commandLine, behind *node, text string, e *kit.Edits) error {
	if !behind.ownLines() {
		return s.decline("%s shares its lines with other code", spot(c.u, behind))
	}
	e.InsertLines(s.kitFile(c.u), nextLine(c.u.src, behind.to), text)
	return nil
}

// javaFlagType is the type of an option's field, and its default.
func javaFlagType(s syntax, f ops.Flag) (typ, value string, err error) {
	switch f.Kind {
	case ops.Switch:
		if f.On() {
			return "", "", s.decline("a flag that is on needs another one that turns it off; ask for --no-%s", f.Name)
		}
		return "boolean", "", nil
	case ops.Int:
		if strings.EqualFold(f.Type, "long") {
			return "long", f.Value, nil
		}
		return "int", f.Value, nil
	case ops.Float:
		return "double", f.Value, nil
	case ops.Text:
		if f.Value != "" && !f.Code {
			return "String", inQuotes(f.Value, `"`), nil
		}
		return "String", f.Value, nil
	case ops.Duration, ops.OtherFlag:
	}
	return "", "", s.decline("say boolean, int, double or String; options of other types need imports of their own")
}

// commonsOption reads what a call of addOption declares.
func commonsOption(call *node) (option, bool) {
	o := option{node: call}
	args := call.get("arguments").list()
	switch {
	case len(args) > 2:
		for i, a := range args[:len(args)-1] {
			if s, ok := plainString(a); ok && i < 2 {
				o.names = append(o.names, ops.Flag{Name: s}.Dashed())
			}
		}
		o.help, _ = plainString(args[len(args)-1])
	case len(args) == 1:
		args[0].walk(func(n *node) bool {
			if name := n.get("name").text(); n.is("method_invocation") && (name == "longOpt" || name == "builder") {
				for _, s := range javaStrings(n.get("arguments")) {
					o.names = append(o.names, ops.Flag{Name: s}.Dashed())
				}
			} else if n.is("method_invocation") && name == "desc" {
				o.help = strings.Join(javaStrings(n.get("arguments")), " ")
			}
			return true
		})
	}
	return o, len(o.names) > 0
}

// commonsCLI writes options as calls.
type commonsCLI struct{}

func (commonsCLI) flag(s syntax, c *commandLine, f ops.Flag, e *kit.Edits) (string, error) {
	o, before := neighbour(c.own(), f.Name)
	if !o.node.parent.is("expression_statement") {
		return "", s.decline("the options of %s (%s) are not declared by statements of their own", c.title,
			spot(c.u, o.node))
	}
	if f.Kind == ops.Duration || f.Kind == ops.OtherFlag || f.On() {
		return "", s.decline("Commons CLI has options with a text and options without a value")
	}
	takes, asks := "false", "hasOption("+inQuotes(f.Name, `"`)+")"
	if f.Kind != ops.Switch {
		takes, asks = "true", "getOptionValue("+inQuotes(f.Name, `"`)
		if f.Value != "" {
			asks += ", " + inQuotes(f.Value, `"`)
		}
		asks += ")"
	}
	spelled := "null, " + inQuotes(f.Name, `"`)
	if len(f.Name) == 1 {
		spelled = inQuotes(f.Name, `"`)
	}
	text := o.node.get("object").text() + ".addOption(" + spelled + ", " + takes + ", " +
		inQuotes(f.HelpLike(c.helps()), `"`) + ");"
	return asks, s.putBeside(c.u, o.node.parent, before, text, e)
}
