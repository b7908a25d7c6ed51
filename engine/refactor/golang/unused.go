package golang

import (
	"fmt"
	"strings"
)

// deleteUnused deletes a function that nothing uses: no reference in any build,
// no test, no interface, no linker directive. Exported functions go only from
// packages that nobody outside can import: main and internal ones.
func (j *job) deleteUnused() error {
	s, err := j.symbol("func", "func method")
	if err != nil {
		return err
	}
	d := s.first()
	if err := j.deletable(s); err != nil {
		return err
	}
	if err := j.noUses(s, "deleted"); err != nil {
		return err
	}
	if err := newRenaming(j, d.name.Name, "", []*symbol{s}).refuseLinks(); err != nil {
		return err
	}
	for _, d := range s.decls {
		from, to, err := j.declLines(d)
		if err != nil {
			return err
		}
		g := d.file
		if to < len(g.src) && blankLineAt(g, to) {
			to = g.lineEnd(to)
		} else if before := g.lineStart(max(0, from-1)); from > 0 && blankLineAt(g, before) {
			from = before
		}
		j.edits.replace(g.path, from, to, "")
	}
	j.guard = []string{d.name.Name}
	j.dropsCode = true
	j.summary = fmt.Sprintf("Deleted %s, which nothing used.", d.name.Name)
	return j.settle(j.dirsUsing(d)...)
}

func (j *job) deletable(s *symbol) error {
	d := s.first()
	name := d.name.Name
	pkg := d.file.ast.Name.Name
	switch {
	case d.local || !isFuncDecl(d.node):
		return j.declined("%s is not a function of a package", s)
	case d.kind == "func" && (name == "init" || name == "main" && pkg == "main"):
		return j.declined("the Go runtime calls %s", name)
	case d.file.test && d.kind == "func" && testPrefix(name) != "":
		return j.declined("go test runs %s", name)
	case !exported(name):
		return nil
	}
	imp := "/" + j.p.mods.importPath(d.file.dir) + "/"
	if pkg != "main" && !d.file.test && !strings.Contains(imp, "/internal/") {
		return j.declined("%s is exported by %s, which other modules may import", name, strings.Trim(imp, "/"))
	}
	if d.kind == "method" {
		for _, f := range j.p.mentioning("reflect", "template", "rpc") {
			return j.declined("%s may be called by its name: %s uses reflection or templates", name, f)
		}
	}
	for _, g := range j.p.files(j.p.dirs[d.file.dir]) {
		for _, x := range declsIn(g, "") {
			if _, ok := exampleOf(x.name.Name, d.owner, name); ok && g.test && x.kind == "func" {
				return j.declined("%s shows it (%s)", x.name.Name, x.place())
			}
		}
	}
	return nil
}
