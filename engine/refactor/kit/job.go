package kit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"waferpair/engine/refactor"
)

// Job is one operation being carried out: the request, and what has come of it so far.
type Job struct {
	Syntax
	Ctx    context.Context
	Target refactor.Target
	Op     refactor.Op

	Edits   Edits
	Promise Promise
	Summary string // one sentence
	Notes   []string
}

// Operation carries out one entry of refactor.Ops in every language that has what it needs.
type Operation struct {
	Run   func(*Job) error
	Needs func(Syntax) bool // the hooks that it asks for; nil if it asks for none
}

// Has is a need: the hook H.
func Has[H any](s Syntax) bool { _, ok := s.(H); return ok }

// Carry carries the operation out.
func (o Operation) Carry(ctx context.Context, s Syntax, target refactor.Target, op refactor.Op) (refactor.Result,
	error) {
	j := &Job{Syntax: s, Ctx: ctx, Target: target, Op: op}
	edits, err := j.carry(o)
	if ctx.Err() != nil { // what was not answered any more is no reason
		err = ctx.Err()
	}
	if err != nil {
		return refactor.Result{}, err
	}
	return refactor.Result{Edits: edits, Summary: j.Summary, Notes: j.Notes}, nil
}

func (j *Job) carry(o Operation) ([]refactor.FileEdit, error) {
	if err := o.Run(j); err != nil {
		return nil, err
	}
	if j.Edits.Empty() {
		return nil, j.Declined("there is nothing to change")
	}
	if err := j.Edits.sort(); err != nil {
		return nil, j.Declined("the changes get in each other's way: %v", err)
	}
	return j.Settle(j)
}

// Arg is an argument of the request, "" if it is not there.
func (j *Job) Arg(name string) string { return strings.TrimSpace(j.Op.Args[name]) }

// Declined is the error for a request that cannot be carried out.
func (j *Job) Declined(format string, args ...any) error {
	return &refactor.Declined{Understood: j.Op.String(), Reason: fmt.Sprintf(format, args...)}
}

// Already says that the project is as the request wants it.
func (j *Job) Already(format string, args ...any) error {
	return &refactor.Declined{Code: refactor.Already, Understood: j.Op.String(), Reason: fmt.Sprintf(format, args...)}
}

// Note tells the user something, once.
func (j *Job) Note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(j.Notes, n) {
		j.Notes = append(j.Notes, n)
	}
}

// Say is the summary: one sentence.
func (j *Job) Say(format string, args ...any) { j.Summary = fmt.Sprintf(format, args...) }

// TargetFile is the file that the user pointed at.
func (j *Job) TargetFile() (*File, error) {
	if j.Target.File == "" {
		return nil, &refactor.Declined{Code: refactor.NoFile, Understood: j.Op.String(), Reason: refactor.WhichFile}
	}
	return j.File(j.Target.File)
}

// Touches reports whether the selected lines hold a part of the node; every node is touched
// when nothing is selected, and in other files.
func (j *Job) Touches(f *File, n *Node) bool {
	return j.Target.From <= 0 || j.Target.File != f.Path ||
		f.LineOf(n.To) >= j.Target.From && f.LineOf(n.From) <= max(j.Target.From, j.Target.To)
}

// Selection is the file with the selected lines, first to last.
func (j *Job) Selection() (f *File, first, last int, err error) {
	if f, err = j.TargetFile(); err != nil {
		return nil, 0, 0, err
	}
	n := f.Count()
	switch first = j.Target.From; {
	case first <= 0:
		return nil, 0, 0, j.Declined("which lines? name a declaration, or select lines")
	case first > n:
		return nil, 0, 0, j.Declined("%s has no line %d", f.Path, first)
	}
	return f, first, min(n, max(first, j.Target.To)), nil
}
