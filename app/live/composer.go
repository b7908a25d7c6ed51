package live

import "waferpair/workspace/text"

// composer folds a long row of changes into one. Composing copies what was
// inserted, so adding each line of a long hunk to the changes before it would
// take time in the square of the hunk. The composer keeps parts that double in
// size instead, as the digits of a binary number do, and each line is copied
// as often as there are digits.
type composer struct{ parts []composed }

type composed struct {
	cs   text.ChangeSet
	rank int // it holds about 2^rank changes
}

// startingAt is a composer for a text of the given length, without changes.
func startingAt(length text.Byte) composer { return composer{[]composed{{cs: text.Retain(length)}}} }

// add appends a change of the text as the changes so far leave it.
func (c *composer) add(cs text.ChangeSet) error {
	c.parts = append(c.parts, composed{cs: cs})
	for n := len(c.parts); n > 1 && c.parts[n-2].rank == c.parts[n-1].rank; n-- {
		if err := c.fold(); err != nil {
			return err
		}
	}
	return nil
}

// fold makes the last two parts one.
func (c *composer) fold() error {
	n := len(c.parts)
	a, b := c.parts[n-2], c.parts[n-1]
	cs, err := a.cs.Compose(b.cs)
	c.parts = append(c.parts[:n-2], composed{cs, max(a.rank, b.rank) + 1})
	return err
}

// total is all changes as one.
func (c *composer) total() (text.ChangeSet, error) {
	for len(c.parts) > 1 {
		if err := c.fold(); err != nil {
			return text.ChangeSet{}, err
		}
	}
	return c.parts[0].cs, nil
}

// empty reports whether nothing is changed.
func (c *composer) empty() bool {
	for _, p := range c.parts {
		if !p.cs.Empty() {
			return false
		}
	}
	return true
}
