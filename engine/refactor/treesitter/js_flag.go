package treesitter

import (
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// The command lines of JavaScript and TypeScript: commander, cac and sade, whose options are calls
// in a chain; yargs, whose are too, with an object; and node's parseArgs, which takes an object.

var jsParsers = regexp.MustCompile(
	`['"](@commander-js/extra-typings|commander|cac|sade|yargs|yargs/yargs|node:util|util)['"]`)

func (ecma) flagWords() *regexp.Regexp { return jsParsers }

func (ecma) commandLines(_ syntax, u *unit) []*commandLine {
	library := ""
	for _, m := range jsParsers.FindAllSubmatch(u.src, -1) {
		if name := string(m[1]); library == "" || !strings.HasSuffix(name, "util") {
			library = name
		}
	}
	if library == "" {
		return nil
	}
	if strings.HasSuffix(library, "util") {
		return parseArgsOf(u)
	}
	return jsChains(u, strings.TrimSuffix(strings.TrimPrefix(library, "@"), "-js/extra-typings"))
}

// describing are the calls of a chain that say what a command is, before its options.
var describing = []string{"command", "description", "describe", "name", "version", "argument", "arguments", "usage",
	"alias", "scriptName"}

// jsChains are the programs and commands whose options are calls.
func jsChains(u *unit, library string) []*commandLine {
	var out []*commandLine
	byKey := map[any]*commandLine{}
	u.root.walk(func(n *node) bool {
		method := jsMethod(n)
		first := n.get("arguments").firstKid()
		is := method == "option" || method == "requiredOption" || method == "options" && first.is("object")
		if !is && !slices.Contains(describing, method) {
			return true
		}
		base := chainBase(n)
		key, called := jsCommand(u, base)
		if key == nil {
			return true
		}
		c := byKey[key]
		if c == nil {
			c = &commandLine{u: u, called: called, title: called[0], write: jsChain{library}}
			byKey[key], out = c, append(out, c)
		}
		switch {
		case !is:
			if c.made == nil || c.made.to < n.to {
				c.made = n
			}
		case method == "options":
			for p := range first.kids {
				c.options = append(c.options, jsProperty(p))
			}
		default:
			if o, ok := jsOption(n, library); ok {
				c.options = append(c.options, o)
			}
		}
		return true
	})
	for _, c := range out { // the calls of a chain hold those before them
		slices.SortStableFunc(c.options, func(a, b option) int { return a.node.to - b.node.to })
	}
	return slices.DeleteFunc(out, func(c *commandLine) bool { return len(c.options) == 0 && !jsRuns(u, library) })
}

// jsRuns reports whether a file that mentions a library surely parses with it.
func jsRuns(u *unit, library string) bool {
	return library != "yargs" && strings.Contains(string(u.src), ".parse(")
}

// jsMethod is the name of the method that a call is of.
func jsMethod(n *node) string {
	if fn := n.get("function"); n.is("call_expression") && fn.is("member_expression") {
		return fn.get("property").text()
	}
	return ""
}

// chainBase is what a chain of calls begins with: a variable, a value that is made, or the call
// that makes a command.
func chainBase(n *node) *node {
	for n.is("call_expression") {
		fn := n.get("function")
		if !fn.is("member_expression") || jsMethod(n) == "command" && n.get("arguments").firstKid() != nil &&
			!passesFunction(n) {
			return n
		}
		n = fn.get("object")
	}
	return n
}

// passesFunction reports whether yargs builds the command in a function of its own.
func passesFunction(call *node) bool {
	for a := range call.get("arguments").kids {
		if a.is("arrow_function", "function_expression", "object") {
			return true
		}
	}
	return false
}

// jsCommand tells commands apart, and what a request can call them.
func jsCommand(u *unit, base *node) (key any, called []string) {
	if jsMethod(base) == "command" {
		if s, ok := plainString(base.get("arguments").firstKid()); ok {
			called = append(called, strings.Fields(s + " command")[0])
		}
	}
	if !base.is("identifier") {
		top := base
		for top.parent.is("member_expression", "call_expression") && top.field != "" && !top.parent.is("arguments") {
			top = top.parent
		}
		if d := top.parent; d.is("variable_declarator") && d.get("name").is("identifier") {
			base = d.get("name")
		}
	}
	if base.is("identifier") {
		r := u.byNode[base]
		if r == nil || r.b == nil {
			return nil, nil
		}
		if def := r.b.def(); len(called) == 0 && def.is("variable_declarator") && def.get("value") != nil {
			if made := chainBase(def.get("value")); jsMethod(made) == "command" {
				if s, ok := plainString(made.get("arguments").firstKid()); ok {
					called = append(called, strings.Fields(s + " command")[0])
				}
			}
		}
		if cmd := commandAround(base); cmd != "" {
			called = append(called, cmd)
		}
		return r.b, append(called, base.text())
	}
	if fn := base.get("function"); base.is("call_expression") && !fn.is("member_expression") {
		called = append(called, fn.text())
	}
	return base, append(called, "program")
}

// commandAround is the command that yargs builds in the function around a node.
func commandAround(n *node) string {
	fn := n.up("arrow_function", "function_expression")
	if fn == nil || !fn.parent.is("arguments") || jsMethod(fn.parent.parent) != "command" {
		return ""
	}
	s, _ := plainString(fn.parent.firstKid())
	return strings.Fields(s + " command")[0]
}

var optionNames = regexp.MustCompile(`(^|[\s,|])(--?[\w.-]+)`)

func jsOption(call *node, library string) (option, bool) {
	args := call.get("arguments").list()
	if len(args) == 0 {
		return option{}, false
	}
	spelled, ok := plainString(args[0])
	if !ok {
		return option{}, false
	}
	o := option{node: call}
	if strings.HasPrefix(library, "yargs") {
		o.names = []string{"--" + spelled}
		if len(args) > 1 {
			o.help = jsHelp(args[1])
		}
		return o, true
	}
	for _, m := range optionNames.FindAllStringSubmatch(spelled, -1) {
		o.names = append(o.names, m[2])
		if on, no := strings.CutPrefix(m[2], "--no-"); no {
			o.names = append(o.names, "--"+on)
		}
	}
	if len(args) > 1 {
		o.help, _ = plainString(args[1])
	}
	return o, len(o.names) > 0
}

// jsProperty is an option that a property of an object declares.
func jsProperty(p *node) option {
	o := option{node: p, apart: !p.is("pair")}
	if key := p.get("key"); p.is("pair") {
		name := key.text()
		if s, ok := plainString(key); ok {
			name = s
		}
		o.names, o.help = []string{"--" + name}, jsHelp(p.get("value"))
		if short := pairOf(p.get("value"), "short"); short != nil {
			s, _ := plainString(short.get("value"))
			o.names = append(o.names, "-"+s)
		}
	}
	return o
}

var helpKeys = []string{"describe", "description", "desc"}

func jsHelp(object *node) string {
	for _, key := range helpKeys {
		if p := pairOf(object, key); p != nil {
			s, _ := plainString(p.get("value"))
			return s
		}
	}
	return ""
}

// pairOf is the property of an object, or nil.
func pairOf(object *node, key string) *node {
	for p := range object.kids {
		if object.is("object") && p.is("pair") && strings.Trim(p.get("key").text(), `"'`) == key {
			return p
		}
	}
	return nil
}

// jsChain writes options as calls.
type jsChain struct{ library string }

func (k jsChain) flag(s syntax, c *commandLine, f ops.Flag, e *kit.Edits) (string, error) {
	like, before, quote := c.made, false, c.u.style().quote
	if own := c.own(); len(own) > 0 {
		var o option
		if o, before = neighbour(own, f.Name); o.node.is("pair") {
			return k.property(s, c, f, e)
		}
		if like = o.node; len(own) > 1 && len(chainOf(like)) > 1 { // one chain nests: the order is in the source
			like, before = own[len(own)-1].node, false
		}
		quote = like.get("arguments").firstKid().text()[:1]
	}
	if like == nil || before && inChain(like) {
		like, before = c.options[len(c.options)-1].node, false
	}
	args, err := k.arguments(s, c, f, quote)
	if err != nil {
		return "", err
	}
	text := ".option(" + strings.Join(args, ", ") + ")"
	if fn := like.get("function"); !inChain(like) {
		return c.jsValue(f), s.putBeside(c.u, like.parent, before, fn.get("object").text()+text+c.u.style().semi, e)
	}
	at, lead := like.to, ""
	dot := like.get("function").get("property").from
	if strings.TrimSpace(string(c.u.src[lineStart(c.u.src, dot):dot])) == "." {
		lead = c.u.style().eol + indentAt(c.u.src, dot)
		end := lineEnd(c.u.src, at)
		if rest := strings.TrimSpace(string(c.u.src[at:end])); rest == "" || strings.HasPrefix(rest, "//") {
			at = end
		}
	}
	e.Insert(s.kitFile(c.u), at, lead+text)
	return c.jsValue(f), nil
}

// inChain reports whether a call is one of several in a chain, or no statement.
func inChain(call *node) bool {
	return !call.parent.is("expression_statement") || !call.get("function").get("object").is("identifier")
}

func chainOf(call *node) (out []*node) {
	for n := call; n.is("call_expression"); n = n.get("function").get("object") {
		out = append(out, n)
		if !n.get("function").is("member_expression") {
			break
		}
	}
	return out
}

func (k jsChain) arguments(s syntax, c *commandLine, f ops.Flag, quote string) ([]string, error) {
	help := f.HelpLike(c.helps())
	value := f.Value
	if f.Kind == ops.Text && !f.Code {
		value = inQuotes(value, quote)
	}
	if f.Kind == ops.Duration || f.Kind == ops.OtherFlag {
		return nil, s.decline("%s has no options of this type; say bool, int, number or string", k.library)
	}
	if strings.HasPrefix(k.library, "yargs") {
		return []string{inQuotes(f.Name, quote), k.object(c, f, value, help, quote)}, nil
	}
	if f.Kind == ops.Switch {
		name := f.Dashed()
		if f.On() {
			if name = "--no-" + f.Name; f.Help == "" {
				help = (ops.Flag{Name: "turn off " + f.Name}).HelpLike(c.helps())
			}
		}
		return []string{inQuotes(name, quote), inQuotes(help, quote)}, nil
	}
	words := strings.Split(f.Snake(), "_")
	spelled := f.Dashed() + " <" + words[len(words)-1] + ">"
	if k.library == "sade" {
		spelled = f.Dashed()
	}
	args := []string{inQuotes(spelled, quote), inQuotes(help, quote)}
	number := f.Kind == ops.Int || f.Kind == ops.Float
	switch {
	case k.library == "cac" && f.Value != "":
		args = append(args, "{ default: "+value+" }")
	case k.library == "commander" && number:
		args = append(args, "Number")
		fallthrough
	case k.library != "cac" && f.Value != "":
		if f.Value != "" {
			args = append(args, value)
		}
	}
	return args, nil
}

// object is what describes an option of yargs.
func (jsChain) object(c *commandLine, f ops.Flag, value, help, quote string) string {
	typ := map[ops.FlagKind]string{ops.Switch: "boolean", ops.Int: "number", ops.Float: "number",
		ops.Text: "string"}[f.Kind]
	parts := []string{"type: " + inQuotes(typ, quote)}
	if help != "" {
		key := helpKeys[0]
		for _, o := range c.options {
			object := o.node.get("value")
			if o.node.is("call_expression") {
				object = o.node.get("arguments").lastKid()
			}
			for _, k := range helpKeys {
				if pairOf(object, k) != nil {
					key = k
				}
			}
		}
		parts = append(parts, key+": "+inQuotes(help, quote))
	}
	if f.Value != "" {
		parts = append(parts, "default: "+strings.ToLower(value[:1])+value[1:])
	}
	own := c.own()
	if len(own) == 0 {
		return "{ " + strings.Join(parts, ", ") + " }"
	}
	like := own[len(own)-1].node
	object := like.get("value")
	if like.is("call_expression") {
		object = like.get("arguments").lastKid()
	}
	if first := object.firstKid(); object.is("object") && first != nil && first.line() != object.line() {
		eol := c.u.style().eol
		in := eol + indentAt(c.u.src, first.from)
		end := ""
		if object.lastKid().next.is(",") {
			end = ","
		}
		return "{" + in + strings.Join(parts, ","+in) + end + eol + indentAt(c.u.src, object.from) + "}"
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// property writes an option as a property of an object.
func (k jsChain) property(s syntax, c *commandLine, f ops.Flag, e *kit.Edits) (string, error) {
	own := c.own()
	like := own[len(own)-1].node
	quote := c.u.style().quote
	value := f.Value
	if f.Kind == ops.Text && !f.Code {
		value = inQuotes(value, quote)
	}
	if f.Kind == ops.Duration || f.Kind == ops.OtherFlag {
		return "", s.decline("%s has no options of this type; say bool, int, number or string", k.library)
	}
	c.putProperty(s, like.parent, jsKey(f.Name, quote)+": "+k.object(c, f, value, f.HelpLike(c.helps()), quote), e)
	return c.jsValue(f), nil
}

// putProperty writes a property behind the last one of an object.
func (c *commandLine) putProperty(s syntax, object *node, text string, e *kit.Edits) {
	at, insert := splice(c.u, object, object.list(), len(object.list()), text)
	e.Insert(s.kitFile(c.u), at, insert)
}

var jsName = regexp.MustCompile(`^[\pL_$][\pL\pN_$]*$`)

// jsKey is the key of a property.
func jsKey(name, quote string) string {
	if jsName.MatchString(name) {
		return name
	}
	return quote + name + quote
}

// jsValue is where the value of an option is found.
func (c *commandLine) jsValue(f ops.Flag) string {
	name := ""
	c.u.root.walk(func(n *node) bool {
		m := jsMethod(n)
		if d := n.parent; (m == "opts" || m == "parseSync" || m == "parse" && n.get("arguments").firstKid() == nil) &&
			d.is("variable_declarator") && d.get("name").is("identifier") {
			name = d.get("name").text() + "."
		}
		return true
	})
	if name == "" {
		return f.Camel() + " of the parsed options"
	}
	return name + f.Camel()
}

// parseArgsOf are the calls of node's parseArgs, by the object with their options.
func parseArgsOf(u *unit) []*commandLine {
	var out []*commandLine
	u.root.walk(func(n *node) bool {
		fn := n.get("function")
		if !n.is("call_expression") || fn.text() != "parseArgs" && !strings.HasSuffix(fn.text(), ".parseArgs") {
			return true
		}
		config := valueOf(u, n.get("arguments").firstKid())
		options := valueOf(u, pairOf(config, "options").get("value"))
		if options == nil {
			for p := range config.kids {
				if p.is("shorthand_property_identifier") && p.text() == "options" {
					options = valueOf(u, p)
				}
			}
		}
		if !options.is("object") {
			return true
		}
		c := &commandLine{u: u, title: "parseArgs", called: []string{"parseArgs"}, made: options, write: nodeArgs{n, options}}
		if f := n.up("function_declaration", "method_definition"); f != nil {
			c.title = f.get("name").text()
			c.called = append([]string{c.title}, c.called...)
		}
		for p := range options.kids {
			c.options = append(c.options, jsProperty(p))
		}
		out = append(out, c)
		return true
	})
	return out
}

// valueOf is what a constant stands for.
func valueOf(u *unit, n *node) *node {
	if r := u.byNode[n]; n != nil && n.is("identifier", "shorthand_property_identifier") && r != nil && r.b != nil {
		n = r.b.def().get("value")
	}
	for n.is("as_expression", "satisfies_expression", "parenthesized_expression") {
		n = n.firstKid()
	}
	return n
}

// nodeArgs writes options for parseArgs.
type nodeArgs struct{ call, options *node }

func (k nodeArgs) flag(s syntax, c *commandLine, f ops.Flag, e *kit.Edits) (string, error) {
	quote := c.u.style().quote
	value := f.Value
	if !f.Code && f.Kind != ops.Switch {
		value = inQuotes(value, quote)
	}
	parts := []string{"type: " + inQuotes("string", quote)}
	switch f.Kind {
	case ops.Switch:
		parts[0] = "type: " + inQuotes("boolean", quote)
		if f.On() {
			return "", s.decline("a flag that is on needs another one that turns it off; ask for --no-%s", f.Name)
		}
		value = strings.ToLower(value)
	case ops.Duration, ops.OtherFlag:
		return "", s.decline("parseArgs has boolean and string options")
	case ops.Int, ops.Float:
		s.note("parseArgs gives %s as a string.", f.Name)
	case ops.Text:
	}
	if f.Value != "" {
		parts = append(parts, "default: "+value)
	}
	text := jsKey(f.Name, quote) + ": { " + strings.Join(parts, ", ") + " }"
	if own := c.own(); len(own) > 0 {
		if v := own[len(own)-1].node.get("value"); v.is("object") && v.firstKid() != nil && v.line() != v.firstKid().line() {
			in := c.u.style().eol + indentAt(c.u.src, v.firstKid().from)
			end := ""
			if v.lastKid().next.is(",") {
				end = ","
			}
			text = jsKey(f.Name, quote) + ": {" + in + strings.Join(parts, ","+in) + end + c.u.style().eol +
				indentAt(c.u.src, v.from) + "}"
		}
	}
	c.putProperty(s, k.options, text, e)
	if jsName.MatchString(f.Name) {
		return "values." + f.Name, nil
	}
	return "values[" + inQuotes(f.Name, quote) + "]", nil
}
