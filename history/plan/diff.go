package plan

import (
	"bytes"

	"waferpair/workspace/text"
)

// Line differences, for restores (the way from one version to another) and for the
// three-way merge that revert uses as its second attempt.

// pair is a range of lines of a and the range of lines of b in its place.
type pair struct{ a0, a1, b0, b1 int }

// splitLines cuts b after each line break; the pieces joined are b again.
func splitLines(b []byte) [][]byte {
	var out [][]byte
	for len(b) > 0 {
		n := bytes.IndexByte(b, '\n') + 1
		if n == 0 {
			n = len(b)
		}
		out = append(out, b[:n])
		b = b[n:]
	}
	return out
}

// intern gives equal lines equal numbers, so that comparing them is cheap.
func intern(a, b [][]byte) (x, y []int) {
	ids := map[string]int{}
	number := func(lines [][]byte) []int {
		out := make([]int, len(lines))
		for i, l := range lines {
			id, ok := ids[string(l)]
			if !ok {
				id = len(ids)
				ids[string(l)] = id
			}
			out[i] = id
		}
		return out
	}
	return number(a), number(b)
}

// diffLines returns the ranges that differ, in order, with equal lines between them.
func diffLines(a, b [][]byte) []pair {
	x, y := intern(a, b)
	pre := 0
	for pre < len(x) && pre < len(y) && x[pre] == y[pre] {
		pre++
	}
	post := 0
	for post < len(x)-pre && post < len(y)-pre && x[len(x)-1-post] == y[len(y)-1-post] {
		post++
	}
	var out []pair
	for _, p := range myers(x[pre:len(x)-post], y[pre:len(y)-post]) {
		out = append(out, pair{p.a0 + pre, p.a1 + pre, p.b0 + pre, p.b1 + pre})
	}
	return out
}

// maxDistance bounds the memory of myers: beyond it, the middle is replaced as a whole,
// which is valid but less precise.
const maxDistance = 1000

// myers is the greedy algorithm of Myers 1986: it finds the furthest reaching paths by the
// number of differences, then goes back along the shortest one.
func myers(a, b []int) []pair {
	n, m := len(a), len(b)
	if n == 0 && m == 0 {
		return nil
	}
	limit := min(n+m, maxDistance)
	v := make([]int, 2*limit+2)
	var trace [][]int
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int(nil), v[limit-d:limit+d+2]...))
		for k := -d; k <= d; k += 2 {
			x := 0
			if k == -d || k != d && v[limit+k-1] < v[limit+k+1] {
				x = v[limit+k+1]
			} else {
				x = v[limit+k-1] + 1
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			v[limit+k] = x
			if x >= n && x-k >= m {
				return backtrack(trace, n, m)
			}
		}
	}
	return []pair{{0, n, 0, m}}
}

func backtrack(trace [][]int, x, y int) []pair {
	var rev []pair
	for d := len(trace) - 1; d > 0; d-- {
		v := func(k int) int { return trace[d][k+d] }
		k := x - y
		prev := k - 1
		if k == -d || k != d && v(k-1) < v(k+1) {
			prev = k + 1
		}
		px := v(prev)
		py := px - prev
		if prev == k+1 { // a line of b was inserted
			rev = addPair(rev, pair{px, px, py, py + 1})
		} else {
			rev = addPair(rev, pair{px, px + 1, py, py})
		}
		x, y = px, py
	}
	for i, j := 0, len(rev)-1; i < j; i, j = i+1, j-1 {
		rev[i], rev[j] = rev[j], rev[i]
	}
	return rev
}

// addPair joins a step to the one after it when they touch.
func addPair(rev []pair, p pair) []pair {
	if k := len(rev) - 1; k >= 0 && rev[k].a0 == p.a1 && rev[k].b0 == p.b1 {
		rev[k].a0, rev[k].b0 = p.a0, p.b0
		return rev
	}
	return append(rev, p)
}

// offsets returns the start of each line, and the total length.
func offsets(lines [][]byte) []text.Byte {
	out := make([]text.Byte, len(lines)+1)
	for i, l := range lines {
		out[i+1] = out[i] + text.Byte(len(l))
	}
	return out
}

// diffTexts returns a change set that leads from a to b: whole lines, trimmed to the bytes
// that differ.
func diffTexts(a, b []byte) text.ChangeSet {
	la, lb := splitLines(a), splitLines(b)
	oa, ob := offsets(la), offsets(lb)
	var cs []text.Change
	for _, p := range diffLines(la, lb) {
		from, to := oa[p.a0], oa[p.a1]
		cs = append(cs, trim(a, from, to, b[ob[p.b0]:ob[p.b1]]))
	}
	out, err := text.NewChangeSet(text.Byte(len(a)), cs...)
	if err != nil {
		panic(err) // the pairs are in order and do not overlap
	}
	return out
}

// trim removes equal bytes from both ends of a replacement. It may cut inside a character:
// the kept and the inserted bytes join to the same text.
func trim(a []byte, from, to text.Byte, ins []byte) text.Change {
	for from < to && len(ins) > 0 && a[from] == ins[0] {
		from, ins = from+1, ins[1:]
	}
	for from < to && len(ins) > 0 && a[to-1] == ins[len(ins)-1] {
		to, ins = to-1, ins[:len(ins)-1]
	}
	return text.Change{From: from, To: to, Insert: string(ins)}
}

// merge3 merges two versions of base by lines: it applies the changes from base to theirs
// to ours. It returns false if both changed the same or adjacent lines in different ways.
func merge3(base, ours, theirs []byte) (text.ChangeSet, bool) {
	lb, lo, lt := splitLines(base), splitLines(ours), splitLines(theirs)
	oo, ot := offsets(lo), offsets(lt)
	mine := diffLines(lb, lo)
	var cs []text.Change
	shift, i := 0, 0
	for _, p := range diffLines(lb, lt) {
		for i < len(mine) && mine[i].a1 < p.a0 {
			shift += (mine[i].b1 - mine[i].b0) - (mine[i].a1 - mine[i].a0)
			i++
		}
		put := theirs[ot[p.b0]:ot[p.b1]]
		if i < len(mine) && mine[i].a0 <= p.a1 {
			m := mine[i]
			if m.a0 != p.a0 || m.a1 != p.a1 || !bytes.Equal(ours[oo[m.b0]:oo[m.b1]], put) {
				return text.ChangeSet{}, false
			}
			continue // both sides did the same
		}
		from, to := oo[p.a0+shift], oo[p.a1+shift]
		cs = append(cs, trim(ours, from, to, put))
	}
	out, err := text.NewChangeSet(text.Byte(len(ours)), cs...)
	return out, err == nil
}
