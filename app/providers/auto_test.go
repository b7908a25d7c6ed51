package providers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/engine"
	"waferpair/engine/responses/fake"
)

// TestAuto checks which model is named for a task, and that nobody's money is spent by a guess.
func TestAuto(t *testing.T) {
	two, err := fake.New(fake.OpenAI(), func(*fake.Request) fake.Answer { return fake.Answer{} }).Serve()
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	provider := func(name, url, models string) string {
		return "[model_providers." + name + "]\nbase_url = \"" + url + "\"\nwire_api = \"chat\"\n" + models + "\n"
	}
	known := provider("a", "http://127.0.0.1:1/v1", `models = ["big", "small"]`)
	unknown := provider("b", two.URL, "")
	for _, c := range []struct{ toml, kind, want, normal string }{
		{"", "edit", "", ""},
		{"[auto]\nask = \"a/small\"\ndefault = \"a/big\"\n" + known, "ask", "a/small", engine.Auto},
		{"[auto]\nask = \"a/small\"\ndefault = \"a/big\"\n" + known, "edit", "a/big", engine.Auto},
		{"[auto]\nask = \"spark\"\n" + known, "ask", "spark", engine.Auto},
		{"model = \"other\"\nmodel_provider = \"a\"\n" + known, "edit", "a/other", "a/other"},
		{"model = \"auto\"\nmodel_provider = \"a\"\n" + known, "edit", "a/big", engine.Auto},
		{known + unknown, "review", "a/big", engine.Auto},
		{"[auto]\nask = \"c/x\"\n" + known, "ask", `auto.ask in FILE names c/x: no provider is called "c"; there are: a`,
			engine.Auto},
		{unknown, "ask",
			`there are several models, and none is chosen: b/gpt-5.5, b/small; write default = "b/gpt-5.5" below [auto]`,
			engine.Auto},
		{provider("c", "http://127.0.0.1:1/v1", ""), "ask", "ask c for its models: ", engine.Auto},
		{provider("d", "nonsense", ""), "ask", "use the provider d: ", engine.Auto},
		{"[", "ask", "this is not TOML", ""},
	} {
		s := New(t.TempDir(), t.TempDir())
		if c.toml != "" {
			if err := os.MkdirAll(filepath.Dir(s.File.Path()), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(s.File.Path(), []byte(c.toml), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Auto(t.Context(), c.kind)
		if err != nil {
			got = strings.ReplaceAll(err.Error(), s.File.Path(), "FILE")
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s for %s: %s", c.toml, c.kind, got)
		}
		if s.Default() != c.normal {
			t.Errorf("%s: the default is %q", c.toml, s.Default())
		}
		s.Close()
	}
}
