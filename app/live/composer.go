package live

import "waferpair/workspace/text"

// composer folds a long sequence of changes into one. Composing copies inserted text,
// so adding each line of a long hunk to the total would take quadratic time. The
// composer instead keeps parts of doubling size, like the digits of a binary number;
// each line is copied once per digit.
type composer struct{ parts []composed }

type composed struct {
	cs   text.ChangeSet
	rank int // it holds about 2^rank changes
}

// startingAt returns an empty composer for a text of the given length.
func startingAt(length text.Byte) composer { return composer{[]composed{{cs: text.Retain(length)}}} }

// add appends a change of the text that the changes so far produce.
func (c *composer) add(cs text.ChangeSet) error {
	c.parts = append(c.parts, composed{cs: cs})
	for n := len(c.parts); n > 1 && c.parts[n-2].rank == c.parts[n-1].rank; n-- {
		if err := c.fold(); err != nil {
			return err
		}
	}
	return nil
}

// fold composes the last two parts.
func (c *composer) fold() error {
	n := len(c.parts)
	a, b := c.parts[n-2], c.parts[n-1]
	cs, err := a.cs.Compose(b.cs)
	c.parts = append(c.parts[:n-2], composed{cs, max(a.rank, b.rank) + 1})
	return err
}

// total composes all changes into one.
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
