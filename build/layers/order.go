package main

import (
	"math/rand/v2"
	"slices"
)

// graph has the cost of placing the first file below the second one: 0 when it does not use
// it.
type graph [][]int

// onePair is the cost of a pair that climbs. It is so large that names decide only between
// orders in which as many pairs climb.
const onePair = 1 << 20

func newGraph(files int, list []use) graph {
	g := make(graph, files)
	for i := range g {
		g[i] = make([]int, files)
	}
	for _, u := range list {
		g[u.from][u.to] = onePair + len(u.names)
	}
	return g
}

// order puts the files in a row, lowest first. It orders each circle of files by itself,
// because no use between circles needs to climb.
func (g graph) order() []int {
	var out []int
	for _, circle := range g.circles() {
		out = append(out, g.orderCircle(circle)...)
	}
	return out
}

// circles returns the strongly connected components, those that are used first (Tarjan). A
// file in no circle is a component by itself.
func (g graph) circles() (out [][]int) {
	seen, low, open := make([]int, len(g)), make([]int, len(g)), make([]bool, len(g))
	var stack []int
	count := 0
	var visit func(v int)
	visit = func(v int) {
		count++
		seen[v], low[v], open[v] = count, count, true
		stack = append(stack, v)
		for w, uses := range g[v] {
			switch {
			case uses == 0:
			case seen[w] == 0:
				visit(w)
				low[v] = min(low[v], low[w])
			case open[w]:
				low[v] = min(low[v], seen[w])
			}
		}
		if low[v] != seen[v] {
			return
		}
		at := slices.Index(stack, v)
		circle := slices.Sorted(slices.Values(stack[at:]))
		stack = stack[:at]
		for _, w := range circle {
			open[w] = false
		}
		out = append(out, circle)
	}
	for v := range g {
		if seen[v] == 0 {
			visit(v)
		}
	}
	return out
}

// tries is how often the best order so far is perturbed and improved again.
const tries = 300

// orderCircle searches for the cheapest order of a circle: it improves a greedy order; then
// it repeatedly moves some files of the best order at random and improves the result.
func (g graph) orderCircle(circle []int) []int {
	best := g.improve(g.greedy(circle))
	least := g.cost(best)
	dice := rand.New(rand.NewPCG(1, 1)) // the same at every run
	for range tries {
		if len(circle) < 3 {
			break
		}
		row := slices.Clone(best)
		for range 2 + len(row)/8 {
			move(row, dice.IntN(len(row)), dice.IntN(len(row)))
		}
		row = g.improve(row)
		if c := g.cost(row); c < least {
			best, least = row, c
		}
	}
	return best
}

// greedy removes one file after the other: one that uses nothing of the rest goes to the
// bottom, one that nothing of the rest uses goes to the top, or else the file that is used
// the most in excess of what it uses goes to the bottom (Eades, Lin and Smyth).
func (g graph) greedy(circle []int) []int {
	left := slices.Clone(circle)
	var bottom, top []int
	for len(left) > 0 {
		next, highest, onTop := 0, 0, false
		for i, v := range left {
			uses, used := 0, 0
			for _, w := range left {
				uses, used = uses+g[v][w], used+g[w][v]
			}
			if uses == 0 || used == 0 {
				next, onTop = i, uses > 0
				break
			}
			if i == 0 || used-uses > highest {
				next, highest = i, used-uses
			}
		}
		if onTop {
			top = append(top, left[next])
		} else {
			bottom = append(bottom, left[next])
		}
		left = slices.Delete(left, next, next+1)
	}
	slices.Reverse(top)
	return append(bottom, top...)
}

// improve moves single files to cheaper places until no such move is left.
func (g graph) improve(row []int) []int {
	for better := true; better; {
		better = false
		for _, v := range slices.Clone(row) {
			from := slices.Index(row, v)
			if to := g.bestPlace(row, from); to != from {
				move(row, from, to)
				better = true
			}
		}
	}
	return row
}

// bestPlace returns the cheapest place in the row for the file at from. It moves the file
// up and down step by step and adds the difference that each passed file makes.
func (g graph) bestPlace(row []int, from int) int {
	v, best, least := row[from], from, 0
	change := 0
	for i := from + 1; i < len(row); i++ { // above row[i]
		if change += g[row[i]][v] - g[v][row[i]]; change < least {
			best, least = i, change
		}
	}
	change = 0
	for i := from - 1; i >= 0; i-- { // below row[i]
		if change += g[v][row[i]] - g[row[i]][v]; change < least {
			best, least = i, change
		}
	}
	return best
}

// move moves a file from one place of a row to another.
func move(row []int, from, to int) {
	v := row[from]
	copy(row[from:], row[from+1:])
	copy(row[to+1:], row[to:len(row)-1])
	row[to] = v
}

// cost returns the cost of a row: the sum over the uses that climb.
func (g graph) cost(row []int) (sum int) {
	for i, v := range row {
		for _, w := range row[i+1:] {
			sum += g[v][w]
		}
	}
	return sum
}
