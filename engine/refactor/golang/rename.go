package golang

import (
	"bytes"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"waferpair/engine/refactor"
)

// renaming is one rename while it is worked out:
//
//	symbols -> targets (places of their declarations)
//	        -> survey: every mention of the old and new name, resolved
//	        -> grow: embedded fields and coupled methods join the targets
//	        -> edits -> the same survey of the changed files: every identifier
//	           must mean what it meant before, and the checker must find
//	           nothing new to complain about
//
// The survey is repeated with more of the surroundings loaded while a mention
// stays uncertain; what is uncertain in the end declines the operation.
type renaming struct {
	j        *job
	from, to string
	symbols  []*symbol
	targets  map[loc]bool
	dirs     map[string]bool // folders of the declarations
	member   bool            // reached through values, not only by name
	local    bool
	wide     bool // other packages may refer to it
	narrow   bool // the rung being tried

	deps       map[string]map[string]bool // see linked
	interfaces bool                       // some interface has a method of the old name
	whole      bool                       // look into functions that do not mention the name, too
	extra      map[string]bool            // folders to check though they do not mention the name
}

func (j *job) rename() error {
	to := j.arg("to")
	found, err := j.symbols("symbol", "")
	if err != nil {
		return err
	}
	from := found[0].first().name.Name
	if err := j.checkNewName(from, to); err != nil {
		return err
	}
	r := newRenaming(j, from, to, found)
	if len(found) > 1 && j.arg("all") != "true" && !r.oneFamily() {
		return j.ambiguous(j.arg("symbol"), found)
	}
	if err := r.refuse(); err != nil {
		return err
	}
	return r.run()
}

func newRenaming(j *job, from, to string, symbols []*symbol) *renaming {
	r := &renaming{j: j, from: from, to: to, symbols: symbols, targets: map[loc]bool{}, dirs: map[string]bool{}}
	r.local = true
	for _, s := range symbols {
		for _, d := range s.decls {
			r.targets[d.loc()] = true
			r.dirs[d.file.dir] = true
			r.member = r.member || d.kind == "field" || d.kind == "method"
			r.local = r.local && d.local
		}
	}
	r.wide = !r.local && exported(from)
	if !r.member && r.embedded() {
		r.member = true
	}
	r.extra = map[string]bool{}
	r.dotImporters()
	return r
}

func (j *job) checkNewName(from, to string) error {
	switch {
	case to == "":
		return j.declined("the argument to is missing: the new name")
	case to == from:
		return j.already("it already has that name")
	case token.IsKeyword(to):
		return j.declined("%s is a keyword of Go", to)
	case !token.IsIdentifier(to) || to == "_":
		return j.declined("%q is not a name in Go", to)
	}
	return nil
}

// refuse declines what no analysis can make safe.
func (r *renaming) refuse() error {
	for _, s := range r.symbols {
		for _, d := range s.decls {
			if err := r.refuseDecl(d); err != nil {
				return err
			}
		}
	}
	return r.refuseLinks()
}

func (r *renaming) refuseDecl(d *decl) error {
	top := d.kind == "func" && !d.local
	switch {
	case top && (r.from == "init" || r.from == "main" && d.file.ast.Name.Name == "main"):
		return r.j.declined("func %s is called by the Go runtime under that name", r.from)
	case top && (r.to == "init" || r.to == "main" && d.file.ast.Name.Name == "main"):
		return r.j.declined("func %s has a meaning of its own in Go", r.to)
	case top && d.file.test && testPrefix(r.from) != testPrefix(r.to):
		return r.j.declined("go test would no longer treat %s as what it is: %s functions are found by their prefix", r.to,
			testPrefix(r.from)+testPrefix(r.to))
	case d.file.err != nil:
		return r.j.declined("%s does not parse: %v", d.file.path, d.file.err)
	}
	if d.file.generated() {
		r.j.note("%s is generated: change its source too, or the next run will undo this.", d.file.path)
	}
	return nil
}

// testPrefix is what makes go test run a function of a test file.
func testPrefix(name string) string {
	for _, p := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if rest, ok := strings.CutPrefix(name, p); ok && (rest == "" || exported(rest) || !isLower(rest)) {
			return p
		}
	}
	return ""
}

func isLower(s string) bool { return s[0] >= 'a' && s[0] <= 'z' }

// refuseLinks declines where assembly or the linker knows the symbol by name.
func (r *renaming) refuseLinks() error {
	if err := r.refuseAssembly(); err != nil {
		return err
	}
	if r.local || r.member {
		return nil
	}
	for _, f := range r.j.p.all {
		b, ok := r.j.p.bytes[f]
		if !ok || isGo(f) || strings.HasSuffix(f, "go.mod") || strings.HasSuffix(f, "go.work") {
			continue
		}
		if r.assemblyNames(f, b) {
			return r.j.declined("%s, which is assembly, refers to %s by name", f, r.from)
		}
	}
	for _, f := range r.j.p.mentioning(r.from) {
		if b := r.j.p.bytes[f]; !bytes.Contains(b, []byte("//go:")) && !bytes.Contains(b, []byte("//export ")) {
			continue
		}
		for line := range strings.Lines(string(r.j.p.bytes[f])) {
			linked := strings.HasPrefix(line, "//go:linkname ") || strings.HasPrefix(line, "//export ") ||
				strings.HasPrefix(line, "//go:wasmexport ") || strings.HasPrefix(line, "//go:cgo_")
			if linked && hasWord([]byte(line), r.from) {
				return r.j.declined("%s gives the linker the name: %s", f, strings.TrimSpace(line))
			}
			if strings.HasPrefix(line, "//go:generate ") && hasWord([]byte(line), r.from) {
				r.j.note("%s: a //go:generate line mentions %s and was left alone.", f, r.from)
			}
		}
	}
	return nil
}

// rung is how much a survey loads.
type rung struct {
	level  level
	narrow bool // of the project, only the declaring packages
}

// ladder lists what to try, the cheapest first. Only what is reached by name
// alone, and fields, can be resolved without the dependencies' types: a method
// may satisfy an interface of theirs, or one of ours together with methods that
// come from an embedded type of theirs.
func (r *renaming) ladder() []rung {
	own, project, all := rung{levelOwn, true}, rung{levelProject, false}, rung{levelAll, false}
	switch {
	case r.methods() && r.wide:
		return []rung{{levelAll, true}, all}
	case r.methods():
		return []rung{all}
	case r.member && !r.onlyMembers() && r.wide: // a type that is embedded somewhere
		return []rung{project, all}
	}
	return []rung{own, project, all}
}

func (r *renaming) run() error {
	var doubts []string
	files := r.concerned(r.j.p)
	if r.methods() && r.wide {
		r.j.p.ext.want(r.j.p.foreignImports(r.dirs))
	}
	for _, l := range r.ladder() {
		if err := r.j.ctx.Err(); err != nil {
			return err
		}
		r.narrow = l.narrow
		s, err := r.survey(r.j.p, files, l.level)
		if err != nil {
			return err
		}
		if err := r.grow(s); err != nil {
			return err
		}
		var far bool
		doubts, far = r.doubts(s)
		if len(doubts) == 0 && !(far && r.j.p.comesBack()) && !(l.narrow && r.wide && r.reachesFurther(s)) {
			return r.finish(s)
		}
	}
	if len(doubts) == 0 {
		return r.j.declined("a dependency imports this project and may hand values with %s to packages that do not, whose types could not be loaded", r.from)
	}
	return r.j.declined("it is not certain what %s means at %s: the types there could not be loaded",
		r.from, someOf(doubts))
}

// reachesFurther reports whether packages that do not mention the name may
// break with it: through interfaces, or by converting structs.
func (r *renaming) reachesFurther(s *survey) bool {
	return r.member && (r.interfaces || r.convertible(s))
}

func someOf(places []string) string {
	slices.Sort(places)
	places = slices.Compact(places)
	if len(places) > 5 {
		return strings.Join(places[:5], ", ") + fmt.Sprintf(" and %d more places", len(places)-5)
	}
	return strings.Join(places, ", ")
}

func (r *renaming) finish(s *survey) error {
	if err := r.visible(s); err != nil {
		return err
	}
	if err := r.missing(); err != nil {
		return err
	}
	for _, m := range s.mentions {
		if r.isTarget(m) && m.id.Name == r.from {
			r.j.edits.replace(m.file.path, m.at.off, m.at.off+len(r.from), r.to)
		}
	}
	places, files := r.j.edits.count()
	if places == 0 {
		return r.j.declined("no declaration of %s was found to rename", r.from)
	}
	r.docs()
	r.examples()
	if err := r.j.edits.sorted(); err != nil {
		return err
	}
	if err := r.prove(s); err != nil {
		return err
	}
	r.align()
	r.notes()
	r.j.summary = fmt.Sprintf("Renamed %s to %s: %s in %s.", r.from, r.to, plural(places, "place"), plural(files, "file"))
	return nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (r *renaming) isTarget(m *mention) bool {
	return slices.ContainsFunc(m.decls, func(l loc) bool { return r.targets[l] })
}

// visible declines making a name private that other packages use.
func (r *renaming) visible(s *survey) error {
	if exported(r.to) || r.local {
		return nil
	}
	for _, m := range s.mentions {
		if r.isTarget(m) && m.id.Name == r.from && !r.samePackage(m.file) {
			return &refactor.Declined{Understood: r.j.op.String(), Reason: fmt.Sprintf(
				"%s:%d, in another package, uses %s and could not use the unexported %s", m.file.path,
				m.file.line(m.at.off), r.from, r.to)}
		}
	}
	return nil
}

func (r *renaming) samePackage(g *goFile) bool {
	return slices.ContainsFunc(r.symbols, func(s *symbol) bool {
		f := s.first().file
		return f.dir == g.dir && f.ast.Name.Name == g.ast.Name.Name
	})
}
