package golang

import (
	"go/ast"
	"go/token"
	"strings"

	"waferpair/engine/refactor/kit"
)

// fieldDeletable: what encodes a value, or reads it by reflection, sees exported fields and tags.
func (j *job) fieldDeletable(d *decl) error {
	f := d.node.(*ast.Field)
	switch {
	case exported(d.name.Name) || f.Tag != nil:
		return j.declined("%s.%s may be read by its name, as what encodes a value does (%s)", d.owner, d.name.Name, d.place())
	case strings.Contains(strings.ToLower(d.file.text(f.Type)+d.name.Name), "nocopy"):
		return j.declined("%s.%s tells go vet that %s is not copied", d.owner, d.name.Name, d.owner)
	}
	return nil
}

// idleValue declines a variable whose value is made by something that may do more than that.
func (j *job) idleValue(d *decl) error {
	v, ok := d.node.(*ast.ValueSpec)
	_, x := j.unitOf(j.p, d.file)
	if !ok || x == nil || x.info == nil {
		return nil
	}
	var runs ast.Node
	for _, e := range v.Values {
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				if !x.reads(n, nil) && d.file.text(n.Fun) != "regexp.MustCompile" && d.file.text(n.Fun) != "make" &&
					d.file.text(n.Fun) != "new" {
					runs = n
				}
			case *ast.UnaryExpr:
				if n.Op == token.ARROW {
					runs = n
				}
			}
			return runs == nil
		})
	}
	if runs != nil {
		return j.declined("%s is used nowhere by name, but %s, which gives it its value, may do something", d.name.Name,
			d.file.text(runs))
	}
	return nil
}

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
	case d.local:
		return j.declined("%s is local to %s, and what nothing uses there does not compile", s, d.owner)
	case d.kind == "field":
		return j.fieldDeletable(d)
	case d.kind == "method" && !isFuncDecl(d.node):
		return j.declined("%s is what an interface asks for", s)
	case d.kind == "func" && (name == "init" || name == "main" && pkg == "main"):
		return j.declined("the Go runtime calls %s", name)
	case d.file.test && d.kind == "func" && testPrefix(name) != "":
		return j.declined("go test runs %s", name)
	case d.kind == "var":
		if err := j.idleValue(d); err != nil {
			return err
		}
	}
	if !exported(name) {
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
