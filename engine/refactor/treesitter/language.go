package treesitter

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
	"waferpair/engine/refactor/typecheck"
	"waferpair/workspace/text"
)

// language is a dialect with its operations: what Python and TypeScript return.
type language struct {
	name  string
	d     dialect
	cache *cache
	own   map[string]operation // instead of operations, where it is not nil
	types *typecheck.Checker   // nil: there is none
}

func newLanguage(name string, d dialect) *language {
	return &language{name: name, d: d, cache: &cache{}}
}

// job is one operation on its way: the project, the request, and the edits so far.
type job struct {
	ctx    context.Context
	p      *project
	d      dialect
	op     refactor.Op
	target refactor.Target
	edits  map[string][]text.Change
	create map[string]string
	gone   []string // files that are deleted
	notes  []string
}

// operation carries one operation out and returns the summary. Those that are not listed here
// are written once for all languages, in package ops.
type operation func(j *job) (string, error)

var operations = map[string]operation{}

func (l *language) Name() string             { return l.name }
func (l *language) Handles(path string) bool { return l.d.handles(path) }

func (l *language) Has(op string) bool {
	_, common := ops.Of(op, syntax{job: &job{d: l.d}})
	return common || l.operation(op) != nil
}

func (l *language) operation(name string) operation {
	if l.own != nil {
		return l.own[name]
	}
	return operations[name]
}

func (l *language) start(ctx context.Context, src refactor.Source,
	target refactor.Target, op refactor.Op) (*job, error) {
	p, err := open(ctx, src, l.d, l.cache)
	if err != nil {
		return nil, fmt.Errorf("treesitter: list the project's files for %s: %w", op, err)
	}
	return &job{ctx: ctx, p: p, d: l.d, op: op, target: target, edits: map[string][]text.Change{},
		create: map[string]string{}}, nil
}

func (l *language) Run(ctx context.Context, src refactor.Source,
	target refactor.Target, op refactor.Op) (refactor.Result, error) {
	if !l.Has(op.Name) {
		return refactor.Result{}, &refactor.Declined{Understood: op.String(), Reason: l.name + " has no operation " + op.Name}
	}
	j, err := l.start(ctx, src, target, op)
	if err != nil {
		return refactor.Result{}, err
	}
	if o, ok := ops.Of(op.Name, syntax{job: j}); ok {
		return o.Carry(ctx, syntax{j, map[string]*kit.File{}}, target, op)
	}
	summary, err := l.operation(op.Name)(j)
	if err != nil {
		return refactor.Result{}, err
	}
	return j.result(summary)
}

// decline makes the error for a request that cannot be carried out.
func (j *job) decline(format string, args ...any) error {
	return &refactor.Declined{Understood: j.op.String(), Reason: fmt.Sprintf(format, args...)}
}

// already says that the project is as the operation wants it.
func (j *job) already(format string, args ...any) error {
	return &refactor.Declined{Code: refactor.Already, Understood: j.op.String(), Reason: fmt.Sprintf(format, args...)}
}

// coded puts a code on a refusal.
func coded(c refactor.Code, err error) error {
	var d *refactor.Declined
	if errors.As(err, &d) {
		d.Code = c
	}
	return err
}

func (j *job) declineNear(near []string, format string, args ...any) error {
	return &refactor.Declined{Understood: j.op.String(), Reason: fmt.Sprintf(format, args...), Nearest: near}
}

func (j *job) note(format string, args ...any) {
	n := fmt.Sprintf(format, args...)
	for _, old := range j.notes {
		if old == n {
			return
		}
	}
	j.notes = append(j.notes, n)
}

// replace records a change; the same change twice is one.
func (j *job) replace(file string, from, to int, insert string) {
	c := text.Change{From: text.Byte(from), To: text.Byte(to), Insert: insert}
	for _, old := range j.edits[file] {
		if old == c && to > from {
			return
		}
	}
	j.edits[file] = append(j.edits[file], c)
}

// result sorts the edits and checks every changed file.
func (j *job) result(summary string) (refactor.Result, error) {
	r := refactor.Result{Summary: summary, Notes: j.notes}
	for file, changes := range j.edits {
		sort.SliceStable(changes, func(a, b int) bool { return changes[a].From < changes[b].From })
		if err := j.check(file, changes); err != nil {
			return refactor.Result{}, err
		}
		r.Edits = append(r.Edits, refactor.FileEdit{Path: file, Changes: changes})
	}
	for file, content := range j.create {
		if root, err := parse(j.d.grammar(file), []byte(content)); err != nil || root.errors() > 0 {
			return refactor.Result{}, j.decline("the new file %s would not parse", file)
		}
		r.Edits = append(r.Edits, refactor.FileEdit{Path: file, Create: true, Changes: []text.Change{{Insert: content}}})
	}
	for _, file := range j.gone {
		r.Edits = append(r.Edits, refactor.FileEdit{Path: file, Delete: true})
	}
	sort.Slice(r.Edits, func(a, b int) bool { return r.Edits[a].Path < r.Edits[b].Path })
	if len(r.Edits) == 0 {
		return refactor.Result{}, j.decline("there is nothing to change")
	}
	return r, nil
}

// check parses the file as it would be: it must have no syntax error that it
// did not have before, and a rename must leave every reference bound as it was.
func (j *job) check(file string, changes []text.Change) error {
	u := j.p.unit(file)
	after, err := applied(u.src, changes)
	if err != nil {
		return fmt.Errorf("treesitter: %s: %s: %w", j.op, file, err)
	}
	v := j.p.fresh(file, after)
	if v == nil || v.errors > u.errors {
		return j.decline("%s would no longer parse", file)
	}
	if line := joined(u, v); line != "" {
		return j.decline("%s would go on in the line %q, which a missing semicolon makes possible", file, line)
	}
	_, looked := j.d.(typed) // whose rename looks everything up in the whole project as it would be
	if r := j.unbound(u, v); r != nil && !(looked && j.op.Name == "rename") {
		return j.foreign(u, r.node.text())
	}
	if j.op.Name == "rename" {
		if r := rebound(u, v); r != nil {
			return j.decline("%s:%d: %s would mean something else afterwards", file, r.node.line(), r.node.text())
		}
	}
	return nil
}

// fresh parses and binds bytes that are not in the project.
func (p *project) fresh(file string, src []byte) *unit {
	return (&cache{}).get(p.d, file, src)
}

func applied(src []byte, changes []text.Change) ([]byte, error) {
	var b strings.Builder
	at := text.Byte(0)
	for _, c := range changes {
		if c.From < at || c.To < c.From || int(c.To) > len(src) {
			return nil, fmt.Errorf("changes overlap at byte %d", c.From)
		}
		b.Write(src[at:c.From])
		b.WriteString(c.Insert)
		at = c.To
	}
	b.Write(src[at:])
	return []byte(b.String()), nil
}

// rebound compares the bindings of a file before and after a rename: the
// references are the same in number and order, and two of them share a binding
// afterwards exactly if they did before. It returns one that does not.
func rebound(u, v *unit) *ref {
	a, b := inOrder(u.refs), inOrder(v.refs)
	if len(a) != len(b) {
		if len(a) > 0 {
			return a[0]
		}
		return nil
	}
	there, back := map[*binding]*binding{}, map[*binding]*binding{}
	for i := range a {
		x, y := a[i].b, b[i].b
		if (x == nil) != (y == nil) {
			return a[i]
		}
		if x == nil {
			continue
		}
		if m, ok := there[x]; ok && m != y {
			return a[i]
		}
		if m, ok := back[y]; ok && m != x {
			return a[i]
		}
		there[x], back[y] = y, x
	}
	return nil
}

func inOrder(refs []*ref) []*ref {
	out := append([]*ref(nil), refs...)
	sort.SliceStable(out, func(i, j int) bool { return out[i].node.from < out[j].node.from })
	return out
}

// spot is where something is, as the user is told: "app/config.py:12".
func spot(u *unit, n *node) string { return fmt.Sprintf("%s:%d", u.path, n.line()) }

// few joins the first places of a list.
func few(places []string) string {
	const limit = 6
	if len(places) > limit {
		return strings.Join(places[:limit], ", ") + fmt.Sprintf(" and %d more", len(places)-limit)
	}
	return strings.Join(places, ", ")
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
