// Package corrections keeps what people meant where the built-in model was not sure, or did
// something else: the request as it was typed, and the one that was meant. It keeps them only for
// those who asked for it, in one file of the user's state folder, and sends them nowhere.
package corrections

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Correction is a request, and what was meant by it.
type Correction struct {
	Time    time.Time `json:"time"`
	Request string    `json:"request"`
	Meant   string    `json:"meant"`
	How     How       `json:"how"`
	Offered []string  `json:"offered,omitempty"` // what could be chosen
}

// How tells where a correction comes from.
type How string

const (
	Chosen   How = "chosen"   // one of the requests that were offered
	Reverted How = "reverted" // the edits were reverted, and asked for in other words
)

const (
	fileName = "corrections.jsonl"
	onName   = "corrections-kept" // is there while corrections are kept
	maxBytes = 4 << 20
)

// Box is the folder in which corrections are kept.
type Box struct{ dir string }

// In returns the box in a state folder.
func In(state string) Box { return Box{filepath.Join(state, "waferpair")} }

// File returns the file of the corrections, which may not exist.
func (b Box) File() string { return filepath.Join(b.dir, fileName) }

// On reports whether corrections are kept.
func (b Box) On() bool {
	_, err := os.Stat(filepath.Join(b.dir, onName))
	return err == nil
}

// Switch turns keeping on or off. What was kept stays.
func (b Box) Switch(on bool) error {
	name := filepath.Join(b.dir, onName)
	if !on {
		if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(name, nil, 0o600)
}

// Keep adds a correction, if corrections are kept and there is room. A line is written at once, so
// that several processes can add theirs.
func (b Box) Keep(c Correction) error {
	if !b.On() || c.Request == c.Meant {
		return nil
	}
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(b.File(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keep a correction: %w", err)
	}
	info, err := f.Stat()
	if err == nil && info.Size() < maxBytes {
		_, err = f.Write(append(line, '\n'))
	}
	return errors.Join(err, f.Close())
}

// Lines returns the corrections as they are stored, one JSON object a line; nothing if there are none.
func (b Box) Lines() ([]byte, error) {
	body, err := os.ReadFile(b.File())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return body, err
}

// All returns the corrections, oldest first. It skips lines that were not written whole.
func (b Box) All() ([]Correction, error) {
	body, err := b.Lines()
	if err != nil {
		return nil, err
	}
	var out []Correction
	lines := bufio.NewScanner(bytes.NewReader(body))
	lines.Buffer(nil, maxBytes)
	for lines.Scan() {
		var c Correction
		if json.Unmarshal(lines.Bytes(), &c) == nil {
			out = append(out, c)
		}
	}
	return out, lines.Err()
}

// Delete removes all corrections.
func (b Box) Delete() error {
	if err := os.Remove(b.File()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
