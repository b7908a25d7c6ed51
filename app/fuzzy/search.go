package fuzzy

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Hit is a matching name.
type Hit struct {
	Index int // of the name
	Score int
}

// shareFrom is the number of names that justifies a second goroutine.
const shareFrom = 8192

// Search returns the best names, at most limit of them, and the number of all matches. An
// empty query matches all, in their order.
func Search(query string, names []Name, limit int) (best []Hit, total int) {
	if NewQuery(query).Empty() {
		for i := range min(limit, len(names)) {
			best = append(best, Hit{Index: i})
		}
		return best, len(names)
	}
	workers := max(1, min(runtime.GOMAXPROCS(0), len(names)/shareFrom))
	parts := make([]top, workers)
	var running sync.WaitGroup
	for w := range parts {
		parts[w] = top{names: names, limit: limit}
		from, to := len(names)*w/workers, len(names)*(w+1)/workers
		running.Go(func() { parts[w].scan(NewQuery(query), from, to) })
	}
	running.Wait()
	all := top{names: names, limit: limit}
	for i := range parts {
		all.hits = append(all.hits, parts[i].hits...)
		total += parts[i].total
	}
	all.cut()
	return all.hits, total
}

// scan searches a part of the names.
func (t *top) scan(q *Query, from, to int) {
	for i := from; i < to; i++ {
		n := &t.names[i]
		if q.set&^n.set != 0 {
			continue
		}
		switch n.prepare(); {
		case t.hopeless(Hit{i, q.Bound(n)}):
			if q.In(n) {
				t.total++
			}
		default:
			if score, ok := q.Score(n); ok {
				t.total++
				t.offer(Hit{i, score})
			}
		}
	}
	t.cut()
}

// top collects the best hits. It collects some more than it needs before it drops the rest,
// so that a hit is cheap on average.
type top struct {
	names []Name
	limit int
	hits  []Hit
	worst *Hit // hits behind this one can be dropped; nil while there is room
	total int  // the number of matching names
}

func (t *top) offer(h Hit) {
	if t.hopeless(h) {
		return
	}
	t.hits = append(t.hits, h)
	if len(t.hits) >= 2*t.limit+16 {
		t.cut()
		t.worst = &Hit{}
		*t.worst = t.hits[len(t.hits)-1]
	}
}

// hopeless reports whether a hit cannot be among the best.
func (t *top) hopeless(h Hit) bool {
	return t.limit <= 0 || t.worst != nil && t.compare(h, *t.worst) > 0
}

func (t *top) cut() {
	slices.SortFunc(t.hits, t.compare)
	t.hits = t.hits[:min(len(t.hits), max(0, t.limit))]
}

func (t *top) compare(a, b Hit) int {
	x, y := t.names[a.Index].text, t.names[b.Index].text
	return cmp.Or(b.Score-a.Score, len(x)-len(y), strings.Compare(x, y), a.Index-b.Index)
}
