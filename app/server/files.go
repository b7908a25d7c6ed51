package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/adrg/xdg"

	"waferpair/app/userfile"
)

// The user's files, which belong to no project: preferences, and the recent folders. Each is a
// JSON file, replaced as a whole under a lock, because several windows may write it at once.

const (
	appName    = "waferpair"
	maxRecent  = 20
	maxPrefs   = 1 << 20 // bytes
	prefsName  = "prefs.json"
	recentName = "recent.json"
)

// userFiles knows their folders.
type userFiles struct {
	config, state string // folders
}

func newUserFiles(opt Options) userFiles {
	config, state := opt.ConfigHome, opt.StateHome
	if config == "" {
		config = xdg.ConfigHome
	}
	if state == "" {
		state = xdg.StateHome
	}
	return userFiles{filepath.Join(config, appName), filepath.Join(state, appName)}
}

// prefs returns the preferences as a page stored them; nil when there are none.
func (u userFiles) prefs() (json.RawMessage, error) {
	b, err := os.ReadFile(filepath.Join(u.config, prefsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !json.Valid(b) {
		return nil, fmt.Errorf("read the preferences: %s is not JSON; the defaults are used until they are changed",
			filepath.Join(u.config, prefsName))
	}
	return b, err
}

func (u userFiles) setPrefs(prefs json.RawMessage) error {
	return userfile.Replace(filepath.Join(u.config, prefsName), func([]byte) ([]byte, error) { return prefs, nil })
}

// recent lists the folders that were open, the newest first.
func (u userFiles) recent() []Recent {
	b, err := os.ReadFile(filepath.Join(u.state, recentName))
	if err != nil {
		return nil
	}
	out := parseRecent(b)
	for i := range out {
		st, err := os.Stat(out[i].Root)
		out[i].Gone = err != nil || !st.IsDir()
	}
	return out
}

// parseRecent parses the list; a damaged one counts as empty, because it is only a convenience.
func parseRecent(b []byte) (out []Recent) {
	if json.Unmarshal(b, &out) != nil {
		return nil
	}
	return out
}

// remember adds a folder at the front.
func (u userFiles) remember(root string, now time.Time) error {
	return u.changeRecent(func(all []Recent) []Recent {
		first := Recent{Root: root, Name: filepath.Base(root), Opened: now.UnixMilli()}
		all = append([]Recent{first}, without(all, root)...)
		return all[:min(len(all), maxRecent)]
	})
}

// forget removes a folder.
func (u userFiles) forget(root string) error {
	return u.changeRecent(func(all []Recent) []Recent { return without(all, root) })
}

func without(all []Recent, root string) []Recent {
	return slices.DeleteFunc(all, func(r Recent) bool { return r.Root == root })
}

func (u userFiles) changeRecent(change func([]Recent) []Recent) error {
	return userfile.Replace(filepath.Join(u.state, recentName), func(old []byte) ([]byte, error) {
		return json.MarshalIndent(list(change(parseRecent(old))), "", "  ")
	})
}
