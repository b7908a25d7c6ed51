package golang

import (
	"bytes"
	"go/ast"
)

// dotImporters adds the folders whose files import a declaring package into
// their own scope: there the new name may meet one that no file mentions.
func (r *renaming) dotImporters() {
	if !r.wide {
		return
	}
	for dir := range r.dirs {
		pattern := []byte(`. "` + r.j.p.mods.importPath(dir) + `"`)
		for f, b := range r.j.p.bytes {
			if isGo(f) && bytes.Contains(b, pattern) && !r.dirs[dirOf(f)] {
				r.extra[dirOf(f)] = true
			}
		}
	}
}

// notes tells of uses by name that no checker sees.
func (r *renaming) notes() {
	if predeclared(r.to) {
		r.j.note("%s now hides Go's predeclared %s where it is in scope.", r.to, r.to)
	}
	if !r.member || !exported(r.from) {
		return
	}
	if r.importedAnywhere("text/template", "html/template") {
		r.j.note("The project uses templates: those that mention .%s were left alone.", r.from)
	}
	for _, s := range r.symbols {
		d := s.first()
		f, ok := d.node.(*ast.Field)
		if !ok || d.kind != "field" {
			continue
		}
		if _, tagged := jsonTag(f); !tagged && r.importedAnywhere("encoding/json") {
			r.j.note("%s has no json tag: where it is encoded, its JSON name changes too.", s.qualified())
		}
	}
}

func (r *renaming) importedAnywhere(paths ...string) bool {
	for f, b := range r.j.p.bytes {
		for _, p := range paths {
			if isGo(f) && bytes.Contains(b, []byte(`"`+p+`"`)) {
				return true
			}
		}
	}
	return false
}
