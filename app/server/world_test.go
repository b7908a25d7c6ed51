package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"waferpair/app/server"
	"waferpair/build/testdir"
)

// world is a project folder with a server, its history, and the user's files.
type world struct {
	testing.TB
	dir string
	opt server.Options

	last *server.Server // that was started

	mu  sync.Mutex
	log []string
}

func newWorld(t testing.TB, files map[string]string) *world {
	home := t.TempDir()
	w := &world{TB: t, dir: filepath.Join(home, "project")}
	w.opt = server.Options{
		Build: "test", DataHome: filepath.Join(testdir.InMemory(t), "data"), ConfigHome: filepath.Join(home, "config"),
		StateHome: filepath.Join(home, "state"), Page: fstest.MapFS{
			"index.html":             {Data: []byte("<!doctype html><title>page</title>")},
			"assets/index-BxY12.js":  {Data: []byte("export {}")},
			"assets/index-BxY12.css": {Data: []byte("body{}")},
			"icon.svg":               {Data: []byte("<svg/>")},
			"secret/notes.md":        {Data: []byte("not a type that a page has")},
		},
		Log: w.noted,
	}
	w.make(w.dir, files)
	return w
}

func (w *world) noted(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, s)
}

func (w *world) make(dir string, files map[string]string) {
	w.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.Fatal(err)
	}
	for name, body := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(body), 0o644)); err != nil {
			w.Fatal(err)
		}
	}
}

// serve starts a server with the project open.
func (w *world) serve() *server.Server {
	w.Helper()
	s := w.listen()
	if err := s.Open(context.Background(), w.dir); err != nil {
		w.Fatal(err)
	}
	return s
}

// listen starts a server without a project.
func (w *world) listen() *server.Server {
	w.Helper()
	s := server.New(w.opt)
	w.last = s
	if err := s.Listen(context.Background(), ""); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		if err := s.Close(); err != nil {
			w.Errorf("close: %v", err)
		}
	})
	return s
}

func (w *world) disk(name string) string {
	w.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.Error(err)
	}
	return string(b)
}

// onDisk waits until a file on disk has a content.
func (w *world) onDisk(name, want string) {
	w.Helper()
	deadline := time.Now().Add(patience)
	for {
		b, err := os.ReadFile(filepath.Join(w.dir, name))
		if string(b) == want && err == nil {
			return
		}
		if time.Now().After(deadline) {
			w.Fatalf("%s holds %q (%v), want %q", name, b, err, want)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// script writes an answer for a script model; a number is a pause in ms.
func (w *world) script(parts ...any) string {
	w.Helper()
	f, err := os.Create(filepath.Join(w.TempDir(), "answer.jsonl"))
	if err != nil {
		w.Fatal(err)
	}
	defer f.Close()
	enc, wait := json.NewEncoder(f), 0.0
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			wait = float64(p)
		case string:
			if err := enc.Encode(map[string]any{"after_ms": wait, "text": p}); err != nil {
				w.Fatal(err)
			}
			wait = 0
		}
	}
	return "script:" + f.Name()
}

// patch returns a V4A patch that inserts lines after the given one.
func patch(file, after string, lines ...string) []any {
	out := []any{"*** Begin Patch\n*** Update File: " + file + "\n@@\n " + after + "\n"}
	for _, l := range lines {
		out = append(out, "+"+l+"\n")
	}
	return append(out, "*** End Patch\n")
}

func request(model string) map[string]any {
	return map[string]any{"text": "do it", "model": model, "file": "", "from": 0, "to": 0, "scope": []string{}}
}

// edit starts a turn.
func (c *client) edit(model string) int64 {
	c.t.Helper()
	var out struct{ Turn int64 }
	c.must("edit", request(model), &out)
	return out.Turn
}

// get reads from /api, and checks the answer against the protocol.
func get(t testing.TB, s *server.Server, what string, query url.Values, out any) *server.Failure {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, fmt.Sprintf("http%s/api/%s?%s",
		strings.TrimSuffix(strings.TrimPrefix(s.Socket(), "ws"), "/ws"), what, query.Encode()), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Token())
	return do(t, r, what, out)
}

func do(t testing.TB, r *http.Request, what string, out any) *server.Failure {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		var e struct{ Error server.Failure }
		if err := json.Unmarshal(body, &e); err != nil {
			t.Fatalf("%s: %s: %s", what, resp.Status, body)
		}
		return &e.Error
	}
	validateAnswer(t, "Reads", what, body)
	if err := json.Unmarshal(body, out); err != nil {
		t.Fatalf("%s: %v in %s", what, err, body)
	}
	return nil
}

func must(t testing.TB, f *server.Failure) {
	t.Helper()
	if f != nil {
		t.Fatalf("%s: %s", f.Code, f.Message)
	}
}

func itoa[T ~int64](n T) string { return fmt.Sprint(n) }

// conversation is a server.Conversation as pages decode it.
type conversation struct {
	server.Conversation
	Turns []struct {
		server.PastTurn
		Parts []map[string]any `json:"parts"`
	} `json:"turns"`
}
