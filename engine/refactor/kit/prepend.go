package kit

import (
	"cmp"
	"strings"
)

// Func is the function that a declaration declares, or nil: its own node, or the literal that a
// variable or a field holds.
func (d *Decl) Func() *Node {
	at := cmp.Or(d.Impl, d.At)
	name := d.File.Around(at, at+len(d.Name))
	switch p := name.Parent; {
	case p.Is(Func) && name.Field != "body":
		return p
	case p != nil && p.Get("value").Is(Func):
		return p.Get("value")
	}
	return nil
}

// Prepend makes a line the first statement of a function, behind a string that documents it or
// sets a mode, and behind the call of a superclass's constructor.
func (j *Job) Prepend(f *File, fn *Node, line string) error {
	body := fn.Get("body")
	if !body.Is(Block) {
		return j.Declined("the function at %s has no block to put a statement in", f.Place(fn.From))
	}
	first, behind := (*Node)(nil), (*Node)(nil)
	for _, k := range body.Code() {
		if first == nil && (k.onlyString() || f.callsSuper(k)) {
			behind = k
		} else if first == nil {
			first = k
		}
	}
	braces := body.From < len(f.Src) && f.Src[body.From] == '{'
	switch {
	case behind != nil && f.BeginsLine(behind.From) && (braces || f.LineOf(behind.From) > f.LineOf(fn.From)):
		return j.putBehind(f, behind, line)
	case !braces && (first == nil || !f.BeginsLine(first.From)), behind != nil:
		return j.Declined("the body of the function at %s has no line of its own to put a statement before",
			f.Place(fn.From))
	case !braces: // the comments above the first statement belong to it
		at := f.NextLine(body.headerEnd(f, fn))
		j.Edits.InsertLines(f, at, f.Indent(first.From)+line)
	case f.LineOf(body.From) != f.LineOf(body.To) && f.blankBehind(body.From+1):
		j.Edits.InsertLines(f, f.NextLine(body.From), j.inner(f, body, first)+line)
	default: // a body on one line is laid out
		text := strings.TrimSpace(string(f.Src[body.From+1 : body.To-1]))
		lead, inner := f.Indent(body.From), j.inner(f, body, nil)
		s := f.EOL() + inner + line + f.EOL()
		if text != "" {
			s += inner + text + f.EOL()
		}
		j.Edits.Replace(f, body.From+1, body.To-1, s+lead)
	}
	return nil
}

func (j *Job) putBehind(f *File, n *Node, line string) error {
	end := f.LineEnd(n.To)
	rest := strings.TrimSpace(string(f.Src[n.To:end]))
	if rest != "" && rest != ";" && !strings.HasPrefix(rest, j.Dialect().Line) {
		return j.Declined("%s shares its line with other code", f.Place(n.From))
	}
	j.Edits.Insert(f, end, f.EOL()+f.Indent(n.From)+line)
	return nil
}

// inner is the indentation in a block: that of a statement of it, or one level more than around it.
func (j *Job) inner(f *File, body, first *Node) string {
	if first != nil && f.BeginsLine(first.From) {
		return f.Indent(first.From)
	}
	return f.Indent(body.From) + j.Dialect().Indent
}

// headerEnd is the offset of what ends the line before a block that is set off by its indentation.
func (n *Node) headerEnd(f *File, fn *Node) int {
	end := fn.From
	for _, k := range fn.Kids {
		if k != n && k.Kind != Remark && k.To > end && k.From < n.From {
			end = k.To
		}
	}
	for end < n.From && f.Src[end] != ':' {
		end++
	}
	return end
}

func (n *Node) onlyString() bool {
	code := n.Code()
	return n.Is(Expr) && len(code) == 1 && code[0].Is(String)
}

func (f *File) callsSuper(n *Node) bool {
	if text := f.Text(n); n.Kind == Other && (strings.HasPrefix(text, "super(") || strings.HasPrefix(text, "this(")) {
		return true // Java
	}
	code := n.Code()
	return n.Is(Expr) && len(code) == 1 && code[0].Is(Call) && f.Text(code[0].Get("function")) == "super"
}

func (f *File) blankBehind(at int) bool {
	return strings.TrimSpace(string(f.Src[at:f.LineEnd(at)])) == ""
}
