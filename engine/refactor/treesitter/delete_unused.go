package treesitter

import (
	"strings"

	"waferpair/engine/refactor/kit"
)

// Unreached implements the hook of delete-unused.
func (s syntax) Unreached(ds []*kit.Decl) error {
	if _, ok := s.d.(typed); ok {
		return s.javaUnreached(ds[0])
	}
	f, err := s.function("func")
	if err != nil {
		return err
	}
	if f.class != nil && (len(f.family.owners) > 1 || len(f.family.unsure) > 0) {
		return s.decline("%s overrides, or is called by, a class it inherits from", ds[0].Title)
	}
	if strings.HasPrefix(f.name, "__") && strings.HasSuffix(f.name, "__") || f.name == "constructor" ||
		strings.HasPrefix(f.name, "test") || f.name == "main" {
		return s.decline("%s is called by what runs the program", f.name)
	}
	if len(decorators(f.fn)) > 0 || f.def.child("decorator") != nil {
		return s.decline("%s has a decorator, which may register it", f.name)
	}
	return s.nowhere(f)
}

// nowhere declines when anything at all could refer to the function: an
// identifier outside of it, a string, a template, or code outside the project.
func (j *job) nowhere(f *function) error {
	units, err := j.p.mentioning(j.ctx, f.name)
	if err != nil {
		return err
	}
	for _, u := range units {
		for _, n := range j.d.mentions(u, f.name) {
			if n == f.node || n.within(f.def) {
				continue
			}
			if m := j.d.means(j.p, u, n); m.kind == other || m.kind == bound && m.b != f.b {
				continue
			}
			return j.decline("%s is used at %s", f.name, spot(u, n))
		}
		for _, n := range append(stringsNaming(u, f.name), j.d.named(u, f.name)...) {
			return j.decline("the string at %s names %s", spot(u, n), f.name)
		}
	}
	others, err := j.p.holding(j.ctx, templates, f.name)
	if len(others) > 0 {
		return j.decline("%s mentions %s", others[0], f.name)
	}
	if f.b != nil && f.b.exported || (f.python() || f.class != nil) && f.name[0] != '_' && f.name[0] != '#' {
		j.note("%s is exported or public; code outside this project may use it", f.name)
	}
	return err
}
