package window

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// state is stored from one run to the next. A file that is missing, damaged or from another
// version gives the defaults: it must never keep the window from opening.
type state struct {
	Placed     bool   `json:"placed"` // X and Y are known
	X          int    `json:"x"`
	Y          int    `json:"y"`
	Width      int    `json:"width"`
	Height     int    `json:"height"`
	Maximised  bool   `json:"maximised"`
	Background string `json:"background"` // "#rrggbb" of the page, shown until it has painted
	Dark       bool   `json:"dark"`       // the desktop prefers dark
}

const (
	minWidth, minHeight         = 720, 480
	defaultWidth, defaultHeight = 1360, 860
	mostPixels                  = 1 << 14 // X11 knows no larger coordinates
)

func loadState(path string) state {
	s := state{Width: defaultWidth, Height: defaultHeight}
	data, err := os.ReadFile(path)
	if err != nil {
		return s
	}
	var saved state
	if json.Unmarshal(data, &saved) != nil || !saved.plausible() {
		return s
	}
	return saved
}

func (s state) plausible() bool {
	return s.Width >= minWidth && s.Width <= mostPixels && s.Height >= minHeight && s.Height <= mostPixels &&
		s.X > -mostPixels && s.X < mostPixels && s.Y > -mostPixels && s.Y < mostPixels
}

var colour = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// background returns the window's colour before the page has painted.
func (s state) background() (r, g, b uint8) {
	hex := s.Background
	if !colour.MatchString(hex) {
		hex = "#ffffff"
		if s.Dark {
			hex = "#17191d"
		}
	}
	// The expression above accepts only what Sscanf can parse.
	_, _ = fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b)
	return r, g, b
}

// save replaces the file atomically.
func (s state) save(path string) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("remember the window's place: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".window-*")
	if err != nil {
		return fmt.Errorf("remember the window's place: %w", err)
	}
	_, err = tmp.Write(append(data, '\n'))
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		if rm := os.Remove(tmp.Name()); rm != nil && !errors.Is(rm, fs.ErrNotExist) {
			err = errors.Join(err, rm)
		}
		return fmt.Errorf("remember the window's place in %s: %w", path, err)
	}
	return nil
}
