package providers

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"waferpair/app/config"
	"waferpair/app/keys"
	"waferpair/engine/model"
	"waferpair/engine/responses/fake"
)

const secretKey = "sk-hush-0123456789"

func tryAt(t *testing.T, p config.Provider, key string) (Found, error) {
	t.Helper()
	s := New(t.TempDir(), t.TempDir())
	var k *keys.Secret
	if key != "" {
		typed, err := keys.New(key)
		if err != nil {
			t.Fatal(err)
		}
		k = &typed
	}
	found, err := s.Try(t.Context(), p, k)
	if err != nil && strings.Contains(err.Error(), "hush") {
		t.Errorf("the key is in an error: %v", err)
	}
	if c := s.File.Read(); len(c.Providers) > 0 {
		t.Error("a trial was kept")
	}
	return found, err
}

// TestTryListsModels connects to a scripted provider with a right key, with a wrong one, and without.
func TestTryListsModels(t *testing.T) {
	server := fake.New(fake.OpenRouter(), fake.Always())
	server.SetKey(secretKey)
	h, err := server.Serve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	p := config.Provider{Name: "p", Title: "Provider", BaseURL: h.URL}
	found, err := tryAt(t, p, secretKey)
	if err != nil || len(found.Models) != 2 ||
		!reflect.DeepEqual(found.Models[0], Listed{ID: "gpt-5.5", Context: 400_000, OwnedBy: "openrouter",
			Price: &model.Price{Input: 1.25, Cached: 0.125, Output: 10}}) {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err = tryAt(t, p, secretKey+"x"); err == nil || !strings.Contains(err.Error(), "does not take this key (401)") {
		t.Error(err)
	}
	if _, err = tryAt(t, p, ""); err == nil || !strings.Contains(err.Error(), "needs a key (401): paste it") {
		t.Error(err)
	}
	p.EnvKey = "WAFERPAIR_TEST_NO_SUCH_KEY"
	if _, err = tryAt(t, p, ""); err == nil ||
		!strings.Contains(err.Error(), "or set the variable WAFERPAIR_TEST_NO_SUCH_KEY") {
		t.Error(err)
	}
}

// TestTrySaysWhatToDo checks the error, or the note, for every wrong address.
func TestTrySaysWhatToDo(t *testing.T) {
	answer := func(status int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	tlsServer := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(tlsServer.Close)
	for _, c := range []struct{ url, want string }{
		{gone.URL, "nothing answers at 127.0.0.1"},
		{tlsServer.URL, "certificate"},
		{strings.Replace(gone.URL, "http:", "ftp:", 1), "http"},
		{answer(200, "<html>Welcome to nginx"), "is no server of models"},
		{answer(200, `{"ok":true}`), "is no server of models"},
		{answer(500, `{"error":{"message":"the database is down"}}`), "status 500"},
		{answer(403, `{"error":{"message":"your key `+secretKey+` may not"}}`), "(403)"},
		{answer(429, ""), "(429)"},
	} {
		if _, err := tryAt(t, config.Provider{Name: "p", BaseURL: c.url}, secretKey); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.url, err, c.want)
		}
	}
	for body, want := range map[string]string{
		answer(404, "not here"):    "There is no list of models at",
		answer(200, `{"data":[]}`): "has no models yet",
		answer(200, `{"data":[{"id":"a\u001b[0m"},{"id":"ok","max_model_len":8192}]}`): "",
	} {
		found, err := tryAt(t, config.Provider{Name: "p", BaseURL: body}, "")
		if err != nil || !strings.Contains(found.Note, want) || want == "" && (len(found.Models) != 1 ||
			found.Models[0].Context != 8192) {
			t.Errorf("%+v, %v, want %q", found, err, want)
		}
	}
}

// TestTryEnds checks that a server that never answers ends with the context.
func TestTryEnds(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, _ *http.Request) { <-release }))
	defer s.Close()
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(t.TempDir(), t.TempDir()).Try(ctx, config.Provider{Name: "p", BaseURL: s.URL}, nil); err == nil {
		t.Error("no error")
	}
}
