package ops

import (
	"regexp"
	"strings"

	"waferpair/engine/refactor/kit"
)

// How the forms of doc comments say what a describer has found.

// code is source text as the form shows it.
func (w *describer) code(s string) string {
	switch w.form {
	case kit.JSDoc:
		return "`" + s + "`"
	case kit.Javadoc:
		return "{@code " + s + "}"
	}
	return s
}

// quoted is source text as the form shows it on one line, "" where it cannot or is too long.
func (w *describer) quoted(s string) string {
	const most = 80
	if strings.ContainsAny(s, "\n\r") {
		s = strings.NewReplacer("( ", "(", " )", ")", "[ ", "[", " ]", "]", ",)", ")", "{ ", "{", ", }", "}").
			Replace(strings.Join(strings.Fields(s), " "))
	}
	bad := s == "" || len(s) > most || strings.Contains(s, "*/") || strings.Contains(s, "/*")
	switch w.form {
	case kit.GoDoc:
		bad = bad || strings.Contains(s, "//") && !strings.Contains(s, "://")
	case kit.Docstring:
		bad = bad || strings.Contains(s, `"""`) || strings.ContainsAny(s, "\\#")
	case kit.JSDoc:
		bad = bad || strings.ContainsAny(s, "`\\") || strings.Contains(s, "//") && !strings.Contains(s, "://")
	case kit.Javadoc:
		bad = bad || strings.ContainsAny(s, "\\@") || strings.Contains(s, "//") && !strings.Contains(s, "://") ||
			strings.Count(s, "{") != strings.Count(s, "}")
	}
	if bad {
		return ""
	}
	return w.code(s)
}

// Docstring styles.
var (
	googleStyle = regexp.MustCompile(`(?m)^[ \t]+(Args|Arguments|Returns|Raises):[ \t]*\r?$`)
	numpyStyle  = regexp.MustCompile(`(?m)^[ \t]+(Parameters|Returns|Raises)[ \t]*\r?\n[ \t]+-{4,}`)
	restStyle   = regexp.MustCompile(`(?m)^[ \t]+:(param|returns?|raises)\b`)
)

// docstring is a function's, in the style that the file has.
func (w *describer) docstring(first string, more []string, u used) comment {
	c := comment{text: first, wraps: true}
	src := w.f.Src
	var section func(title string, entries [][2]string)
	switch {
	case numpyStyle.Match(src):
		section = func(title string, entries [][2]string) {
			c.tags = append(c.tags, "", title, strings.Repeat("-", len(title)))
			for _, e := range entries {
				c.tags = append(c.tags, e[0])
				if e[1] != "" {
					c.tags = append(c.tags, "    "+capital(e[1])+".")
				}
			}
		}
	case restStyle.Match(src):
		section = func(title string, entries [][2]string) {
			for _, e := range entries {
				switch title {
				case "Parameters":
					c.tags = append(c.tags, ":param "+strings.Fields(e[0])[0]+": "+e[1])
				case "Returns":
					c.tags = append(c.tags, ":returns: "+e[1])
				default:
					c.tags = append(c.tags, strings.TrimSpace(":raises "+e[0]+": "+e[1]))
				}
			}
		}
	case googleStyle.Match(src):
		section = func(title string, entries [][2]string) {
			if title == "Parameters" {
				title = "Args"
			}
			c.tags = append(c.tags, "", title+":")
			for _, e := range entries {
				if title == "Returns" {
					c.tags = append(c.tags, "    "+capital(e[1])+".")
				} else {
					c.tags = append(c.tags, strings.TrimSuffix("    "+e[0]+": "+capital(e[1])+".", ": ."))
				}
			}
		}
	default:
		said := append(more, w.waysOut(u)...)
		if len(said) > 0 {
			c.text += "\n\n" + strings.Join(said, " ")
		}
		return c
	}
	if len(more) > 0 {
		c.text += "\n\n" + strings.Join(more, " ")
	}
	var params [][2]string
	for _, p := range w.d.Params {
		if says := w.aboutParam(p); says != "" {
			name := p.Name
			if p.Type != "" && numpyStyle.Match(src) {
				name += " : " + p.Type
			} else if p.Type != "" {
				name += " (" + p.Type + ")"
			}
			params = append(params, [2]string{name, says})
		}
	}
	if len(params) > 0 {
		section("Parameters", params)
	}
	if r := w.valuePhrase(u); r != "" {
		section("Returns", [][2]string{{strings.Join(w.d.Results, ""), r}})
	}
	var raised [][2]string
	for _, o := range w.facts.outcomes {
		if o.raises && (!u.raised || o.when == "") {
			raised = append(raised, [2]string{o.what, w.when(o)})
		}
	}
	if len(raised) > 0 {
		section("Raises", raised)
	}
	for len(c.tags) > 0 && c.tags[0] == "" {
		c.tags = c.tags[1:]
	}
	return c
}

func (w *describer) when(o outcome) string {
	if o.when != "" {
		return "if " + o.when
	}
	return strings.TrimPrefix(o.says, "with the message ")
}

// aboutParam is what is known of a parameter beyond its name, or "".
func (w *describer) aboutParam(p kit.Parameter) string {
	if p.Name == "" {
		return ""
	}
	says := w.params[p.Name]
	if p.Value != nil {
		if v := w.quoted(w.f.Text(p.Value)); v != "" && w.form != kit.JSDoc {
			if says != "" {
				says += "; "
			}
			says += v + " by default"
		}
	}
	return says
}

// tags are the @param, @returns and @throws of JSDoc and Javadoc that say something.
func (w *describer) tags(u used) []string {
	var out []string
	script := w.form == kit.JSDoc && w.d.Untyped
	for _, p := range w.d.Params {
		says := w.aboutParam(p)
		name := p.Name
		if script && p.Value != nil {
			value := "=" + strings.TrimSpace(w.f.Text(p.Value))
			if strings.ContainsAny(value, "[]\r\n") || strings.Contains(value, "*/") || len(value) > 40 {
				value = ""
			}
			name = "[" + p.Name + value + "]"
			if p.Type != "" {
				name = "{" + p.Type + "} " + name
			}
		} else if w.form == kit.JSDoc && p.Value != nil && says != "" {
			if v := w.quoted(w.f.Text(p.Value)); v != "" {
				says += ", " + v + " by default"
			}
		}
		if p.Name != "" && (says != "" || script && p.Value != nil) {
			out = append(out, strings.TrimSpace("@param "+name+" "+says))
		}
	}
	tag := "@returns "
	if w.form == kit.Javadoc {
		tag = "@return "
	}
	if r := w.valuePhrase(u); r != "" {
		out = append(out, tag+r)
	}
	for _, o := range w.facts.outcomes {
		switch {
		case !o.raises || u.raised && o.when != "":
		case w.form == kit.Javadoc:
			out = append(out, strings.TrimSpace("@throws "+o.what+" "+w.when(o)))
		default:
			out = append(out, strings.TrimSpace("@throws {"+o.what+"} "+w.when(o)))
		}
	}
	return out
}
