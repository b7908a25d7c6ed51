package drivertest

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/engine/model"
	"waferpair/workspace/text"
)

// Memory is a project in memory. Its history is a list of committed paths.
type Memory struct {
	mu     sync.Mutex
	Texts  map[string]text.Text
	Edits  []string
	Others map[string]func(text.Text) text.ChangeSet // what somebody else does after the next change
	Slow   chan struct{}                             // when set, edits become durable once it is closed
}

// NewMemory returns a project with these files.
func NewMemory(files map[string]string) *Memory {
	m := &Memory{Texts: map[string]text.Text{}, Others: map[string]func(text.Text) text.ChangeSet{}}
	for p, s := range files {
		m.Texts[p] = text.OfString(s)
	}
	return m
}

// Root returns a folder that does not exist.
func (m *Memory) Root() string { return "/nowhere" }

// Files lists the files.
func (m *Memory) Files(context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.Texts)), nil
}

// Read returns the bytes of a file.
func (m *Memory) Read(p string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.Texts[p]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return t.Bytes(), nil
}

// Revert fails: there is no history.
func (m *Memory) Revert(context.Context, int64, []engine.Made, string) error {
	return errors.New("there is no history")
}

// Claim fails: there is no disk.
func (m *Memory) Claim(context.Context, int64, []string) (engine.Claim, error) {
	return nil, errors.New("there is no disk")
}

// Settle does nothing.
func (m *Memory) Settle(context.Context) error { return nil }

// Open returns a file.
func (m *Memory) Open(p string) (editstream.Doc, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.Texts[p]
	if !ok {
		return editstream.Doc{}, fs.ErrNotExist
	}
	return editstream.Doc{Text: t}, nil
}

// Change changes a file, and then applies the change of somebody else from Others.
func (m *Memory) Change(_ context.Context, h engine.Hunk, cs text.ChangeSet) (engine.Applied, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	after, err := cs.Apply(m.Texts[h.Path])
	if err != nil {
		return engine.Applied{}, err
	}
	done := engine.Applied{Others: text.Retain(after.Len())}
	gained := 0
	for c := range cs.Changes {
		line := m.Texts[h.Path].LineAt(c.From) + 1 + gained
		gained += strings.Count(c.Insert, "\n") - strings.Count(m.Texts[h.Path].Slice(c.From, c.To).String(), "\n")
		done.Pieces = append(done.Pieces, engine.Piece{Line: line, Removed: m.Texts[h.Path].Slice(c.From, c.To).String(),
			Inserted: c.Insert})
	}
	if other := m.Others[h.Path]; other != nil {
		delete(m.Others, h.Path)
		done.Others = other(after)
		if after, err = done.Others.Apply(after); err != nil {
			return engine.Applied{}, err
		}
	}
	m.Texts[h.Path] = after
	return done, nil
}

type memoryAck struct {
	id   int64
	slow chan struct{}
}

func (a memoryAck) EditIDs() []int64 { return []int64{a.id} }
func (a memoryAck) Wait(context.Context) error {
	if a.slow != nil {
		<-a.slow
	}
	return nil
}

func (m *Memory) commit(path string) (engine.Ack, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Edits = append(m.Edits, path)
	return memoryAck{int64(len(m.Edits)), m.Slow}, nil
}

// Apply makes exact edits one after the other. It does not guard against other turns.
func (m *Memory) Apply(_ context.Context, _ int64, of []model.FileEdit) ([]engine.Made, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []engine.Made
	for _, e := range of {
		if !m.Texts[e.Path].Equal(e.Base) {
			return nil, &engine.OverlapError{Path: e.Path, By: "user", Line: 1}
		}
	}
	for _, e := range of {
		after, err := e.Changes.Apply(e.Base)
		if err != nil {
			return nil, err
		}
		m.Texts[e.Path] = after
		m.Edits = append(m.Edits, e.Path)
		out = append(out, engine.Made{Path: e.Path, Line: 1, Added: 1, Removed: 1,
			Ack: memoryAck{int64(len(m.Edits)), m.Slow}})
	}
	return out, nil
}

// Commit records an edit.
func (m *Memory) Commit(_ context.Context, h engine.Hunk) (engine.Ack, error) {
	return m.commit(h.Path)
}

// Create makes an empty file.
func (m *Memory) Create(_ context.Context, h engine.Hunk) (engine.Ack, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Texts[h.Path] = text.Text{}
	return nil, nil
}

// Delete removes a file.
func (m *Memory) Delete(_ context.Context, h engine.Hunk) (engine.Ack, error) {
	delete(m.Texts, h.Path)
	return m.commit(h.Path)
}

// Move renames a file.
func (m *Memory) Move(_ context.Context, h engine.Hunk, to string) (engine.Ack, error) {
	m.Texts[to] = m.Texts[h.Path]
	delete(m.Texts, h.Path)
	return m.commit(to)
}
