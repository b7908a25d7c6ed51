package history

import "waferpair/workspace/text"

// lineSpan says that the lines [old0,old1) of a text became [new0,new1).
type lineSpan struct{ old0, old1, new0, new1 int }

// touchedLines returns the lines that a change affects. A line is unaffected if its whole
// content is kept and it begins and ends where it did: inserting a line at the end of
// another one, before its line break, does not affect that other line.
func touchedLines(before text.Text, cs text.ChangeSet, after text.Text) []lineSpan {
	before, cs, after = text.PlainChange(before, cs, after)
	var out []lineSpan
	shift := text.Byte(0)
	for c := range cs.Changes {
		s := touchedBy(before, c, after, c.From+shift)
		shift += text.Byte(len(c.Insert)) - (c.To - c.From)
		if n := len(out) - 1; n >= 0 && s.old0 < out[n].old1 { // in the same line as the change before
			out[n].old1, out[n].new1 = max(out[n].old1, s.old1), max(out[n].new1, s.new1)
			continue
		}
		out = append(out, s)
	}
	return out
}

// touchedBy handles one replaced range; at is where it begins in the new text.
func touchedBy(before text.Text, c text.Change, after text.Text, at text.Byte) lineSpan {
	s := lineSpan{old0: before.LineAt(c.From), new0: after.LineAt(at)}
	if c.From > before.LineStart(s.old0) && endsLine(before, c.From) && endsLine(after, at) {
		s.old0, s.new0 = s.old0+1, s.new0+1 // the text before the change is a whole line that stays
	}
	end := at + text.Byte(len(c.Insert))
	s.old1, s.new1 = before.LineAt(c.To), after.LineAt(end)
	if c.To != before.LineStart(s.old1) || end != after.LineStart(s.new1) {
		s.old1, s.new1 = s.old1+1, s.new1+1 // the text after the change is the rest of a line
	}
	return s
}

// finer reduces replacements to the parts that really differ: a model may rewrite lines
// without changing them.
func finer(before text.Text, cs text.ChangeSet) text.ChangeSet {
	var changes []text.Change
	for c := range cs.Changes {
		if c.From == c.To || c.Insert == "" {
			changes = append(changes, c)
			continue
		}
		for d := range text.Diff(before.Slice(c.From, c.To), text.OfString(c.Insert)).Changes {
			changes = append(changes, text.Change{From: c.From + d.From, To: c.From + d.To, Insert: d.Insert})
		}
	}
	out, err := text.NewChangeSet(cs.Len(), changes...)
	if err != nil {
		return cs
	}
	return out
}

func endsLine(t text.Text, at text.Byte) bool {
	return at == t.Len() || t.Slice(at, at+1).String() == "\n"
}

// splice applies a change to the lines' attribution: affected lines become by's.
func splice(lines []EditID, spans []lineSpan, by EditID) []EditID {
	same := true
	for _, s := range spans {
		same = same && s.old1-s.old0 == s.new1-s.new0
	}
	if !same {
		lines = respaced(lines, spans)
	}
	for _, s := range spans {
		for i := s.new0; i < s.new1; i++ {
			lines[i] = by
		}
	}
	return lines
}

// respaced moves the lines between the spans to their new places.
func respaced(lines []EditID, spans []lineSpan) []EditID {
	n := len(lines)
	for _, s := range spans {
		n += (s.new1 - s.new0) - (s.old1 - s.old0)
	}
	out := make([]EditID, n)
	old, now := 0, 0
	for _, s := range spans {
		copy(out[now:s.new0], lines[old:s.old0])
		old, now = s.old1, s.new1
	}
	copy(out[now:], lines[old:])
	return out
}
