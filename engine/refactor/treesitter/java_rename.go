package treesitter

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"waferpair/engine/refactor"
)

func init() { javaOps["rename"] = javaRename }

// javaRename renames a symbol where every mention of its name is known to mean it, or not to.
// Then it renames in a copy of the project and looks everything up again: each renamed name
// must mean the same declaration as before, and so must all that had the new name already.
func javaRename(j *job) (string, error) {
	symbol, to := j.op.Args["symbol"], j.op.Args["to"]
	if why := j.d.invalid(to); why != "" {
		return "", j.decline("%s", why)
	}
	kind := j.op.Args["kind"]
	if kind == "const" || kind == "var" {
		kind = ""
	}
	all, err := j.some(symbol, kind)
	if err != nil {
		return "", err
	}
	every := j.op.Args["all"] == "true"
	if len(all) > 1 && !every {
		return "", j.ambiguous(symbol, kind, all)
	}
	r := &javaRenaming{job: j, from: all[0].name, to: to}
	if r.from == to {
		return "", j.already("%s already has that name", symbol)
	}
	for _, s := range all {
		if err := r.subject(s, every); err != nil {
			return "", err
		}
	}
	return r.finish()
}

type javaRenaming struct {
	*job
	from, to string
	spots    []site
	file     *unit // that is called after the type, and gets its new name
}

func (r *javaRenaming) add(u *unit, n *node) {
	if !slices.Contains(r.spots, site{u, n}) {
		r.spots = append(r.spots, site{u, n})
	}
}

func (r *javaRenaming) subject(s *subject, every bool) error {
	if s.class != nil {
		return r.member(s, every)
	}
	if len(s.b.decls) > 1 {
		return r.decline("%s is declared %d times where it could mean either (%s)", r.from, len(s.b.decls), s.spot())
	}
	units := []*unit{s.unit}
	if !s.nested() {
		var err error
		if units, err = r.p.mentioning(r.ctx, r.from); err != nil {
			return err
		}
	}
	for _, u := range units {
		for _, n := range r.d.mentions(u, r.from) {
			switch m := r.d.means(r.p, u, n); {
			case m.kind == bound && m.b == s.b:
				r.add(u, n)
			case m.kind == unknown && !asMethod(n) && u.byNode[n] != nil && !s.nested():
				return r.decline("it is not certain whether %s at %s means the %s", r.from, spot(u, n), s.kind)
			}
		}
	}
	if s.b.scope.kind == moduleScope && javaStem(s.unit.path) == r.from {
		r.file = s.unit
		if to := path.Join(path.Dir(s.unit.path), r.to+".java"); r.p.index[to] {
			return r.decline("%s exists already", to)
		}
	}
	return nil
}

func (r *javaRenaming) member(s *subject, every bool) error {
	method := s.kind == "method"
	mu, err := r.memberUses(s.class, r.from, method)
	if err != nil {
		return err
	}
	switch b := r.p.unsureOf(s.class, r.from); {
	case method && mu.overloadNames > 1 && !every:
		return r.overloads(s)
	case method && !mu.private && !javaHas(s.def, "static") && b != nil:
		return r.decline("%s extends %s, which is not in this project and may rely on the name %s", s.class.title(),
			b.text(), r.from)
	case !method && len(mu.owners) > 1:
		return r.decline("%s and %s both declare a field %s, one of which hides the other", mu.owners[0].title(),
			mu.owners[1].title(), r.from)
	case len(mu.doubts) > 0:
		var places []string
		for _, d := range mu.doubts {
			places = append(places, d.spot())
		}
		sort.Strings(places)
		return coded(refactor.Ambiguous, r.declineNear(r.locals(s), "it is not certain whether %s means %s.%s at %s", r.from,
			s.class.title(), r.from, few(places)))
	}
	if method && s.class.def.is("annotation_type_declaration") && r.from == "value" {
		return r.decline("value is the name that Java itself looks for in an annotation")
	}
	for k := range mu.family.classes {
		for _, m := range k.members[r.to] {
			if m.method == method {
				return r.decline("%s already has a %s (%s)", k.title(), r.to, spot(k.unit, m.name))
			}
		}
		if b := r.p.unsureOf(k, r.to); b != nil && method {
			return r.decline("%s extends %s, which is not in this project and may have a %s", k.title(), b.text(), r.to)
		}
	}
	if method && (javaObject[r.from] || javaObject[r.to] || r.from == "main") {
		return r.decline("%s is a name that Java itself looks for", r.from)
	}
	for _, m := range mu.sure {
		r.add(m.u, m.n)
	}
	return nil
}

// locals are other symbols of that name that could be meant instead: none, mostly.
func (r *javaRenaming) locals(s *subject) []string {
	all, err := r.find(r.from, "")
	if err != nil || len(all) < 2 {
		return nil
	}
	return r.choices(r.from, "", all)
}

func (r *javaRenaming) overloads(s *subject) error {
	var places []string
	for _, m := range s.class.members[r.from] {
		if m.method {
			places = append(places, spot(s.unit, m.name))
		}
	}
	return coded(refactor.Ambiguous, r.declineNear([]string{"rename every " + r.from + " to " + r.to},
		"%s has %s (%s), which only the types of the arguments may tell apart", r.from,
		count(len(places), "overload", "overloads"), few(places)))
}

// finish proves the rename, and records it.
func (r *javaRenaming) finish() (string, error) {
	for _, s := range r.spots {
		if s.n.up("ERROR") != nil {
			return "", r.decline("%s is in a place that has a syntax error", s.spot())
		}
		r.replace(s.u.path, s.n.from, s.n.to, r.to)
	}
	after := &patched{Source: r.p.src, files: map[string][]byte{}}
	for file, changes := range r.edits {
		sort.SliceStable(changes, func(a, b int) bool { return changes[a].From < changes[b].From })
		b, err := applied(r.p.unit(file).src, changes)
		if err != nil {
			return "", err
		}
		after.files[file] = b
	}
	if err := r.prove(after); err != nil {
		return "", err
	}
	files := len(r.edits)
	if r.file != nil {
		to := path.Join(path.Dir(r.file.path), r.to+".java")
		r.create[to] = string(after.files[r.file.path])
		r.gone = append(r.gone, r.file.path)
		delete(r.edits, r.file.path)
		r.note("%s is %s now, as Java wants it", r.file.path, to)
	}
	r.mentionedInText()
	return fmt.Sprintf("Renamed %s to %s: %s in %s.", r.from, r.to, count(len(r.spots), "place", "places"),
		count(files, "file", "files")), nil
}

// mentionedInText notes strings that spell the name.
func (r *javaRenaming) mentionedInText() {
	var in []string
	seen := map[*unit]bool{}
	for _, s := range r.spots {
		if !seen[s.u] {
			seen[s.u] = true
			for _, n := range stringsNaming(s.u, r.from) {
				in = append(in, spot(s.u, n))
			}
		}
	}
	if len(in) > 0 {
		r.note("strings that spell %s were left alone: %s", r.from, few(in))
	}
}

// patched is a project with some files as they would be.
type patched struct {
	refactor.Source
	files map[string][]byte
}

func (p *patched) Read(file string) ([]byte, error) {
	if b, ok := p.files[file]; ok {
		return b, nil
	}
	return p.Source.Read(file)
}

// prove looks up, before and after, whatever has the old name or the new one.
func (r *javaRenaming) prove(after *patched) error {
	q, err := open(r.ctx, after, r.d, &cache{})
	if err != nil {
		return err
	}
	old, err := r.p.mentioning(r.ctx, r.to)
	if err != nil {
		return err
	}
	files := map[string]bool{}
	for _, u := range old {
		files[u.path] = true
	}
	for file := range after.files {
		files[file] = true
	}
	for file := range files {
		u, v := r.p.unit(file), q.unit(file)
		if v == nil || v.errors > u.errors {
			return r.decline("%s would no longer parse", file)
		}
		if err := r.same(u, v, q); err != nil {
			return err
		}
	}
	return nil
}

// same compares what the names of a file mean, in order.
func (r *javaRenaming) same(u, v *unit, q *project) error {
	was, is := r.named(u, r.from, r.to), r.named(v, r.from, r.to)
	if len(was) != len(is) {
		return r.decline("%s would read otherwise afterwards", u.path)
	}
	for i := range was {
		a, b := r.key(r.d.means(r.p, u, was[i]), asMethod(was[i])), r.key(r.d.means(q, v, is[i]), asMethod(is[i]))
		if a != b {
			return r.decline("%s at %s would mean something else afterwards", is[i].text(), spot(v, is[i]))
		}
	}
	return nil
}

func (r *javaRenaming) named(u *unit, names ...string) []*node {
	var out []*node
	u.root.walk(func(n *node) bool {
		if n.is("identifier", "type_identifier") && slices.Contains(names, n.text()) {
			out = append(out, n)
		}
		return true
	})
	return out
}

// key is what a name means, in words that a rename does not change: a rename moves no line.
func (r *javaRenaming) key(m meaning, method bool) string {
	switch {
	case m.kind == bound && m.b != nil && len(m.b.decls) > 0:
		return fmt.Sprintf("%s:%d %s", m.b.unit.path, m.b.decls[0].name.line(), strings.TrimPrefix(m.b.kind, "local "))
	case m.kind == memberOf:
		line := 0
		if d := memberOfSort(m.class, m.name, method); d != nil {
			line = d.name.line()
		}
		return fmt.Sprintf("%s:%d member of %d", m.class.unit.path, line, m.class.def.line())
	}
	return fmt.Sprint(m.kind)
}
