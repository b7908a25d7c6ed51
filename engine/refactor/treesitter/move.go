package treesitter

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
	"waferpair/workspace/text"
)

// moves is a dialect whose declarations can move to another file.
type moves interface {
	// movable declines what belongs to its module.
	movable(mv *moving) error
	// follow changes the parts, and says where they go.
	follow(mv *moving) error
	// imports changes what imports them, and what they import, in the files as they are then.
	imports(mv *moving) error
}

// moving is a declaration on its way, with the texts of the files as they will be.
type moving struct {
	*job
	m    *kit.Move
	s    *subject
	stmt *node // the whole statement, in the source
	u    *unit // the source
	to   *unit // the other file, nil where it is made

	files map[string]*retold
}

// retold is a file on its way: the changes so far, as one.
type retold struct {
	total text.ChangeSet
	now   text.Text
}

// Paths implements the hook of move.
func (s syntax) Paths(*kit.Decl) ([]string, bool) {
	return slices.DeleteFunc(slices.Clone(s.p.files), func(f string) bool { return !s.d.handles(f) }), false
}

// Movable implements the hook of move: a declaration of the module, alone in its statement.
func (s syntax) Movable(m *kit.Move) error {
	mv := s.moving(m)
	sub := mv.s
	switch {
	case sub.class != nil || sub.b == nil || !sub.b.topLevel() || sub.b.scope.kind != moduleScope:
		return s.decline("%s (%s) is inside another declaration", m.Decl.Title, sub.spot())
	case mv.stmt.parent != mv.u.root:
		return s.decline("%s (%s) is declared under a condition", sub.name, sub.spot())
	case !s.d.handles(m.To) || ext(m.To) == ".pyi" || strings.HasSuffix(m.To, ".d.ts"):
		return s.decline("%s is no file that %s can move to", m.To, sub.name)
	case mv.u.errors > 0 || mv.to != nil && mv.to.errors > 0:
		return s.decline("%s and %s have to parse", mv.u.path, m.To)
	}
	for _, n := range mv.u.strange {
		if t := n.text(); t == "eval" || t == "exec" || t == "globals" {
			return s.decline("%s looks names up as it runs (%s)", mv.u.path, spot(mv.u, n))
		}
	}
	if err := s.d.(moves).movable(mv); err != nil {
		return err
	}
	from, to, err := s.Lines(m.Decl)
	if err != nil {
		return err
	}
	m.Parts = []kit.Part{{From: from, To: to, Text: strings.ReplaceAll(string(mv.u.src[from:to]), "\r\n", "\n")}}
	return nil
}

func (s syntax) moving(m *kit.Move) *moving {
	w := m.Decl.Raw.(whole)
	mv := &moving{job: s.job, m: m, s: w.subject, stmt: w.stmt, u: w.subject.unit, files: map[string]*retold{}}
	if m.Into != nil {
		mv.to = m.Into.Raw.(*unit)
	}
	return mv
}

// Follow implements the hook of move.
func (s syntax) Follow(m *kit.Move) error {
	mv := s.moving(m)
	d := s.d.(moves)
	if mv.to == nil {
		mv.p.files = append(slices.Clone(mv.p.files), m.To)
		mv.p.index[m.To] = true
		delete(mv.p.extra, "dirs")
	}
	if err := d.follow(mv); err != nil {
		return err
	}
	m.Write()
	if err := mv.take(); err != nil {
		return err
	}
	if err := d.imports(mv); err != nil {
		return err
	}
	return mv.give()
}

// take makes the texts of what has been changed so far.
func (mv *moving) take() error {
	for path, changes := range mv.m.Job.Edits.Changes {
		if err := mv.apply(path, changes); err != nil {
			return err
		}
	}
	for path, s := range mv.m.Job.Edits.Created {
		mv.files[path] = &retold{now: text.OfString(s)}
	}
	return nil
}

// apply changes a file as it is now.
func (mv *moving) apply(path string, changes []text.Change) error {
	f := mv.files[path]
	if f == nil {
		f = &retold{now: text.Of(mv.p.unit(path).src)}
		f.total, _ = text.NewChangeSet(f.now.Len())
		mv.files[path] = f
	}
	slices.SortStableFunc(changes, func(a, b text.Change) int { return int(a.From - b.From) })
	cs, err := text.NewChangeSet(f.now.Len(), changes...)
	if err != nil {
		return mv.decline("the changes of %s get in each other's way: %v", path, err)
	}
	if f.now, err = cs.Apply(f.now); err != nil {
		return fmt.Errorf("move: %s: %w", path, err)
	}
	if path == mv.m.To && mv.to == nil {
		return nil
	}
	f.total, err = f.total.Compose(cs)
	if err != nil {
		return fmt.Errorf("move: %s: %w", path, err)
	}
	return nil
}

// now is a file as it is with the changes so far, parsed.
func (mv *moving) now(path string) (*unit, error) {
	f := mv.files[path]
	if f == nil {
		return mv.p.unit(path), nil
	}
	v := mv.p.fresh(path, f.now.Bytes())
	if v == nil {
		return nil, mv.decline("%s would no longer parse", path)
	}
	return v, nil
}

// change lets do record changes of a file as it is now, and makes them.
func (mv *moving) change(path string, do func(j *job, u *unit) error) error {
	v, err := mv.now(path)
	if err != nil {
		return err
	}
	one := *mv.job
	one.edits = map[string][]text.Change{}
	if err := do(&one, v); err != nil {
		return err
	}
	mv.notes = one.notes
	return mv.apply(path, one.edits[path])
}

// give hands the changes to the job, each against the file as it was.
func (mv *moving) give() error {
	out := &mv.m.Job.Edits
	for path, f := range mv.files {
		if path == mv.m.To && mv.to == nil {
			out.Created[path] = f.now.String()
			v, err := mv.now(path)
			if err != nil {
				return err
			}
			if r := mv.unbound(mv.u, v); r != nil {
				return mv.foreign(v, r.node.text())
			}
			continue
		}
		if out.Changes == nil {
			out.Changes = map[string][]text.Change{}
		}
		out.Changes[path] = slices.Collect(f.total.Changes)
	}
	return nil
}

// moved reports whether a node of the source moves.
func (mv *moving) moved(n *node) bool { return mv.m.Holds(n.from) }

// uses are the bindings of the source's module that the parts refer to, with the references.
func (mv *moving) uses() (bs []*binding, refs map[*binding][]*ref) {
	refs = map[*binding][]*ref{}
	for _, r := range inOrder(mv.u.refs) {
		if r.b == nil || r.b.scope != mv.u.module || r.b == mv.s.b || !mv.moved(r.node) {
			continue
		}
		if refs[r.b] == nil {
			bs = append(bs, r.b)
		}
		refs[r.b] = append(refs[r.b], r)
	}
	return bs, refs
}

// remains reports whether the source refers to the binding outside of what moves.
func (mv *moving) remains(b *binding) bool {
	return slices.ContainsFunc(b.refs, func(r *ref) bool { return !r.decl && !mv.moved(r.node) })
}

// atOnce reports whether a reference is looked up while its module is loaded: it is in no body of a
// function.
func atOnce(n *node) bool {
	for p := n.parent; p != nil; n, p = p, p.parent {
		if (p.is("function_definition", "lambda", "function_declaration", "function_expression", "arrow_function",
			"method_definition", "generator_function_declaration", "generator_function")) && n.field == "body" {
			return false
		}
	}
	return true
}

// topOf is the statement of the file that holds the node.
func (u *unit) topOf(n *node) *node {
	for n.parent != nil && n.parent != u.root {
		n = n.parent
	}
	return n
}

// before is the offset of the lines of a statement and the comments above it.
func (u *unit) before(stmt *node) int {
	return lineStart(u.src, above(stmt).from)
}

// reach reports whether loading one file loads another, by the edges that next gives.
func reach(from, to string, next func(string) []string) bool {
	seen := map[string]bool{}
	todo := []string{from}
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if f == to {
			return true
		}
		if seen[f] {
			continue
		}
		seen[f] = true
		todo = append(todo, next(f)...)
	}
	return false
}

// mentioningAll are the files that can name what moves, the source and the other file among them.
func (mv *moving) mentioningAll() ([]*unit, error) {
	units, err := mv.p.mentioning(mv.ctx, mv.s.name)
	return units, err
}

// unread declines when a file that is not parsed here may import what moves.
func (mv *moving) unread() error {
	others, err := mv.p.holding(mv.ctx, templates, mv.s.name)
	if err != nil {
		return err
	}
	for _, f := range others {
		switch ext(f) {
		case ".vue", ".svelte", ".astro", ".mdx", ".ipynb", ".pyx", ".pxd":
			return mv.decline("%s mentions %s and may import it", f, mv.s.name)
		case ".toml", ".cfg":
			if b, err := mv.p.src.Read(f); err != nil || strings.Contains(string(b), ":"+mv.s.name) {
				return mv.decline("%s names %s", f, mv.s.name)
			}
		}
	}
	return nil
}

// sameFolder reports whether both files are in one folder.
func (mv *moving) sameFolder() bool { return path.Dir(mv.u.path) == path.Dir(mv.m.To) }

func keysOf[V any](m map[string]V) iter.Seq[string] {
	return slices.Values(slices.Sorted(maps.Keys(m)))
}

// isAlready reports whether an error only says that there is nothing to do.
func isAlready(err error) bool {
	var d *refactor.Declined
	return errors.As(err, &d) && d.Code == refactor.Already
}
