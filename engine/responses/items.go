package responses

import (
	"fmt"
	"unicode/utf8"

	"waferpair/engine/model"
)

// item is an item of a response that is being decoded.
type item struct {
	at     int // place in the answer
	output int // place as the server counts; -1: it does not
	header model.Item
	begun  bool
	ended  bool
	waits  bool // its text was missed: the end brings it
	wraps  bool // it calls a function that stands for a freeform tool
	parts  []*shown
	unwrap *Unwrapper
	pieces Pieces // the deltas
}

// begin opens the item. Its first part is known for reasoning alone.
func (it *item) begin(kind model.PartKind, emit Emit) error {
	i := it.header
	if i.Kind == model.Reasoning && kind == model.SummaryText {
		i.Parts = []model.Part{{Kind: model.SummaryText}}
	}
	if it.wraps {
		it.unwrap = &Unwrapper{}
	}
	it.begun = true
	return emit(model.Begin{At: it.at, Item: i})
}

// decode decodes the text of a delta.
func (it *item) decode(raw []byte) (string, error) {
	s, err := it.pieces.Decode(raw)
	if it.unwrap != nil && err == nil {
		s = it.unwrap.Push(s)
	}
	return s, err
}

// Pieces decodes the pieces of a text, each of which is a JSON string. Half a character at the end of
// one waits for the next. The zero value is the beginning of a text.
type Pieces struct {
	half []byte // the JSON of half a character
}

// Decode decodes the next piece.
func (p *Pieces) Decode(raw []byte) (string, error) {
	n := len(raw)
	if n < 2 || raw[0] != '"' {
		return "", fmt.Errorf("the event has a delta that is not a text: %.20s", raw)
	}
	if len(p.half) > 0 || halfAtEnd(raw[1:n-1]) > 0 {
		body := append(p.half, raw[1:n-1]...)
		whole := len(body) - halfAtEnd(body)
		raw = append(append([]byte{'"'}, body[:whole]...), '"')
		p.half = append([]byte(nil), body[whole:]...)
	}
	return unquote(raw)
}

// halfAtEnd returns the length of the half character at the end of a JSON string's body: the
// escape of the first half of a surrogate pair, or the first bytes of UTF-8.
func halfAtEnd(b []byte) int {
	n := len(b)
	if n == 0 {
		return 0
	}
	if b[n-1] >= utf8.RuneSelf {
		for back := 1; back < utf8.UTFMax && back <= n; back++ {
			if tail := b[n-back:]; utf8.RuneStart(tail[0]) {
				if utf8.FullRune(tail) {
					return 0
				}
				return back
			}
		}
		return 0
	}
	if n < 6 || b[n-6] != '\\' || b[n-5] != 'u' || !isHigh(b[n-4:]) {
		return 0
	}
	escapes := 0
	for n-6-escapes >= 0 && b[n-6-escapes] == '\\' {
		escapes++
	}
	return 6 * (escapes % 2)
}

// partAt returns the place of a part that was shown; -1: it was not.
func (it *item) partAt(kind model.PartKind, index int) int {
	for n := len(it.parts) - 1; n >= 0; n-- {
		if it.parts[n].kind == kind && it.parts[n].index == index {
			return n
		}
	}
	return -1
}

// part returns what was shown of a part; nil: nothing.
func (it *item) part(kind model.PartKind, index int) *shown {
	if n := it.partAt(kind, index); n >= 0 {
		return it.parts[n]
	}
	return nil
}

// say emits text of a part and notes that it was shown.
func (it *item) say(t model.Text, kind model.PartKind, index int, emit Emit) error {
	p := it.partAt(kind, index)
	if p < 0 {
		if p = len(it.parts); p >= maxItems || p > 0 && it.header.Kind.IsCall() {
			return fmt.Errorf("item %d of the answer has too many parts", it.at)
		}
		it.parts = append(it.parts, newShown(kind, index))
	}
	t.Part = p
	if err := emit(t); err != nil {
		return err
	}
	it.parts[p].add(t.Text)
	return nil
}

// itemDone ends an item with the whole of it.
func (d *Decoder) itemDone(e *event, emit Emit) error {
	i, wraps, err := d.item(e.item)
	if err != nil {
		return err
	}
	it := d.about(e, i)
	if it != nil && e.output < 0 && i.ID == "" && it.header.Kind != "" && it.header.Kind != i.Kind {
		it = nil // a server that counts nothing: not the item that is open
	}
	if it == nil {
		if it, err = d.add(e, header(i)); err != nil {
			return err
		}
	}
	it.wraps = wraps
	return d.finish(it, i, emit)
}

// finish emits what of an item has not been shown, and ends it.
func (d *Decoder) finish(it *item, i model.Item, emit Emit) error {
	switch {
	case it.ended:
		return nil
	case it.waits:
		it.header, it.waits = header(i), false
	case it.header.Kind != i.Kind:
		return fmt.Errorf("item %d of the answer began as %s and ended as %s", it.at, it.header.Kind, i.Kind)
	}
	i = withHeader(i, it.header)
	if !known(i.Kind) {
		return d.opaque(it, i, emit)
	}
	known, err := d.reconcile(it, &i, emit)
	if err != nil {
		return err
	}
	end := model.End{At: it.at, Item: i}
	if !known {
		end.Item = model.Item{}
		d.blind = true
	}
	return d.end(it, end, emit)
}

// withHeader fills in what an item said when it began, and leaves out its end.
func withHeader(i, h model.Item) model.Item {
	for _, f := range []struct{ to, from *string }{{&i.ID, &h.ID}, {&i.CallID, &h.CallID}, {&i.Name, &h.Name},
		{&i.Role, &h.Role}} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
	if i.Status != model.Incomplete {
		i.Status = model.Complete
	}
	return i
}

// opaque emits an item of a kind without text of its own.
func (d *Decoder) opaque(it *item, i model.Item, emit Emit) error {
	it.begun = true
	if err := emit(model.Begin{At: it.at, Item: i}); err != nil {
		return err
	}
	return d.end(it, model.End{At: it.at, Item: i}, emit)
}

func (d *Decoder) end(it *item, end model.End, emit Emit) error {
	it.ended, it.parts, it.unwrap, it.pieces = true, nil, nil, Pieces{}
	if it.header.Kind.IsCall() && d.result.Stop == "" {
		d.result.Stop = model.StopTools
	}
	if end.Item.Kind != "" {
		d.said = append(d.said, Said{Hash(end.Item), end.Item.Kind == model.Reasoning})
	}
	return emit(end)
}

// whole is the complete text of a part.
type whole struct {
	kind  model.PartKind
	index int
	text  string
	part  model.Part
}

// reconcile emits what the end of an item adds to what was shown, and puts its parts in the
// order in which they were. false means that the end does not have the text that was shown.
func (d *Decoder) reconcile(it *item, i *model.Item, emit Emit) (bool, error) {
	wholes, ok := it.wholes(i)
	if !ok || len(it.parts) > 0 && empty(wholes) {
		return false, nil
	}
	if !it.begun {
		var first model.PartKind
		if len(wholes) > 0 {
			first = wholes[0].kind
		}
		if err := it.begin(first, emit); err != nil {
			return false, err
		}
	}
	parts := make([]model.Part, 0, len(wholes))
	for n := 0; n < len(it.parts); n++ {
		s := it.parts[n]
		w, found := take(&wholes, s)
		rest, same := s.rest(w.text)
		if !found || !same {
			return false, fmt.Errorf("the end of item %d of the answer (%s) has another text than was streamed", it.at, i.Kind)
		}
		if err := d.more(it, s.kind, s.index, rest, emit); err != nil {
			return false, err
		}
		parts = append(parts, w.part)
	}
	for _, w := range wholes {
		if err := d.more(it, w.kind, w.index, w.text, emit); err != nil {
			return false, err
		}
		parts = append(parts, w.part)
	}
	if i.Kind.IsCall() {
		parts = nil
	}
	i.Parts = parts
	return true, nil
}

// more emits text that came with the end.
func (d *Decoder) more(it *item, kind model.PartKind, index int, text string, emit Emit) error {
	if text == "" {
		return nil
	}
	d.result.Text += len(text)
	return it.say(model.Text{At: it.at, Text: text}, kind, index, emit)
}

// take removes the whole text of a part from a list.
func take(of *[]whole, s *shown) (whole, bool) {
	for n, w := range *of {
		if w.index == s.index && (w.kind == s.kind || isWords(w.kind) && isWords(s.kind)) {
			*of = append((*of)[:n:n], (*of)[n+1:]...)
			return w, true
		}
	}
	return whole{}, false
}

// isWords reports whether a part is one of a message, where texts and refusals are counted
// together.
func isWords(k model.PartKind) bool { return k == model.OutputText || k == model.RefusalText }

func empty(of []whole) bool {
	for _, w := range of {
		if w.text != "" {
			return false
		}
	}
	return true
}

// wholes returns the complete texts of an item; false where arguments broke off within JSON
// after their text had been shown.
func (it *item) wholes(i *model.Item) ([]whole, bool) {
	if i.Kind.IsCall() {
		if it.wraps {
			input, err := Unwrap(i.Input)
			if err != nil && len(it.parts) > 0 {
				return nil, false
			}
			if err == nil {
				i.Input = input
			}
		}
		return []whole{{text: i.Input}}, true
	}
	var out []whole
	summaries, contents := 0, 0
	for _, p := range i.Parts {
		w := whole{kind: p.Kind, text: p.Text, part: p}
		if p.Kind == model.SummaryText {
			w.index = summaries
			summaries++
		} else {
			w.index = contents
			contents++
		}
		out = append(out, w)
	}
	return out, true
}

// interrupted ends an item that the server cut.
func (d *Decoder) interrupted(e *event, emit Emit) error {
	it := d.find(e, "")
	if it == nil || it.ended {
		return nil
	}
	d.blind = true
	if !it.begun {
		it.ended = true
		return nil
	}
	return d.end(it, model.End{At: it.at}, emit)
}
