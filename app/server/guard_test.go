package server_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"waferpair/app/server"
)

// raw sends a request as it is given, as a foreign browser or program might, and returns
// the response.
func raw(t *testing.T, addr, method, target, host string, headers ...string) *http.Response {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	lines := append([]string{method + " " + target + " HTTP/1.1", "Host: " + host, "Connection: close"}, headers...)
	if _, err := io.WriteString(conn, strings.Join(lines, "\r\n")+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body = io.NopCloser(strings.NewReader(string(body)))
	return resp
}

func address(s *server.Server) string {
	return strings.TrimSuffix(strings.TrimPrefix(s.Socket(), "ws://"), "/ws")
}

func TestWhoMayAsk(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := w.serve()
	addr := address(s)
	_, port, _ := net.SplitHostPort(addr)
	bearer := "Authorization: Bearer " + s.Token()
	for _, c := range []struct {
		name, method, target, host string
		headers                    []string
		status                     int
	}{
		{"the page needs no token", "GET", "/", addr, nil, 200},
		{"localhost is this computer", "GET", "/", "localhost:" + port, nil, 200},
		{"so is ::1", "GET", "/", "[::1]:" + port, nil, 200},
		{"a read with the token", "GET", "/api/build", addr, []string{bearer}, 200},
		{"a script gives it in the URL", "GET", "/api/build?token=" + s.Token(), addr, nil, 200},
		{"our own page", "GET", "/api/build", addr, []string{bearer, "Origin: http://" + addr}, 200},
		{"no token", "GET", "/api/build", addr, nil, 401},
		{"an empty token", "GET", "/api/build?token=", addr, []string{"Authorization: Bearer "}, 401},
		{"a wrong token", "GET", "/api/build", addr, []string{"Authorization: Bearer " + strings.Repeat("x", len(s.Token()))},
			401},
		{"a token that begins well", "GET", "/api/build", addr, []string{bearer[:len(bearer)-1]}, 401},
		{"another scheme", "GET", "/api/build", addr, []string{"Authorization: Basic " + s.Token()}, 401},
		{"a wrong bearer is not made up for by the URL", "GET", "/api/build?token=" + s.Token(), addr,
			[]string{"Authorization: Bearer x"}, 401},
		{"a rebound name", "GET", "/", "evil.example:" + port, nil, 403},
		{"a rebound name with the token", "GET", "/api/build", "evil.example:" + port, []string{bearer}, 403},
		{"another port", "GET", "/", "127.0.0.1:1", nil, 403},
		{"no port", "GET", "/", "127.0.0.1", nil, 403},
		{"no host", "GET", "/", "", nil, 403},
		{"another address of this computer", "GET", "/", "127.0.0.2:" + port, nil, 403},
		{"a foreign page", "GET", "/api/build", addr, []string{bearer, "Origin: https://evil.example"}, 403},
		{"a foreign page on another port", "GET", "/api/build", addr, []string{bearer, "Origin: http://127.0.0.1:1"}, 403},
		{"a page that hides", "GET", "/api/build", addr, []string{bearer, "Origin: null"}, 403},
		{"https is not us", "GET", "/api/build", addr, []string{bearer, "Origin: https://" + addr}, 403},
		{"two origins", "GET", "/api/build", addr, []string{bearer, "Origin: http://" + addr, "Origin: https://evil.example"},
			403},
		{"the window's page, where there is no window", "GET", "/api/build", addr,
			[]string{bearer, "Origin: wails://wails"}, 403},
		{"the socket without a token", "GET", "/ws", addr, upgrade(), 401},
		{"the socket with a wrong one", "GET", "/ws", addr, upgrade("Sec-WebSocket-Protocol: waferpair, token.x"), 401},
		{"the socket for a foreign page", "GET", "/ws", addr, upgrade("Sec-WebSocket-Protocol: waferpair, token."+s.Token(),
			"Origin: https://evil.example"), 403},
		{"the socket under a rebound name", "GET", "/ws", "evil.example",
			upgrade("Sec-WebSocket-Protocol: waferpair, token." + s.Token()), 403},
		{"the socket, no upgrade", "GET", "/ws", addr, []string{bearer}, 426},
		{"the socket with the token", "GET", "/ws", addr, upgrade("Sec-WebSocket-Protocol: waferpair, token." + s.Token()),
			101},
		{"nothing is posted to the page", "POST", "/", addr, nil, 405},
		{"no preflight is granted", "OPTIONS", "/api/build", addr, []string{"Origin: https://evil.example",
			"Access-Control-Request-Method: GET"}, 403},
		{"the window's secret is not for the network", "GET", "/boot.json", addr, []string{bearer}, 404},
		{"unknown reads", "GET", "/api/nothing", addr, []string{bearer}, 404},
		{"no other method", "DELETE", "/api/build", addr, []string{bearer}, 400},
		{"up and out of the page", "GET", "/../server.go", addr, nil, 404},
		{"written otherwise", "GET", "/%2e%2e/%2e%2e/etc/passwd", addr, nil, 404},
		{"with a backslash", "GET", "/..%5c..%5cgo.mod", addr, nil, 404},
		{"an absolute path", "GET", "//etc/passwd.txt", addr, nil, 404},
		{"what no page has", "GET", "/secret/notes.md", addr, nil, 404},
		{"a folder", "GET", "/assets/", addr, nil, 404},
		{"up and out of the project", "GET", "/api/blame?path=../../etc/passwd", addr, []string{bearer}, 400},
	} {
		resp := raw(t, addr, c.method, c.target, c.host, c.headers...)
		// The router answers doubled slashes and dots with a redirect to the clean path.
		if resp.StatusCode == http.StatusMovedPermanently || resp.StatusCode == http.StatusTemporaryRedirect {
			resp = raw(t, addr, c.method, resp.Header.Get("Location"), c.host, c.headers...)
		}
		body, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != c.status {
			t.Errorf("%s: %d, want %d: %s", c.name, resp.StatusCode, c.status, body)
		}
		if strings.Contains(string(body), "root:") || strings.Contains(string(body), s.Token()) {
			t.Errorf("%s: leaks %s", c.name, body)
		}
		if resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: other pages may read it", c.name)
		}
		if c.status != 101 && c.status != 400 && resp.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s: without a policy", c.name)
		}
	}
}

func upgrade(more ...string) []string {
	return append([]string{"Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="}, more...)
}

func TestHeadersOfThePage(t *testing.T) {
	s := newWorld(t, nil).serve()
	addr := address(s)
	page := raw(t, addr, "GET", "/", addr)
	csp := page.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self' ws://" + addr + ";",
		"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
		if !strings.Contains(csp, want) {
			t.Errorf("the policy %q lacks %q", csp, want)
		}
	}
	for h, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cache-Control": "no-cache", "Content-Type": "text/html; charset=utf-8"} {
		if got := page.Header.Get(h); got != want {
			t.Errorf("%s: %q, want %q", h, got, want)
		}
	}
	asset := raw(t, addr, "GET", "/assets/index-BxY12.js", addr)
	if got := asset.Header.Get("Cache-Control"); !strings.Contains(got, "immutable") ||
		asset.Header.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("an asset: %v", asset.Header)
	}
	api := raw(t, addr, "GET", "/api/build?token="+s.Token(), addr)
	if got := api.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("a read: Cache-Control %q", got)
	}
}

func TestOnlyThisComputerIsListenedTo(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:80", "example.com:80", "127.0.0.1", "nonsense"} {
		s := server.New(server.Options{})
		if err := s.Listen(context.Background(), addr); !errors.Is(err, server.ErrAddress) {
			t.Errorf("%s: %v", addr, err)
			s.Close()
		}
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	err = server.New(server.Options{}).Listen(context.Background(), taken.Addr().String())
	if err == nil || errors.Is(err, server.ErrAddress) || !strings.Contains(err.Error(), "--listen 127.0.0.1:0") {
		t.Errorf("a taken port: %v", err)
	}
}

func TestTokensDiffer(t *testing.T) {
	a, b := server.New(server.Options{}), server.New(server.Options{})
	if a.Token() == b.Token() || len(a.Token()) < 40 {
		t.Errorf("tokens %q and %q", a.Token(), b.Token())
	}
}

func TestTheWindowIsToldWhereTheSocketIs(t *testing.T) {
	w := newWorld(t, nil)
	w.opt.Native = true
	s := w.serve()
	ask := func(path string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", "wails://wails"+path, nil)
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		rec := httptest.NewRecorder()
		s.NativeHandler().ServeHTTP(rec, r)
		return rec
	}
	if got := ask("/boot.json").Body.String(); !strings.Contains(got, s.Socket()) || !strings.Contains(got, s.Token()) {
		t.Errorf("boot.json: %s", got)
	}
	if got := ask("/"); got.Code != 200 || !strings.Contains(got.Header().Get("Content-Security-Policy"),
		s.Socket()[:len(s.Socket())-3]) {
		t.Errorf("the page: %d %v", got.Code, got.Header())
	}
	if got := ask("/api/build"); got.Code != 401 {
		t.Errorf("a read without the token: %d", got.Code)
	}
	if got := ask("/api/build", "Authorization", "Bearer "+s.Token()); got.Code != 200 {
		t.Errorf("a read: %d", got.Code)
	}
	if got := ask("/ws", "Authorization", "Bearer "+s.Token()); got.Code != 404 {
		t.Errorf("the socket: %d", got.Code)
	}
	conn, _, err := websocket.Dial(context.Background(), s.Socket(), &websocket.DialOptions{
		Subprotocols: []string{"waferpair", "token." + s.Token()}, HTTPHeader: http.Header{"Origin": {"wails://wails"}}})
	if err != nil {
		t.Fatal(err)
	}
	conn.CloseNow()
}
