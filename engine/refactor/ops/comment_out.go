package ops

import (
	"fmt"

	"waferpair/engine/refactor/kit"
)

// commentOut turns a declaration with its comment, or the selected lines, into comments. They
// are whole statements, and what is left does not use them.
func commentOut(j *kit.Job) error {
	j.Promise.Removes = true
	if j.Arg("symbol") == "" {
		return commentSelection(j)
	}
	ds, err := j.Subject("symbol")
	if err != nil {
		return err
	}
	for _, d := range ds {
		from, to, err := j.Lines(d)
		if err != nil {
			return err
		}
		if err := j.Unused(d.File, from, to, d); err != nil {
			return err
		}
		j.CommentOut(d.File, from, to)
	}
	j.Promise.Names, j.Promise.Users = []string{ds[0].Name}, ds
	j.Say("Commented out %s.", ds[0].Title)
	return nil
}

func commentSelection(j *kit.Job) error {
	f, first, last, err := j.Selection()
	if err != nil {
		return err
	}
	from, to := f.Line(first), f.LineEnd(f.Line(last))
	what := fmt.Sprintf("%s:%d-%d", f.Path, first, last)
	if n := f.Cut(from, to); n != nil {
		return j.Declined("%s cuts through the %s at line %d", what, n.Word(), f.LineOf(n.From))
	}
	if err := j.Unused(f, from, to, nil); err != nil {
		return err
	}
	j.CommentOut(f, from, to)
	j.Say("Commented out %s.", what)
	return nil
}
