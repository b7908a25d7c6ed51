package editstream

// The tests of the placer's laws write patches; the product only reads them.

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"waferpair/workspace/text"
)

// FileChange is a change of one file, to write as a patch.
type FileChange struct {
	Path     string
	Before   text.Text
	Encoding text.Encoding
	Changes  []text.Change // against Before; for a new file, against the empty text
	Create   bool
	Delete   bool
}

// RenderV4A writes changes as an apply_patch patch that this package's Placer applies with
// exactly the same result, if all new lines end as the placer would end them (ends.go);
// otherwise with the same lines, because a patch cannot say how a line ends. Every hunk has
// the context, and where needed the header or the end-of-file marker, that makes its place
// unique.
//
// It returns an error for changes that lines cannot express: changes of a byte order mark,
// and lines that do not survive decoding. A file without any change, or with a path that a
// patch line cannot hold, is an error too.
func RenderV4A(changes []FileChange) (string, error) {
	var b strings.Builder
	b.WriteString(beginPatch + "\n")
	for _, c := range changes {
		s, err := renderFile(c)
		if err != nil {
			return "", fmt.Errorf("render patch of %s: %w", c.Path, err)
		}
		b.WriteString(s)
	}
	b.WriteString(endPatch + "\n")
	return b.String(), nil
}

func renderFile(c FileChange) (string, error) {
	if p := strings.TrimSpace(c.Path); p == "" || p != c.Path || strings.ContainsAny(p, "\n\r") {
		return "", fmt.Errorf("a patch cannot hold the path %q", c.Path)
	}
	if c.Delete {
		return deleteFile + c.Path + "\n", nil
	}
	cs, err := text.NewChangeSet(c.Before.Len(), c.Changes...)
	if err != nil {
		return "", err
	}
	after, err := cs.Apply(c.Before)
	if err != nil {
		return "", err
	}
	r := renderer{enc: encoding{c.Encoding}}
	s, err := r.render(c, cs, after)
	if err == nil && !c.makes(s, after, r.odd) {
		err = errors.New("lines cannot express it exactly")
	}
	return s, err
}

// makes reports whether the patch turns the file into after; odd means that the line breaks
// may differ.
func (c FileChange) makes(patch string, after text.Text, odd bool) bool {
	made, err := c.planned(beginPatch + "\n" + patch + endPatch + "\n")
	return err == nil && (made.Equal(after) || odd && slices.Equal(c.bodies(made), c.bodies(after)))
}

// planned returns the file as the patch leaves it.
func (c FileChange) planned(patch string) (text.Text, error) {
	results, failed, err := Plan(NewStrictV4A(), []byte(patch), c)
	switch {
	case err != nil:
		return text.Text{}, err
	case len(failed) > 0 || len(results) > 1:
		return text.Text{}, fmt.Errorf("%v, %v", failed, results)
	case len(results) == 0:
		return c.Before, nil
	}
	return results[0].After, nil
}

// bodies returns the lines of a text without their line breaks.
func (c FileChange) bodies(t text.Text) []string {
	x := newIndex(encoding{c.Encoding}, t, 0, t.Len())
	out := x.texts(0, len(x.lines))
	for i, s := range out {
		out[i] = strings.TrimRight(s, "\r")
	}
	return out
}

// plain reports whether every line of both texts ends in the same way, so that a patch need
// not say how.
func (c FileChange) plain(before, after text.Text) bool {
	ends := map[string]bool{}
	for _, t := range []text.Text{before, after} {
		x := newIndex(encoding{c.Encoding}, t, 0, t.Len())
		for i := range x.lines {
			ends[encoding{c.Encoding}.decode(x.lineBreak(i))] = true
		}
	}
	return len(ends) == 1 && !ends[""] && (!c.Create || ends["\n"])
}

// Open provides the file before the change, and no other file.
func (c FileChange) Open(path string) (Doc, error) {
	if path != c.Path || c.Create {
		return Doc{}, fs.ErrNotExist
	}
	return Doc{Text: c.Before, Encoding: c.Encoding}, nil
}

// contextLines is the number of lines that a hunk usually shows around its changes.
const contextLines = 3

// renderer writes the hunks of one file.
type renderer struct {
	enc encoding
	eol string // the file's first line break
	old *index
	now *index
	odd bool // a new line does not end as the placer would end it
	b   strings.Builder
}

func (r *renderer) render(c FileChange, cs text.ChangeSet, after text.Text) (string, error) {
	r.old = newIndex(r.enc, c.Before, 0, c.Before.Len())
	r.now = newIndex(r.enc, after, 0, after.Len())
	if c.Create {
		r.eol = "\n"
		r.b.WriteString(addFile + c.Path + "\n")
		for j := range r.now.lines {
			r.insert(j, r.eol)
		}
		return r.b.String(), nil
	}
	r.eol = (&file{enc: r.enc, x: r.old}).firstEOL()
	blocks := r.blocks(cs)
	if len(blocks) == 0 {
		return "", errors.New("there is no change of a line")
	}
	r.b.WriteString(updateFile + c.Path + "\n")
	for cursor := 0; len(blocks) > 0; {
		h := r.place(blocks, cursor)
		r.hunk(h, blocks[:h.blocks])
		cursor, blocks = h.to, blocks[h.blocks:]
	}
	return r.b.String(), nil
}

// lineBlock is a run of old lines [a0, a1) that becomes new lines [b0, b1).
type lineBlock struct{ a0, a1, b0, b1 int }

// blocks returns the gaps between the lines that the change set keeps whole.
func (r *renderer) blocks(cs text.ChangeSet) []lineBlock {
	changes := slices.Collect(cs.Changes)
	var out []lineBlock
	grow, a, b, j := text.Byte(0), 0, 0, 0
	for i := range r.old.lines {
		from, to := r.old.offset(i), r.old.offset(i+1)
		for len(changes) > 0 && changes[0].To <= from {
			grow += text.Byte(len(changes[0].Insert)) - (changes[0].To - changes[0].From)
			changes = changes[1:]
		}
		if len(changes) > 0 && changes[0].From < to {
			continue
		}
		for j < len(r.now.lines) && r.now.offset(j) < from+grow {
			j++
		}
		if j < len(r.now.lines) && r.now.offset(j) == from+grow && r.same(i, j) {
			out = r.gap(out, lineBlock{a, i, b, j})
			a, b = i+1, j+1
		}
	}
	return r.gap(out, lineBlock{a, len(r.old.lines), b, len(r.now.lines)})
}

func (r *renderer) same(i, j int) bool { return r.old.raw(i, i+1) == r.now.raw(j, j+1) }

// gap adds a block without the equal lines at its ends.
func (r *renderer) gap(out []lineBlock, k lineBlock) []lineBlock {
	for k.a0 < k.a1 && k.b0 < k.b1 && r.same(k.a0, k.b0) {
		k.a0, k.b0 = k.a0+1, k.b0+1
	}
	for k.a0 < k.a1 && k.b0 < k.b1 && r.same(k.a1-1, k.b1-1) {
		k.a1, k.b1 = k.a1-1, k.b1-1
	}
	if k.a0 == k.a1 && k.b0 == k.b1 {
		return out
	}
	return append(out, k)
}

// hunkAt is the place of a hunk: old lines [from, to), the first blocks in it, and what
// makes its place unique.
type hunkAt struct {
	from, to int
	blocks   int
	header   string
	atEOF    bool
}

// place finds a hunk for the first blocks that is unique from the cursor on: with the usual
// context, else with a header or at the end of the file, else with more and more context.
// The whole rest of the file is always unique.
func (r *renderer) place(blocks []lineBlock, cursor int) hunkAt {
	for lead := contextLines; ; lead *= 2 {
		h := r.around(blocks, cursor, lead)
		n := h.to - h.from
		s := search{x: r.old, old: r.old.texts(h.from, h.to)}
		if n == 0 || len(s.places(n, cursor)) == 1 {
			return h
		}
		if h.atEOF = h.to == len(r.old.lines); h.atEOF {
			return h
		}
		if h.header = r.header(&s, h.from, cursor); h.header != "" {
			return h
		}
	}
}

// around adds lead lines of context on both sides, and every block that these touch.
func (r *renderer) around(blocks []lineBlock, cursor, lead int) hunkAt {
	h := hunkAt{from: max(cursor, blocks[0].a0-lead)}
	for h.blocks < len(blocks) && (h.blocks == 0 || blocks[h.blocks].a0-lead <= h.to) {
		h.to = min(len(r.old.lines), blocks[h.blocks].a1+lead)
		h.blocks++
	}
	return h
}

// header finds a line above the hunk that occurs once from the cursor on and
// leads to the hunk.
func (r *renderer) header(s *search, from, cursor int) string {
	for i := from - 1; i >= max(cursor, from-100); i-- {
		line := r.old.text(i)
		if strings.TrimSpace(line) == "" || len(r.old.lineMatches(line, cursor)) != 1 {
			continue
		}
		if at := s.places(len(s.old), i+1); len(at) > 0 && at[0] == from {
			return line
		}
	}
	return ""
}

// texts returns the content of lines [i, j).
func (x *index) texts(i, j int) []string {
	var out []string
	for ; i < j; i++ {
		out = append(out, x.text(i))
	}
	return out
}

func (r *renderer) hunk(h hunkAt, blocks []lineBlock) {
	if h.header != "" {
		r.line("@@ ", h.header)
	} else {
		r.b.WriteString("@@\n")
	}
	at := h.from
	for _, k := range blocks {
		r.lines(" ", at, k.a0)
		r.lines("-", k.a0, k.a1)
		for j := k.b0; j < k.b1; j++ {
			r.insert(j, r.usual(k, j))
		}
		at = k.a1
	}
	r.lines(" ", at, h.to)
	if h.atEOF {
		r.b.WriteString(endOfFile + "\n")
	}
}

func (r *renderer) lines(kind string, i, j int) {
	for ; i < j; i++ {
		r.line(kind, r.old.text(i))
	}
}

// line writes a patch line. The parser would remove one "\r" at its end.
func (r *renderer) line(kind, content string) {
	r.b.WriteString(kind)
	r.b.WriteString(content)
	if strings.HasSuffix(content, "\r") {
		r.b.WriteByte('\r')
	}
	r.b.WriteByte('\n')
}

// usual returns the line break that the placer gives new line j of a block; see ends.go.
func (r *renderer) usual(k lineBlock, j int) string {
	var candidates []string
	if old := k.a0 + j - k.b0; old < k.a1 {
		candidates = append(candidates, r.old.lineBreak(old))
	}
	if j > 0 {
		candidates = append(candidates, r.now.lineBreak(j-1))
	} else if k.a1 < len(r.old.lines) {
		candidates = append(candidates, r.old.lineBreak(k.a1))
	}
	for _, eol := range candidates {
		if eol != "" {
			return eol
		}
	}
	return r.eol
}

// insert writes new line j.
func (r *renderer) insert(j int, usual string) {
	r.line("+", r.now.text(j))
	r.odd = r.odd || r.now.lineBreak(j) != usual
}
