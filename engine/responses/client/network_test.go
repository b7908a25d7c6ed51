package client

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"waferpair/engine/model"
	"waferpair/engine/responses/chat"
	"waferpair/engine/responses/fake"
)

// wire is a way to ask.
type wire struct {
	name    string
	h2      bool // offered by the server
	api     string
	sockets bool
}

var wires = []wire{{"WebSocket", false, "responses", true}, {"WebSocket beside HTTP/2", true, "responses", true},
	{"SSE", false, "responses", false}, {"SSE over HTTP/2", true, "responses", false},
	{"chat", false, "chat", false}, {"chat over HTTP/2", true, "chat", false}}

// client returns a client of a base URL that does not try again.
func (w wire) client(t *testing.T, url string, h *http.Client) *Client {
	c := New(Provider{Provider: chat.Provider{Name: "corp", BaseURL: url, HTTP: h,
		Key: func(context.Context) (string, error) { return "sk-hush", nil }}, Wire: w.api, WebSockets: w.sockets,
		Dialect: &full})
	t.Cleanup(c.Close)
	return c
}

func secure(t *testing.T, h2 bool, of fake.Certificate, s fake.Script) (*fake.Server, *fake.Host) {
	server := fake.New(fake.OpenAI(), s)
	h, err := server.ServeTLSAs(h2, of)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return server, h
}

func tunnel(t *testing.T, target string, status int) *fake.Tunnel {
	p, err := fake.NewTunnel(target, status)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// TestCompanyCertificate has a conversation over TLS, with HTTP/2 where there is some, and cuts an
// answer: the server notices.
func TestCompanyCertificate(t *testing.T) {
	for _, w := range wires {
		t.Run(w.name, func(t *testing.T) {
			server, h := secure(t, w.h2, fake.Certificate{}, fake.Always(fake.Say("ready")))
			c := w.client(t, h.URL, chat.Trusting(h.Pool))
			said := []model.Item{model.User("hi")}
			for range 2 {
				a := ask(t.Context(), c, said...)
				if a.err != nil || a.Items()[0].Text() != "ready" {
					t.Fatal(a.err)
				}
				said = append(append(said, a.Items()...), model.User("on"))
			}
			if q := server.Asked()[1]; w.sockets != (q.Wire == "ws") || w.sockets != (q.Parent != "") {
				t.Errorf("%s, parent %q", q.Wire, q.Parent)
			}
			server.SetScript(fake.Answers(fake.Answer{Items: []fake.Item{fake.Say("a")}, Fault: fake.At(fake.Endless, 0)}))
			ctx, cancel := context.WithCancel(t.Context())
			_, err := c.Model("small", model.Info{}).Generate(ctx, model.Prompt{Items: said}, func(d model.Delta) error {
				if _, is := d.(model.Text); is {
					cancel()
				}
				return nil
			})
			cancel()
			if err == nil {
				t.Error("an answer without end has ended")
			}
			<-server.Asked()[2].Ended()
		})
	}
}

// TestCertificateProblems checks what is said of a certificate, with the next step that helps, and that
// nothing is tried again.
func TestCertificateProblems(t *testing.T) {
	for _, test := range []struct {
		of    fake.Certificate
		known bool
		want  []string
	}{
		{fake.Certificate{}, false, []string{"unknown authority", "ca_file"}},
		{fake.Certificate{Expired: time.Hour}, true, []string{"expired", "clock"}},
		{fake.Certificate{Host: "other.test"}, true, []string{"127.0.0.1", "correct base_url"}},
	} {
		for _, w := range wires {
			_, h := secure(t, w.h2, test.of, fake.Always(fake.Say("ready")))
			trusted := chat.Trusting(nil)
			if test.known {
				trusted = chat.Trusting(h.Pool)
			}
			a := ask(t.Context(), w.client(t, h.URL, trusted), model.User("hi"))
			if a.err == nil || h.Accepted() != 1 {
				t.Fatalf("%s: %v after %d connections", w.name, a.err, h.Accepted())
			}
			for _, want := range test.want {
				if !strings.Contains(a.err.Error(), want) {
					t.Errorf("%s: %v, not %q", w.name, a.err, want)
				}
			}
		}
	}
}

// TestWrongScheme tells TLS from plain HTTP.
func TestWrongScheme(t *testing.T) {
	for _, w := range wires[:1] {
		_, h := secure(t, false, fake.Certificate{}, fake.Always(fake.Say("ready")))
		a := ask(t.Context(), w.client(t, strings.Replace(h.URL, "https", "http", 1), nil), model.User("hi"))
		if a.err == nil || !strings.Contains(a.err.Error(), "begin base_url with https://") {
			t.Errorf("%s: %v", w.name, a.err)
		}
		plain := fake.New(fake.OpenAI(), fake.Always(fake.Say("ready")))
		p, err := plain.Serve()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		a = ask(t.Context(), w.client(t, strings.Replace(p.URL, "http", "https", 1), nil), model.User("hi"))
		if a.err == nil || !strings.Contains(a.err.Error(), "begin base_url with http://") {
			t.Errorf("%s: %v", w.name, a.err)
		}
	}
}

// TestTunnel asks through HTTPS_PROXY: the provider's name is resolved by the proxy alone.
func TestTunnel(t *testing.T) {
	for _, w := range wires {
		t.Run(w.name, func(t *testing.T) {
			server, h := secure(t, w.h2, fake.Certificate{}, fake.Always(fake.Say("ready")))
			proxy := tunnel(t, h.Addr, http.StatusOK)
			t.Setenv("HTTPS_PROXY", proxy.URL)
			t.Setenv("NO_PROXY", "")
			c := w.client(t, "https://"+fake.Name+"/v1", chat.Trusting(h.Pool))
			if a := ask(t.Context(), c, model.User("hi")); a.err != nil || a.Items()[0].Text() != "ready" {
				t.Fatal(a.err)
			}
			hosts := proxy.Hosts()
			if len(hosts) == 0 || slices.ContainsFunc(hosts, func(s string) bool { return s != "CONNECT provider.test:443" }) {
				t.Errorf("%q", hosts)
			}
			if q := server.Asked()[0]; w.sockets != (q.Wire == "ws") {
				t.Errorf("asked over %s", q.Wire)
			}
			unused := tunnel(t, h.Addr, http.StatusOK)
			t.Setenv("HTTPS_PROXY", unused.URL)
			t.Setenv("NO_PROXY", ".test")
			c = w.client(t, "https://"+fake.Name+"/v1", chat.Trusting(h.Pool))
			if a := ask(t.Context(), c, model.User("hi")); a.err == nil || len(unused.Hosts()) > 0 {
				t.Errorf("NO_PROXY: %v, %q", a.err, unused.Hosts())
			}
		})
	}
}

// TestProxyRefuses says which variable leads to the proxy, and what it wants.
func TestProxyRefuses(t *testing.T) {
	for status, want := range map[int]string{407: "NAME:PASSWORD", 403: "NO_PROXY"} {
		for _, w := range wires {
			proxy := tunnel(t, "127.0.0.1:1", status)
			t.Setenv("HTTPS_PROXY", proxy.URL)
			a := ask(t.Context(), w.client(t, "https://"+fake.Name+"/v1", nil), model.User("hi"))
			if a.err == nil || !strings.Contains(a.err.Error(), want) || !strings.Contains(a.err.Error(), "proxy refuses") ||
				len(proxy.Hosts()) != 1 {
				t.Errorf("%s: %v, %q", w.name, a.err, proxy.Hosts())
			}
		}
	}
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	for _, w := range wires {
		a := ask(t.Context(), w.client(t, "https://"+fake.Name+"/v1", nil), model.User("hi"))
		if a.err == nil || !strings.Contains(a.err.Error(), "proxy cannot be reached") ||
			!strings.Contains(a.err.Error(), "HTTPS_PROXY") {
			t.Errorf("%s: %v", w.name, a.err)
		}
	}
}

// between is a proxy that terminates TLS and decides about requests itself, as some companies have.
func between(t *testing.T, h *fake.Host, hook func(w http.ResponseWriter, r *http.Request) bool) string {
	client := chat.Trusting(h.Pool)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hook(w, r) {
			return
		}
		out, err := http.NewRequestWithContext(r.Context(), r.Method, strings.TrimSuffix(h.URL, "/v1")+r.URL.Path, r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		out.Header = r.Header.Clone()
		for _, hop := range []string{"Upgrade", "Connection", "Sec-Websocket-Key", "Sec-Websocket-Version"} {
			out.Header.Del(hop)
		}
		got, err := client.Do(out)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer got.Body.Close()
		body, err := io.ReadAll(got.Body) // it buffers
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", got.Header.Get("Content-Type"))
		w.WriteHeader(got.StatusCode)
		_, _ = w.Write(body) // the client may have gone
	}))
	t.Cleanup(front.Close)
	return front.URL + "/v1"
}

// TestProxyWithoutUpgrades goes on over SSE when a proxy on the way takes upgrades out, answers them
// itself, and buffers what it forwards.
func TestProxyWithoutUpgrades(t *testing.T) {
	for _, status := range []int{0, 200, 400, 403, 426, 502} {
		server, h := secure(t, true, fake.Certificate{}, fake.Always(fake.Say("ready"), fake.Custom("apply_patch", patch)))
		url := between(t, h, func(w http.ResponseWriter, r *http.Request) bool {
			if status == 0 || r.Method != http.MethodGet {
				return false
			}
			w.WriteHeader(status)
			return true
		})
		c := wires[0].client(t, url, nil)
		a := ask(t.Context(), c, model.User("hi"))
		if a.err != nil || len(a.Items()) != 2 || a.Items()[1].Text() != patch ||
			!slices.ContainsFunc(server.Asked(), func(q *fake.Request) bool { return q.Wire == "sse" }) {
			t.Errorf("status %d: %v", status, a.err)
		}
	}
}

// TestRedirectedKey checks that no wire takes the key to another host.
func TestRedirectedKey(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s arrived elsewhere, with %q", r.URL, r.Header.Get("Authorization"))
	}))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 307, 308} {
		first := httptest.NewServer(http.RedirectHandler(other.URL+"/v1/responses", status))
		t.Cleanup(first.Close)
		for _, w := range wires {
			a := ask(t.Context(), w.client(t, first.URL, nil), model.User("hi"))
			if a.err == nil || !strings.Contains(a.err.Error(), "correct base_url") || strings.Contains(a.err.Error(), "hush") {
				t.Errorf("%s: %v", w.name, a.err)
			}
		}
	}
}

// TestSilentServer gives up a server that accepts connections and never answers, and one that sends
// the head of its answer, or the reason of an error, a byte at a time.
func TestSilentServer(t *testing.T) {
	for name, sends := range map[string]string{"nothing": "", "a head": "HTTP/1.1 200 OK\r\nX-Slow: ",
		"an error": "HTTP/1.1 500 Oh\r\nContent-Length: 100000\r\n\r\n"} {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close()
					if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
						return
					}
					_, err := io.WriteString(c, sends)
					for err == nil && sends != "" {
						time.Sleep(10 * time.Millisecond)
						_, err = c.Write([]byte("x"))
					}
					_, _ = io.Copy(io.Discard, c) // to the client's end
				}()
			}
		}()
		for _, w := range []wire{wires[2], wires[4]} {
			c := New(Provider{Provider: chat.Provider{Name: "slow", BaseURL: "http://" + l.Addr().String(),
				Idle: 100 * time.Millisecond}, Wire: w.api})
			a := ask(t.Context(), c, model.User("hi"))
			if a.err == nil || !strings.Contains(a.err.Error(), "no answer within 100ms") {
				t.Errorf("%s, %s: %v", name, w.name, a.err)
			}
			c.Close()
		}
		_ = l.Close()
	}
}

// TestConnect has a socket ready before the request, without asking for anything: the request comes over
// it, also when it comes while that is being connected.
func TestConnect(t *testing.T) {
	for _, at := range []string{"early", "late"} {
		server, h := secure(t, true, fake.Certificate{}, fake.Always(fake.Say("ready")))
		if at == "late" {
			h.SlowHandshake(50 * time.Millisecond)
		}
		c := wires[0].client(t, h.URL, chat.Trusting(h.Pool))
		c.Connect()
		c.Connect()
		if at == "early" {
			c.sockets.running.Wait()
		}
		if a := ask(t.Context(), c, model.User("hi")); a.err != nil {
			t.Fatal(a.err)
		}
		if asked := server.Asked(); len(asked) != 1 || asked[0].Conn != 1 || asked[0].Wire != "ws" {
			t.Errorf("%s: %d requests, over connection %d", at, len(asked), asked[0].Conn)
		}
	}
}
