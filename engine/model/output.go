package model

import (
	"fmt"
	"slices"
)

// Output assembles the items of an answer from its deltas. The zero value is an answer that
// has not begun.
type Output struct{ of []*outputItem }

type outputItem struct {
	Item
	at     int
	tokens int
	open   bool
	more   []byte // text that has not been added to its part yet
	part   int    // index of that part; 0 for a call
}

// Take adds a delta. It returns an error, and adds nothing, when the model sends its deltas
// in the wrong order.
func (o *Output) Take(d Delta) error {
	switch d := d.(type) {
	case Begin:
		return o.begin(d)
	case Text:
		return o.text(d)
	case End:
		return o.end(d)
	}
	return nil
}

func (o *Output) at(at int) *outputItem {
	for _, i := range slices.Backward(o.of) { // usually the last one
		if i.at == at {
			return i
		}
	}
	return nil
}

// open returns the open item at a place.
func (o *Output) open(at int, what string) (*outputItem, error) {
	i := o.at(at)
	switch {
	case i == nil:
		return nil, fmt.Errorf("the model's answer is out of order: %s of item %d, which has not begun", what, at)
	case !i.open:
		return nil, fmt.Errorf("the model's answer is out of order: %s of item %d, which has ended", what, at)
	}
	return i, nil
}

func (o *Output) begin(d Begin) error {
	if o.at(d.At) != nil {
		return fmt.Errorf("the model's answer is out of order: item %d began twice", d.At)
	}
	i := &outputItem{Item: d.Item, at: d.At, open: true}
	i.Parts = slices.Clone(d.Item.Parts)
	i.Status = InProgress
	o.of = append(o.of, i)
	return nil
}

func (o *Output) text(d Text) error {
	i, err := o.open(d.At, "text")
	if err != nil {
		return err
	}
	switch {
	case i.Kind.IsCall() && d.Part == 0 || d.Part >= 0 && d.Part < len(i.Parts):
	case d.Part == len(i.Parts) && !i.Kind.IsCall():
		i.Parts = append(i.Parts, Part{Kind: i.nextKind()})
	default:
		return fmt.Errorf("the model's answer is out of order: text of part %d of item %d, which has %d", d.Part,
			d.At, len(i.Parts))
	}
	if d.Part != i.part {
		i.settle()
		i.part = d.Part
	}
	i.more = append(i.more, d.Text...)
	i.tokens += d.Tokens
	return nil
}

// settle adds the texts that came to the part that they belong to.
func (i *outputItem) settle() {
	switch {
	case len(i.more) == 0:
	case i.Kind.IsCall():
		i.Input += string(i.more)
	default:
		i.Parts[i.part].Text += string(i.more)
	}
	i.more = i.more[:0]
}

// nextKind returns the kind of a new part: that of the part before it.
func (i *outputItem) nextKind() PartKind {
	if n := len(i.Parts); n > 0 {
		return i.Parts[n-1].Kind
	}
	return i.textKind()
}

func (o *Output) end(d End) error {
	i, err := o.open(d.At, "the end")
	if err != nil {
		return err
	}
	i.settle()
	switch {
	case d.Item.Kind == "":
	case d.Item.Kind != i.Kind:
		return fmt.Errorf("the model's answer is out of order: item %d began as %s and ends as %s", d.At, i.Kind, d.Item.Kind)
	case d.Item.Text() != i.Text():
		return fmt.Errorf("the model's answer is out of order: the end of item %d has other words than its texts", d.At)
	default:
		i.Item = d.Item
		i.Parts = slices.Clone(d.Item.Parts)
	}
	i.open, i.Status = false, Complete
	if d.Item.Status == Incomplete { // the model's own limit cut it
		i.Status = Incomplete
	}
	return nil
}

// Item returns the item at a place as it is now, with its tokens; false where none began.
func (o *Output) Item(at int) (i Item, tokens int, ok bool) {
	it := o.at(at)
	if it == nil {
		return Item{}, 0, false
	}
	return it.copy(), it.tokens, true
}

// Kind returns the kind of the item at a place; "" where none began.
func (o *Output) Kind(at int) Kind {
	if i := o.at(at); i != nil {
		return i.Item.Kind
	}
	return ""
}

// Open returns the places of the items that have not ended, in the order in which they
// began.
func (o *Output) Open() []int {
	var out []int
	for _, i := range o.of {
		if i.open {
			out = append(out, i.at)
		}
	}
	return out
}

// Cut ends the open item at a place as Incomplete.
func (o *Output) Cut(at int) {
	if i := o.at(at); i != nil && i.open {
		i.open, i.Status = false, Incomplete
	}
}

// Items returns the items so far, in the order in which they began.
func (o *Output) Items() []Item {
	out := make([]Item, len(o.of))
	for n, i := range o.of {
		out[n] = i.copy()
	}
	return out
}

func (i *outputItem) copy() Item {
	i.settle()
	c := i.Item
	c.Parts = slices.Clone(i.Parts)
	return c
}
