package client

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"waferpair/engine/model"
	"waferpair/engine/responses/chat"
	"waferpair/engine/responses/fake"
)

// TestEndless ends an answer that does not end, over each wire.
func TestEndless(t *testing.T) {
	for _, sockets := range []bool{true, false} {
		_, c := serve(t, fake.OpenAI(),
			fake.Answers(fake.Answer{Items: []fake.Item{fake.Say("a")}, Fault: fake.Flooding(4 << 20)}),
			func(p *Provider) { p.WebSockets = sockets })
		c.most = 1 << 20
		a := ask(t.Context(), c, model.User("hi"))
		if a.err == nil || !strings.Contains(a.err.Error(), "longer than") || a.result.Stop != model.StopCut {
			t.Errorf("%v", a.err)
		}
	}
}

// TestKeptConnections uses the connections of earlier requests again, and no socket that is too old.
func TestKeptConnections(t *testing.T) {
	for _, test := range []struct {
		sockets bool
		age     time.Duration
		want    int // connections of three requests
	}{{true, 0, 1}, {false, 0, 1}, {true, 1, 3}} {
		server, c := serve(t, fake.OpenAI(), fake.Always(fake.Say("ready")), func(p *Provider) {
			p.WebSockets, p.MaxAge = test.sockets, test.age
		})
		var said []model.Item
		for range 3 {
			said = append(said, model.User("hi"))
			a := ask(t.Context(), c, said...)
			if a.err != nil {
				t.Fatal(a.err)
			}
			said = append(said, a.Items()...)
		}
		conns := map[int]bool{}
		for _, q := range server.Asked() {
			conns[q.Conn] = true
		}
		if len(conns) != test.want {
			t.Errorf("%+v: %d connections", test, len(conns))
		}
	}
}

// TestProbeOfServers finds out what servers have that do not refuse an empty request as the API's own does.
func TestProbeOfServers(t *testing.T) {
	for name, s := range map[string]struct {
		responses, chat int // status; 0: the connection is closed
		kind            string
		has, sure       bool
	}{
		"answers anything":       {200, 404, "text/event-stream", true, true},
		"a page":                 {200, 200, "text/html", false, false},
		"stumbles":               {500, 404, "", true, true},
		"closes":                 {0, 404, "", true, true},
		"stumbles over all":      {500, 500, "", false, false},
		"wants a key":            {401, 404, "", false, false},
		"only chat completions":  {404, 400, "", false, true},
		"refuses the empty body": {400, 400, "", true, true},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			status := s.chat
			if r.URL.Path == "/responses" {
				status = s.responses
			}
			if b, err := io.ReadAll(r.Body); err != nil || string(b) != "{}" {
				t.Errorf("%s got %q, %v", name, b, err)
			}
			if status == 0 {
				panic(http.ErrAbortHandler)
			}
			w.Header().Set("Content-Type", s.kind)
			w.WriteHeader(status)
		}))
		c := New(Provider{Provider: chat.Provider{Name: "p", BaseURL: server.URL}, Wire: "responses"})
		if has, sure := c.Probe(t.Context()); has != s.has || sure != s.sure {
			t.Errorf("%s: has %v, sure %v", name, has, sure)
		}
		c.Close()
		server.Close()
	}
}

// TestUpgradeClosed asks over HTTP where the connection ends instead of an answer to the upgrade.
func TestUpgradeClosed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range tokens(1) {
			_, _ = io.WriteString(w, "data: "+e+"\n\n") // the client sees what is missing
		}
	}))
	defer server.Close()
	c := New(Provider{Provider: chat.Provider{Name: "p", BaseURL: server.URL}, Wire: "responses", WebSockets: true})
	defer c.Close()
	if a := ask(t.Context(), c, model.User("hi")); a.err != nil || a.Items()[0].Text() != " word" {
		t.Error(a.err)
	}
}

// TestReportedKey checks that no error within a stream has the key in it.
func TestReportedKey(t *testing.T) {
	for _, sockets := range []bool{true, false} {
		_, c := serve(t, fake.OpenAI(), fake.Answers(fake.Answer{Items: []fake.Item{fake.Say("some words")},
			Fault: fake.Late(3, "invalid_api_key", "Incorrect API key: sk-hush.")}), func(p *Provider) {
			p.WebSockets = sockets
			p.Key = func(context.Context) (string, error) { return "sk-hush", nil }
		})
		if a := ask(t.Context(), c, model.User("hi")); a.err == nil || !strings.Contains(a.err.Error(), "key: •••") {
			t.Error(a.err)
		}
	}
}
