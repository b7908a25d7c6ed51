package ops

import "waferpair/engine/refactor/kit"

// tracer is the hook of a language that can tell that nothing reaches a declaration.
type tracer interface {
	// Unreached declines, with the reason, when anything uses the declaration or may: code in any
	// build, a test, a string, what runs the program, code outside the project; and when what
	// gives a variable its value may do something else.
	Unreached(ds []*kit.Decl) error
}

// deleteUnused deletes a declaration that nothing uses, with its comment.
func deleteUnused(j *kit.Job) error {
	ds, err := j.Subject("func")
	if err != nil {
		return err
	}
	if d := ds[0]; d.Kind == "param" {
		return j.Declined("%s (%s) is a parameter, which goes with what its calls pass: remove the parameter", d.Title,
			d.Place())
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
