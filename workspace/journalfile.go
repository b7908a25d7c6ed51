package workspace

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
)

// FileJournal is a Journal in a file of JSON lines that is synced at every Intend. Tests,
// benchmarks and tools without a database use it.
type FileJournal struct {
	mu      sync.Mutex
	file    *os.File
	last    int64
	pending []Intent
}

type journalLine struct {
	Intent   *Intent   `json:"intent,omitempty"`
	Done     int64     `json:"done,omitempty"`
	Outcomes []Outcome `json:"outcomes,omitempty"`
}

// OpenFileJournal opens or creates the journal. It drops a last line that a crash cut off:
// its Intend never returned.
func OpenFileJournal(path string) (*FileJournal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	j := &FileJournal{file: file}
	if err := j.load(); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("read journal %s: %w", path, err)
	}
	return j, nil
}

func (j *FileJournal) load() error {
	var end int64
	in := bufio.NewReader(j.file)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break // the end, or an incomplete line
		}
		var l journalLine
		if err := json.Unmarshal(bytes.TrimSpace(line), &l); err != nil {
			return err
		}
		j.apply(l)
		end += int64(len(line))
	}
	if err := j.file.Truncate(end); err != nil {
		return err
	}
	_, err := j.file.Seek(end, 0)
	return err
}

func (j *FileJournal) apply(l journalLine) {
	if l.Intent != nil {
		j.last = max(j.last, l.Intent.ID)
		j.pending = append(j.pending, *l.Intent)
		return
	}
	j.pending = slices.DeleteFunc(j.pending, func(i Intent) bool { return i.ID == l.Done })
}

func (j *FileJournal) write(l journalLine) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(b, '\n')); err != nil {
		return err
	}
	j.apply(l)
	return nil
}

// Intend implements Journal.
func (j *FileJournal) Intend(_ context.Context, writes []IntentWrite) (int64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	intent := Intent{ID: j.last + 1, Writes: slices.Clone(writes)}
	if err := j.write(journalLine{Intent: &intent}); err != nil {
		return 0, err
	}
	return intent.ID, j.file.Sync()
}

// Done implements Journal. It does not sync: an intent that reappears after a power cut is
// found to be applied.
func (j *FileJournal) Done(_ context.Context, id int64, outcomes []Outcome) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.write(journalLine{Done: id, Outcomes: outcomes})
}

// Pending implements Journal.
func (j *FileJournal) Pending(context.Context) ([]Intent, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.pending), nil
}

// Close closes the file.
func (j *FileJournal) Close() error { return j.file.Close() }
