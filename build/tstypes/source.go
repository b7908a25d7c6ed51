package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// source is the package to write, with the comments of it and of the module's packages that
// it imports.
type source struct {
	root        *packages.Package
	head        string // of the file
	sections    []section
	docs        map[string]docs // of package.Type, package.Type.Field, package.Constant
	documented  map[string]bool // packages whose comments were read
	readPackage func(paths ...string) error
}

// section is a part of the file.
type section struct{ title, root string }

// docs are the comments above a declaration and behind it.
type docs struct {
	above, behind string
	directives    map[string]string
}

func load(ctx context.Context, pattern string) (*source, error) {
	cfg := &packages.Config{Context: ctx, Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
		packages.NeedImports | packages.NeedModule | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo}
	found, err := loaded(cfg, pattern)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("load %s: %d packages; name one", pattern, len(found))
	}
	s := &source{root: found[0], docs: map[string]docs{}, documented: map[string]bool{}}
	s.readFile(s.root)
	cfg.Mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax
	s.readPackage = func(paths ...string) error {
		found, err := loaded(cfg, paths...)
		for _, p := range found {
			s.readFile(p)
		}
		return err
	}
	var inModule []string
	for _, path := range slices.Sorted(maps.Keys(s.root.Imports)) {
		if strings.HasPrefix(path, s.root.Module.Path+"/") {
			inModule = append(inModule, path)
		}
	}
	if len(inModule) > 0 { // all at once; types of indirect imports are rare
		if err := s.readPackage(inModule...); err != nil {
			return nil, err
		}
	}
	return s, s.plan()
}

func loaded(cfg *packages.Config, patterns ...string) ([]*packages.Package, error) {
	found, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", strings.Join(patterns, " "), err)
	}
	for _, p := range found {
		for _, e := range p.Errors {
			err = errors.Join(err, fmt.Errorf("load %s: %w", p.PkgPath, e))
		}
	}
	return found, err
}

// readFile stores the comments of a package's types and constants.
func (s *source) readFile(p *packages.Package) {
	s.documented[p.PkgPath] = true
	for _, f := range p.Syntax {
		s.declared(p.PkgPath, f.Decls)
	}
}

func (s *source) declared(pkg string, decls []ast.Decl) {
	for _, d := range decls {
		d, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				name := pkg + "." + spec.Name.Name
				s.docs[name] = parseDocs(cmp.Or(spec.Doc, alone(d)), spec.Comment)
				if t, ok := spec.Type.(*ast.StructType); ok {
					s.members(name, t)
				}
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					s.docs[pkg+"."+n.Name] = parseDocs(cmp.Or(spec.Doc, alone(d)), spec.Comment)
				}
			}
		}
	}
}

func (s *source) members(owner string, t *ast.StructType) {
	for _, f := range t.Fields.List {
		for _, n := range f.Names {
			s.docs[owner+"."+n.Name] = parseDocs(f.Doc, f.Comment)
		}
	}
}

// alone returns the comment of a declaration without brackets, which is above the whole of
// it.
func alone(d *ast.GenDecl) *ast.CommentGroup {
	if d.Lparen.IsValid() {
		return nil
	}
	return d.Doc
}

func parseDocs(above, behind *ast.CommentGroup) docs {
	out := docs{above: strings.TrimSpace(above.Text()), behind: strings.TrimSpace(behind.Text())}
	if above == nil {
		return out
	}
	for _, c := range above.List {
		if rest, ok := strings.CutPrefix(c.Text, "//ts:"); ok {
			if out.directives == nil {
				out.directives = map[string]string{}
			}
			key, value, _ := strings.Cut(rest, " ")
			out.directives[key] = strings.TrimSpace(value)
		}
	}
	return out
}

// docsOf returns the comments of a type or a constant, or of a field of a type.
func (s *source) docsOf(obj types.Object, field ...string) (docs, error) {
	if path := obj.Pkg().Path(); !s.documented[path] {
		if err := s.readPackage(path); err != nil {
			return docs{}, err
		}
	}
	return s.docs[strings.Join(append([]string{nameOf(obj)}, field...), ".")], nil
}

func nameOf(obj types.Object) string { return obj.Pkg().Path() + "." + obj.Name() }

// plan finds the comment with the sections.
func (s *source) plan() error {
	for _, f := range s.root.Syntax {
		for _, g := range f.Comments {
			for _, c := range g.List {
				rest, ok := strings.CutPrefix(c.Text, "//ts:section ")
				if !ok {
					continue
				}
				at := strings.LastIndex(rest, ": ")
				if at < 0 {
					return fmt.Errorf("%s: a section is written //ts:section TITLE: NAME", s.at(c.Pos()))
				}
				s.head = strings.TrimSpace(g.Text())
				s.sections = append(s.sections, section{rest[:at], strings.TrimSpace(rest[at+2:])})
			}
		}
	}
	if len(s.sections) == 0 {
		return fmt.Errorf("%s has no comment with a line //ts:section TITLE: NAME", s.root.PkgPath)
	}
	return nil
}

// at returns a position for messages.
func (s *source) at(p token.Pos) string { return s.root.Fset.Position(p).String() }
