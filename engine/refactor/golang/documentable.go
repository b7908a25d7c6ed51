package golang

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
)

func (syntax) DocForm(*kit.File) kit.DocForm { return kit.GoDoc }

// Documentable are the declarations for which go doc wants a comment.
func (s syntax) Documentable(f *kit.File) []kit.Documented {
	g := f.Raw.(*goFile)
	var out []kit.Documented
	for _, d := range declsIn(g, "") {
		if d.kind == "field" || d.kind == "method" && !isFuncDecl(d.node) || d.local {
			continue
		}
		out = append(out, s.documented(f, d))
	}
	return out
}

func isFuncDecl(n ast.Node) bool { _, ok := n.(*ast.FuncDecl); return ok }

func (s syntax) documented(f *kit.File, d *decl) kit.Documented {
	g := d.file
	out := kit.Documented{File: f, Name: d.name.Name, Owner: d.owner, Kind: d.kind, At: g.off(d.name.Pos()),
		Has: documented(d)}
	out.Exported = exported(d.name.Name) && (d.kind != "method" || exported(d.owner)) &&
		!(g.test && testPrefix(d.name.Name) != "")
	switch n := d.node.(type) {
	case *ast.FuncDecl:
		if n.Recv != nil && len(n.Recv.List) == 1 && len(n.Recv.List[0].Names) == 1 {
			out.Self = n.Recv.List[0].Names[0].Name
		}
		if n.Body != nil {
			out.Body = f.Of(n.Body)
		}
		signatureOf(g, n.Type, &out)
	case *ast.TypeSpec:
		typeOf(g, n, &out)
	case *ast.ValueSpec:
		if t := specType(g, n); t != nil {
			out.Type = oneLine(g.text(t))
		}
		if len(n.Values) == 1 && len(n.Names) == 1 {
			out.Value = f.Of(n.Values[0])
		}
	}
	at := g.off(d.start())
	if d.doc != nil { // directives only
		at, out.Under = g.off(d.doc.Pos()), "//"
	}
	out.Indent, out.Line = g.indent(at), g.lineStart(at)
	if out.Line+len(out.Indent) != at {
		out.Cannot = "does not begin its line, so there is no place for a comment"
	}
	return out
}

// specType is the type that a constant or variable is declared with; constants repeat the one before.
func specType(g *goFile, n *ast.ValueSpec) ast.Expr {
	if n.Type != nil || len(n.Values) > 0 {
		return n.Type
	}
	var last ast.Expr
	for _, x := range g.ast.Decls {
		gd, ok := x.(*ast.GenDecl)
		if !ok || n.Pos() < gd.Pos() || gd.End() < n.End() {
			continue
		}
		for _, s := range gd.Specs {
			if v, ok := s.(*ast.ValueSpec); ok && (v.Type != nil || len(v.Values) > 0) && v.Pos() < n.Pos() {
				last = v.Type
			}
		}
	}
	return last
}

func signatureOf(g *goFile, t *ast.FuncType, out *kit.Documented) {
	for _, p := range t.Params.List {
		typ := oneLine(g.text(p.Type))
		_, rest := p.Type.(*ast.Ellipsis)
		for _, n := range p.Names {
			out.Params = append(out.Params, kit.Parameter{Name: strings.TrimPrefix(n.Name, "_"), Type: typ, Rest: rest})
		}
		if len(p.Names) == 0 {
			out.Params = append(out.Params, kit.Parameter{Type: typ, Rest: rest})
		}
	}
	if t.Results == nil {
		return
	}
	for _, r := range t.Results.List {
		for range max(1, len(r.Names)) {
			out.Results = append(out.Results, oneLine(g.text(r.Type)))
		}
		for _, n := range r.Names {
			out.Outs = append(out.Outs, n.Name)
		}
	}
}

func typeOf(g *goFile, n *ast.TypeSpec, out *kit.Documented) {
	out.Type = oneLine(g.text(n.Type))
	switch t := n.Type.(type) {
	case *ast.StructType:
		out.Kind = "class"
		out.Fields = slices.DeleteFunc(memberNames(t.Fields), func(f string) bool {
			return f == "_" || exported(n.Name.Name) && !exported(f)
		})
		for _, d := range declsIn(g, "") {
			if d.kind == "method" && d.owner == n.Name.Name && exported(d.name.Name) {
				out.Methods = append(out.Methods, d.name.Name)
			}
		}
	case *ast.InterfaceType:
		out.Kind = "interface"
		for _, m := range t.Methods.List {
			for _, name := range m.Names {
				out.Methods = append(out.Methods, name.Name)
			}
			if len(m.Names) == 0 {
				out.Bases = append(out.Bases, oneLine(g.text(m.Type)))
			}
		}
	case *ast.FuncType:
		signatureOf(g, t, out)
		out.Body = nil
	}
	if n.Assign.IsValid() {
		out.Kind, out.Fields, out.Methods = "alias", nil, nil
	}
}

func memberNames(l *ast.FieldList) []string {
	var out []string
	for _, f := range l.List {
		for _, n := range f.Names {
			out = append(out, n.Name)
		}
		if len(f.Names) == 0 {
			if n := embeddedName(f.Type); n != "" {
				out = append(out, n)
			}
		}
	}
	return out
}

// documented reports whether go doc would show a comment for the declaration.
func documented(d *decl) bool {
	if d.doc != nil && d.doc.Text() != "" {
		return true
	}
	switch n := d.node.(type) {
	case *ast.ValueSpec:
		if n.Comment != nil || n.Names[0] != d.name {
			return true // a list of names has one comment
		}
	case *ast.TypeSpec:
		if n.Comment != nil {
			return true
		}
	}
	for _, x := range d.file.ast.Decls { // a group's comment speaks for its constants and variables
		if gd, ok := x.(*ast.GenDecl); ok && gd.Tok != token.TYPE && gd.Pos() <= d.name.Pos() && d.name.Pos() < gd.End() {
			return gd.Doc != nil && gd.Doc.Text() != ""
		}
	}
	return false
}

// start is where the declaration's own text begins: its keyword, or its name within a group.
func (d *decl) start() token.Pos {
	for _, x := range d.file.ast.Decls {
		gd, ok := x.(*ast.GenDecl)
		if ok && !gd.Lparen.IsValid() && gd.Pos() <= d.name.Pos() && d.name.Pos() < gd.End() {
			if _, field := d.node.(*ast.Field); !field {
				return gd.Pos()
			}
		}
	}
	if fn, ok := d.node.(*ast.FuncDecl); ok {
		return fn.Type.Pos()
	}
	return d.name.Pos()
}
