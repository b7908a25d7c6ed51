package server_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// holds lists the files of the data, config and state folders that hold a word.
// They are read by a process of its own, because of the database's locks.
func (w *world) holds(words ...string) (found []string) {
	w.Helper()
	for _, dir := range []string{w.opt.DataHome, w.opt.ConfigHome, w.opt.StateHome} {
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil
			}
			b, _ := exec.Command("cat", path).Output()
			for _, word := range words {
				if bytes.Contains(b, []byte(word)) {
					found = append(found, filepath.Base(path)+": "+word)
				}
			}
			return nil
		})
	}
	return found
}

// TestNoTokenIsKeptOfWhatWasSaid: in the draft, while it is typed and when it is
// there, in the requests of before, and in what goes to a turn.
func TestNoTokenIsKeptOfWhatWasSaid(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := w.serve()
	c := dial(t, s)
	tokens := []string{
		"gh" + "p_9sKqL2vB7xT0mWc4RzE1yU6iOpA3sD8fG5hJ",
		"AK" + "IAQ7RZM2KXW5PT4LNV",
		"xo" + "xb-481204629173-840251937264-Qw7Er2Ty9Ui4Op1As6Df3Gh8",
	}
	ui := map[string]any{"draft": "", "history": []string{}, "tabs": []any{}, "top": json.Number("1.5")}
	var words []string
	for _, token := range tokens {
		words = append(words, token[:len(token)-1], token[:16])
		for n := 12; n <= len(token); n += 4 { // as somebody types it
			ui["draft"] = "use " + token[:n]
			c.must("setUI", map[string]any{"ui": ui}, nil)
		}
		ui["draft"] = "use " + token + " for it"
		ui["history"] = append(ui["history"].([]string), "and "+token+" too")
		c.must("setUI", map[string]any{"ui": ui}, nil)
		r := request(w.script("I use "+token[:14], 1200, token[14:]+" then.\n"))
		r["text"] = "take " + token
		var out struct{ Turn int64 }
		c.must("edit", r, &out)
		c.ended(out.Turn)
	}
	if found := w.holds(words...); len(found) > 0 {
		t.Errorf("while it runs: %v", found)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if found := w.holds(words...); len(found) > 0 {
		t.Errorf("afterwards: %v", found)
	}
	back := string(dial(t, w.serve()).hello.UI)
	if !strings.Contains(back, "use <masked>") || !strings.Contains(back, "and <masked>") ||
		!strings.Contains(back, " for it") || !strings.Contains(back, "1.5") {
		t.Errorf("came back as %s", back)
	}
}
