package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAt reads addresses as people have them: of a host, of an endpoint, with parameters.
func TestAt(t *testing.T) {
	preset := func(name string) func(string) Provider {
		p, err := FindPreset(name)
		if err != nil {
			t.Fatal(err)
		}
		return p.At
	}
	for _, c := range []struct {
		at      func(string) Provider
		address string
		base    string
		wire    string
		query   map[string]string
		models  []Model
	}{
		{Provider{}.At, " http://gpu:8000/v1/ ", "http://gpu:8000/v1", "", nil, nil},
		{Provider{}.At, "http://gpu:8000", "http://gpu:8000", "", nil, nil},
		{Provider{}.At, "http://gpu:8000/v1/chat/completions", "http://gpu:8000/v1", "chat", nil, nil},
		{Provider{}.At, "https://e.com/v1/responses/", "https://e.com/v1", "responses", nil, nil},
		{preset("Ollama"), "http://gpu:11434/", "http://gpu:11434/v1", "", nil, nil},
		{preset("openrouter"), "http://127.0.0.1:9", "http://127.0.0.1:9/api/v1", "", nil, nil},
		{preset("azure"), "https://r.openai.azure.com", "https://r.openai.azure.com/openai/v1", "responses", nil, nil},
		{preset("azure"), "https://r.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21",
			"https://r.openai.azure.com/openai/deployments/gpt", "chat",
			map[string]string{"api-version": "2024-10-21"}, []Model{{ID: "gpt"}}},
	} {
		p := c.at(c.address)
		p.Name = "x"
		if err := Check(p); err != nil || p.BaseURL != c.base || p.Wire != c.wire || !cmp.Equal(p.Query, c.query) ||
			!cmp.Equal(p.Models, c.models) {
			t.Errorf("%s: %+v, %v", c.address, p, err)
		}
	}
	for address, want := range map[string]string{
		"localhost:11434/v1":           "does not begin with http:// or https://",
		"sk-hush@e.com":                "a user or a key before the @",
		"https://sk-hush@e.com":        "a user or a key before the @",
		"https://e.com/v1?key=sk-hush": "would put a key into a file",
		"ftp://e.com/v1?key=sk-hush":   "would put a key into a file",
		"ftp://e.com/v1":               "no address such as",
		"https://e.com/v1#sk-hush":     "parameters after the path",
		"e.com/v1?api_key=sk-hush":     "parameters after the path",
		"https://e.com/v1\x1b[31m":     "no URL",
	} {
		p := Provider{Name: "x"}.At(address)
		p.Name = "x"
		var all []string
		for _, w := range check(p) {
			all = append(all, w.what)
		}
		if got := strings.Join(all, "; "); !strings.Contains(got, want) || strings.Contains(got, "hush") {
			t.Errorf("%s: %s", address, got)
		}
	}
	if err := CheckURL("https://e.com/v1/chat/completions"); err == nil || !strings.Contains(err.Error(), "one endpoint") {
		t.Error(err)
	}
}
