package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

func (syntax) StringStyles() []string { return []string{"format", "concat"} }

// Strings finds the outermost concatenations and calls of fmt.Sprintf.
func (s syntax) Strings(f *kit.File, from, to int) []ops.Built {
	g := f.Raw.(*goFile)
	_, x := s.unitOf(s.p, g)
	if x == nil || x.info == nil {
		return nil
	}
	b := builder{s, g, x.info}
	var out []ops.Built
	ast.Inspect(g.ast, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || g.off(e.Pos()) < from || g.off(e.End()) > to {
			return true
		}
		built, ok := b.built(e)
		if ok {
			built.From, built.To = g.off(e.Pos()), g.off(e.End())
			out = append(out, built)
		}
		return !ok
	})
	return out
}

type builder struct {
	s    syntax
	g    *goFile
	info *types.Info
}

func (b builder) built(e ast.Expr) (ops.Built, bool) {
	if tv := b.info.Types[e]; tv.Value != nil || tv.Type != types.Typ[types.String] {
		return ops.Built{}, false
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return b.concat(e)
	case *ast.CallExpr:
		if len(e.Args) > 1 && !e.Ellipsis.IsValid() && b.calls(e, "fmt", "Sprintf") {
			return b.format(e)
		}
	}
	return ops.Built{}, false
}

// calls reports whether a call is of that function of a package.
func (b builder) calls(c *ast.CallExpr, pkg, name string) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := b.info.Uses[sel.Sel].(*types.Func)
	return ok && fn.Pkg() != nil && fn.Pkg().Path() == pkg && fn.Name() == name
}

// literal is the text of a string literal with its escapes, as it stands between double quotes.
func literal(e ast.Expr) (string, bool) {
	lit, ok := ast.Unparen(e).(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	if lit.Value[0] == '"' {
		return lit.Value[1 : len(lit.Value)-1], true
	}
	s, err := strconv.Unquote(lit.Value)
	q := strconv.Quote(s)
	return q[1 : len(q)-1], err == nil
}

func (b builder) concat(e *ast.BinaryExpr) (ops.Built, bool) {
	out, literals := ops.Built{Style: "concat", Quote: `"`}, 0
	var add func(e ast.Expr)
	add = func(e ast.Expr) {
		if x, ok := e.(*ast.BinaryExpr); ok && x.Op == token.ADD {
			add(x.X)
			add(x.Y)
			return
		}
		if text, ok := literal(e); ok {
			literals++
			out.Parts = append(out.Parts, ops.Part{Text: text})
			return
		}
		out.Parts = append(out.Parts, b.value(e))
	}
	add(e)
	return out, literals > 0
}

// value is a value with the verb that prints it.
func (b builder) value(e ast.Expr) ops.Part {
	if c, ok := e.(*ast.CallExpr); ok && len(c.Args) == 1 {
		switch {
		case b.calls(c, "strconv", "Itoa"):
			return ops.Part{Value: b.g.text(c.Args[0]), Spec: "%d"}
		case b.calls(c, "strconv", "Quote"):
			return ops.Part{Value: b.g.text(c.Args[0]), Spec: "%q"}
		}
	}
	return ops.Part{Value: b.g.text(e), Spec: "%s", String: true}
}

var verb = regexp.MustCompile(`%.?`)

// format reads a call of fmt.Sprintf whose verbs are plain and whose values have plain types.
func (b builder) format(c *ast.CallExpr) (ops.Built, bool) {
	out := ops.Built{Style: "format", Quote: `"`}
	text, ok := literal(c.Args[0])
	if !ok {
		return out, false
	}
	values, at := c.Args[1:], 0
	for _, m := range verb.FindAllStringIndex(text, -1) {
		if m[0] > at {
			out.Parts = append(out.Parts, ops.Part{Text: text[at:m[0]]})
		}
		at = m[1]
		v := text[m[0]:m[1]]
		if v == "%%" {
			out.Parts = append(out.Parts, ops.Part{Text: "%"})
			continue
		}
		if len(values) == 0 {
			return out, false
		}
		p := ops.Part{Value: b.g.text(values[0]), Spec: v}
		switch t := types.Default(b.info.TypeOf(values[0])); {
		case t == types.Typ[types.String] && (v == "%s" || v == "%v"):
			p.String = true
		case t == types.Typ[types.String] && v == "%q", t == types.Typ[types.Int] && (v == "%d" || v == "%v"):
		default:
			return out, false
		}
		if _, binary := values[0].(*ast.BinaryExpr); binary && p.String {
			p.Value = "(" + p.Value + ")"
		}
		out.Parts, values = append(out.Parts, p), values[1:]
	}
	if at < len(text) {
		out.Parts = append(out.Parts, ops.Part{Text: text[at:]})
	}
	return out, len(values) == 0
}

// Rewrite also adds the import that the new style needs.
func (s syntax) Rewrite(f *kit.File, b ops.Built, style string) (string, bool) {
	if b.Escaped() {
		return "", false
	}
	g := f.Raw.(*goFile)
	var text strings.Builder
	var args []string
	for _, p := range b.Parts {
		switch {
		case p.Value == "":
			text.WriteString(strings.ReplaceAll(p.Text, "%", "%%"))
		default:
			text.WriteString(p.Spec)
			args = append(args, p.Value)
		}
	}
	if style == "format" {
		return s.useImport(g, "fmt") + `.Sprintf("` + text.String() + `", ` + strings.Join(args, ", ") + ")", true
	}
	var out []string
	for _, p := range b.Parts {
		switch {
		case p.Value == "":
			out = append(out, `"`+p.Text+`"`)
		case p.String:
			out = append(out, p.Value)
		case p.Spec == "%q":
			out = append(out, s.useImport(g, "strconv")+".Quote("+p.Value+")")
		default:
			out = append(out, s.useImport(g, "strconv")+".Itoa("+p.Value+")")
		}
	}
	b.Alone = b.To >= len(f.Src) || f.Src[b.To] != '[' && f.Src[b.To] != '.'
	return b.Held(strings.Join(out, " + ")), true
}
