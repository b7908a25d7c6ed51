package config

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
)

// Imported is a provider of a Codex configuration.
type Imported struct {
	Provider
	Token string // its experimental_bearer_token, which must not be written to a file
}

// CodexFile returns where Codex keeps its configuration.
func CodexFile(getenv func(string) string, home string) string {
	dir := getenv("CODEX_HOME")
	if dir == "" {
		dir = filepath.Join(home, ".codex")
	}
	return filepath.Join(dir, "config.toml")
}

// ReadCodex returns the providers of a Codex configuration, and the keys that nothing here reads.
func ReadCodex(path string) (all []Imported, unknown []Problem, err error) {
	body, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read Codex's configuration: %w; name the file: waferpair models import-codex FILE", err)
	}
	c := Parse(path, body)
	if c.Problem != nil {
		return nil, nil, *c.Problem
	}
	raw, err := decode(body)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range c.Providers {
		token, _ := providersOf(raw)[p.Name].(map[string]any)["experimental_bearer_token"].(string)
		i := Imported{Provider: p, Token: token}
		i.Problems = nil
		for _, w := range p.Problems {
			if w.Key != dotted([]string{providersKey, p.Name, "experimental_bearer_token"}) {
				i.Problems = append(i.Problems, w)
			}
		}
		all = append(all, i)
	}
	return all, c.Unknown, nil
}

// CodexDefault returns the name of the model that a Codex configuration uses, PROVIDER/MODEL; "" when it does
// not say, or cannot be read.
func CodexDefault(path string) string {
	body, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	c := Parse(path, body)
	if c.Model == "" || c.Problem != nil {
		return ""
	}
	return cmp.Or(c.ModelProvider, "openai") + "/" + c.Model // openai is the one that Codex has built in
}
