package editstream

import "strings"

// Old lines match whatever their indentation, because models lose it, or write spaces for tabs. Then the new
// lines have lost it, too, and get that of the file:
//
//	file               hunk               new line
//	"        if a:"    " if a:"           "+    b"  ->  "            b"
//	"\tif a {"         "     if a {"      "+        b"  ->  "\t\tb"
//
// Each old line tells what an indentation of the hunk is in the file. Where two tell different things the
// hunk has no system, and its lines stay as they are. Context lines alone are weak evidence: some models
// indent them wrongly and the lines that change rightly. So new lines stay, too, which fit the file's lines
// around them better as they are.
type indents struct {
	of    map[string]string // of the hunk -> of the file; of '-' lines and all lines of a block
	weak  map[string]string // of context lines
	mixed bool
	last  string // indentation of the file's line before, and
	opens bool   // whether the lines behind it are indented more
	stay  bool   // the new lines stay as they are
	sure  bool   // stay is decided
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// learn takes an old line of the hunk, and the line of the file that it matches.
func (in *indents) learn(kind byte, line, file string) {
	if strings.TrimSpace(line) == "" || strings.TrimSpace(file) == "" {
		return
	}
	from, to := indentOf(line), indentOf(file)
	in.last, in.opens = to, strings.IndexByte(":{([", file[len(strings.TrimRight(file, " \t\r"))-1]) >= 0
	if kind == ' ' {
		if to == " "+from {
			from = to // its ' ' is missing, and the first one of its indentation was taken for it
		}
		in.weak = in.note(in.weak, from, to)
		return
	}
	in.of = in.note(in.of, from, to)
}

func (in *indents) note(known map[string]string, from, to string) map[string]string {
	if known == nil {
		known = map[string]string{}
	}
	for f, t := range known {
		if (f == from) != (t == to) {
			in.mixed = true
		}
	}
	known[from] = to
	return known
}

// fit returns a new line with the indentation that it has in the file.
func (in *indents) fit(line string) string {
	known := in.of
	if len(known) == 0 {
		known = in.weak
	}
	if in.mixed || strings.TrimSpace(line) == "" || same(known) || in.differ() {
		return line
	}
	from := indentOf(line)
	to, ok := translate(known, from)
	if !ok {
		return line
	}
	if len(in.of) == 0 && !in.sure {
		in.stay, in.sure = in.nearer(from, to), true
	}
	if in.stay {
		return line
	}
	return to + line[len(from):]
}

// differ reports whether the context and the lines that change tell different things.
func (in *indents) differ() bool {
	for f, t := range in.of {
		if weak, ok := in.weak[f]; ok && weak != t {
			return true
		}
	}
	return false
}

func same(known map[string]string) bool {
	for f, t := range known {
		if f != t {
			return false
		}
	}
	return true
}

// nearer reports whether an indentation fits the line before better than another one.
func (in *indents) nearer(one, other string) bool {
	want := columns(in.last)
	if in.opens {
		want += 4
	}
	far := func(s string) int { return max(columns(s)-want, want-columns(s)) }
	return far(one) < far(other)
}

func columns(indent string) int { return len(strings.ReplaceAll(indent, "\t", "    ")) }

// translate returns the indentation in the file: a known one, one with more behind it, or with less.
func translate(known map[string]string, from string) (to string, ok bool) {
	if to, ok = known[from]; ok {
		return to, true
	}
	tabs, unit := units(known)
	base := ""
	for f := range known {
		if strings.HasPrefix(from, f) && (!ok || len(f) > len(base)) {
			base, ok = f, true
		}
	}
	if ok {
		return known[base] + inUnits(from[len(base):], tabs, unit), true
	}
	for f, t := range known {
		if less, is := strings.CutPrefix(f, from); is {
			if rest, fits := strings.CutSuffix(t, inUnits(less, tabs, unit)); fits && (!ok || len(rest) < len(to)) {
				to, ok = rest, true
			}
		}
	}
	return to, ok
}

// units says whether the file is indented by tabs where the hunk has spaces, and how many spaces a tab is.
func units(known map[string]string) (tabs bool, unit int) {
	for f, t := range known {
		n := len(t)
		if tabs = tabs || strings.Contains(t, "\t"); n > 0 && f != "" && strings.Trim(t, "\t") == "" &&
			strings.Trim(f, " ") == "" && len(f)%n == 0 {
			unit = len(f) / n
		}
	}
	return tabs, unit
}

// inUnits returns more indentation as the file writes it.
func inUnits(more string, tabs bool, unit int) string {
	if !tabs || strings.Trim(more, " ") != "" {
		return more
	}
	for _, n := range []int{unit, 4, 2} {
		if n > 0 && len(more)%n == 0 {
			return strings.Repeat("\t", len(more)/n)
		}
	}
	return more
}
