package prompt

import (
	"cmp"
	"slices"
)

// overhead is the number of tokens that a message costs beside its text.
const overhead = 8

const (
	tooLong = "the prompt would be too long"
	oldTurn = "it is one of the oldest turns, and " + tooLong
)

// size is the number of tokens of the prompt as it is.
func (b *builder) size() int {
	n := b.head.Tokens + b.tools.Tokens + b.chart.Tokens + b.note.Tokens + b.asked.Tokens + 4*overhead
	for _, p := range slices.Concat(b.laws, b.files, b.attached) {
		n += p.Tokens
	}
	for _, t := range b.turns {
		n += t.Tokens + overhead
	}
	return n
}

// fit takes out of the prompt what has to go, cheapest first: the map shrinks, old outputs of tools,
// the oldest turns (see summarize), the least relevant files, the map, the summary of turns, lines of the files that
// the user chose and then all of them, the project's instructions, what is attached. The request stays.
// Of a conversation more goes than must, so that the following turns keep their prefix.
func (b *builder) fit() error {
	most := b.budget()
	if b.size() > most && b.chart.Text != "" {
		b.makeSmallMap()
	}
	if b.size() > most {
		b.dropOutputs(most * 4 / 5)
	}
	if b.size() > most {
		b.summarize()
		least := most * 4 / 5
		if b.r.Summaries.Back > b.memory.Turns { // the user wants these turns
			least = most
		}
		b.dropTurns(least)
	}
	b.dropFiles(most, func(p Part) bool { return !b.chosen(p) })
	if b.size() > most && b.chart.Text != "" {
		b.left(Left{b.chart.Kind, b.chart.Name, "", b.chart.Tokens, tooLong})
		b.chart = Part{}
	}
	for b.size() > most && len(b.turns) > 0 && !b.stays(b.turns[0]) { // the summary
		b.left(Left{b.turns[0].Kind, b.turns[0].Name, "", b.turns[0].Tokens, tooLong})
		b.turns = b.turns[1:]
	}
	b.cutFiles(most)
	b.dropFiles(most, func(Part) bool { return true })
	for b.size() > most && len(b.laws) > 0 {
		p := b.laws[0]
		b.laws = b.laws[1:]
		b.left(Left{p.Kind, p.Name, p.Path, p.Tokens, tooLong})
	}
	if b.size() > most && b.r.Target.From > 0 { // the lines without their text
		b.note.Text = b.noteText("")
		b.note = b.counted(b.note)
	}
	for b.size() > most && len(b.attached) > 0 {
		p := b.attached[len(b.attached)-1]
		b.attached = b.attached[:len(b.attached)-1]
		b.left(Left{p.Kind, p.Name, p.Path, p.Tokens, tooLong})
	}
	if n := b.size(); n > most {
		return &TooLargeError{n, most}
	}
	return nil
}

// chosen reports whether the user chose a file: it is pinned or open.
func (b *builder) chosen(p Part) bool { return p.Pinned || p.Path == b.r.Target.File }

// dropFiles leaves out files, the least relevant first, until the prompt is short enough.
func (b *builder) dropFiles(most int, may func(Part) bool) {
	for i := len(b.files) - 1; i >= 0 && b.size() > most; i-- {
		if p := b.files[i]; may(p) {
			b.files = slices.Delete(b.files, i, i+1)
			b.left(Left{p.Kind, p.Name, p.Path, p.Tokens, tooLong})
		}
	}
}

// cutFiles leaves of the files that the user chose only the lines that matter most, until the prompt is short
// enough.
func (b *builder) cutFiles(most int) {
	for i := len(b.files) - 1; i >= 0; i-- {
		p := b.files[i]
		over := b.size() - most
		if keep := p.Tokens - over; over > 0 && keep >= leastFile {
			lines := int(float64(p.Bytes)*float64(keep)/float64(p.Tokens)) - len(b.heading(p.Path, 0)) - fileFrame
			if lines > 0 {
				b.files[i] = b.filePart(p.Path, p.Reason, b.texts[p.Path].text, lines)
			}
		}
	}
}

// The number of tokens below which the beginning of a file says too little, and of bytes around its lines.
const (
	leastFile = 100
	fileFrame = 200
)

// makeSmallMap replaces the map by one of a quarter of its size.
func (b *builder) makeSmallMap() {
	was := b.chart
	b.chart.Text, b.shown = b.mapOf(was.Tokens/4, b.count)
	b.chart = b.counted(b.chart)
	b.chart.Cut = "it shows less than usual: " + tooLong
	if b.chart.Tokens >= was.Tokens {
		b.chart = was
	}
}

// dropOutputs leaves out the outputs of the oldest turns, until the prompt is short enough.
func (b *builder) dropOutputs(most int) {
	for i := range b.turns {
		if b.size() <= most {
			return
		}
		t := &b.turns[i]
		items, cut := withoutOutputs(t.Items)
		if cut == "" {
			continue
		}
		t.Items = items
		t.Part.Cut = cut
		t.Part = b.countTurn(t.Part, t.Turn)
		b.memory.Outputs = max(b.memory.Outputs, t.ID)
	}
}

// dropTurns leaves out the oldest turns, until the prompt is short enough. Their summary stays.
func (b *builder) dropTurns(most int) {
	for b.size() > most {
		i := slices.IndexFunc(b.turns, func(t turn) bool { return t.Kind != Summarized && !b.stays(t) })
		if i < 0 {
			return
		}
		t := b.turns[i]
		b.turns = slices.Delete(b.turns, i, i+1)
		b.left(Left{Kind: Conversation, Name: t.Name, Tokens: t.Tokens, Reason: b.whyOut(t.ID)})
		b.memory.Turns = max(b.memory.Turns, t.ID)
	}
}

// stays reports whether a turn is the one that goes on, which stays as the request does.
func (b *builder) stays(t turn) bool { return b.r.GoesOn && t.ID == b.r.Turns[len(b.r.Turns)-1].ID }

// sorted orders what was left out as the parts are.
func sorted(out []Left) []Left {
	order := []Kind{Instructions, Rules, Map, File, Summarized, Conversation, Changes, Pointer, Asked}
	slices.SortStableFunc(out, func(a, b Left) int {
		return cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind))
	})
	return out
}
