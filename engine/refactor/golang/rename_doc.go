package golang

import (
	"bytes"
	"go/ast"
	"strings"
)

// docs renames the leading word of the renamed declarations' own doc comments,
// as Go's convention wants it; no other word of any comment.
func (r *renaming) docs() {
	seen := map[string]bool{}
	for _, path := range sortedKeys(r.j.edits.changes) {
		g := r.j.p.file(path)
		for _, d := range declsIn(g, r.from) {
			if !r.targets[d.loc()] || d.doc == nil || seen[d.loc().String()] {
				continue
			}
			seen[d.loc().String()] = true
			if at := leadingWord(g, d.doc, r.from); at >= 0 {
				r.j.edits.replace(path, at, at+len(r.from), r.to)
			}
		}
	}
}

// leadingWord is the offset of the name where the comment's text begins with it,
// after an article or not; -1 where it does not.
func leadingWord(g *goFile, doc *ast.CommentGroup, name string) int {
	off := g.off(doc.Pos()) + 2 // behind // or /*
	text := g.src[off:]
	skip := len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
	if skip > 0 && bytes.ContainsAny(text[:skip], "\n") && g.src[off-1] == '/' {
		return -1 // an empty // line
	}
	at := off + skip
	for _, article := range []string{"", "A ", "An ", "The "} {
		if bytes.HasPrefix(g.src[at:], []byte(article+name)) {
			end := at + len(article) + len(name)
			if end == len(g.src) || !identByte(g.src[end]) {
				return end - len(name)
			}
		}
	}
	return -1
}

// examples keeps testable examples tied to what they show: go vet (and so go
// test) rejects ExampleOld when Old is gone.
func (r *renaming) examples() {
	for _, s := range r.symbols {
		d := s.first()
		if d.local || d.kind == "field" || !exported(r.from) {
			continue
		}
		for _, g := range r.j.p.files(r.j.p.dirs[d.file.dir]) {
			if g.test {
				r.examplesIn(g, d)
			}
		}
	}
}

func (r *renaming) examplesIn(g *goFile, d *decl) {
	for _, x := range g.ast.Decls {
		fn, ok := x.(*ast.FuncDecl)
		if !ok || fn.Recv != nil {
			continue
		}
		at, ok := exampleOf(fn.Name.Name, d.owner, r.from)
		if !ok {
			continue
		}
		if !exported(r.to) {
			r.j.note("%s:%d: %s shows a symbol that is no longer exported; go vet will say so.", g.path,
				g.lineOf(fn.Pos()), fn.Name.Name)
			continue
		}
		off := g.off(fn.Name.Pos()) + at
		r.j.edits.replace(g.path, off, off+len(r.from), r.to)
		if fn.Doc == nil {
			continue
		}
		if word := leadingWord(g, fn.Doc, fn.Name.Name); word >= 0 {
			r.j.edits.replace(g.path, word+at, word+at+len(r.from), r.to)
		}
	}
}

// exampleOf reports whether an example function's name refers to the symbol,
// and where in the name: ExampleOld, ExampleOld_suffix, ExampleOld_Method, ExampleType_Old.
func exampleOf(fn, owner, name string) (at int, ok bool) {
	rest, ok := strings.CutPrefix(fn, "Example")
	if !ok {
		return 0, false
	}
	at = len("Example")
	if owner != "" {
		if rest, ok = strings.CutPrefix(rest, owner+"_"); !ok {
			return 0, false
		}
		at += len(owner) + 1
	}
	rest, ok = strings.CutPrefix(rest, name)
	return at, ok && (rest == "" || rest[0] == '_')
}
