//go:build linux

package faults

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// recording holds the initial contents of some folders, and all changes of them in order.
type recording struct {
	mu     sync.Mutex
	events []event
	nodes  map[uint64]*node // the initial ones, by inode
	known  map[uint64]bool
	roots  map[string]uint64 // the recorded folders
	odd    []string          // events that cannot be replayed
}

// node is a file or a folder.
type node struct {
	dir     bool
	data    []byte
	entries map[string]uint64
}

type kind int

const (
	evWrite kind = iota
	evTruncate
	evGrow
	evLink
	evUnlink
	evRename
	evExchange
	evSync
)

// event is a system call that succeeded.
type event struct {
	kind     kind
	node     uint64 // the changed file, or for links, renames and so on the folder
	off      int64  // or the size
	data     []byte
	name, to string
	toNode   uint64
	child    uint64 // the linked file or folder
	dir      bool   // it is a folder
	upto     int    // of a sync: the events before this one are covered
}

// inode identifies a file, whatever its paths are; it is 0 if there is no file.
func inode(path string) uint64 {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return 0
	}
	return st.Ino | st.Dev<<40 // a tmpfs has small inode numbers, and does not reuse them
}

func newRecording() *recording {
	return &recording{nodes: map[uint64]*node{}, known: map[uint64]bool{}, roots: map[string]uint64{}}
}

// begin records the current contents of a folder, as durable.
func (l *recording) begin(root string) error {
	l.roots[root] = inode(root)
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		id := inode(path)
		n := &node{dir: d.IsDir(), entries: map[string]uint64{}}
		if d.Type().IsRegular() {
			if n.data, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		l.nodes[id], l.known[id] = n, true
		if path != root {
			l.nodes[inode(filepath.Dir(path))].entries[d.Name()] = id
		}
		return nil
	})
}

func (l *recording) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.events)
}

func (l *recording) add(e event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

func (l *recording) knows(id uint64) bool { return l.known[id] }

func (l *recording) write(id uint64, off int64, data []byte) {
	l.add(event{kind: evWrite, node: id, off: off, data: data})
}

func (l *recording) truncate(id uint64, size int64) {
	l.add(event{kind: evTruncate, node: id, off: size})
}

func (l *recording) grow(id uint64, size int64) { l.add(event{kind: evGrow, node: id, off: size}) }

func (l *recording) sync(id uint64, upto int) { l.add(event{kind: evSync, node: id, upto: upto}) }

func (l *recording) link(dir uint64, name string, child uint64, isDir bool, _ []byte) {
	l.known[child] = true
	l.add(event{kind: evLink, node: dir, name: name, child: child, dir: isDir})
}

func (l *recording) unlink(dir uint64, name string) {
	l.add(event{kind: evUnlink, node: dir, name: name})
}

func (l *recording) rename(dir uint64, name string, toDir uint64, to string, exchange bool) {
	k := evRename
	if exchange {
		k = evExchange
	}
	l.add(event{kind: k, node: dir, name: name, toNode: toDir, to: to})
}

// ofNames reports whether the event changes names rather than content.
func (e event) ofNames() bool {
	return slices.Contains([]kind{evLink, evUnlink, evRename, evExchange}, e.kind)
}
