package golang

import (
	"strings"

	"waferpair/engine/refactor/kit"
)

// Unreached implements the hook of delete-unused: no reference in any build, no test, no
// interface, no linker directive. Exported functions go only from packages that nobody outside
// can import: main and internal ones.
func (s syntax) Unreached(ds []*kit.Decl) error {
	found := ds[0].Raw.(declared).symbol
	if err := s.deletable(found); err != nil {
		return err
	}
	if err := s.noUses(found, "deleted"); err != nil {
		return err
	}
	return newRenaming(s.job, ds[0].Name, "", []*symbol{found}).refuseLinks()
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
