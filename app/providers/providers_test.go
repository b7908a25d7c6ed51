package providers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"waferpair/app/config"
	"waferpair/app/keys"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/engine/responses/fake"
)

// newSource returns the providers of a config.toml in a folder of its own, without a keyring.
func newSource(t *testing.T, body string) *Source {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(dir, "no-bus"))
	s := New(filepath.Join(dir, "config"), filepath.Join(dir, "state"))
	t.Cleanup(s.Close)
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

// serve starts a provider.
func serve(t *testing.T, c fake.Caps) (*fake.Server, string) {
	t.Helper()
	s := fake.New(c, fake.Always(fake.Say("ready")))
	h, err := s.Serve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return s, h.URL
}

// ready asks the model of a name, and wants its answer.
func ready(t *testing.T, s *Source, name string) {
	t.Helper()
	d, err := s.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	m, ok := engine.As[model.Model](d)
	if !ok {
		t.Fatal("the driver has no model")
	}
	text := ""
	_, err = m.Generate(t.Context(), model.Prompt{Items: []model.Item{model.User("hello")}}, func(d model.Delta) error {
		if x, is := d.(model.Text); is {
			text += x.Text
		}
		return nil
	})
	if err != nil || text != "ready" {
		t.Fatalf("%s said %q, %v", name, text, err)
	}
}

// TestTurns asks models through the source: a key from a variable, a change of config.toml, a
// provider that is added by another process, and one client for all turns.
func TestTurns(t *testing.T) {
	a, aURL := serve(t, fake.OpenAI())
	a.SetKey("sk-1")
	b, bURL := serve(t, fake.VLLM())
	t.Setenv("PROVIDERS_TEST_KEY", "sk-1")
	s := newSource(t, "[model_providers.p]\nenv_key = 'PROVIDERS_TEST_KEY'\nbase_url = '"+aURL+"'\n"+
		"wire_api = 'chat'\n")
	ready(t, s, "p/gpt-5.5")
	ready(t, s, "p/gpt-5.5")
	conns := map[int]bool{}
	for _, r := range a.Asked() {
		conns[r.Conn] = true
	}
	if len(conns) != 1 {
		t.Errorf("two turns used %d connections", len(conns))
	}
	write(t, s.File.Path(), "[model_providers.p]\nbase_url = '"+bURL+"'\nhttp_headers = { X-Team = 'tools' }\n")
	ready(t, s, "p/small")
	if got := b.Asked(); len(got) == 0 || got[len(got)-1].Header.Get("X-Team") != "tools" ||
		strings.Contains(got[0].Header.Get("Authorization"), "sk-1") {
		t.Error("the changed provider was not asked, or got the other one's key")
	}
	// what was learned lasts, for the address that it was learned of
	p, err := s.Usable("p")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	again := New(filepath.Dir(filepath.Dir(s.File.Path())), filepath.Dir(filepath.Dir(s.state.path)))
	if got := again.Models(p); len(got) != 2 || got[0].ID != "gpt-5.5" || got[0].Context != 400_000 {
		t.Errorf("%+v", got)
	}
	p.BaseURL = aURL
	if got := again.Models(p); len(got) != 0 {
		t.Errorf("of another address: %+v", got)
	}
	write(t, s.state.path, "{damaged")
	if got := New("", filepath.Dir(filepath.Dir(s.state.path))).Models(p); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	ready(t, s, "p/small")
}

// TestTest finds what each kind of provider speaks, and uses it from then on.
func TestTest(t *testing.T) {
	for want, caps := range map[string]fake.Caps{WebSocket: fake.OpenAI(), SSE: fake.VLLM(), Chat: fake.Cerebras()} {
		server, url := serve(t, caps)
		s := newSource(t, "[model_providers.p]\nbase_url = '"+url+"'\n")
		p, m, err := s.Find("p/small")
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Test(t.Context(), p, m, func(string) {})
		if err != nil || got.Wire != want || len(got.Speeds)+len(got.Refused) != 3 {
			t.Errorf("%s: %+v, %v", want, got, err)
		}
		ready(t, s, "p/small")
		all := server.Asked()
		wire := map[string]string{"ws": WebSocket, "sse": SSE, "chat-sse": Chat}[all[len(all)-1].Wire]
		if wire != want {
			t.Errorf("a turn went over %s, want %s", wire, want)
		}
	}
	_, url := serve(t, fake.Cerebras())
	s := newSource(t, "[model_providers.p]\nbase_url = '"+url+"'\nwire_api = 'responses'\n")
	p, m, err := s.Find("p/small")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Test(t.Context(), p, m, func(string) {}); err == nil || len(got.Refused) != 2 {
		t.Errorf("%+v, %v", got, err)
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
		if _, err := s.Open(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if got := strings.Join(s.Names(), " "); got != "good/a/b good/ bad/" || s.Default() != "good/m" {
		t.Error(got, s.Default())
	}
	write(t, s.File.Path(), "broken")
	if _, err := s.Open("good/m"); err == nil || !strings.Contains(err.Error(), "this is not TOML") ||
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
	if got, err := s.key(t.Context(), p); got != "sk-hush" || err != nil {
		t.Error(err)
	}
	if all := s.Shown(t.Context()); len(all) != 1 || all[0].Key != keys.Memory {
		t.Errorf("%+v", all)
	}
	p.BaseURL = "http://127.0.0.1:2/v1"
	if got, err := s.key(t.Context(), p); got != "" || err == nil ||
		!strings.Contains(err.Error(), "models add p --key-stdin") {
		t.Error("the key goes to another server", err)
	}
	if err := s.Remove(t.Context(), "p"); err != nil || len(s.Shown(t.Context())) != 0 {
		t.Error(err)
	}
	p.BaseURL = "http://127.0.0.1:1/v1"
	if _, err := s.key(t.Context(), p); err == nil {
		t.Error("the key is still there")
	}
}

// TestProbe finds out with the first request what each kind of provider speaks, without a word of
// the user, and remembers it.
func TestProbe(t *testing.T) {
	for want, caps := range map[string]fake.Caps{WebSocket: fake.OpenAI(), SSE: fake.VLLM(), Chat: fake.Cerebras()} {
		server, url := serve(t, caps)
		s := newSource(t, "[model_providers.p]\nbase_url = '"+url+"'\n")
		for range 2 {
			ready(t, s, "p/small")
			all := server.Asked()
			wire := map[string]string{"ws": WebSocket, "sse": SSE, "chat-sse": Chat}[all[len(all)-1].Wire]
			if wire != want {
				t.Errorf("a turn went over %s, want %s", wire, want)
			}
		}
		p, err := s.Usable("p")
		if err != nil {
			t.Fatal(err)
		}
		if got := s.state.get(p).Wire; got != want {
			t.Errorf("remembered is %q, want %q", got, want)
		}
		words := 0
		for _, r := range server.Requests() {
			if strings.Contains(string(r.Body), "hello") {
				words++
			}
		}
		if words != 2 {
			t.Errorf("%s: the user's words went up %d times for 2 requests", want, words)
		}
	}
	// a server that answers neither is asked over chat completions, and nothing is remembered
	server, url := serve(t, fake.OpenAI())
	server.SetKey("sk-1")
	s := newSource(t, "[model_providers.p]\nbase_url = '"+url+"'\n")
	d, err := s.Open("p/small")
	if err != nil {
		t.Fatal(err)
	}
	m, _ := engine.As[model.Model](d)
	if _, err := m.Generate(t.Context(), model.Prompt{Items: []model.Item{model.User("hello")}},
		func(model.Delta) error { return nil }); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("without a key: %v", err)
	}
	if p, _ := s.Usable("p"); !s.unprobed(p) {
		t.Error("a refused key said what the provider speaks")
	}
}

// TestChangeKey finds the key that a provider got later, and forgets it with the provider.
func TestChangeKey(t *testing.T) {
	s := newSource(t, "[model_providers.p] # mine\nbase_url = \"http://127.0.0.1:9/v1\"\n")
	keyring.MockInit()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:abstract=of-the-mock")
	k, err := keys.New("sk-hush")
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Usable("p")
	if err != nil {
		t.Fatal(err)
	}
	if at, err := s.ChangeKey(t.Context(), p, k, false); at != keys.Keyring || err != nil {
		t.Fatal(at, err)
	}
	if p, err = s.Usable("p"); err != nil || !p.Keyring {
		t.Fatalf("%+v, %v", p, err)
	}
	if got, err := s.key(t.Context(), p); got != "sk-hush" || err != nil {
		t.Error("the key is not found", err)
	}
	keyring.MockInitWithError(errors.New("failed to unlock correct collection '/x'"))
	var no *NotKeptError
	if _, err := s.SetKey(t.Context(), p, k, false); !errors.As(err, &no) || !errors.Is(err, keys.ErrLocked) ||
		strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
	body, err := os.ReadFile(s.File.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(t.Context(), "p"); !errors.Is(err, keys.ErrLocked) ||
		!strings.Contains(err.Error(), "p is removed from "+s.File.Path()+", but its key is left") {
		t.Error(err)
	}
	write(t, s.File.Path(), string(body))
	keyring.MockInit()
	if at, err := s.SetKey(t.Context(), p, k, false); at != keys.Keyring || err != nil {
		t.Fatal(at, err)
	}
	if err := s.Remove(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	if _, at, err := s.Keys.Find(t.Context(), For(p)); at != keys.Missing || err != nil {
		t.Error(at, err)
	}
}

// TestListed shows what a test measured, and says in one sentence that no model is known.
func TestListed(t *testing.T) {
	_, url := serve(t, fake.OpenAI())
	s := newSource(t, "[model_providers.p]\nbase_url = \""+url+
		"\"\n[model_providers.q]\nbase_url = \"http://127.0.0.1:9/v1\"\n")
	if _, err := s.Known("ask"); err == nil || strings.Contains(err.Error(), "\n") ||
		!strings.Contains(err.Error(), "models list --refresh") {
		t.Error(err)
	}
	p, err := s.Usable("p")
	if err != nil {
		t.Fatal(err)
	}
	if _, is := s.Measured("p/gpt-5.5"); is {
		t.Error("measured before a test")
	}
	tested, err := s.Test(t.Context(), p, config.Model{ID: "gpt-5.5"}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if m, is := s.Measured("p/gpt-5.5"); !is || m.TTFT != tested.Speeds[0].TTFT {
		t.Errorf("%+v, %v", m, is)
	}
}
