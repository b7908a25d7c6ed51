package secrets

import "sync"

// automaton finds all keywords in one pass over the text, in any ASCII case (Aho and
// Corasick, as a table). Bytes that occur in no keyword share a class, which keeps the
// table small enough for the cache.
type automaton struct {
	class [256]uint8
	next  []uint16 // by state<<classBits | class
	// The states from firstHit on end at least one keyword; hits lists which ones.
	firstHit uint16
	hits     [][]int32
}

const classBits = 6

// trie is the automaton under construction: states in order of creation.
type trie struct {
	edges [][1 << classBits]uint16 // 0: none, because no edge leads to the root
	ends  [][]int32
}

// newAutomaton builds the table for keywords in lower case. It returns nil if they need
// more classes or states than the table has room for; a test checks that the rule set fits.
func newAutomaton(keywords []string) *automaton {
	a := &automaton{}
	if !a.classify(keywords) {
		return nil
	}
	t := trie{edges: make([][1 << classBits]uint16, 1), ends: make([][]int32, 1)}
	for id, k := range keywords {
		s := uint16(0)
		for i := range len(k) {
			c := a.class[k[i]]
			if t.edges[s][c] == 0 {
				if len(t.edges) == 1<<16 {
					return nil
				}
				t.edges[s][c] = uint16(len(t.edges))
				t.edges = append(t.edges, [1 << classBits]uint16{})
				t.ends = append(t.ends, nil)
			}
			s = t.edges[s][c]
		}
		t.ends[s] = append(t.ends[s], int32(id))
	}
	t.close()
	a.build(t)
	return a
}

func (a *automaton) classify(keywords []string) bool {
	classes := 1
	for _, k := range keywords {
		for i := range len(k) {
			if a.class[k[i]] == 0 {
				if classes == 1<<classBits {
					return false
				}
				a.class[k[i]] = uint8(classes)
				classes++
			}
		}
	}
	for c := 'A'; c <= 'Z'; c++ {
		a.class[c] = a.class[c+'a'-'A']
	}
	return true
}

// close fills in the missing edges: each leads where the longest proper suffix that is a
// state would go, and each state also ends the keywords that this suffix ends.
func (t *trie) close() {
	fail := make([]uint16, len(t.edges))
	queue := []uint16{0}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for c := range t.edges[s] {
			child := t.edges[s][c]
			through := uint16(0)
			if s != 0 {
				through = t.edges[fail[s]][c]
			}
			if child == 0 {
				t.edges[s][c] = through
				continue
			}
			fail[child] = through
			t.ends[child] = append(t.ends[child], t.ends[through]...)
			queue = append(queue, child)
		}
	}
}

// build writes the table, with the states that end a keyword last.
func (a *automaton) build(t trie) {
	number := make([]uint16, len(t.edges))
	next := uint16(0)
	for _, hit := range []bool{false, true} {
		if hit {
			a.firstHit = next
		}
		for s, ends := range t.ends {
			if (len(ends) > 0) != hit {
				continue
			}
			number[s] = next
			next++
			if hit {
				a.hits = append(a.hits, ends)
			}
		}
	}
	a.next = make([]uint16, len(t.edges)<<classBits)
	for s, edges := range t.edges {
		row := a.next[int(number[s])<<classBits:]
		for c, to := range edges {
			row[c] = number[to]
		}
	}
}

// scan calls hit for every keyword in b, with the index after its last byte.
func (a *automaton) scan(b []byte, hit func(keyword int32, end int)) {
	next, s := a.next, uint16(0)
	for i, c := range b {
		s = next[int(s)<<classBits|int(a.class[c])]
		if s >= a.firstHit {
			for _, k := range a.hits[s-a.firstHit] {
				hit(k, i+1)
			}
		}
	}
}

// detector is the rule set with its automaton.
type detector struct {
	rules    []*rule
	global   lazyAllow
	keywords []string
	byWord   [][]*rule // by keyword
	words    *automaton
	always   []*rule // rules with an expression and no keywords
}

var theDetector = sync.OnceValue(func() *detector { return newDetector(defaultRules()) })

func newDetector(source string) *detector {
	d := &detector{}
	head, blocks := splitRules(source)
	d.global.text = head
	index := map[string]int{}
	for i, b := range blocks {
		r := &rule{order: i, text: b.text}
		d.rules = append(d.rules, r)
		for _, k := range b.keywords {
			id, known := index[k]
			if !known {
				id = len(d.keywords)
				index[k] = id
				d.keywords = append(d.keywords, k)
				d.byWord = append(d.byWord, nil)
			}
			d.byWord[id] = append(d.byWord[id], r)
		}
		if len(b.keywords) == 0 {
			d.always = append(d.always, r)
		}
	}
	d.words = newAutomaton(d.keywords)
	return d
}
