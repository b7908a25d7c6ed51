package golang

import (
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// syntax is Go as the common operations see it: one job, behind kit.Syntax.
type syntax struct {
	*job
	files map[string]*kit.File
}

func (syntax) Dialect() kit.Dialect {
	return kit.Dialect{Name: "Go", Line: "//", DocLines: true, Indent: "\t", Open: " {", Not: "!", And: "&&", Or: "||",
		Redeclares: true, AnyOrder: true}
}

func (s syntax) File(path string) (*kit.File, error) {
	if f := s.files[path]; f != nil {
		return f, nil
	}
	g, err := s.job.fileOf(path)
	if err != nil {
		return nil, err
	}
	return s.kitFile(g), nil
}

func (s syntax) kitFile(g *goFile) *kit.File {
	f := s.files[g.path]
	if f == nil {
		f = &kit.File{Path: g.path, Src: g.src, Raw: g}
		var root *kit.Node
		f.Root = func() *kit.Node {
			if root == nil {
				root = nodesOf(g)
			}
			return root
		}
		s.files[g.path] = f
	}
	return f
}

func (s syntax) Subject(arg string) ([]*kit.Decl, error) {
	spec, _ := refactor.Lookup(s.op.Name)
	p, _ := spec.Param(arg)
	found, err := s.symbol(arg, p.Kinds)
	if err != nil {
		return nil, err
	}
	out := make([]*kit.Decl, len(found.decls))
	for i, d := range found.decls {
		out[i] = s.decl(found, d)
	}
	return out, nil
}

// declared is what a kit.Decl stands for.
type declared struct {
	symbol *symbol
	decl   *decl
}

func (s syntax) decl(of *symbol, d *decl) *kit.Decl {
	g := d.file
	out := &kit.Decl{Name: d.name.Name, Title: d.name.Name, Kind: d.kind, File: s.kitFile(g), At: g.off(d.name.Pos()),
		Raw: declared{of, d}}
	if d.owner != "" {
		out.Title = d.owner + "." + out.Name
	}
	if d.local {
		out.Head = g.off(statementAt(g, d.name.Pos()))
		return out
	}
	out.Head = g.off(d.start())
	if d.doc != nil && d.doc.Text() != "" {
		out.Doc = &kit.Comment{From: g.off(d.doc.Pos()), Block: d.doc.List[0].Text[1] == '*'}
		for _, c := range d.doc.List {
			if !directive(c.Text) { // what tools obey stays below
				out.Doc.To = commentEnd(g, c)
			}
		}
	}
	return out
}

func (s syntax) Lines(d *kit.Decl) (from, to int, err error) {
	if from, to, err = s.declLines(d.Raw.(declared).decl); err != nil {
		return 0, 0, err
	}
	return from, from + len(strings.TrimRight(string(d.File.Src[from:to]), "\r\n")), nil
}

// Unused leaves selected lines to the type checker.
func (s syntax) Unused(_ *kit.File, _, _ int, d *kit.Decl) error {
	if d == nil {
		return nil
	}
	return s.noUses(d.Raw.(declared).symbol, "taken away")
}

func (s syntax) Settle(j *kit.Job) ([]refactor.FileEdit, error) {
	for path, changes := range j.Edits.Changes { // beside what hooks have changed
		s.edits.changes[path] = append(s.edits.changes[path], changes...)
	}
	for path, content := range j.Edits.Created {
		s.edits.newFile(path, content)
	}
	s.guard, s.dropsCode = j.Promise.Names, j.Promise.Removes
	var also []string
	for _, d := range j.Promise.Users {
		also = append(also, s.dirsUsing(d.Raw.(declared).decl)...)
	}
	err := error(nil)
	switch {
	case j.Promise.Comments:
		err = s.settleComments()
	case j.Promise.Types:
		err = s.typesFit(j.Promise.Users)
	case s.signed != nil:
		err = s.settleSignature(s.signed)
	default:
		err = s.settle(also...)
	}
	j.Notes = append(j.Notes, s.notes...)
	if err != nil {
		return nil, err
	}
	return s.edits.fileEdits(), s.edits.sorted()
}
