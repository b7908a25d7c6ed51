package providers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/app/config"
	"waferpair/app/keys"
)

// newSource returns the providers of a config.toml in a folder of its own, without a keyring.
func newSource(t *testing.T, body string) *Source {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(dir, "no-bus"))
	s := New(filepath.Join(dir, "config"), filepath.Join(dir, "state"))
	write(t, s.File.Path(), body)
	return s
}

func write(t *testing.T, path, body string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFind checks what a wrong name says.
func TestFind(t *testing.T) {
	s := newSource(t, `model = "m"
model_provider = "good"
[model_providers.good]
base_url = "http://127.0.0.1:1/v1"
[model_providers.good.models."a/b"]
context = 9
[model_providers.bad]
base_url = "nowhere"
`)
	if p, m, err := s.Find("good/a/b"); err != nil || p.Name != "good" || m.ID != "a/b" || m.Context != 9 {
		t.Error(p, m, err)
	}
	for name, want := range map[string]string{
		"gone/m": `no provider is called "gone"; there are: good, bad; add it: waferpair models add gone --base-url URL`,
		"groq/m": "waferpair models add groq --provider groq", "bad/m": "config.toml:8:1: model_providers.bad.base_url",
		"good":          "good is a provider; name a model of it as good/MODEL; there are: a/b",
		"good/\x1b[31m": "is no name of a model", "good/": "there are: a/b",
	} {
		if _, _, err := s.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if got := strings.Join(s.Names(), " "); got != "good/a/b good/ bad/" || s.Default() != "good/m" {
		t.Error(got, s.Default())
	}
	write(t, s.File.Path(), "broken")
	if _, _, err := s.Find("good/m"); err == nil || !strings.Contains(err.Error(), "this is not TOML") ||
		len(s.List()) != 0 || s.Default() != "" {
		t.Error(err)
	}
}

// TestKeys adds providers with keys where there is no keyring.
func TestKeys(t *testing.T) {
	s := newSource(t, "")
	k, err := keys.New("sk-hush")
	if err != nil {
		t.Fatal(err)
	}
	p := config.Provider{Name: "p", BaseURL: "http://127.0.0.1:1/v1", Keyring: true}
	if _, err := s.Add(t.Context(), p, k, false); err == nil || !strings.Contains(err.Error(), "--env-key VARIABLE") {
		t.Error(err)
	}
	if _, is := s.File.Read().Provider("p"); is {
		t.Error("it was added")
	}
	if at, err := s.Add(t.Context(), p, k, true); at != keys.Memory || err != nil {
		t.Error(at, err)
	}
	if all := s.Shown(t.Context()); len(all) != 1 || all[0].Key != keys.Memory {
		t.Errorf("%+v", all)
	}
	if err := s.Remove(t.Context(), "p"); err != nil || len(s.Shown(t.Context())) != 0 {
		t.Error(err)
	}
}
