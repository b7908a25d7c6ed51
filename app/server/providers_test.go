package server_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/app/providers"
	"waferpair/app/server"
	"waferpair/engine/local"
	"waferpair/engine/responses/fake"
)

// providerKey looks like no known kind of key, so that nothing masks it by its shape.
const providerKey = "hush-hush-0123456789"

// TestProviderIsConnected: a provider is tried with a wrong key and with the right one, saved,
// changed and removed; its key is in nothing that is kept, sent or noted.
func TestProviderIsConnected(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "no bus"))
	provider := fake.New(fake.VLLM(), fake.Always(fake.Say("ready and able")))
	provider.SetKey(providerKey)
	h, err := provider.Serve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := w.serve()
	c := dial(t, s)
	var sent []byte
	read := func() (all struct {
		NoKeyring string
		Presets   []server.PresetInfo
		Providers []server.ProviderInfo
	}) {
		t.Helper()
		must(t, get(t, s, "providers", nil, &all))
		b, _ := json.Marshal(all)
		sent = append(sent, b...)
		return all
	}
	if got := read(); got.NoKeyring == "" || len(got.Providers) != 0 ||
		!slices.ContainsFunc(got.Presets, func(p server.PresetInfo) bool { return p.Name == "ollama" && p.BaseURL != "" }) {
		t.Errorf("%+v", got)
	}

	form := server.ProviderForm{Name: "box", BaseURL: h.URL, Key: "wrong-" + providerKey, Models: []server.FoundModel{}}
	f := c.call("testProvider", form, nil)
	if f == nil || !strings.Contains(f.Message, "does not take this key (401)") {
		t.Errorf("a wrong key: %v", f)
	} else {
		sent = append(sent, f.Message...)
	}
	f = c.call("testProvider", server.ProviderForm{Name: "box", BaseURL: h.URL, Key: "two\nlines"}, nil)
	if f == nil || !strings.Contains(f.Message, "a line break") || strings.Contains(f.Message, "two") {
		t.Errorf("a key with a line break: %v", f)
	}

	var tested server.ProviderTest
	form.Key = providerKey
	c.must("testProvider", form, &tested)
	if len(tested.Models) != 2 || tested.Models[1] != (server.FoundModel{ID: "small", Context: 8192}) {
		t.Errorf("%+v", tested)
	}
	var speed server.ProviderSpeed
	c.must("measureProvider", server.MeasureForm{Provider: form, Model: "small"}, &speed)
	if len(speed.Wires) < 2 || speed.Wire == "" || speed.Tools == "" ||
		!slices.ContainsFunc(speed.Wires, func(w server.WireSpeed) bool { return w.Wire == speed.Wire && w.TTFT > 0 }) {
		t.Errorf("%+v", speed)
	}
	if len(read().Providers) != 0 {
		t.Error("a trial was kept")
	}

	form.Models = tested.Models[1:]
	c.must("saveProvider", form, nil)
	got := read().Providers
	if len(got) != 1 || got[0].Key != "memory" || got[0].Problem != "" || got[0].Where != "this computer" ||
		!slices.Equal(got[0].Models, tested.Models[1:]) {
		t.Errorf("%+v", got)
	}
	if f := c.call("saveProvider", form, nil); f == nil || !strings.Contains(f.Message, `"box"`) {
		t.Errorf("a second one of the name: %v", f)
	}

	// it is changed, with the key that there is
	form.Key, form.Replaces, form.Title = "", "box", "The box"
	c.must("testProvider", form, &tested)
	form.Models = tested.Models
	c.must("saveProvider", form, nil)
	if got := read().Providers; len(got) != 1 || got[0].Title != "The box" || len(got[0].Models) != 2 ||
		got[0].Key != "memory" {
		t.Errorf("%+v", got)
	}
	if found := w.holds("hush"); len(found) > 0 {
		t.Errorf("the key is in %v", found)
	}
	w.mu.Lock()
	if all := strings.Join(w.log, "\n") + string(sent); strings.Contains(all, "hush") {
		t.Errorf("the key was said: %s", all)
	}
	w.mu.Unlock()

	c.must("removeProvider", map[string]string{"name": "box"}, nil)
	if got := read().Providers; len(got) != 0 {
		t.Errorf("%+v", got)
	}
	b, err := os.ReadFile(filepath.Join(w.opt.ConfigHome, "waferpair", "config.toml"))
	if err != nil || strings.TrimSpace(string(b)) != "" {
		t.Errorf("%q, %v", b, err)
	}
}

// TestBrokenConfigIsShown: a file that is no TOML is named with its line, and is not overwritten.
func TestBrokenConfigIsShown(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	path := filepath.Join(w.opt.ConfigHome, "waferpair", "config.toml")
	w.make(filepath.Dir(path), map[string]string{"config.toml": "model = [\n"})
	s := w.serve()
	var all struct{ Problem, File string }
	must(t, get(t, s, "providers", nil, &all))
	if !strings.Contains(all.Problem, "config.toml:") || all.File != path {
		t.Errorf("%+v", all)
	}
	f := dial(t, s).call("saveProvider", server.ProviderForm{Name: "box", BaseURL: "http://localhost:1/v1"}, nil)
	if b, err := os.ReadFile(path); f == nil || err != nil || string(b) != "model = [\n" {
		t.Errorf("%v, %q, %v", f, b, err)
	}
}

// TestAMistakenDefaultIsNamed: the page learns which model a request would ask, and why it cannot.
func TestAMistakenDefaultIsNamed(t *testing.T) {
	const provider = "[model_providers.box]\nbase_url = \"http://localhost:1/v1\"\n"
	for body, want := range map[string]struct{ normal, mistake string }{
		"model = [\n": {"spark", "config.toml:"},
		"model = \"gpt\"\nmodel_provider = \"bxo\"\n" + provider: {"bxo/gpt", `"bxo"; there are: box`},
		"model = \"gpt\"\nmodel_provider = \"box\"\n" + provider: {"box/gpt", ""},
		provider: {"auto", ""},
		"":       {"spark", ""},
	} {
		w := newWorld(t, map[string]string{"a.txt": "one\n"})
		w.make(filepath.Join(w.opt.ConfigHome, "waferpair"), map[string]string{"config.toml": body})
		w.opt.Providers = providers.New(w.opt.ConfigHome, t.TempDir())
		w.opt.Models = app.Models(&local.Shelf{}).With(w.opt.Providers)
		var got struct{ Normal, Mistake string }
		must(t, get(t, w.serve(), "models", nil, &got))
		if got.Normal != want.normal || !strings.Contains(got.Mistake, want.mistake) ||
			(got.Mistake == "") != (want.mistake == "") {
			t.Errorf("%q: %+v", body, got)
		}
	}
}
