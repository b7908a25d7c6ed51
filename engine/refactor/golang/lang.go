package golang

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"runtime/debug"
	"slices"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// New returns Go's operations.
func New() refactor.Language { return language{newPreparations()} }

type language struct{ prepared *preparations }

func (language) Name() string { return "Go" }

func (language) Handles(path string) bool { return isGo(path) }

func (language) Has(op string) bool {
	_, common := ops.Of(op, syntax{})
	return common || operations[op] != nil
}

// operations are those that Go carries out itself; each fills in the job's edits. The others
// are written once for all languages, in package ops.
var operations map[string]func(*job) error

func init() {
	operations = map[string]func(*job) error{
		"rename":           (*job).rename,
		"add-import":       (*job).addImport,
		"remove-imports":   (*job).removeImports,
		"sort-imports":     (*job).sortImports,
		"set-constant":     (*job).setConstant,
		"add-param":        (*job).addParam,
		"remove-param":     (*job).removeParam,
		"add-field":        (*job).addField,
		"json-tags":        (*job).jsonTags,
		"replace-call":     (*job).replaceCall,
		"extract-variable": (*job).extractVariable,
		"extract-constant": (*job).extractConstant,
		"handle-error":     (*job).handleError,
		"add-test":         (*job).addTest,
		"visibility":       (*job).visibility,
	}
}

// job is one operation being carried out.
type job struct {
	ctx     context.Context
	p       *project
	target  refactor.Target
	op      refactor.Op
	edits   *edits
	summary string
	notes   []string

	rejected *rejection // why settle declined: the compiler would, too

	misfits   *[]string // if there, complaints of the compiler are gathered here and not a reason to decline
	guard     []string  // names whose other uses must keep their meaning
	words     []string  // if any: only functions that mention one can be affected
	dropsCode bool      // code goes away: imports that only it used go with it

	errScopes map[*types.Scope]bool // where the job has declared err
	handled   string                // how handle-error deals with an error: Returned, Handled

	universes map[universeKey]*universe

	signed *signature // the function whose parameters and calls the job changes

	imported map[string]string // imports added so far: file and path -> local name
}

func (j *job) arg(name string) string { return strings.TrimSpace(j.op.Args[name]) }

func (j *job) note(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if !slices.Contains(j.notes, s) {
		j.notes = append(j.notes, s)
	}
}

func (j *job) declined(format string, args ...any) error {
	return &refactor.Declined{Understood: j.op.String(), Reason: fmt.Sprintf(format, args...)}
}

// already says that the project is as the operation wants it.
func (j *job) already(format string, args ...any) error {
	return &refactor.Declined{Code: refactor.Already, Understood: j.op.String(), Reason: fmt.Sprintf(format, args...)}
}

// Declares counts the symbols that the operation's subject may mean.
func (language) Declares(ctx context.Context, src refactor.Source,
	target refactor.Target, op refactor.Op) (int, []string, error) {
	spec, _ := refactor.Lookup(op.Name)
	about, _ := spec.Subject()
	subject := strings.TrimSpace(op.Args[about.Name])
	if op.Name == "add-flag" && target.File == "" { // whose subject may be a subcommand
		p, err := openProject(ctx, src)
		if err != nil {
			return 0, nil, err
		}
		return len(p.flagReaders()), nil, nil
	}
	if subject == "" {
		if isGo(target.File) {
			return 1, nil, nil
		}
		return 0, nil, nil
	}
	p, err := openProject(ctx, src)
	if err != nil {
		return 0, nil, err
	}
	j := &job{ctx: ctx, p: p, target: target, op: op}
	if op.Name == "replace-call" { // what is called need not be declared here
		n, err := j.countCalls()
		return n, nil, err
	}
	found := p.find(j.query(subject, about.Kinds))
	if len(found) == 0 {
		return 0, j.nearest(subject), nil
	}
	return len(found), nil, nil
}

// Run carries the operation out on one reading of the project.
func (l language) Run(ctx context.Context, src refactor.Source,
	target refactor.Target, op refactor.Op) (res refactor.Result, err error) {
	defer func() { // the checker has been known to give up on broken code; the user's session must not
		if r := recover(); r != nil {
			res, err = refactor.Result{}, fmt.Errorf("%s: internal error: %v\n%s", op, r, debug.Stack())
		}
	}()
	if !l.Has(op.Name) {
		return refactor.Result{}, &refactor.Declined{Understood: op.String(), Reason: "Go has no operation " + op.Name}
	}
	p, err := openProject(ctx, src)
	if err != nil {
		return refactor.Result{}, err
	}
	j := &job{ctx: ctx, p: p, target: target, op: op, edits: newEdits(p)}
	if o, ok := ops.Of(op.Name, syntax{}); ok {
		return o.Carry(ctx, syntax{j, map[string]*kit.File{}}, target, op)
	}
	err = operations[op.Name](j)
	if ctx.Err() != nil { // what was not answered any more is no reason
		err = ctx.Err()
	}
	if err != nil {
		return refactor.Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return refactor.Result{}, err
	}
	if err := j.edits.sorted(); err != nil {
		return refactor.Result{}, err
	}
	return refactor.Result{Edits: j.edits.fileEdits(), Summary: j.summary, Notes: j.notes}, nil
}

// query reads a symbol argument. kinds is what the operation accepts.
func (j *job) query(symbol, kinds string) query {
	kind := j.arg("kind")
	if kind == "" && !strings.Contains(kinds, " ") {
		kind = kinds
	}
	return parseQuery(symbol, kind)
}

func (j *job) nearest(symbol string) []string {
	q := parseQuery(symbol, "")
	return kit.Nearest(q.name, j.p.names(nil))
}

// symbols finds what the argument means and narrows several candidates by the
// target: the selection, then the file. It declines when there is none.
func (j *job) symbols(arg, kinds string) ([]*symbol, error) {
	name := j.arg(arg)
	if name == "" {
		return nil, j.declined("the argument %s is missing", arg)
	}
	q := j.query(name, kinds)
	if sel := j.selected(q); len(sel) > 0 {
		return sel, nil
	}
	found := j.p.find(q)
	if len(found) == 0 {
		d := &refactor.Declined{Code: refactor.NoSymbol, Understood: j.op.String(), Nearest: j.nearest(name)}
		d.Reason = "no symbol named " + name
		if any := j.p.find(query{name: q.name}); len(any) > 0 {
			d.Reason = fmt.Sprintf("%s is not what was asked for; there is %s", name, listSymbols(any))
		} else if ns := namesOfDecls(j.p, q.name); ns != "" {
			d.Reason = ns
		}
		return nil, d
	}
	return j.narrow(found), nil
}

// namesOfDecls tells a name that is only imported or only used from one that is absent.
func namesOfDecls(p *project, name string) string {
	files := p.mentioning(name)
	for _, g := range p.files(files) {
		if g.err != nil {
			return fmt.Sprintf("%s is mentioned in %s, which does not parse: %v", name, g.path, g.err)
		}
	}
	if len(files) > 0 {
		return fmt.Sprintf("%s is mentioned in %s but not declared in this project", name, files[0])
	}
	return ""
}

// symbol is symbols where exactly one is needed.
func (j *job) symbol(arg, kinds string) (*symbol, error) {
	found, err := j.symbols(arg, kinds)
	if err != nil {
		return nil, err
	}
	if len(found) > 1 {
		return nil, j.ambiguous(j.arg(arg), found)
	}
	return found[0], nil
}

func (j *job) ambiguous(name string, found []*symbol) error {
	d := &refactor.Declined{Code: refactor.Ambiguous, Understood: j.op.String()}
	d.Reason = fmt.Sprintf("%s has %d declarations: %s; name one (Type.Method, pkg.Name), open its file or select it",
		name, len(found), listSymbols(found))
	for i, s := range found {
		if q := s.qualified(); i < 5 && !slices.Contains(d.Nearest, q) {
			d.Nearest = append(d.Nearest, q)
		}
	}
	return d
}

// qualified is the name with what tells it from others of the same name.
func (s *symbol) qualified() string {
	d := s.first()
	if d.owner != "" {
		return d.owner + "." + d.name.Name
	}
	return d.file.ast.Name.Name + "." + d.name.Name
}

func listSymbols(found []*symbol) string {
	var out []string
	for i, s := range found {
		if i == 12 {
			out = append(out, fmt.Sprintf("and %d more", len(found)-i))
			break
		}
		out = append(out, s.String())
	}
	return strings.Join(out, ", ")
}

// narrow keeps the symbols that the target's file declares or, failing that, uses.
func (j *job) narrow(found []*symbol) []*symbol {
	if len(found) < 2 || j.target.File == "" || j.arg("all") == "true" {
		return found
	}
	var here []*symbol
	for _, s := range found {
		if slices.ContainsFunc(s.decls, func(d *decl) bool { return d.file.path == j.target.File }) {
			here = append(here, s)
		}
	}
	if len(here) > 0 {
		return here
	}
	return j.usedHere(found)
}

// nearer adds what would work to a Declined.
func nearer(err error, nearest ...string) error {
	var d *refactor.Declined
	if errors.As(err, &d) {
		d.Nearest = append(d.Nearest, nearest...)
	}
	return err
}
