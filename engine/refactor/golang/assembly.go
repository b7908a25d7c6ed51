package golang

import (
	"go/ast"
	"regexp"
	"slices"
)

// refuseAssembly declines where assembly of the same package knows what is
// renamed under a name made of it: parameters of functions without a body
// (x+8(FP), x_len+16(FP)), and what go_asm.h defines for fields, types and
// constants (T_field, T__size, const_X). Go vet checks the former; nothing
// would tell of the latter but the assembler.
func (r *renaming) refuseAssembly() error {
	for _, s := range r.symbols {
		for _, d := range s.decls {
			pattern := assemblyName(d)
			if pattern == "" {
				continue
			}
			re := regexp.MustCompile(`(^|[^\w·])(` + pattern + `)`)
			for _, f := range r.j.p.all {
				b, ok := r.j.p.bytes[f]
				if !ok || isGo(f) || dirOf(f) != d.file.dir {
					continue
				}
				if m := re.FindSubmatch(b); m != nil {
					return r.j.declined("%s, which is assembly, refers to %s by name: %s", f, r.from, m[2])
				}
			}
		}
	}
	return nil
}

// assemblyName is a pattern for how assembly would refer to the declaration, "" if it cannot.
func assemblyName(d *decl) string {
	name := regexp.QuoteMeta(d.name.Name)
	switch fn, _ := d.node.(*ast.FuncDecl); {
	case d.local && fn != nil && fn.Body == nil:
		return name + `(_\w+)?\+\d+\(FP\)`
	case d.local:
		return ""
	case d.kind == "const":
		return `const_` + name + `\b`
	case d.kind == "type":
		return name + `_\w+\b`
	case slices.Contains([]string{"field", "method"}, d.kind) && d.owner != "":
		return regexp.QuoteMeta(d.owner) + `_` + name + `\b`
	}
	return ""
}

// assemblyNames reports whether the assembly refers to a renamed symbol of a
// package: ·name is one of its own package, path∕to/pkg·name one of any.
func (r *renaming) assemblyNames(file string, b []byte) bool {
	re := regexp.MustCompile(`([^\s,()$]?)·` + regexp.QuoteMeta(r.from) + `\b`)
	for _, m := range re.FindAllSubmatch(b, -1) {
		if len(m[1]) > 0 || r.dirs[dirOf(file)] {
			return true
		}
	}
	return false
}
