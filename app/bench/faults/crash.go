//go:build linux

package faults

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
)

// After a power cut, everything recorded that a sync covered is there, and some of the rest:
// single sectors of writes, single changes of names. File systems differ in what they may do
// with names:
//
//   - ordered, as ext4, XFS and Btrfs in practice: names change in the order of
//     the calls, and a sync of anything makes all changes before it durable;
//   - strict, as POSIX has it: each folder for itself, and only a sync of the
//     folder makes the changes in it durable.
//
// A rename is there entirely or not. For content both are the same: only a sync of the file
// makes it durable, and unsynced content may be there or not, by sectors and in any order,
// whatever happened to the names.
type model int

const (
	ordered model = iota
	strict
)

func (m model) String() string { return [...]string{"ordered", "strict"}[m] }

const sector = 512

// crash describes what the folders may hold if the power fails after a number of events.
func (l *recording) crash(r *rand.Rand, cut int, m model) map[string]files {
	return l.replay(cut, l.surviving(r, cut, m), l.synced(cut), r)
}

// whole describes the folders without any loss.
func (l *recording) whole() map[string]files {
	cut := len(l.events)
	all := make([]bool, cut)
	for i := range all {
		all[i] = true
	}
	everything := map[uint64]int{}
	for _, e := range l.events {
		everything[e.node], everything[e.child] = cut, cut
	}
	return l.replay(cut, all, everything, nil)
}

// synced returns up to which event the content of each file is durable.
func (l *recording) synced(cut int) map[uint64]int {
	out := map[uint64]int{}
	for _, e := range l.events[:cut] {
		if e.kind == evSync {
			out[e.node] = max(out[e.node], e.upto)
		}
	}
	return out
}

// surviving chooses the changes of names that survive.
func (l *recording) surviving(r *rand.Rand, cut int, m model) []bool {
	there := make([]bool, cut)
	synced := l.synced(cut)
	last := 0
	for _, upto := range synced {
		last = max(last, upto)
	}
	until := map[uint64]int{} // of each folder
	limit := func(dir uint64) int {
		if _, chosen := until[dir]; !chosen {
			until[dir] = between(r, synced[dir], cut)
		}
		return until[dir]
	}
	all := between(r, last, cut)
	for i, e := range l.events[:cut] {
		switch {
		case !e.ofNames():
		case m == ordered:
			there[i] = i < all
		case e.kind == evLink || e.kind == evUnlink || e.toNode == e.node:
			there[i] = i < limit(e.node)
		default: // between two folders: it survives with both, or is the first that is missing in both
			there[i] = i < limit(e.node) && i < limit(e.toNode)
			if !there[i] {
				until[e.node], until[e.toNode] = min(limit(e.node), max(i, synced[e.node])),
					min(limit(e.toNode), max(i, synced[e.toNode]))
			}
		}
	}
	return there
}

// between returns a number from low to high, often one of the two.
func between(r *rand.Rand, low, high int) int {
	switch r.IntN(3) {
	case 0:
		return low
	case 1:
		return high
	}
	return low + r.IntN(high-low+1)
}

// replay builds the folders: the surviving changes of names, the synced content, and by chance
// some of the rest.
func (l *recording) replay(cut int, there []bool, synced map[uint64]int, r *rand.Rand) map[string]files {
	nodes := map[uint64]*node{}
	get := func(id uint64) *node {
		if nodes[id] == nil {
			nodes[id] = &node{entries: map[string]uint64{}}
			if was := l.nodes[id]; was != nil {
				nodes[id] = &node{dir: was.dir, data: bytes.Clone(was.data), entries: maps.Clone(was.entries)}
			}
		}
		return nodes[id]
	}
	luck := map[uint64]float64{} // for the content of each unsynced file
	for i, e := range l.events[:cut] {
		switch {
		case e.ofNames():
			if there[i] {
				e.changeNames(get)
			} else if e.kind == evLink && e.dir {
				get(e.child).dir = true
			}
		case e.kind == evSync:
		case i < synced[e.node] || r == nil:
			e.changeContent(get(e.node), nil)
		default:
			p, drawn := luck[e.node]
			if !drawn {
				p = []float64{0, 0.5, 1}[r.IntN(3)]
				luck[e.node] = p
			}
			e.changeContent(get(e.node), func() bool { return r.Float64() < p })
		}
	}
	out := map[string]files{}
	for root, id := range l.roots {
		out[root] = files{}
		collect(get, get(id), "", out[root])
	}
	return out
}

func (e event) changeNames(get func(uint64) *node) {
	from := get(e.node)
	switch e.kind {
	case evLink:
		get(e.child).dir = get(e.child).dir || e.dir
		from.entries[e.name] = e.child
	case evUnlink:
		delete(from.entries, e.name)
	case evRename:
		if id, ok := from.entries[e.name]; ok {
			delete(from.entries, e.name)
			get(e.toNode).entries[e.to] = id
		}
	case evExchange:
		to := get(e.toNode)
		a, b := from.entries[e.name], to.entries[e.to]
		if a != 0 && b != 0 {
			from.entries[e.name], to.entries[e.to] = b, a
		}
	default: // the others change content
	}
}

// changeContent writes, truncates or extends; only the sectors that kept allows, or all if
// kept is nil.
func (e event) changeContent(n *node, kept func() bool) {
	grow := func(size int64) {
		if size > int64(len(n.data)) {
			n.data = append(n.data, make([]byte, size-int64(len(n.data)))...)
		}
	}
	switch e.kind {
	case evTruncate:
		if kept == nil || kept() {
			grow(e.off)
			n.data = n.data[:e.off]
		}
	case evGrow:
		if kept == nil || kept() {
			grow(e.off)
		}
	case evWrite:
		for at := int64(0); at < int64(len(e.data)); {
			end := min((e.off+at)/sector*sector+sector-e.off, int64(len(e.data)))
			if kept == nil || kept() {
				grow(e.off + end)
				copy(n.data[e.off+at:], e.data[at:end])
			}
			at = end
		}
	default: // the others change folders
	}
}

func collect(get func(uint64) *node, dir *node, prefix string, out files) {
	for _, name := range slices.Sorted(maps.Keys(dir.entries)) {
		n := get(dir.entries[name])
		if n.dir {
			out[prefix+name+"/"] = ""
			collect(get, n, prefix+name+"/", out)
			continue
		}
		out[prefix+name] = string(n.data)
	}
}
