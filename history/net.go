package history

import (
	"slices"
	"sort"
	"strings"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// A net is the difference between two texts of a file: the accepted base, which is the
// file without the model's edits that wait for review, and the file as it is. Edits are
// added one after the other. An edit of the model changes only the file and becomes part
// of the difference; an edit of anyone else changes both texts, so that the difference
// contains only the model's work.
//
//	base   kept  removed   kept
//	file   kept  inserted  kept
//
// Adjacent hunks stay separate, so that each can be accepted alone, until an edit covers
// both.
type net struct {
	hunks  []netHunk // in order
	parent []int     // a forest of the edits that meet in a hunk: they are accepted and reverted together
}

// netHunk is one place where the two texts differ.
type netHunk struct {
	at       text.Byte // in the file
	removed  string    // from the base
	inserted string    // in the file
	edit     int       // one of the edits that made it
}

func (h netHunk) end() text.Byte { return h.at + text.Byte(len(h.inserted)) }

// newEdit returns a number for an edit of the model, to pass to change.
func (n *net) newEdit() int {
	n.parent = append(n.parent, len(n.parent))
	return len(n.parent) - 1
}

// group returns the same number for all edits that are connected by meeting in hunks. It
// changes nothing, because several goroutines read a cached net.
func (n *net) group(edit int) int {
	for n.parent[edit] != edit {
		edit = n.parent[edit]
	}
	return edit
}

func (n *net) join(a, b int) {
	root := n.group(b)
	n.parent[n.group(a)] = root
	n.parent[a], n.parent[b] = root, root // keeps the paths short
}

// change adds an edit of the model: hunks in order, with their removed text and with
// offsets in the file before the edit.
func (n *net) change(hunks []version.Hunk, edit int) {
	for _, h := range slices.Backward(hunks) { // backward: the offsets before a hunk stay valid
		n.replace(h, edit)
	}
}

// changeBoth adds an edit of anyone else.
func (n *net) changeBoth(hunks []version.Hunk) {
	for _, h := range slices.Backward(hunks) {
		n.replaceBoth(h)
	}
}

// covers reports whether a change touches text that the model inserted.
func (n *net) covers(h version.Hunk) bool {
	i, j := n.met(h, false)
	return slices.ContainsFunc(n.hunks[i:j], func(g netHunk) bool { return g.inserted != "" })
}

// met returns the hunks [i, j) that a change of the file overlaps, or i = j, the place
// between hunks where it goes. A hunk that inserts nothing is met inside the change, and
// also at its edges if edges is set.
func (n *net) met(h version.Hunk, edges bool) (i, j int) {
	i = sort.Search(len(n.hunks), func(k int) bool { return n.hunks[k].end() >= h.From })
	for i < len(n.hunks) && !n.hunks[i].meets(h, edges) && n.hunks[i].before(h) {
		i++
	}
	for j = i; j < len(n.hunks) && n.hunks[j].meets(h, edges); j++ {
	}
	return i, j
}

func (g netHunk) meets(h version.Hunk, edges bool) bool {
	if g.inserted != "" {
		return h.From < g.end() && h.To > g.at
	}
	return h.From < g.at && g.at < h.To || edges && h.From <= g.at && g.at <= h.To
}

// before reports whether a hunk that a change does not meet is in front of it. An insertion
// at the start of a hunk is in front of that hunk.
func (g netHunk) before(h version.Hunk) bool { return g.at < h.To || h.From < h.To && g.at <= h.From }

// replace applies one change to the file only. The change and the hunks that it meets
// become one hunk, without what is then the same on both sides.
func (n *net) replace(h version.Hunk, edit int) {
	i, j := n.met(h, true)
	var removed, inserted strings.Builder
	at, pos, end := h.From, h.From, h.To
	if i < j && n.hunks[i].at < h.From {
		at, pos = n.hunks[i].at, n.hunks[i].at
		inserted.WriteString(n.hunks[i].inserted[:h.From-at])
	}
	inserted.WriteString(h.Inserted)
	for _, g := range n.hunks[i:j] {
		if g.at > pos {
			removed.WriteString(h.Removed[pos-h.From : g.at-h.From])
		}
		removed.WriteString(g.removed)
		pos, end = max(pos, g.end()), max(end, g.end())
		n.join(edit, g.edit)
	}
	if pos < h.To {
		removed.WriteString(h.Removed[pos-h.From:])
	}
	if end > h.To {
		last := n.hunks[j-1].inserted
		inserted.WriteString(last[text.Byte(len(last))-(end-h.To):])
	}
	one := netHunk{at: at, removed: removed.String(), inserted: inserted.String(), edit: edit}
	n.put(i, j, one.stillDiffering(), h)
}

// replaceBoth applies one change to both texts. Of the text that the model inserted there,
// the rest stays inserted; the text that it removed stays removed, unless the change puts
// it back.
func (n *net) replaceBoth(h version.Hunk) {
	i, j := n.met(h, false)
	if i == j {
		if h.From == h.To && i < len(n.hunks) && n.hunks[i].at == h.From && n.hunks[i].inserted == "" &&
			n.hunks[i].removed == h.Inserted {
			j++
		}
		n.put(i, j, nil, h)
		return
	}
	if j == i+1 && n.shareBreak(i, h) {
		n.replaceBoth(h)
		return
	}
	var left, right []netHunk
	gone := netHunk{at: h.From, edit: n.hunks[i].edit}
	for _, g := range n.hunks[i:j] {
		n.join(gone.edit, g.edit)
		if g.at < h.From {
			left = append(left, netHunk{g.at, g.removed, g.inserted[:h.From-g.at], g.edit})
			g.removed = ""
		}
		gone.removed += g.removed
		if g.end() > h.To {
			right = append(right, netHunk{at: h.From + text.Byte(len(h.Inserted)), inserted: g.inserted[h.To-
				g.at:], edit: g.edit})
		}
	}
	if gone.removed != "" && gone.removed != h.Inserted {
		left = append(left, gone)
	}
	if k := len(left) - 1; k >= 0 && len(right) > 0 && left[k].end() == right[0].at {
		left[k].inserted += right[0].inserted // only a part of the inserted text was deleted
		right = nil
	}
	n.put(i, j, append(left, right...), h)
}

// shareBreak assigns the line break at the end of a hunk to both texts when somebody else
// typed behind the hunk: the break ends their line, too, and alone it would be a second
// place to review.
func (n *net) shareBreak(i int, h version.Hunk) bool {
	g := &n.hunks[i]
	for _, br := range []string{"\r\n", "\n"} {
		typed, ends := strings.CutSuffix(g.inserted, br)
		was, ended := strings.CutSuffix(g.removed, br)
		if !ends || h.From == g.at || h.To != g.at+text.Byte(len(typed)) || !ended && g.removed != "" {
			continue
		}
		g.inserted, g.removed = typed, was
		if g.inserted == g.removed {
			n.hunks = slices.Delete(n.hunks, i, i+1)
		}
		return true
	}
	return false
}

// put replaces the hunks [i, j) and moves those after a change of the file.
func (n *net) put(i, j int, hunks []netHunk, h version.Hunk) {
	shift := text.Byte(len(h.Inserted)) - (h.To - h.From)
	for k := j; k < len(n.hunks); k++ {
		n.hunks[k].at += shift
	}
	n.hunks = slices.Replace(n.hunks, i, j, hunks...)
}

// stillDiffering returns the rest of a hunk after an edit. It compares only the edges,
// which is fast; settle compares the inside.
func (h netHunk) stillDiffering() []netHunk {
	if len(h.removed)+len(h.inserted) > largeHunk || h.removed != h.inserted && !sameEdge(h.removed, h.inserted) {
		return []netHunk{h}
	}
	return h.differing()
}

// largeHunk is the size up to which a hunk is compared after each edit.
const largeHunk = 32 << 10

// sameEdge reports whether two texts begin or end with the same line.
func sameEdge(a, b string) bool {
	first := func(s string) string { return s[:strings.IndexByte(s, '\n')+1] }
	last := func(s string) string { return s[strings.LastIndexByte(s[:max(0, len(s)-1)], '\n')+1:] }
	return a != "" && b != "" && (first(a) != "" && first(a) == first(b) || last(a) == last(b))
}

// differing splits a hunk into the parts that differ, as whole lines, because a part of a
// line says little. UTF-16 text is not split, because its lines cannot be found here.
func (h netHunk) differing() []netHunk {
	switch {
	case h.removed == h.inserted:
		return nil
	case h.removed == "" || h.inserted == "", isLine(h.removed) && isLine(h.inserted),
		strings.IndexByte(h.removed, 0) >= 0:
		return []netHunk{h}
	}
	a, b := text.OfString(h.removed), text.OfString(h.inserted)
	var out []netHunk
	shift, endA, endB := text.Byte(0), text.Byte(-1), text.Byte(-1) // the end of the last part
	startA, startB := text.Byte(0), text.Byte(0)
	for c := range text.Diff(a, b).Changes {
		fromA, toA, fromB, toB := toLines(a, b, c, c.From+shift)
		shift += text.Byte(len(c.Insert)) - (c.To - c.From)
		if len(out) > 0 && (fromA < endA || fromB < endB) { // in the same lines as the part before
			out = out[:len(out)-1]
			toA, toB = max(toA, endA), max(toB, endB)
		} else {
			startA, startB = fromA, fromB
		}
		endA, endB = toA, toB
		out = append(out, netHunk{h.at + startB, h.removed[startA:endA], h.inserted[startB:endB], h.edit})
	}
	return out
}

// isLine reports whether a text is at most one line.
func isLine(s string) bool {
	i := strings.IndexByte(s, '\n')
	return i < 0 || i == len(s)-1
}

// toLines extends a change to whole lines, equally on both sides; at is where it begins in
// the new text.
func toLines(a, b text.Text, c text.Change, at text.Byte) (fromA, toA, fromB, toB text.Byte) {
	end := at + text.Byte(len(c.Insert))
	fromA, fromB = a.LineStart(a.LineAt(c.From)), b.LineStart(b.LineAt(at))
	toA, toB = c.To, end
	if lineA, lineB := a.LineAt(c.To), b.LineAt(end); toA != a.LineStart(lineA) || toB != b.LineStart(lineB) {
		toA, toB = lineEnd(a, lineA), lineEnd(b, lineB)
	}
	return fromA, toA, fromB, toB
}

// lineEnd returns the start of the next line.
func lineEnd(t text.Text, line int) text.Byte {
	if line+1 >= t.Lines() {
		return t.Len()
	}
	return t.LineStart(line + 1)
}

// settle drops text that is the same on both sides after all: in large hunks, and across
// several adjacent ones, as when a line was inserted before itself and then deleted.
func (n *net) settle() {
	var out []netHunk
	for i := 0; i < len(n.hunks); {
		j, removed, inserted := i, "", ""
		for ; j < len(n.hunks) && (j == i || n.hunks[j].at == n.hunks[j-1].end()); j++ {
			removed, inserted = removed+n.hunks[j].removed, inserted+n.hunks[j].inserted
		}
		if removed != inserted {
			for _, h := range n.hunks[i:j] {
				out = append(out, h.differing()...)
			}
		}
		i = j
	}
	n.hunks = out
}

// balanced reports whether as much was removed as inserted: then the base may equal the
// file after all, as when one blank line was deleted and another inserted.
func (n *net) balanced() bool {
	sum := 0
	for _, h := range n.hunks {
		sum += len(h.inserted) - len(h.removed)
	}
	return sum == 0 && len(n.hunks) > 0
}

// settleWith drops all hunks if the base of the file, whose text is now, equals it.
func (n *net) settleWith(now text.Text) {
	if n.base(now).Equal(now) {
		n.hunks = nil
	}
}

// base returns the accepted base of the file, whose text is now.
func (n *net) base(now text.Text) text.Text {
	changes := make([]text.Change, len(n.hunks))
	for i, h := range n.hunks {
		changes[i] = text.Change{From: h.at, To: h.end(), Insert: h.removed}
	}
	cs, err := text.NewChangeSet(now.Len(), changes...)
	if err != nil {
		return now
	}
	out, err := cs.Apply(now)
	if err != nil {
		return now
	}
	return out
}
