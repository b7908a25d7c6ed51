package ops

import "waferpair/engine/refactor/kit"

// tracer is the hook of a language that can tell that nothing reaches a function.
type tracer interface {
	// Unreached declines, with the reason, when anything uses the function or may: code in any
	// build, a test, a string, what runs the program, code outside the project.
	Unreached(ds []*kit.Decl) error
}

// deleteUnused deletes a function that nothing uses, with its comment.
func deleteUnused(j *kit.Job) error {
	ds, err := j.Subject("func")
	if err != nil {
		return err
	}
	if d := ds[0]; d.Func() == nil {
		return j.Declined("%s (%s) is a %s, not a function", d.Title, d.Place(), d.Kind)
	}
	if err := j.Syntax.(tracer).Unreached(ds); err != nil {
		return err
	}
	for _, d := range ds {
		from, to, err := j.Lines(d)
		if err != nil {
			return err
		}
		j.RemoveLines(d.File, from, to)
	}
	j.Promise = kit.Promise{Removes: true, Names: []string{ds[0].Name}, Users: ds}
	j.Say("Deleted %s, which nothing used.", ds[0].Title)
	return nil
}
