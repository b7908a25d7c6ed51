package treesitter

import (
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// optionReader is a dialect that knows libraries that read command lines.
type optionReader interface {
	// flagWords are what files mention that use one.
	flagWords() *regexp.Regexp
	// commandLines are those of a file.
	commandLines(s syntax, u *unit) []*commandLine
}

// CommandLines are those of every file that may read one.
func (s syntax) CommandLines() ([]*ops.CommandLine, error) {
	files, err := s.flagReaders()
	if err != nil {
		return nil, err
	}
	var out []*ops.CommandLine
	for _, u := range s.p.load(files) {
		for _, c := range s.d.(optionReader).commandLines(s, u) {
			out = append(out, c.forOps(s))
		}
	}
	return out, nil
}

// flagReaders are the files that mention a library that reads command lines.
func (j *job) flagReaders() ([]string, error) {
	d, ok := j.d.(optionReader)
	if !ok {
		return nil, nil
	}
	words := d.flagWords()
	return j.p.search(j.ctx, j.d.handles, words.Match)
}

// commandLine is a parser of one file, with what declares its flags.
type commandLine struct {
	u       *unit
	title   string
	called  []string
	options []option // in the order of the source
	made    *node    // the statement that makes it, nil if that is elsewhere
	write   flagWriter
}

// flagWriter writes a flag like an option, or behind what makes a parser that has none.
type flagWriter interface {
	flag(s syntax, c *commandLine, f ops.Flag, e *kit.Edits) (value string, err error)
}

// option is one flag that is there.
type option struct {
	node  *node    // the call, the decorator or the property
	names []string // as they are written
	help  string   // without quotes, "" for none
	apart bool     // it belongs to a group, or to what is not shown
}

// own are the options that a new one can be written like.
func (c *commandLine) own() []option {
	own := slices.DeleteFunc(slices.Clone(c.options), func(o option) bool { return o.apart || !o.dashed() })
	if len(own) == 0 {
		own = slices.DeleteFunc(slices.Clone(c.options), func(o option) bool { return o.apart })
	}
	return own
}

// dashed reports whether it is no positional argument.
func (o option) dashed() bool {
	return slices.ContainsFunc(o.names, func(n string) bool { return strings.HasPrefix(n, "-") })
}

// long is the name that it is sorted by.
func (o option) long() string {
	for _, n := range o.names {
		if strings.HasPrefix(n, "--") {
			return n[2:]
		}
	}
	return ""
}

func (c *commandLine) helps() []string {
	var out []string
	for _, o := range c.options {
		out = append(out, o.help)
	}
	return out
}

func (c *commandLine) forOps(s syntax) *ops.CommandLine {
	at := c.made
	if at == nil {
		at = c.options[0].node
	}
	out := &ops.CommandLine{Title: c.title, Called: c.called, File: s.kitFile(c.u), From: at.from, To: at.to,
		Add: func(f ops.Flag, e *kit.Edits) (string, error) { return c.write.flag(s, c, f, e) }}
	for _, o := range c.options {
		out.To = max(out.To, o.node.to)
		for _, n := range o.names {
			if strings.HasPrefix(n, "-") {
				out.Flags = append(out.Flags, strings.TrimLeft(n, "-"))
			}
		}
	}
	return out
}

// neighbour is the option that a new one is written like, and goes behind, or before where the
// options are in alphabetical order.
func neighbour(own []option, name string) (like option, before bool) {
	depth := func(o option) (n int) {
		for p := o.node.parent; p != nil; p = p.parent {
			n++
		}
		return n
	}
	least := depth(own[0])
	for _, o := range own {
		least = min(least, depth(o))
	}
	own = slices.DeleteFunc(slices.Clone(own), func(o option) bool { return depth(o) > least })
	sorted := len(own) > 2 && slices.IsSortedFunc(own, func(a, b option) int {
		return strings.Compare(a.long(), b.long())
	})
	for _, o := range own {
		if sorted && o.long() > name {
			return o, true
		}
	}
	return own[len(own)-1], false
}

// plainString is what a string literal without escapes holds; ok is false for other nodes.
func plainString(n *node) (string, bool) {
	if !n.is("string", "string_literal") || strings.Contains(n.text(), "\\") || n.child("interpolation") != nil {
		return "", false
	}
	t := strings.TrimLeft(n.text(), "rRuUbB")
	for _, q := range []string{`"""`, `'''`, `"`, `'`} {
		if len(t) >= 2*len(q) && strings.HasPrefix(t, q) && strings.HasSuffix(t, q) {
			return t[len(q) : len(t)-len(q)], true
		}
	}
	return "", false
}

// inQuotes is a text as a string literal; text has no backslash and no line break.
func inQuotes(text, quote string) string {
	return quote + strings.ReplaceAll(text, quote, `\`+quote) + quote
}

// width is how long the lines of a file may become: as long as they are, where there are many.
func (u *unit) width() int {
	longest, lines := 79, 0
	for line := range strings.Lines(string(u.src)) {
		longest = max(longest, len([]rune(strings.TrimRight(line, "\r\n"))))
		lines++
	}
	if lines < 100 {
		longest = max(longest, 88)
	}
	return min(longest, 100)
}

// laidOut is a call with its arguments on one line where that fits, and else as another call is
// laid out: the arguments behind the bracket, or on lines of their own.
func (u *unit) laidOut(indent, head string, args []string, like *node) string {
	one := head + "(" + strings.Join(args, ", ") + ")"
	list := like.get("arguments")
	first := list.firstKid()
	if len([]rune(indent+one)) <= u.width() || first == nil || strings.Contains(indent, "\t") {
		return one
	}
	eol := u.style().eol
	if first.line() != list.line() || list.line() == lineOf(u.src, list.to) {
		in := indent + u.style().tab
		if first.line() != list.line() {
			in = indentAt(u.src, first.from)
		}
		last := list.lastKid()
		end := eol + indent + ")"
		if last.line() == lineOf(u.src, list.to) && list.line() != lineOf(u.src, list.to) {
			end = ")"
		}
		if end != ")" {
			end = "," + end
		}
		return head + "(" + eol + in + strings.Join(args, ","+eol+in) + end
	}
	under := indent + strings.Repeat(" ", len([]rune(head))+1)
	lines, at := []string{args[0]}, len([]rune(under+args[0]))
	for _, a := range args[1:] {
		if n := len([]rune(a)); at+n+2 < u.width() {
			lines[len(lines)-1] += ", " + a
			at += n + 2
			continue
		}
		lines[len(lines)-1] += ","
		lines = append(lines, a)
		at = len([]rune(under + a))
	}
	return head + "(" + strings.Join(lines, eol+under) + ")"
}

// putBeside writes a statement behind another one, or before it and the comments above it.
func (s syntax) putBeside(u *unit, st *node, before bool, text string, e *kit.Edits) error {
	if !st.ownLines() {
		return s.decline("%s shares its lines with other code", spot(u, st))
	}
	at := nextLine(u.src, st.to)
	if before {
		at = lineStart(u.src, above(st).from)
	}
	indent := indentAt(u.src, st.from)
	e.InsertLines(s.kitFile(u), at, indent+text)
	return nil
}
