package spending

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// dayFile is the file of a day, and what was read of it. It grows, so only what is new is read.
type dayFile struct {
	day, path string
	file      *os.File // open during a call

	to      int64 // how far it was read: to the end of a line
	entries []Entry
	at      map[string]int // by id
	damaged int            // lines that cannot be read
}

func newDayFile(folder, day string) *dayFile {
	return &dayFile{day: day, path: filepath.Join(folder, day+".jsonl"), at: map[string]int{}}
}

// catchUp reads the whole lines that are new.
func (d *dayFile) catchUp() error {
	st, err := d.file.Stat()
	if err != nil {
		return err
	}
	if st.Size() < d.to { // somebody replaced it
		d.to, d.entries, d.at, d.damaged = 0, nil, map[string]int{}, 0
	}
	body, err := io.ReadAll(io.NewSectionReader(d.file, d.to, st.Size()-d.to))
	if err != nil {
		return err
	}
	body = body[:bytes.LastIndexByte(body, '\n')+1]
	for line := range bytes.Lines(body) {
		d.take(bytes.TrimSpace(line))
	}
	d.to += int64(len(body))
	return nil
}

func (d *dayFile) take(line []byte) {
	var e Entry
	switch {
	case len(line) == 0:
	case json.Unmarshal(line, &e) != nil || e.ID == "" || !(e.dollars() >= 0):
		d.damaged++
	default:
		d.add(e)
	}
}

// add adds a request, or takes the place of its earlier line.
func (d *dayFile) add(e Entry) {
	if i, is := d.at[e.ID]; is {
		d.entries[i] = e
		return
	}
	d.at[e.ID] = len(d.entries)
	d.entries = append(d.entries, e)
}

// append writes whole lines. If that fails, the file is as it was, as far as the disk allows: a
// torn line is ended by the next one.
func (d *dayFile) append(lines []byte) error {
	end, err := d.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if end > d.to { // a line was torn
		lines = append([]byte{'\n'}, lines...)
	}
	if _, err := d.file.Write(lines); err != nil {
		_ = d.file.Truncate(end) // the failed write matters more
		return fmt.Errorf("write %s: %w", d.path, err)
	}
	return d.catchUp()
}

// with returns the day with requests that could not be written.
func (d *dayFile) with(more []Entry) *dayFile {
	if len(more) == 0 {
		return d
	}
	whole := &dayFile{entries: slices.Clone(d.entries), at: maps.Clone(d.at), damaged: d.damaged}
	for _, e := range more {
		whole.add(e)
	}
	return whole
}

// sum adds up the day, with requests that could not be written.
func (d *dayFile) sum(more []Entry) Sum {
	s := Sum{Models: map[string]Total{}, Projects: map[string]Total{}, Damaged: d.damaged}
	d = d.with(more)
	for _, e := range d.entries {
		s.take(e)
	}
	return s
}
