package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"waferpair/engine/model"
)

const full = `# mine
model = "big"
model_provider = "corp"
approval_policy = "never" # Codex's

[model_providers.corp]
name = "Our cluster"
base_url = "https://llm.example.com/v1"
env_key = "CORP_KEY"
keyring = true
wire_api = "chat"
query_params = { api-version = "2026-01-01" }
http_headers = { "X-Team" = "tools" }
env_http_headers = { "X-Auth" = "CORP_AUTH" }
request_max_retries = 2
stream_max_retries = 0
stream_idle_timeout_ms = 1500
supports_websockets = false
ca_file = "/etc/corp.pem"
requires_openai_auth = false

[model_providers.corp.models."big"]
context = 131072
price = { input = 2, cached = 0.5, output = 8.25 }

[model_providers.corp.models."qwen/coder:30b"]

[model_providers.local]
base_url = "http://localhost:11434/v1"
models = ["a", "b"]
`

func TestParse(t *testing.T) {
	c := Parse("c.toml", []byte(full))
	two, zero, off := 2, 0, false
	want := []Provider{{Name: "corp", Title: "Our cluster", BaseURL: "https://llm.example.com/v1", EnvKey: "CORP_KEY",
		Keyring: true, Wire: "chat", Query: map[string]string{"api-version": "2026-01-01"},
		Headers: map[string]string{"X-Team": "tools"}, EnvHeaders: map[string]string{"X-Auth": "CORP_AUTH"},
		RequestRetries: &two, StreamRetries: &zero, IdleTimeout: 1500 * time.Millisecond, WebSockets: &off,
		CAFile: "/etc/corp.pem", Models: []Model{
			{ID: "big", Context: 131072, Price: &model.Price{Input: 2, Cached: 0.5, Output: 8.25}}, {ID: "qwen/coder:30b"}}},
		{Name: "local", BaseURL: "http://localhost:11434/v1", Models: []Model{{ID: "a"}, {ID: "b"}}}}
	if diff := cmp.Diff(want, c.Providers); diff != "" {
		t.Error(diff)
	}
	if c.Default() != "corp/big" || c.Problem != nil {
		t.Error(c.Default(), c.Problem)
	}
	var unknown []string
	for _, u := range c.Unknown {
		unknown = append(unknown, u.Error())
	}
	if !slices.Equal(unknown, []string{
		"c.toml:20:1: model_providers.corp.requires_openai_auth: nothing here reads this key; it is kept",
		"c.toml:4:1: approval_policy: nothing here reads this key; it is kept",
	}) {
		t.Errorf("%q", unknown)
	}
}

// TestProblems checks that a mistake names its place and what to do, does not repeat a secret, and
// leaves the other providers usable.
func TestProblems(t *testing.T) {
	const fine = "[model_providers.fine]\nbase_url = \"http://localhost/v1\"\n"
	const in = "[model_providers.x]\n"
	const url = in + "base_url = \"https://e.com\"\n"
	for what, want := range map[string]string{
		in +
			`base_url = 5`: `c.toml:2:1: model_providers.x.base_url: it must be text in quotes`,
		in +
			`base_url = "example"`: `c.toml:2:1: model_providers.x.base_url: "example" is no address such as`,
		in + `base_url = "https://user:hush@e.com"`:   `a key before the @`,
		in + `base_url = "https://e.com/v1?key=hush"`: `they belong in query_params`,
		in + `base_url = "http://e.com/%zz"`:          `it is no URL`,
		in + `env_key = "A"`:                          `base_url: it is missing; set base_url`,
		url +
			`wire_api = "grpc"`: `c.toml:3:1: model_providers.x.wire_api: "grpc" is neither "responses" nor "chat"`,
		url + `env_key = "sk-hush"`:                       `not the key itself`,
		url + `http_headers = { Authorization = "hush" }`: `c.toml:3:1: model_providers.x.http_headers: "Authorization" would put a key into a file; use env_http_headers = { "Authorization"`,
		url + `http_headers = { "x-API-key" = "hush" }`:   `would put a key into a file`,
		url + `env_http_headers = { "X-A" = "sk-hush" }`:  `must be the name of an environment variable`,
		url + `query_params = { api_key = "hush" }`:       `into URLs`,
		url +
			`experimental_bearer_token = "hush"`: `c.toml:3:1: model_providers.x.experimental_bearer_token: a key does not belong in a file`,
		url + `request_max_retries = -1`:     `it must be 0 to 100`,
		url + `stream_idle_timeout_ms = "5"`: `it must be a whole number`,
		url + `supports_websockets = "yes"`:  `it must be true or false`,
		url + `models = [1]`:                 `a list of names`,
		url + `models = ["a\u001b[31m"]`:     `no name of a model`,
		url +
			"[model_providers.x.models.m]\ncontext = 0": `c.toml:4:1: model_providers.x.models.m.context: it must be 1 to`,
		url + "[model_providers.x.models.m]\nprice.input=-1": `dollars`,
		"[model_providers.\"a/b\"]":                          `c.toml:1:18: model_providers."a/b": the name "a/b" of a provider has '/' in it`,
		"[model_providers.\"a\\u001b\"]":                     `has '\x1b' in it`,
		"[model_providers.spark]":                            `"spark" is the name of a built-in model`,
		"model_providers.x = 3":                              `it must be a table`,
	} {
		c := Parse("c.toml", []byte(what+"\n"+fine))
		if c.Problem != nil {
			t.Errorf("%s: %v", what, c.Problem)
			continue
		}
		var err error
		for _, p := range c.Providers {
			if p.Name == "fine" && p.Err() != nil {
				t.Errorf("%s: the other provider: %v", what, p.Err())
			}
			if p.Name != "fine" {
				err = p.Err()
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s:\n got %v\nwant %s", what, err, want)
		}
	}
}

func TestNoTOML(t *testing.T) {
	for body, want := range map[string]string{
		"a = 1\nb = \n": "c.toml:2:5: this is not TOML: ",
		"[model_providers.a]\nbase_url=\"x\"\n[model_providers.a]\n": "c.toml:3:2: this is not TOML: table a already exists; two have one name",
		"\x00\xff": "c.toml:1:1: this is not TOML: ",
		"x = \"" + strings.Repeat("x", maxFile) + "\"": "more than the",
	} {
		c := Parse("c.toml", []byte(body))
		if c.Problem == nil || !strings.Contains(c.Problem.Error(), want) || c.Problem.Next == "" {
			t.Errorf("%.60q: %v, want %s", body, c.Problem, want)
		}
	}
	if c := Parse("c", []byte("model_providers = 5")); c.Problem == nil {
		t.Error("model_providers of the wrong type")
	}
	if c := Parse("c", []byte("model = 5")); c.Problem == nil {
		t.Error("model of the wrong type")
	}
}

// TestTwoProcesses checks that changes made at once all arrive, whoever makes them.
func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	const n = 20
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			f := In(dir) // each has its own, as processes do
			p := Provider{Name: fmt.Sprintf("p%d", i), BaseURL: "http://localhost/v1"}
			if err := f.Add(p); err != nil {
				t.Error(err)
			}
			if i%2 == 0 {
				if err := f.Remove(p.Name); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	f := In(dir)
	if c := f.Read(); len(c.Providers) != n/2 {
		t.Errorf("%d providers are left, want %d", len(c.Providers), n/2)
	}
	st, err := os.Stat(f.Path())
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Error(st.Mode(), err)
	}
}

func TestFile(t *testing.T) {
	f := In(t.TempDir())
	if c := f.Read(); c.Problem != nil || len(c.Providers) != 0 {
		t.Errorf("%+v", c)
	}
	if err := f.Remove("x"); err == nil || !strings.Contains(err.Error(), "'waferpair models add'") {
		t.Error(err)
	}
	if _, err := os.Stat(f.Path()); err == nil {
		t.Error("a failed change made the file")
	}
	// a link to a file elsewhere stays a link
	real := filepath.Join(t.TempDir(), "real.toml")
	if err := os.WriteFile(real, []byte("# mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, f.Path()); err != nil {
		t.Fatal(err)
	}
	if err := f.Add(Provider{Name: "x", BaseURL: "http://localhost/v1"}); err != nil {
		t.Fatal(err)
	}
	if err := f.Add(Provider{Name: "x", BaseURL: "http://localhost/v1"}); err == nil ||
		!strings.Contains(err.Error(), `there is a provider "x" already`) {
		t.Error(err)
	}
	if to, err := os.Readlink(f.Path()); err != nil || to != real {
		t.Error(to, err)
	}
	body, err := os.ReadFile(real)
	if err != nil || string(body) != "# mine\n\n[model_providers.x]\nbase_url = \"http://localhost/v1\"\n" {
		t.Errorf("%q %v", body, err)
	}
	if _, is := f.Read().Provider("x"); !is {
		t.Error("the change is not seen")
	}
	if err := os.WriteFile(real, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, is := f.Read().Provider("x"); is {
		t.Error("another program's change is not seen")
	}
	// what is no file does not hang or end the program
	if err := os.Remove(f.Path()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(f.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	if c := f.Read(); c.Problem == nil {
		t.Error("a folder is read as a file")
	}
}

func TestPresets(t *testing.T) {
	for _, p := range Presets() {
		if p.Ask != "" {
			p.BaseURL = p.Ask
		}
		body, err := added("c.toml", nil, p.Provider)
		if err != nil {
			t.Error(p.Name, err)
			continue
		}
		got := Parse("c.toml", body).Providers
		if diff := cmp.Diff([]Provider{p.Provider}, got); diff != "" {
			t.Error(p.Name, diff)
		}
	}
	if _, err := FindPreset("opnai"); err == nil || !strings.Contains(err.Error(), "openai, azure, ollama") {
		t.Error(err)
	}
}

func TestCodex(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	if CodexFile(func(string) string { return filepath.Dir(file) }, "/h") != file ||
		CodexFile(func(string) string { return "" }, "/h") != "/h/.codex/config.toml" {
		t.Error("another file")
	}
	err := os.WriteFile(file, []byte(full+"experimental_bearer_token = \"hush\"\n[model_providers.bad]\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	all, unknown, err := ReadCodex(file)
	if err != nil || len(all) != 3 || len(unknown) != 2 {
		t.Fatal(all, unknown, err)
	}
	if all[1].Token != "hush" || all[1].Err() != nil || all[0].Token != "" || all[2].Err() == nil {
		t.Errorf("%+v", all)
	}
	for _, i := range all[:2] {
		body, err := added("c.toml", nil, i.Provider)
		if err != nil || strings.Contains(string(body), "hush") {
			t.Errorf("%s %v", body, err)
		}
		if diff := cmp.Diff([]Provider{i.Provider}, Parse("c.toml", body).Providers); diff != "" {
			t.Error(diff)
		}
	}
	if _, _, err := ReadCodex(file + "x"); err == nil || !strings.Contains(err.Error(), "name the file") {
		t.Error(err)
	}
}

// TestCannotWrite says what to do where the file cannot be written.
func TestCannotWrite(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "waferpair"), nil, 0o600); err != nil { // in the folder's place
		t.Fatal(err)
	}
	err := In(dir).Add(Provider{Name: "p", BaseURL: "http://h/v1"})
	if err == nil || !strings.Contains(err.Error(), "nothing was changed: see that there is space in "+dir) {
		t.Error(err)
	}
}
