package ops

import (
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// stringWriter knows the ways in which a language puts strings together.
type stringWriter interface {
	// StringStyles are those that it has: fstring, template, format, concat.
	StringStyles() []string
	// Strings are the outermost expressions in [from, to) that put a string together.
	Strings(f *kit.File, from, to int) []Built
	// Rewrite is such an expression in another style; ok is false where that could mean something else.
	Rewrite(f *kit.File, b Built, style string) (text string, ok bool)
}

// Built is an expression that puts a string together of text and values.
type Built struct {
	From, To int
	Style    string
	Quote    string // around its text, which is as it was written there
	Parts    []Part
	Alone    bool // what is around it holds an operator without parentheses
	Doubt    bool // in another style it could mean something else
}

var escaped = regexp.MustCompile(`(?s)^(?:[^\\]|\\[^xuUN0-7])*\\[xuUN0-7]`)

// Escaped reports whether a text spells a character by its number or its name: that could be a brace or a percent
// sign, and it could run on into the text that follows.
func (b Built) Escaped() bool {
	return slices.ContainsFunc(b.Parts, func(p Part) bool { return p.Value == "" && escaped.MatchString(p.Text) })
}

// Held is an expression with an operator, in parentheses where it needs them.
func (b Built) Held(text string) string {
	if b.Alone {
		return text
	}
	return "(" + text + ")"
}

// Part is text, or a value.
type Part struct {
	Text   string
	Value  string
	Spec   string // how the value is formatted, in the language's way
	String bool   // the value is a string for certain
}

// stringStyle writes the strings of a function, of the selected lines or of a file in one style.
func stringStyle(j *kit.Job) error {
	w, style := j.Syntax.(stringWriter), j.Arg("style")
	if !slices.Contains(w.StringStyles(), style) {
		return j.Declined("%s has no such way to put strings together; it has %s", j.Dialect().Name,
			strings.Join(w.StringStyles(), ", "))
	}
	f, from, to, what, err := stringScope(j)
	if err != nil {
		return err
	}
	done, left := 0, 0
	for _, b := range w.Strings(f, from, to) {
		if b.Style == style {
			continue
		}
		b.Parts = joined(b.Parts)
		text, ok := "", false
		if !b.Doubt && remarkIn(f, b.From, b.To) == nil {
			text, ok = w.Rewrite(f, b, style)
		}
		if !ok {
			j.Note("%s was left as it is: it could mean something else.", f.Place(b.From))
			left++
			continue
		}
		j.Edits.Replace(f, b.From, b.To, text)
		done++
	}
	switch {
	case done == 0 && left > 0:
		return j.Declined("none of the strings in %s can be written so and surely mean the same", what)
	case done == 0:
		return j.Already("%s puts no strings together in another way", what)
	}
	j.Promise.Removes = true // of fmt, or strconv, the last use
	j.Say("Wrote %s in %s as %s.", countOf(done, "string"), what, map[string]string{"fstring": "f-strings",
		"template": "template literals", "format": "format calls", "concat": "concatenations"}[style])
	return nil
}

// joined makes one part of texts that stand side by side.
func joined(parts []Part) []Part {
	var out []Part
	for _, p := range parts {
		if n := len(out); n > 0 && p.Value == "" && out[n-1].Value == "" {
			out[n-1].Text += p.Text
			continue
		}
		out = append(out, p)
	}
	return out
}

// stringScope is what the request is about.
func stringScope(j *kit.Job) (f *kit.File, from, to int, what string, err error) {
	switch {
	case j.Arg("func") != "":
		ds, err := j.Subject("func")
		if err != nil {
			return nil, 0, 0, "", err
		}
		fn := funcOf(ds[0])
		if fn == nil || len(ds) > 1 {
			return nil, 0, 0, "", j.Declined("%s is not one function", ds[0].Title)
		}
		return ds[0].File, fn.From, fn.To, ds[0].Title, nil
	case j.Target.From > 0:
		f, first, last, err := j.Selection()
		if err != nil {
			return nil, 0, 0, "", err
		}
		return f, f.Line(first), f.LineEnd(f.Line(last)), "the selection", nil
	case j.Target.File == "":
		return nil, 0, 0, "", &refactor.Declined{Code: refactor.NoFile, Understood: j.Op.String(), Reason: refactor.WhichFile}
	}
	f, err = j.File(j.Target.File)
	if err != nil {
		return nil, 0, 0, "", err
	}
	return f, 0, len(f.Src), f.Path, nil
}
