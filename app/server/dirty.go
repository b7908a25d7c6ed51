package server

import (
	"sync"
	"time"

	"waferpair/history"
)

// dirty notes what a page has to be sent, apart from what the pump finds out by itself: not
// the changes, only that there are some. So it stays small, and noting never blocks, because
// callers hold locks.
type dirty struct {
	wake chan struct{} // capacity 1

	mu    sync.Mutex
	open  map[string]bool // the page's documents; true: changed
	known known
	since time.Time // when the first of it was noted; zero: nothing is, or only documents
}

// known is everything except the documents.
type known struct {
	hello   bool // another folder is open: the page gets a hello first
	head    history.EditID
	files   bool
	turn    bool
	project bool
	gone    *bool

	unrecorded *string
	notices    []Notice
	progress   map[string]Progress
}

// maxNotices bounds the notices that are waiting for a page.
const maxNotices = 50

func newDirty() *dirty {
	return &dirty{wake: make(chan struct{}, 1), open: map[string]bool{}}
}

// mark notes a change and wakes the pump.
func (n *dirty) mark(change func(*known)) {
	n.mu.Lock()
	change(&n.known)
	if n.since.IsZero() {
		n.since = time.Now()
	}
	n.mu.Unlock()
	n.signal()
}

// signal wakes the pump.
func (n *dirty) signal() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// text notes a change of a document.
func (n *dirty) text(path string) {
	n.mu.Lock()
	_, open := n.open[path]
	if open {
		n.open[path] = true
	}
	n.mu.Unlock()
	if open {
		n.signal()
	}
}

func (n *dirty) opened(path string) {
	n.mu.Lock()
	n.open[path] = true
	n.mu.Unlock()
	n.signal()
}

func (n *dirty) closed(path string) {
	n.mu.Lock()
	delete(n.open, path)
	n.mu.Unlock()
}

// take returns and clears everything.
func (n *dirty) take() (texts []string, k known) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for path, changed := range n.open {
		if changed {
			texts = append(texts, path)
			n.open[path] = false
		}
	}
	k, n.known, n.since = n.known, known{}, time.Time{}
	return texts, k
}

// waiting reports whether a document was changed, and when the first other change was noted; zero:
// none, or one that waits for nothing.
func (n *dirty) waiting() (texts bool, since time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, changed := range n.open {
		texts = texts || changed
	}
	if n.known.hello {
		return texts, time.Time{}
	}
	return texts, n.since
}

// reset drops what was noted of a project that is closed.
func (n *dirty) reset() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.open)
	n.known.head, n.known.files, n.known.turn, n.known.gone, n.known.unrecorded = 0, false, false, nil, nil
}

func (k *known) notice(level NoticeLevel, text string) {
	k.notices = append(k.notices, Notice{Level: level, Text: text, At: time.Now().UnixMilli()})
	if over := len(k.notices) - maxNotices; over > 0 {
		k.notices = k.notices[over:]
	}
}

func (k *known) progressed(p Progress) {
	if k.progress == nil {
		k.progress = map[string]Progress{}
	}
	k.progress[p.What] = p
}
