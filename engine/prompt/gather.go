package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/bits"
	"slices"
	"strings"

	"waferpair/engine/model"
)

// builder is the state of one Build.
type builder struct {
	*focus
	r      Request
	limit  int
	count  func(string) int
	texts  map[string]readText
	pinned map[string]bool
	out    []Left

	head     Part // instructions
	tools    Part
	laws     []Part
	chart    Part // the map
	shown    levels
	files    []Part // the most relevant first
	turns    []turn
	attached []Part
	note     Part // what the user points at
	asked    Part
	memory   Memory // of the session's last prompt
	due      *Due   // a summary
}

// turn is an earlier turn in the prompt.
type turn struct {
	Part
	Turn
}

func newBuilder(ctx context.Context, r Request) (*builder, error) {
	f, err := look(ctx, r)
	if err != nil {
		return nil, err
	}
	b := &builder{focus: f, r: r, limit: cmp.Or(r.Limit, DefaultLimit), count: r.Count, texts: map[string]readText{},
		pinned: map[string]bool{}}
	if b.count == nil {
		b.count = Ratio{}.Count
	}
	if r.Before != nil && len(r.Turns) > 0 { // without turns there is no prefix to keep
		b.memory = *r.Before
	}
	for _, p := range r.Pins {
		b.pinned[p] = true
	}
	return b, nil
}

// budget is the number of tokens that a prompt may have.
func (b *builder) budget() int { return b.limit - Reserve(b.limit) }

func (b *builder) left(l Left) { b.out = append(b.out, l) }

// counted sets the size of a part.
func (b *builder) counted(p Part) Part {
	p.Bytes, p.Tokens = len(p.Text), b.count(p.Text)
	return p
}

// wanted reports whether the user did not take a part out.
func (b *builder) wanted(kind Kind, name, path string) bool {
	if !b.r.without(name) {
		return true
	}
	b.left(Left{Kind: kind, Name: name, Path: path, Reason: "you took it out"})
	return false
}

// gather makes all parts that are wanted.
func (b *builder) gather() {
	b.head = b.counted(Part{Kind: Instructions, Name: "instructions", Text: instructions})
	b.tools = b.counted(Part{Kind: Instructions, Name: "tools", Text: b.r.Tools})
	if !b.r.GoesOn {
		b.asked = b.counted(Part{Kind: Asked, Name: "request", Text: b.r.Text})
		b.gatherAttached()
	}
	b.gatherFiles()
	for _, p := range b.rules(append(b.nearFiles(), b.r.Target.File)) {
		if b.wanted(Rules, p.Name, p.Path) {
			b.laws = append(b.laws, p)
		}
	}
	b.files = slices.DeleteFunc(b.files, func(p Part) bool {
		return slices.ContainsFunc(b.laws, func(r Part) bool { return r.Path == p.Path && r.Cut == "" })
	})
	if len(b.focus.files) > 0 && b.wanted(Map, "map", "") {
		b.makeMap(min(max(b.limit/20, 600), 8000))
	}
	if !b.r.GoesOn {
		b.note = b.counted(Part{Kind: Pointer, Name: "place", Path: b.r.Target.File,
			Text: b.noteText(b.selected())})
	}
	b.gatherTurns()
}

// nearFiles are the files whose folders' instructions count.
func (b *builder) nearFiles() (out []string) {
	for _, p := range b.files {
		if p.Pinned || p.Reason != guess {
			out = append(out, p.Path)
		}
	}
	for _, p := range b.attached {
		out = append(out, p.Path)
	}
	return out
}

// The limits of files that nobody pinned.
const (
	maxMentioned = 10
	maxKept      = 12
	maxGuessed   = 4
	leastGuess   = 2 << 10 // less of a file is of little use
)

// Reasons for which a file is in.
const (
	guess = "words of the request are in its name or in what it declares"
	kept  = "it was in the prompt before"
)

// gatherFiles collects the files whose text is wanted: pinned, open, mentioned, from the last
// prompt, and those that the words of the request fit to.
func (b *builder) gatherFiles() {
	room := 3 * b.budget() // bytes, about
	in := map[string]bool{}
	add := func(file, reason string, most int) int {
		if file == "" || in[file] {
			return 0
		}
		if in[file] = true; !b.wanted(File, file, file) {
			return 0
		}
		p, err := b.steadyPart(file, reason, most)
		if err != nil {
			b.left(Left{Kind: File, Name: file, Path: file, Reason: err.Error()})
			return 0
		}
		b.files = append(b.files, p)
		return len(p.Text)
	}
	for _, file := range slices.Sorted(slices.Values(b.r.Pins)) {
		add(file, "you pinned it", room/2)
	}
	add(b.r.Target.File, "you have it open", room/2)
	left := room / 2
	for n, m := range b.mentioned {
		if file := b.focus.files[m.file]; n < maxMentioned && left > 0 {
			left -= add(file, m.reason, min(64<<10, left))
		} else if !in[file] {
			b.left(Left{Kind: File, Name: file, Path: file, Reason: m.reason + ", but many others are meant too"})
		}
	}
	for _, file := range b.unlisted { // that exist
		if _, err := b.r.Files.Read(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			b.left(Left{Kind: File, Name: file, Path: file, Reason: err.Error()})
		}
	}
	left = room / 3
	for _, o := range b.r.Beside {
		if b.has(o.Path) && left > 0 {
			left -= add(o.Path, o.Reason, min(32<<10, left))
		}
	}
	b.uses(b.textsSoFar())
	b.ranks()
	for _, s := range b.keptFiles(in, room/2) {
		add(s.Path, kept, max(64<<10, s.Bytes))
	}
	left = room / 6
	for _, file := range b.guessed() {
		if left > leastGuess {
			left -= add(file, guess, min(16<<10, left))
		}
	}
}

// keptFiles returns the files of the last prompt that stay, the newest first. When they have become too many or
// too long, the older half goes: each one that goes takes the prefix with it.
func (b *builder) keptFiles(in map[string]bool, most int) (out []spot) {
	bytes := 0
	for _, s := range b.memory.latest() {
		if !in[s.Path] && b.has(s.Path) {
			out = append(out, s)
			bytes += s.Bytes
		}
	}
	if len(out) <= maxKept && bytes <= most {
		return out
	}
	bytes = 0
	for i, s := range out {
		if bytes += s.Bytes; i == maxKept/2 || bytes > most/2 && i > 0 || bytes > most {
			return out[:i]
		}
	}
	return out
}

// textsSoFar are the texts of the files that are in, which use others.
func (b *builder) textsSoFar() (out []string) {
	for _, p := range b.files {
		out = append(out, clip(p.Text, 64<<10))
	}
	return out
}

// guessed returns the files that the words of the request fit to best. When it names files or has one open, only
// what most of its words fit to is wanted besides.
func (b *builder) guessed() (out []string) {
	type scored struct {
		file  int
		score float64
	}
	most, least, common := maxGuessed, 0.3, len(b.focus.files)
	if len(b.mentioned) > 0 || b.r.Target.File != "" {
		most, least, common = 2, 0.6, maxDeclaring
	}
	var best []scored
	for i, a := range b.about {
		if words := a.path | a.decl; words != 0 && a.aside >= 0.5 &&
			(b.rare(a.stem, common) || bits.OnesCount64(words) > 1 && b.covers(words) >= least) {
			best = append(best, scored{i, b.fits(i) * a.aside})
		}
	}
	slices.SortStableFunc(best, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	for _, s := range best[:min(most, len(best))] {
		if s.score < 0.5*best[0].score {
			break
		}
		out = append(out, b.focus.files[s.file])
	}
	return out
}

// rare reports whether the set of words has one that at most n files have.
func (b *builder) rare(words uint64, n int) bool {
	for w := range b.words.each(words) {
		if b.weight[w] >= math.Log(1+float64(len(b.focus.files))/float64(n)) {
			return true
		}
	}
	return false
}

// selected returns the selected lines of the target, unless they are many.
func (b *builder) selected() string { return b.linesAt(b.r.Target) }

func (b *builder) linesAt(t model.Target) string {
	if t.File == "" || t.From == 0 || t.To-t.From >= 80 {
		return ""
	}
	s, err := b.readText(t.File)
	if err != nil {
		return ""
	}
	return linesOf(s, t.From, t.To)
}

// makeMap makes the project map: the one of the last prompt, if it is still right.
func (b *builder) makeMap(budget int) {
	p := Part{Kind: Map, Name: "map", Removable: true, Reason: fmt.Sprintf("the files that matter of %d",
		len(b.focus.files))}
	if p.Text, p.Cut = b.steadyMap(); p.Text != "" {
		b.shown = b.memory.find(Map, "map").levels
	} else {
		p.Text, b.shown = b.mapOf(budget, b.count)
	}
	if b.late {
		p.Cut, b.shown = "what the files declare: they are still being read", nil // the next map has it
	}
	b.chart = b.counted(p)
}

// steadyMap returns the map of the last prompt, if it is still about right: a new map would take the prefix with
// it whenever an edit declares something. What changed since is in the conversation and in the files. stale says
// how much that is.
func (b *builder) steadyMap() (text, stale string) {
	s := b.memory.find(Map, "map")
	if s == nil || s.levels == nil {
		return "", ""
	}
	now := newTree(b.focus, s.levels).render()
	if s.is(now) {
		return now, ""
	}
	if n := otherLines(s.Text, now); s.Text != "" && n <= max(4, strings.Count(now, "\n")/10) {
		return s.Text, fmt.Sprintf("%d of its lines have changed since: it is made anew when more have", n)
	}
	return "", ""
}

// otherLines returns the number of lines that only one of two texts has, or the larger of both numbers.
func otherLines(a, b string) int {
	in := map[string]int{}
	for line := range strings.Lines(a) {
		in[line]++
	}
	more, fewer := 0, 0
	for line := range strings.Lines(b) {
		if in[line]--; in[line] < 0 {
			more++
		}
	}
	for _, n := range in {
		fewer += max(0, n)
	}
	return max(more, fewer)
}

// gatherTurns makes the parts of the conversation.
func (b *builder) gatherTurns() {
	if len(b.r.Turns) > 0 && b.r.without("conversation") {
		b.left(Left{Kind: Conversation, Name: "conversation", Reason: "you took it out"})
		return
	}
	now, placed := b.r.Summaries.Now, b.r.Summaries.Now.Text == ""
	place := func() {
		if !placed && b.wanted(Summarized, now.Name(), "") {
			b.turns = append(b.turns, b.summary())
		}
		placed = true
	}
	for n, t := range b.r.Turns {
		p := Part{Kind: Conversation, Name: fmt.Sprintf("turn %d", t.ID), Removable: true}
		if t.Items = repaired(t.Items); b.r.GoesOn && n == len(b.r.Turns)-1 {
			t.Items = reopened(t.Items)
		}
		if t.ID > now.To {
			place()
		}
		switch {
		case len(t.Items) == 0:
			continue
		case now.covers(t.ID):
			b.left(Left{Kind: p.Kind, Name: p.Name, Reason: "the summary of " + now.Name() + " stands for it"})
			continue
		case !b.wanted(p.Kind, p.Name, ""):
			continue
		case t.ID <= b.memory.Turns:
			b.left(Left{Kind: p.Kind, Name: p.Name, Reason: b.whyOut(t.ID)})
			continue
		}
		if n := b.memory.note(b.turnBefore()); n != nil {
			t.Note = b.noteOf(t, n)
		}
		if t.ID <= b.memory.Outputs {
			t.Items, p.Cut = withoutOutputs(t.Items)
		}
		b.turns = append(b.turns, turn{b.countTurn(p, t), t})
	}
	place()
}

// noteOf returns what a prompt said right before the request of an earlier turn.
func (b *builder) noteOf(t Turn, was *spot) string {
	if was.Text != "" {
		return was.Text
	}
	if s := Note(t.Target, t.ReadOnly, b.linesAt(t.Target)); was.is(s) { // the selected lines are the same still
		return s
	}
	return t.Note
}

// turnBefore is the number of the last turn so far; 0: there is none.
func (b *builder) turnBefore() int64 {
	if n := len(b.turns); n > 0 {
		return b.turns[n-1].ID
	}
	return 0
}

func (b *builder) countTurn(p Part, t Turn) Part {
	var s strings.Builder
	s.WriteString(t.Note)
	for _, i := range t.Items {
		s.WriteString(textOf(i))
	}
	p.Text = s.String()
	p = b.counted(p)
	p.Tokens += 6 * len(t.Items)
	return p
}

// textOf returns what of an item costs tokens.
func textOf(i model.Item) string { return i.Name + i.Text() + string(i.Opaque) }
