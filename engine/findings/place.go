package findings

import (
	"fmt"
	"regexp"
	"strings"
)

// Place returns a finding at lines that exist in its file. says is how it was moved, or why it has no
// place there.
func Place(f Finding, lines []string) (_ Finding, says string, ok bool) {
	quote := quoted(f.Quote)
	if len(quote) == 0 {
		switch {
		case f.From < 1 || f.From > len(lines):
			return f, fmt.Sprintf("%s has %d lines", f.Path, len(lines)), false
		case f.To > len(lines):
			f.To = len(lines)
		}
		return f, "", true
	}
	at, found := nearest(lines, quote, f.From)
	if !found {
		if bare := unnumbered(quote); bare != nil {
			at, found = nearest(lines, bare, f.From)
		}
	}
	if !found && len(quote) > 1 { // models shorten what they copy
		at, found = nearest(lines, quote[:1], f.From)
	}
	if !found {
		return f, fmt.Sprintf("the text that it quotes is not in %s", f.Path), false
	}
	was := f
	if at != f.From {
		f.From, f.To = at, at+f.To-f.From
		says = fmt.Sprintf("moved from %s to line %d, where the text is that it quotes", was.At(), at)
	}
	f.To = min(max(f.To, f.From), len(lines))
	return f, says, true
}

// quoted returns the lines of a quote without the spaces around them; no empty ones at its ends.
func quoted(s string) (out []string) {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	for l := range strings.SplitSeq(s, "\n") {
		out = append(out, strings.TrimSpace(strings.TrimSuffix(l, "…")))
	}
	return out
}

// numbered is a line as changes show it to a model.
var numbered = regexp.MustCompile(`^\d+(?:\s+[+-](?:\s|$)|\s)\s*`)

// unnumbered returns a quote without the numbers that changes show, or without a leading + as in a
// diff; nil if it has neither.
func unnumbered(quote []string) (out []string) {
	changed := false
	for _, l := range quote {
		bare := numbered.ReplaceAllString(l, "")
		if bare == l {
			bare = strings.TrimSpace(strings.TrimPrefix(strings.Trim(l, "`"), "+"))
		}
		changed = changed || bare != l
		out = append(out, bare)
	}
	if !changed || strings.Join(out, "") == "" {
		return nil
	}
	return out
}

// nearest finds the place of a quote that is nearest to a line, spaces around lines left aside.
func nearest(lines, quote []string, near int) (at int, found bool) {
	for i := 0; i+len(quote) <= len(lines); i++ {
		if !equal(lines[i:i+len(quote)], quote) {
			continue
		}
		if !found || abs(i+1-near) < abs(at-near) {
			at, found = i+1, true
		}
	}
	return at, found
}

func equal(lines, quote []string) bool {
	for i, q := range quote {
		if strings.TrimSpace(lines[i]) != q {
			return false
		}
	}
	return true
}

func abs(n int) int { return max(n, -n) }
