package providers

import (
	"testing"

	"waferpair/app/config"
)

// TestHowAnswersBeginIsRemembered checks that it is known of one model of a provider, also to another process,
// and can be unlearned.
func TestHowAnswersBeginIsRemembered(t *testing.T) {
	conf, state := t.TempDir(), t.TempDir()
	s := New(conf, state)
	t.Cleanup(s.Close)
	p := config.Provider{Name: "box", BaseURL: "http://localhost:1/v1", Models: []config.Model{{ID: "r1"}, {ID: "plain"}}}
	if err := s.File.Add(p); err != nil {
		t.Fatal(err)
	}
	for _, begins := range []bool{true, true, false} {
		if err := s.beginsInThought("box/r1", begins); err != nil {
			t.Fatal(err)
		}
		again := New(conf, state)
		for _, m := range again.List() {
			if want := begins && m.Name == "box/r1"; m.Thinks != want {
				t.Errorf("%s: %v", m.Name, m.Thinks)
			}
		}
		again.Close()
	}
}
