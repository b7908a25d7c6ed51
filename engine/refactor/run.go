package refactor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"waferpair/workspace/text"
)

// Runner carries programs out with the languages that it knows.
type Runner struct{ Languages []Language }

// Run carries a program out. Later operations see what earlier ones did, and
// the result is one set of edits against src. The error is *Declined when an
// operation cannot be done; then nothing of the program is.
func (r Runner) Run(ctx context.Context, src Source, target Target, prog Program) (Result, error) {
	if len(prog) == 0 {
		return Result{}, &Declined{Reason: "the request holds no operation"}
	}
	over := newOverlay(src)
	var sum Result
	for _, op := range prog {
		op, at, err := r.point(ctx, over, target, op)
		if err != nil {
			return Result{}, err
		}
		lang, err := r.choose(ctx, over, at, op)
		if err != nil {
			return Result{}, err
		}
		res, err := nothingToDo(lang.Run(ctx, over, at, op))
		if err != nil {
			return Result{}, understood(err, op)
		}
		if err := over.fit(res.Edits); err != nil {
			return Result{}, fmt.Errorf("refactor %s: %w", op.Name, err)
		}
		if target, err = target.After(over, res.Edits); err != nil {
			return Result{}, fmt.Errorf("refactor %s: %w", op.Name, err)
		}
		if err := over.add(res.Edits); err != nil {
			return Result{}, fmt.Errorf("refactor %s: %w", op.Name, err)
		}
		sum.Summary = strings.TrimSpace(sum.Summary + " " + res.Summary)
		sum.Notes = append(sum.Notes, res.Notes...)
	}
	edits, err := over.edits()
	if err != nil {
		return Result{}, err
	}
	if rejected, err := r.rejected(ctx, over); err != nil {
		return Result{}, err
	} else if rejected != "" {
		return Result{}, understood(&Declined{Reason: "the compiler would reject it: " + rejected}, prog[len(prog)-1])
	}
	sum.Edits = edits
	return sum, nil
}

// rejected is what the compilers of the languages say against the program's edits, "" for nothing.
func (r Runner) rejected(ctx context.Context, over *overlay) (string, error) {
	for _, l := range r.Languages {
		c, ok := l.(Compiler)
		if !ok {
			continue
		}
		edited, err := over.edited(l.Handles)
		if err != nil {
			return "", err
		}
		if len(edited) == 0 {
			continue
		}
		if says := c.Compiles(ctx, edited); says != "" {
			return says, nil
		}
	}
	return "", nil
}

// Types lets the type checkers of the languages judge edits, and joins what they say.
func (r Runner) Types(ctx context.Context, root string, edited []Edited) Types {
	var sum Types
	for _, l := range r.Languages {
		c, ok := l.(TypeChecker)
		if !ok {
			continue
		}
		theirs := slices.DeleteFunc(slices.Clone(edited), func(e Edited) bool { return !l.Handles(e.Path) })
		if len(theirs) == 0 {
			continue
		}
		t := c.Types(ctx, root, theirs)
		sum.By, sum.Skipped = cmp.Or(sum.By, t.By), cmp.Or(sum.Skipped, t.Skipped)
		sum.Files, sum.Errors, sum.Unused = sum.Files+t.Files, append(sum.Errors, t.Errors...),
			append(sum.Unused, t.Unused...)
	}
	return sum
}

// nothingToDo turns the refusal of an operation whose result is there already
// into that result: asking for it again is no mistake.
func nothingToDo(res Result, err error) (Result, error) {
	var d *Declined
	if !errors.As(err, &d) || d.Code != Already {
		return res, err
	}
	reason := d.Reason
	switch first, rest, _ := strings.Cut(reason, " "); first {
	case "the", "there", "every", "it": // other first words are names and paths
		reason = strings.ToUpper(first[:1]) + first[1:] + " " + rest
	}
	return Result{Summary: reason + "."}, nil
}

// understood adds what was understood to a refusal that lacks it.
func understood(err error, op Op) error {
	if d, ok := err.(*Declined); ok && d.Understood == "" {
		c := *d
		c.Understood = op.String()
		return &c
	}
	return err
}

// choose finds the language that an operation is about: the target file's, or
// the only one that declares the operation's subject.
func (r Runner) choose(ctx context.Context, src Source, target Target, op Op) (Language, error) {
	if target.File != "" {
		return r.forFile(target.File, op)
	}
	var found []Language
	var nearest, cannot []string
	for _, l := range r.Languages {
		n, near, err := l.Declares(ctx, src, target, op)
		if err != nil {
			return nil, fmt.Errorf("look for %s in the %s files: %w", op, l.Name(), err)
		}
		switch {
		case n > 0 && l.Has(op.Name):
			found = append(found, l)
		case n > 0:
			cannot = append(cannot, l.Name())
		}
		nearest = append(nearest, near...)
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, &Declined{Code: Ambiguous, Understood: op.String(),
			Reason: "it is declared in files of several languages (" + names(found) + "); add \"in app.py\""}
	case len(cannot) > 0:
		return nil, &Declined{Understood: op.String(), Reason: lacking(op.Name, cannot...)}
	}
	code, reason := missing(op)
	return nil, &Declined{Code: code, Understood: op.String(), Reason: reason, Nearest: nearest}
}

func (r Runner) forFile(file string, op Op) (Language, error) {
	for _, l := range r.Languages {
		if !l.Handles(file) {
			continue
		}
		if !l.Has(op.Name) {
			return nil, &Declined{Understood: op.String(), Reason: lacking(op.Name, l.Name())}
		}
		return l, nil
	}
	return nil, &Declined{Understood: op.String(), Reason: "the built-in model doesn't edit " + kindOf(file) +
		" yet; it edits " + names(r.Languages)}
}

// lacking says that languages do not have an operation.
func lacking(op string, languages ...string) string {
	spec, _ := Lookup(op)
	if why := spec.Lacks[strings.ToLower(languages[0])]; why != "" {
		return why
	}
	return op + " is not available for " + strings.Join(languages, ", ") + " yet"
}

// kinds are the names of languages that people may expect the built-in model to edit.
var kinds = map[string]string{".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".hpp": "C++", ".cs": "C#",
	".java": "Java", ".kt": "Kotlin", ".lua": "Lua", ".php": "PHP", ".pl": "Perl", ".rb": "Ruby", ".rs": "Rust",
	".scala": "Scala", ".sh": "shell scripts", ".sql": "SQL", ".swift": "Swift", ".zig": "Zig", ".html": "HTML",
	".css": "CSS", ".json": "JSON", ".md": "Markdown", ".toml": "TOML", ".yaml": "YAML", ".yml": "YAML"}

// kindOf names the language of a file that no Language handles.
func kindOf(file string) string {
	if kind := kinds[strings.ToLower(path.Ext(file))]; kind != "" {
		return kind
	}
	return "files like " + path.Base(file)
}

// WhichFile asks for the file that an operation is about.
const WhichFile = "which file? open it, or add \"in app.py\""

// missing is why no language has the operation's subject.
func missing(op Op) (Code, string) {
	spec, _ := Lookup(op.Name)
	if p, ok := spec.Subject(); ok && op.Args[p.Name] != "" {
		return NoSymbol, "nothing named " + op.Args[p.Name] + " is declared in the project"
	}
	return NoFile, WhichFile
}

func names(ls []Language) string {
	out := make([]string, len(ls))
	for i, l := range ls {
		out[i] = l.Name()
	}
	return strings.Join(out, ", ")
}

// overlay is a Source with the edits of the program so far laid over it.
type overlay struct {
	Source
	files map[string]*laid
}

// laid is a file that the program has touched.
type laid struct {
	total   text.ChangeSet // from the source's bytes to now
	now     text.Text
	created bool
	deleted bool
}

func newOverlay(src Source) *overlay { return &overlay{Source: src, files: map[string]*laid{}} }

func (o *overlay) Files(ctx context.Context) ([]string, error) {
	all, err := o.Source.Files(ctx)
	if err != nil || len(o.files) == 0 {
		return all, err
	}
	out := slices.DeleteFunc(slices.Clone(all), func(p string) bool { l := o.files[p]; return l != nil && l.deleted })
	for p, l := range o.files {
		if l.created && !l.deleted {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (o *overlay) Read(path string) ([]byte, error) {
	if l := o.files[path]; l != nil {
		return l.now.Bytes(), nil
	}
	return o.Source.Read(path)
}

// edited are the changed files that handles is true for, sorted.
func (o *overlay) edited(handles func(path string) bool) ([]Edited, error) {
	var out []Edited
	for _, p := range slices.Sorted(maps.Keys(o.files)) {
		l := o.files[p]
		if l.deleted || !handles(p) {
			continue
		}
		e := Edited{Path: p, After: l.now.Bytes()}
		if !l.created {
			before, err := o.Source.Read(p)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			e.Before = before
		}
		out = append(out, e)
	}
	return out, nil
}

// fit gives inserted lines the line breaks of where they go.
func (o *overlay) fit(edits []FileEdit) error {
	for i, e := range edits {
		if e.Create || len(e.Changes) == 0 {
			continue
		}
		before, err := o.Read(e.Path)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Path, err)
		}
		edits[i].Changes = fitBreaks(text.Of(before), e.Changes)
	}
	return nil
}

func (o *overlay) add(edits []FileEdit) error {
	for _, e := range edits {
		if err := o.addOne(e); err != nil {
			return fmt.Errorf("%s: %w", e.Path, err)
		}
	}
	return nil
}

func (o *overlay) addOne(e FileEdit) error {
	l := o.files[e.Path]
	if l == nil {
		var before []byte
		if !e.Create {
			b, err := o.Source.Read(e.Path)
			if err != nil {
				return err
			}
			before = b
		}
		l = &laid{now: text.Of(before), created: e.Create}
		l.total, _ = text.NewChangeSet(l.now.Len())
		o.files[e.Path] = l
	}
	cs, err := text.NewChangeSet(l.now.Len(), e.Changes...)
	if err != nil {
		return err
	}
	if l.now, err = cs.Apply(l.now); err != nil {
		return err
	}
	l.deleted = e.Delete
	l.total, err = l.total.Compose(cs)
	return err
}

func (o *overlay) edits() ([]FileEdit, error) {
	var out []FileEdit
	for _, p := range slices.Sorted(maps.Keys(o.files)) {
		l := o.files[p]
		switch {
		case l.created && l.deleted, !l.created && !l.deleted && l.total.Empty():
			continue
		case l.deleted:
			out = append(out, FileEdit{Path: p, Delete: true})
		default:
			out = append(out, FileEdit{Path: p, Create: l.created, Changes: slices.Collect(l.total.Changes)})
		}
	}
	return out, nil
}
