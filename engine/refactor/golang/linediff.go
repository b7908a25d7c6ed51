package golang

import (
	"bytes"
	"slices"

	"waferpair/workspace/text"
)

// lineDiff gives changes that make b of a, in whole lines: the fewest lines
// there can be (Myers' greedy algorithm).
func lineDiff(a, b []byte) []text.Change {
	x, y := bytes.SplitAfter(a, []byte("\n")), bytes.SplitAfter(b, []byte("\n"))
	var out []text.Change
	off, i, j := 0, 0, 0
	flush := func(di, dj int) { // lines x[i:di] become y[j:dj]
		from := off
		for ; i < di; i++ {
			off += len(x[i])
		}
		ins := string(bytes.Join(y[j:dj], nil))
		j = dj
		if from != off || ins != "" {
			out = append(out, text.Change{From: text.Byte(from), To: text.Byte(off), Insert: ins})
		}
	}
	for _, m := range commonLines(x, y) {
		flush(m[0], m[1])
		off += len(x[i])
		i, j = i+1, j+1
	}
	flush(len(x), len(y))
	return out
}

// commonLines are the pairs of equal lines on a shortest path.
func commonLines(x, y [][]byte) [][2]int {
	n, m := len(x), len(y)
	reach := map[int]int{1: 0} // diagonal -> furthest x
	var trace []map[int]int
	for d := 0; d <= n+m; d++ {
		now := make(map[int]int, d+1)
		trace = append(trace, reach)
		for k := -d; k <= d; k += 2 {
			i := reach[k+1]
			if k != -d && (k == d || reach[k-1] >= reach[k+1]) {
				i = reach[k-1] + 1
			}
			for i < n && i-k < m && bytes.Equal(x[i], y[i-k]) {
				i++
			}
			now[k] = i
			if i >= n && i-k >= m {
				return walkBack(trace, n, m)
			}
		}
		reach = now
	}
	return nil
}

func walkBack(trace []map[int]int, i, j int) [][2]int {
	var out [][2]int
	for d := len(trace) - 1; d >= 0; d-- {
		reach, k := trace[d], i-j
		from := k - 1
		if k == -d || k != d && reach[k-1] < reach[k+1] {
			from = k + 1
		}
		pi := reach[from]
		pj := pi - from
		for i > pi && j > pj && i > 0 && j > 0 {
			i, j = i-1, j-1
			out = append(out, [2]int{i, j})
		}
		i, j = pi, pj
	}
	slices.Reverse(out)
	return out
}
