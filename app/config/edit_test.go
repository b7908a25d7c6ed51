package config

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
	"waferpair/engine/model"
)

// pieces are what a user's file is made of; a provider's own tables have the name mine.
var pieces = []string{
	"\n", "# a comment\n", "\n\n", "  \n", "top = 1\n", "[tools] # of Codex\nx.y = 'z'\n",
	"[[list]]\na = [\n 1, # one\n 2]\n", "[model_providers.other]\nbase_url = \"http://o\"\n",
	"[model_providers.other.models.\"x/y\"]\n",
	"[projects.\"/a b\"]\ntext = '''\n[model_providers.mine]\nbase_url = 1\n'''\n",
	"[model_providers]\n",
}

// file draws a file of TOML.
func file(t *rapid.T) []byte {
	for {
		body := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "file"), "")
		if rapid.IntRange(0, 3).Draw(t, "crlf") == 0 {
			body = strings.ReplaceAll(body, "\n", "\r\n")
		}
		if _, err := decode([]byte(body)); err == nil {
			return []byte(body)
		}
	}
}

func provider(t *rapid.T) Provider {
	text := rapid.StringMatching(`[a-z "\\'é=#\[\]{}]{0,8}`)
	p := Provider{Name: rapid.SampledFrom([]string{"mine", "my.own", "É-1"}).Draw(t, "name"),
		Title: text.Draw(t, "title"), BaseURL: "https://e.com:8/v1", Keyring: rapid.Bool().Draw(t, "ring")}
	if n := rapid.IntRange(-1, 9).Draw(t, "retries"); n >= 0 {
		p.RequestRetries, p.WebSockets = &n, on()
		p.Headers = map[string]string{"X-A": text.Draw(t, "header"), "b": text.Draw(t, "header")}
	}
	id := rapid.StringMatching(`[a-z]([a-z/:."\\é \[\]]{0,6}[a-z])?`)
	for _, id := range rapid.SliceOfNDistinct(id, 0, 3, rapid.ID).Draw(t, "models") {
		p.Models = append(p.Models, Model{ID: id})
	}
	if len(p.Models) > 0 && rapid.Bool().Draw(t, "known") {
		p.Models[0].Context, p.Models[0].Price = 4096, &model.Price{Input: 0.25, Cached: 1e-3, Output: 1e6}
	}
	return p
}

// TestAddAndRemove checks the law of changes: what is added reads back, every other byte stays,
// and removing it leaves the file as it was.
func TestAddAndRemove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, p := file(t), provider(t)
		after, err := added("c.toml", before, p)
		if err != nil {
			t.Fatalf("%v in\n%s", err, before)
		}
		if !bytes.HasPrefix(after, before) {
			t.Fatalf("other bytes changed:\n%s\nis\n%s", before, after)
		}
		got, is := Parse("c.toml", after).Provider(p.Name)
		if diff := cmp.Diff(p, got); !is || diff != "" {
			t.Fatalf("%s\n%s", diff, after)
		}
		rest := []byte{}
		if rapid.Bool().Draw(t, "more") { // the user writes on
			rest = []byte("\n# more\n[later]\na = 1\n")
		}
		back, err := removed("c.toml", append(bytes.Clone(after), rest...), p.Name)
		if want := string(before) + string(rest); err != nil || string(back) != want {
			t.Fatalf("%v\n%q\nwant\n%q", err, back, want)
		}
	})
}

// TestRemoveKeepsTheRest removes a provider that a user wrote in pieces.
func TestRemoveKeepsTheRest(t *testing.T) {
	for body, want := range map[string]string{
		"model_providers.x.base_url = 'u' # c\na = 1\n": "a = 1\n",
		"a=1\n[model_providers]\nx.base_url = 'u'\ny.base_url = 'v'\nx.name = 'n'\n": "a=1\n[model_providers]\n" +
			"y.base_url = 'v'\n",
		"[model_providers]\nx = { base_url = 'u' }\n": "[model_providers]\n",
		"# of x\n[model_providers.x]\n# inside\nname = 'n'\n# of y\n[y]\nb=1\n[model_providers.x.models.m]\n[z]\n": "# of x\n" +
			"# of y\n[y]\nb=1\n[z]\n",
		"[model_providers.x]":                           "",
		"a = 1\n\n[model_providers.x]\nname='''\n\n'''": "a = 1\n",
	} {
		got, err := removed("c.toml", []byte(body), "x")
		if err != nil || string(got) != want {
			t.Errorf("%q:\n got %q, %v\nwant %q", body, got, err, want)
		}
	}
	for body, want := range map[string]string{
		"model_providers = { x = { base_url = 'u' }, y = {} }": "edit the file yourself",
		"[model_providers.y]\n[model_providers.z]\n":           `no provider is called "x" in c.toml; there are: y, z`,
		"a =": "c.toml:1:3: this is not TOML",
	} {
		if got, err := removed("c.toml", []byte(body), "x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v", body, got, err)
		}
	}
	for body, want := range map[string]string{
		"model_providers = {}": "edit the file yourself",
		"model_providers = 1":  "is no table",
		"a =":                  "this is not TOML",
	} {
		p := Provider{Name: "x", BaseURL: "http://localhost"}
		if got, err := added("c.toml", []byte(body), p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v", body, got, err)
		}
	}
}

// FuzzParse checks that no file ends the program, and that a file that can be read can be changed,
// or says why not.
func FuzzParse(f *testing.F) {
	f.Add(full)
	f.Add(strings.Join(pieces, ""))
	f.Add("model_providers.x.models = [\"\\u0000\"]\n[model_providers.\"\"]")
	f.Fuzz(func(t *testing.T, body string) {
		c := Parse("c.toml", []byte(body))
		if c.Problem != nil {
			if c.Problem.Error() == "" || c.Problem.Next == "" {
				t.Fatalf("%+v", c.Problem)
			}
			return
		}
		for _, p := range c.Providers {
			if out, err := removed("c.toml", []byte(body), p.Name); err == nil {
				if _, is := Parse("c.toml", out).Provider(p.Name); is {
					t.Fatalf("%q is still in\n%s", p.Name, out)
				}
			}
		}
		out, err := added("c.toml", []byte(body), Provider{Name: "mine", BaseURL: "http://localhost"})
		if err == nil && !strings.HasPrefix(string(out), body) {
			t.Fatalf("other bytes changed:\n%s", out)
		}
	})
}

// TestSetKeyring notes that a key is in the keyring, and changes nothing else.
func TestSetKeyring(t *testing.T) {
	for before, after := range map[string]string{
		"[model_providers.a] # mine\nbase_url = \"http://a\"\n":  "[model_providers.a] # mine\nkeyring = true\nbase_url = \"http://a\"\n",
		"[model_providers.a]\r\nkeyring = false # no\r\nx=1\r\n": "[model_providers.a]\r\nkeyring = true\r\nx=1\r\n",
		"[model_providers.b]\nx = 1\n[model_providers.a]":        "[model_providers.b]\nx = 1\n[model_providers.a]\nkeyring = true\n",
		byteOrderMark + "[model_providers.a]\nx = 1\n": byteOrderMark +
			"[model_providers.a]\nkeyring = true\nx = 1\n",
	} {
		if got, err := withKeyring("c.toml", []byte(before), "a"); err != nil || string(got) != after {
			t.Errorf("%q became %q, %v", before, got, err)
		}
	}
	for _, no := range []string{"model_providers = { a = { base_url = \"x\" } }", "model_providers.a.x = 1", "",
		"[model_providers.A]"} {
		if got, err := withKeyring("c.toml", []byte(no), "a"); err == nil {
			t.Errorf("%q became %q", no, got)
		}
	}
}

// TestTaken refuses a provider whose name differs from another one in case only.
func TestTaken(t *testing.T) {
	for _, name := range []string{"Work", "work", "WORK"} {
		_, err := added("c.toml", []byte("[model_providers.Work]\nbase_url = \"http://a/v1\"\n"),
			Provider{Name: name, BaseURL: "http://b/v1"})
		if err == nil || !strings.Contains(err.Error(), `there is a provider "Work" already`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestByteOrderMark reads and changes what some editors write.
func TestByteOrderMark(t *testing.T) {
	body := []byte(byteOrderMark + "# mine\r\n[model_providers.a]\r\nbase_url = 'http://a/v1'\r\n")
	if c := Parse("c.toml", body); c.Problem != nil || len(c.Providers) != 1 || c.Providers[0].Err() != nil {
		t.Fatalf("%+v", c)
	}
	more, err := added("c.toml", body, Provider{Name: "b", BaseURL: "http://b/v1"})
	if err != nil || !bytes.HasPrefix(more, body) {
		t.Fatalf("%q, %v", more, err)
	}
	if less, err := removed("c.toml", more, "b"); err != nil || !bytes.Equal(less, body) {
		t.Errorf("%q, %v", less, err)
	}
}
