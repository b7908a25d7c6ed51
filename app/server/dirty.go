package server

import (
	"sync"
	"time"

	"waferpair/history"
)

// dirty is what a page was not told yet, beside what the pump finds out for
// itself: not the things, only that there are some. It is small whatever
// happens, and taking it down never waits, because those who tell hold locks.
type dirty struct {
	wake chan struct{} // has room for one

	mu    sync.Mutex
	open  map[string]bool // the page's documents; true: has something new
	known known
}

// known is everything but the documents.
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

// maxNotices bounds the notices that wait for a page.
const maxNotices = 50

func newDirty() *dirty {
	return &dirty{wake: make(chan struct{}, 1), open: map[string]bool{}}
}

// mark notes a change and wakes the pump.
func (n *dirty) mark(change func(*known)) {
	n.mu.Lock()
	change(&n.known)
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

// text says that a document changed.
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

// take hands everything over.
func (n *dirty) take() (texts []string, k known) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for path, changed := range n.open {
		if changed {
			texts = append(texts, path)
			n.open[path] = false
		}
	}
	k, n.known = n.known, known{}
	return texts, k
}

// reset drops what was to be told of a project that is closed.
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
