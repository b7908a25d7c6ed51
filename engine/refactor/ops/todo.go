package ops

import (
	"strings"

	"waferpair/engine/refactor/kit"
)

// todo puts a TODO comment above a declaration or above the selected lines.
func todo(j *kit.Job) error {
	text := strings.TrimSpace(j.Arg("text"))
	for _, p := range []string{j.Dialect().Line, "TODO:", "TODO"} {
		text = strings.TrimSpace(strings.TrimPrefix(text, p))
	}
	if text == "" {
		return j.Declined("say what is to be done")
	}
	j.Promise.Comments = true
	lines := strings.Split("TODO: "+strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if j.Arg("symbol") == "" {
		f, first, _, err := j.Selection()
		if err != nil {
			return err
		}
		at := f.Line(first)
		j.Say("Added a TODO to %s:%d.", f.Path, first)
		return j.Remark(f, at, f.Indent(at), lines...)
	}
	ds, err := j.Subject("symbol")
	if err != nil {
		return err
	}
	for _, d := range ds {
		if err := todoAbove(j, d, lines); err != nil {
			return err
		}
	}
	j.Say("Added a TODO to %s.", ds[0].Title)
	return nil
}

// todoAbove writes the lines at the end of the comment above the declaration. A block comment
// stays next to what it documents, unless tools would read the lines above it as documentation.
func todoAbove(j *kit.Job, d *kit.Decl, lines []string) error {
	f := d.File
	if !f.BeginsLine(d.Head) {
		return j.Declined("%s does not begin its line, so there is no place for a comment", d.Place())
	}
	at, doc, paragraphs := f.LineStart(d.Head), d.Doc, j.Dialect().DocLines
	switch {
	case doc == nil:
	case doc.Block && !paragraphs:
		at = f.LineStart(doc.From)
	default:
		at = f.NextLine(doc.To)
		if paragraphs && !doc.Block {
			lines = append([]string{""}, lines...)
		}
	}
	return j.Remark(f, at, f.Indent(d.Head), lines...)
}
