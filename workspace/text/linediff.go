package text

import (
	"slices"
	"sort"
	"strings"
)

// diffBudget bounds the steps that one Diff spends on the search for the shortest edit; at
// a few nanoseconds each it is some tens of milliseconds.
const diffBudget = 8 << 20

// lineDiff finds which lines of a and b are kept. Lines are compared by number: equal lines have
// equal numbers.
//
//	trim equal ends -> split at lines that occur once in both (patience)
//	                -> in the gaps, shortest edit by divide and conquer (Myers)
//	                -> out of budget, or nothing in common: one block
type lineDiff struct {
	aText, bText string
	aAt, bAt     []int // byte offset of each line, and of the end
	a, b         []int32
	blocks       []block
	budget       int
	fwd, bwd     []int // scratch memory of middle
}

func newLineDiff(aText, bText string) *lineDiff {
	d := &lineDiff{aText: aText, bText: bText, budget: diffBudget}
	numbers := make(map[string]int32)
	d.a, d.aAt = numberLines(aText, numbers)
	d.b, d.bAt = numberLines(bText, numbers)
	return d
}

// numberLines numbers the lines of s, each with its line break.
func numberLines(s string, numbers map[string]int32) (lines []int32, at []int) {
	pos := 0
	for line := range strings.Lines(s) {
		n, ok := numbers[line]
		if !ok {
			n = int32(len(numbers))
			numbers[line] = n
		}
		lines = append(lines, n)
		at = append(at, pos)
		pos += len(line)
	}
	return lines, append(at, pos)
}

func (d *lineDiff) emit(bl block) {
	if n := len(d.blocks); n > 0 && d.blocks[n-1].a1 == bl.a0 && d.blocks[n-1].b1 == bl.b0 {
		d.blocks[n-1].a1, d.blocks[n-1].b1 = bl.a1, bl.b1
		return
	}
	d.blocks = append(d.blocks, bl)
}

// trim drops the lines that a range of a and one of b share at their ends.
func (d *lineDiff) trim(bl block) block {
	for bl.a0 < bl.a1 && bl.b0 < bl.b1 && d.a[bl.a0] == d.b[bl.b0] {
		bl.a0++
		bl.b0++
	}
	for bl.a0 < bl.a1 && bl.b0 < bl.b1 && d.a[bl.a1-1] == d.b[bl.b1-1] {
		bl.a1--
		bl.b1--
	}
	return bl
}

// compare emits the blocks in which a[a0:a1] and b[b0:b1] differ.
func (d *lineDiff) compare(a0, a1, b0, b1 int) {
	whole := d.trim(block{a0, a1, b0, b1})
	a0, b0 = whole.a0, whole.b0
	for _, at := range d.anchors(whole) {
		d.gap(block{a0, at.a, b0, at.b})
		a0, b0 = at.a+1, at.b+1
	}
	d.gap(block{a0, whole.a1, b0, whole.b1})
}

// gap emits the blocks of a range without anchors.
func (d *lineDiff) gap(bl block) {
	bl = d.trim(bl)
	n, m := bl.a1-bl.a0, bl.b1-bl.b0
	if n == 0 && m == 0 {
		return
	}
	if n > 0 && m > 0 {
		if x, y, ok := d.middle(d.a[bl.a0:bl.a1], d.b[bl.b0:bl.b1]); ok {
			d.gap(block{bl.a0, bl.a0 + x, bl.b0, bl.b0 + y})
			d.gap(block{bl.a0 + x, bl.a1, bl.b0 + y, bl.b1})
			return
		}
	}
	d.emit(bl)
}

// anchor is a pair of equal lines.
type anchor struct{ a, b int }

// anchors returns lines that occur once in both ranges: the largest selection that is in
// order in both. Such lines are almost never equal by accident.
func (d *lineDiff) anchors(bl block) []anchor {
	var common []anchor
	in := uniques(d.b[bl.b0:bl.b1])
	once := uniques(d.a[bl.a0:bl.a1])
	for i, line := range d.a[bl.a0:bl.a1] {
		if j, ok := in[line]; ok && j >= 0 && once[line] >= 0 {
			common = append(common, anchor{bl.a0 + i, bl.b0 + j})
		}
	}
	return increasing(common)
}

// uniques returns the index of each line that occurs once, and -1 for the others.
func uniques(lines []int32) map[int32]int {
	at := make(map[int32]int, len(lines))
	for i, line := range lines {
		if _, seen := at[line]; seen {
			at[line] = -1
		} else {
			at[line] = i
		}
	}
	return at
}

// increasing returns a longest subsequence of s that increases in b; s increases
// in a. It is patience sorting: piles[k] is the smallest end of such a
// subsequence of length k+1.
func increasing(s []anchor) []anchor {
	var piles []int
	prev := make([]int, len(s))
	for i, p := range s {
		k := sort.Search(len(piles), func(k int) bool { return s[piles[k]].b >= p.b })
		prev[i] = -1
		if k > 0 {
			prev[i] = piles[k-1]
		}
		piles = append(piles[:k], append([]int{i}, piles[min(k+1, len(piles)):]...)...)
	}
	var out []anchor
	if len(piles) > 0 {
		for i := piles[len(piles)-1]; i >= 0; i = prev[i] {
			out = append(out, s[i])
		}
	}
	slices.Reverse(out)
	return out
}
