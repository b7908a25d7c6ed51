package mask

import (
	"errors"
	"slices"
	"strings"

	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// Veil hides the secrets of one file from a model that changes it. The model's changes are based on
// the masked text. Masks keep the length of what they hide, so these changes are also changes of the
// true text, but for the masks in what they insert. A mask stands for a secret of the lines that the
// same hunk removes (pair.go), so a hunk that touches a secret is made at its end, as one change:
//
//	Take ── neither removes a secret nor inserts a mask ──> make it now
//	     \─ else, and what follows in the hunk ──> waiting ──> Reveal ──> one change of the true text
//
// So no state of the file, recorded or on disk, lacks a secret that the hunk keeps.
//
// A Veil belongs to one view of the file: after each change of the view the owner calls Moved.
type Veil struct {
	seals   []text.Range // the secrets, in the view, sorted
	plain   bool         // the file itself has the text of a mask
	waiting []text.ChangeSet
}

// Cover returns a file as models see it, and its veil.
func Cover(path string, t text.Text) (text.Text, *Veil) {
	b, found := secrets.Mask(path, t.Bytes())
	v := &Veil{}
	if len(found) == 0 {
		v.plain = Has(string(b))
		return t, v
	}
	last := 0
	for _, f := range found {
		v.seals = append(v.seals, text.Range{From: text.Byte(f.From), To: text.Byte(f.To)})
		v.plain = v.plain || Has(string(b[last:f.From]))
		last = f.To
	}
	v.plain = v.plain || Has(string(b[last:]))
	return text.Of(b), v
}

// ErrAdded is why a mask cannot be written where no secret is.
var ErrAdded = errors.New("the new text has a mask in place of a secret that the model cannot see, " +
	"and no line that this edit removes has one: keep a line with a secret where it is, or write the secret by hand")

// Take accepts a change of the model. wait means that it must not be made yet: Reveal returns it
// later, with what follows it.
func (v *Veil) Take(cs text.ChangeSet) (wait bool, err error) {
	switch {
	case len(v.waiting) > 0, len(v.seals) > 0 && v.touched(cs):
		v.waiting = append(v.waiting, cs)
		return true, nil
	case len(v.seals) == 0 && !v.plain && inserts(cs):
		return false, ErrAdded
	}
	return false, nil
}

// Deletable returns why the model must not delete the file; nil when it may.
func (v *Veil) Deletable() error {
	if len(v.seals) > 0 {
		return errors.New("the file holds a secret that the model cannot see, and the history could not bring it back, " +
			"so it was left as it is; delete it by hand")
	}
	return nil
}

// Waits reports whether changes are waiting.
func (v *Veil) Waits() bool { return len(v.waiting) > 0 }

// Drop forgets the changes that wait.
func (v *Veil) Drop() { v.waiting = nil }

// touched reports whether a change removes a part of a secret or inserts a mask.
func (v *Veil) touched(cs text.ChangeSet) bool {
	for c := range cs.Changes {
		if Has(c.Insert) || slices.ContainsFunc(v.seals, func(r text.Range) bool { return r.From < c.To && c.From < r.To }) {
			return true
		}
	}
	return false
}

func inserts(cs text.ChangeSet) bool {
	for c := range cs.Changes {
		if Has(c.Insert) {
			return true
		}
	}
	return false
}

// Revealed is what waited, for the true text.
type Revealed struct {
	Changes text.ChangeSet // of the true text
	// Fix makes what the model has seen so far, with its changes, the masked form of the new text:
	// a mask that the model wrote too short gets its secret's length.
	Fix   text.ChangeSet
	seals []text.Range
}

// Reveal returns the changes that wait as one of the true text t. If it is not certain which secret
// a mask stands for, or a secret would be lost, it returns why; the changes go on waiting then, and
// those that revert them follow.
func (v *Veil) Reveal(t text.Text) (r Revealed, err error) {
	cs, err := composed(v.waiting)
	if err != nil {
		return r, err
	}
	p := newPairing(t, v.seals, v.plain)
	for c := range cs.Changes {
		if err := p.region(c); err != nil {
			return r, err
		}
	}
	if err := p.match(); err != nil {
		return r, err
	}
	return p.revealed(t, cs)
}

// Made says that the view has changed as Reveal said.
func (v *Veil) Made(r Revealed) { v.seals, v.waiting = r.seals, nil }

// Moved says that the view has changed: by a change that Take let pass, or by others.
func (v *Veil) Moved(cs text.ChangeSet) {
	if cs.Empty() {
		return
	}
	kept := v.seals[:0]
	for _, s := range v.seals {
		from, to := cs.MapPos(s.From, 1), cs.MapPos(s.To, -1)
		if from < to { // somebody may have typed in it
			kept = append(kept, text.Range{From: from, To: to})
		}
	}
	v.seals = kept
}

// composed composes changes that follow each other, neighbours first: each of them has few places,
// the whole has many.
func composed(of []text.ChangeSet) (text.ChangeSet, error) {
	if len(of) == 1 {
		return of[0], nil
	}
	front, err := composed(of[:len(of)/2])
	if err != nil {
		return front, err
	}
	back, err := composed(of[len(of)/2:])
	if err != nil {
		return back, err
	}
	return front.Compose(back)
}

// lineAround returns the line of s around [from, to), without white space at its ends, and what it
// has in front of from.
func lineAround(s string, from, to int) (line, before string) {
	start := strings.LastIndexByte(s[:from], '\n') + 1
	end := strings.IndexByte(s[to:], '\n')
	if end < 0 {
		end = len(s)
	} else {
		end += to
	}
	return strings.TrimSpace(s[start:end]), s[start:from]
}
