package ops

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"waferpair/engine/refactor/kit"
)

// documenter is the hook of a language that knows which declarations take a doc comment.
type documenter interface {
	DocForm(f *kit.File) kit.DocForm
	// Documentable are the declarations of a file that take a doc comment, whether or not they
	// have one, in the order of the source.
	Documentable(f *kit.File) []kit.Documented
}

// documentation writes doc comments where there are none.
func documentation(j *kit.Job) error {
	all, err := documentedSubjects(j)
	if err != nil {
		return err
	}
	var added, left []string
	refused := ""
	for i := range all {
		d := &all[i]
		if d.Cannot != "" {
			refused = d.Name + " " + d.Cannot
			continue
		}
		why := writeDoc(j, d, len(all) == 1)
		switch {
		case why == "":
			added = append(added, d.Name)
			continue
		case why == unspeakable:
			left = append(left, d.Name)
		}
		refused = cmp.Or(refused, d.Name+" "+why)
	}
	if len(added) > 0 && len(left) > 0 {
		j.Note("Left out, because a comment could add nothing to name and types for certain: %s.",
			few(left))
	}
	switch {
	case len(added) == 1:
		j.Say("Documented %s.", added[0])
	case len(added) > 1:
		j.Say("Documented %s.", kit.Plural(len(added), "declaration"))
	case refused != "":
		return j.Declined("%s", refused)
	default:
		return j.Already("every declaration that was asked for has a doc comment already")
	}
	return nil
}

// unspeakable is why a declaration gets no comment that repeats its name.
const unspeakable = "shows nothing that a comment could add to its name and its types for certain; say the text"

func few(names []string) string {
	const most = 5
	if n := len(names); n > most {
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(n-most) + " more"
	}
	return enumerated(names, "and")
}

// documentedSubjects are the declarations without a doc comment that the request is about.
func documentedSubjects(j *kit.Job) ([]kit.Documented, error) {
	if j.Arg("symbol") == "" {
		f, err := j.TargetFile()
		if err != nil {
			return nil, err
		}
		return undocumented(j, f)
	}
	ds, err := j.Subject("symbol")
	if err != nil {
		return nil, err
	}
	var out []kit.Documented
	taken := false
	for _, s := range ds {
		for _, d := range j.Syntax.(documenter).Documentable(s.File) {
			if d.At == s.At {
				taken = true
				if !d.Has {
					out = append(out, d)
				}
			}
		}
	}
	if !taken {
		return nil, j.Declined("%s (%s) is a %s, which takes no doc comment", ds[0].Title, ds[0].Place(), ds[0].Kind)
	}
	if len(out) == 0 {
		return nil, j.Already("%s has a doc comment already", ds[0].Title)
	}
	return out, nil
}

// undocumented declines when the selected lines begin no declaration, documented or not.
func undocumented(j *kit.Job, f *kit.File) ([]kit.Documented, error) {
	var out []kit.Documented
	headed := false
	for _, d := range j.Syntax.(documenter).Documentable(f) {
		line := f.LineOf(d.At)
		if j.Target.From > 0 && (line < j.Target.From || line > max(j.Target.From, j.Target.To)) {
			continue
		}
		headed = true
		if docKind(j.Arg("kind"), d.Kind) && (j.Arg("which") == "all" || d.Exported) && !d.Has && !d.Inherits {
			out = append(out, d)
		}
	}
	if !headed && j.Target.From > 0 {
		return nil, j.Declined("no declaration that takes a doc comment begins in the selected lines of %s; "+
			"select the line with its name", f.Path)
	}
	return out, nil
}

func docKind(want, kind string) bool {
	switch kind {
	case "constructor":
		kind = "method"
	case "interface", "enum":
		if want == "class" {
			return true
		}
		kind = "type"
	}
	switch want {
	case "", kind:
		return true
	case "func":
		return kind == "method"
	case "type":
		return kind == "class"
	case "class":
		return kind == "type"
	}
	return false
}

// writeDoc writes one doc comment, or says why it cannot; alone is the only one that is asked for.
func writeDoc(j *kit.Job, d *kit.Documented, alone bool) string {
	form := j.Syntax.(documenter).DocForm(d.File)
	var c comment
	if text := j.Arg("text"); text != "" {
		c.text = givenText(d, form, text)
	} else {
		w := newDescriber(j, d, form)
		w.alone = alone
		c = w.comment()
	}
	all := strings.Join(append([]string{c.text}, c.tags...), "\n")
	switch {
	case strings.TrimSpace(all) == "":
		return unspeakable
	case form == kit.Docstring && (strings.Contains(all, `"""`) || strings.HasSuffix(all, `"`) ||
		strings.Contains(all, `\`)):
		return "cannot have a docstring with these quotes or backslashes"
	case (form == kit.JSDoc || form == kit.Javadoc) && strings.Contains(all, "*/"):
		return "cannot have a comment that contains */"
	}
	lines := c.lines(form, utf8.RuneCountInString(d.Indent))
	for i, l := range lines {
		lines[i] = strings.TrimRight(d.Indent+l, " \t")
	}
	if d.Under != "" {
		lines = append(lines, d.Indent+d.Under)
	}
	if d.Blank {
		lines = append(lines, "")
	}
	j.Promise.Comments = form != kit.Docstring
	j.Edits.InsertLines(d.File, d.Line, lines...)
	return ""
}

// givenText is the user's text; in Go it begins with the name.
func givenText(d *kit.Documented, form kit.DocForm, text string) string {
	lines := strings.Split(strings.ReplaceAll(strings.TrimSpace(text), "\r\n", "\n"), "\n")
	if form != kit.GoDoc {
		return strings.Join(lines, "\n")
	}
	for i, l := range lines {
		lines[i] = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(l), "//"))
	}
	text = strings.Join(lines, "\n")
	if first, _ := utf8.DecodeRuneInString(text); !strings.HasPrefix(text, d.Name) && unicode.IsLower(first) {
		text = d.Name + " " + text
	}
	if text != "" && !strings.ContainsRune(".!?:", rune(text[len(text)-1])) {
		text += "."
	}
	return text
}

// comment is what a doc comment says: its text, whose paragraphs an empty line keeps apart, and
// the lines below it that have a form of their own, such as @param.
type comment struct {
	text  string
	wraps bool // the lines may be broken anew
	tags  []string
}

// lines are those of the comment as the language writes it, without indentation.
func (c comment) lines(form kit.DocForm, indent int) []string {
	text := strings.Split(c.text, "\n")
	if c.wraps {
		text = nil
		for _, l := range strings.Split(c.text, "\n") {
			text = append(text, wrapped(l, max(40, 96-indent))...)
		}
	}
	if len(c.tags) > 0 {
		text = append(text, "")
	}
	for _, t := range c.tags {
		lead := strings.Repeat(" ", len(t)-len(strings.TrimLeft(t, " ")))
		for i, l := range wrapped(t[len(lead):], max(40, 96-indent-len(lead))) {
			if i > 0 {
				l = "    " + l
			}
			text = append(text, lead+l)
		}
	}
	switch form {
	case kit.GoDoc:
		for i, l := range text {
			text[i] = strings.TrimRight("// "+l, " ")
		}
		return text
	case kit.Docstring:
		text[0] = `"""` + text[0]
		if len(text) == 1 {
			text[0] += `"""`
			return text
		}
		return append(text, `"""`)
	}
	if len(text) == 1 {
		return []string{"/** " + text[0] + " */"}
	}
	out := []string{"/**"}
	for _, l := range text {
		out = append(out, strings.TrimRight(" * "+l, " "))
	}
	return append(out, " */")
}

// wrapped breaks a line between words so that none is wider than it must be. What stands in
// braces or backticks stays together.
func wrapped(line string, width int) []string {
	var out []string
	now := ""
	for _, w := range unbroken(line) {
		switch {
		case now == "":
			now = w
		case utf8.RuneCountInString(now)+1+utf8.RuneCountInString(w) > width:
			out, now = append(out, now), w
		default:
			now += " " + w
		}
	}
	return append(out, now)
}

// endsOpen reports whether a text ends where a literal of that quote begins: ' '.
func endsOpen(s, quote string) bool {
	return strings.HasSuffix(s, quote) && strings.Count(s, quote)%2 == 1
}

// unbroken are the words of a line.
func unbroken(line string) []string {
	var out []string
	open := false
	for _, w := range strings.Split(line, " ") {
		if open {
			out[len(out)-1] += " " + w
		} else {
			out = append(out, w)
		}
		last := out[len(out)-1]
		open = strings.Count(last, "{@") > 0 && strings.Count(last, "{") > strings.Count(last, "}") ||
			strings.Count(last, "`")%2 == 1 || endsOpen(last, "'") || endsOpen(last, `"`)
	}
	return out
}
