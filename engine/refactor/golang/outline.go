package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"

	"waferpair/engine/refactor"
)

// Outline lists what a file declares, in its order. It looks at the one file alone.
func (language) Outline(path string, src []byte) ([]refactor.Declaration, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if tree == nil {
		return nil, fmt.Errorf("outline %s: %w", path, err)
	}
	o := outline{file: fset.File(tree.FileStart)}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				o.add(d.Name, "method", receiverName(d), d)
			} else {
				o.add(d.Name, "func", "", d)
			}
			o.params(d.Name, d.Type)
		case *ast.GenDecl:
			o.specs(d)
		}
	}
	return o.out, nil
}

type outline struct {
	file *token.File
	out  []refactor.Declaration
}

func (o *outline) add(name *ast.Ident, kind, container string, whole ast.Node) {
	if name == nil || name.Name == "_" || !name.Pos().IsValid() {
		return
	}
	o.out = append(o.out, refactor.Declaration{Name: name.Name, Kind: kind, Container: container,
		Line: o.line(name.Pos()), EndLine: o.line(whole.End())})
}

// params gives the function that was added last the names of its parameters.
func (o *outline) params(name *ast.Ident, t *ast.FuncType) {
	if len(o.out) == 0 || t.Params == nil || o.out[len(o.out)-1].Name != name.Name {
		return
	}
	last := &o.out[len(o.out)-1]
	for _, f := range t.Params.List {
		for _, id := range f.Names {
			if id.Name != "_" {
				last.Params = append(last.Params, id.Name)
			}
		}
	}
}

// line is tolerant of positions that the parser made up at the end of a broken file.
func (o *outline) line(pos token.Pos) int {
	return o.file.Line(min(pos, token.Pos(o.file.Base()+o.file.Size())))
}

func (o *outline) specs(d *ast.GenDecl) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			o.add(s.Name, "type", "", s)
			o.members(s)
		case *ast.ValueSpec:
			for _, name := range s.Names {
				o.add(name, d.Tok.String(), "", s)
			}
		}
	}
}

// members are the fields and methods that a type's own text declares.
func (o *outline) members(s *ast.TypeSpec) {
	list, kind := (*ast.FieldList)(nil), "field"
	switch t := s.Type.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list, kind = t.Methods, "method"
	}
	if list == nil {
		return
	}
	for _, m := range list.List {
		for _, name := range m.Names {
			o.add(name, kind, s.Name.Name, m)
			if t, ok := m.Type.(*ast.FuncType); ok && kind == "method" {
				o.params(name, t)
			}
		}
	}
}
