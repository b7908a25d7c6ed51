package treesitter

import "strings"

// goesOn are the signs with which a line goes on with the statement before it, if that can be.
// Where semicolons may be left out, what stands between the two must not be taken away.
const goesOn = "([`+-/"

// joined is a line that begins a statement now, and would go on with the one before it
// afterwards; "" if there is none.
func joined(before, after *unit) string {
	if _, ok := before.d.(ecma); !ok {
		return ""
	}
	was, is := startsOf(before), startsOf(after)
	for line, w := range was {
		if a := is[line]; a.statements < w.statements && a.others > w.others {
			return line
		}
	}
	return ""
}

// starts counts the lines of the same words that begin a statement, and the others.
type starts struct{ statements, others int }

// startsOf counts a file's lines that begin with such a sign.
func startsOf(u *unit) map[string]starts {
	begins := map[int]bool{}
	u.root.walk(func(n *node) bool {
		if n.is("expression_statement") {
			begins[int(n.from)] = true
		}
		return true
	})
	out := map[string]starts{}
	at := 0
	for line := range strings.Lines(string(u.src)) {
		text := strings.TrimSpace(line)
		if text != "" && strings.Contains(goesOn, text[:1]) && !strings.HasPrefix(text, "//") &&
			!strings.HasPrefix(text, "/*") {
			s := out[text]
			if begins[at+strings.Index(line, text[:1])] {
				s.statements++
			} else {
				s.others++
			}
			out[text] = s
		}
		at += len(line)
	}
	return out
}
