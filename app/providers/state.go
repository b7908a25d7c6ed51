package providers

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"waferpair/app/config"
	"waferpair/app/userfile"
	"waferpair/engine/model"
)

// Learned is what a provider has told us.
type Learned struct {
	BaseURL string   `json:"base_url"`       // of which it was learned
	Wire    string   `json:"wire,omitempty"` // that the first request or a test found
	Models  []Listed `json:"models,omitempty"`
	// quoted names of models that are left out of the list, because they have characters that no name may have;
	// at most maxUnusable
	Unusable []string `json:"unusable,omitempty"`

	// models whose answers begin within a thought, without the tag that says so: their server keeps it
	Thinks []string `json:"thinks,omitempty"`

	Measured map[string]Measured `json:"measured,omitempty"` // by the last test of each model
}

// maxUnusable bounds the names that are kept only to be shown.
const maxUnusable = 10

// Measured is how fast a model was here, over the wire that is used.
type Measured struct {
	TTFT      float64 `json:"ttft_p50_ms"`
	PerSecond float64 `json:"tokens_per_s"` // 0: unknown
}

// Listed is a model that a provider lists.
type Listed struct {
	ID      string `json:"id"`
	Context int    `json:"context,omitempty"`
	OwnedBy string `json:"owned_by,omitempty"`
	// that it lists; the one in config.toml is preferred
	Price *model.Price `json:"price,omitempty"`
}

// State is the file with what was learned, for each provider. A damaged one is empty: all of it can be
// learned again.
type State struct {
	path string
	mu   sync.Mutex
	of   map[string]Learned
	read fs.FileInfo // the file that of is of: other processes replace it; nil: there was none
}

func newState(stateHome string) *State {
	return &State{path: filepath.Join(stateHome, "waferpair", "providers.json")}
}

// get returns what was learned about a provider at its address.
func (s *State) get(p config.Provider) Learned {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	if l := s.of[p.Name]; l.BaseURL == p.BaseURL {
		return l
	}
	return Learned{BaseURL: p.BaseURL}
}

// refresh reads the file if it is another one than before. One that cannot be read is empty.
func (s *State) refresh() {
	now, err := os.Stat(s.path)
	if err != nil {
		s.of, s.read = nil, nil
		return
	}
	if s.read != nil && os.SameFile(s.read, now) && now.ModTime().Equal(s.read.ModTime()) && now.Size() == s.read.Size() {
		return
	}
	body, err := os.ReadFile(s.path)
	if err != nil {
		body = nil
	}
	s.of, s.read = parseState(body), now
}

// learn changes what is known of a provider.
func (s *State) learn(p config.Provider, change func(*Learned)) error {
	return s.replace(func(of map[string]Learned) {
		l := of[p.Name]
		if l.BaseURL != p.BaseURL {
			l = Learned{BaseURL: p.BaseURL}
		}
		change(&l)
		of[p.Name] = l
	})
}

// beginsInThought remembers whether the answers of a model begin within a thought.
func (s *Source) beginsInThought(name string, begins bool) error {
	p, m, err := s.Find(name)
	if err != nil {
		return err
	}
	return s.state.learn(p, func(l *Learned) {
		l.Thinks = slices.DeleteFunc(slices.Clone(l.Thinks), func(id string) bool { return id == m.ID })
		if begins {
			l.Thinks = append(l.Thinks, m.ID)
		}
	})
}

// forget removes what is known of a provider.
func (s *State) forget(name string) error {
	if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return s.replace(func(of map[string]Learned) { delete(of, name) })
}

func (s *State) replace(change func(map[string]Learned)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return userfile.Replace(s.path, func(old []byte) ([]byte, error) {
		of := parseState(old)
		change(of)
		return json.MarshalIndent(of, "", "  ")
	})
}

func parseState(body []byte) map[string]Learned {
	of := map[string]Learned{}
	if json.Unmarshal(body, &of) != nil || of == nil {
		return map[string]Learned{}
	}
	return of
}
