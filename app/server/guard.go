package server

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Pages of other websites can send requests to this port, even under a host name of their
// own (DNS rebinding). So the server accepts a request only when
//
//   - its Host is a loopback address with our port, which excludes rebound names;
//   - its Origin is ours or absent, which excludes foreign pages, also over WebSocket,
//     to which the same-origin policy does not apply;
//   - it has the token, unless it asks for the built page. Other users of this computer
//     can reach the port, but cannot read the token.

// newToken returns a random token of 256 bits, in characters that are valid in URLs and
// WebSocket subprotocols.
func newToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never returns an error
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// A page offers two subprotocols, "waferpair" and "token.<token>": browsers cannot set
// other headers of a WebSocket.
const (
	subprotocol    = "waferpair"
	protocolPrefix = "token."
)

// authorized reports whether a request has the token.
func (s *Server) authorized(r *http.Request) bool {
	if t, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return s.isToken(t)
	}
	for _, p := range protocols(r) {
		if t, ok := strings.CutPrefix(p, protocolPrefix); ok {
			return s.isToken(t)
		}
	}
	return s.isToken(r.URL.Query().Get("token"))
}

func (s *Server) isToken(t string) bool {
	return subtle.ConstantTimeCompare([]byte(t), []byte(s.token)) == 1
}

// protocols returns the WebSocket subprotocols that a request offers.
func protocols(r *http.Request) []string {
	var out []string
	for _, h := range r.Header.Values("Sec-WebSocket-Protocol") {
		for p := range strings.SplitSeq(h, ",") {
			out = append(out, strings.TrimSpace(p))
		}
	}
	return out
}

// local wraps the listener's handler with checks of Host and Origin.
func (s *Server) local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.harden(w.Header(), r.Host)
		switch {
		case !s.ownHost(r.Host):
			refuse(w, http.StatusForbidden, fmt.Sprintf("This server answers only as %s, not as %q.", s.hosts()[0], r.Host))
		case !s.ownOrigin(r):
			refuse(w, http.StatusForbidden, fmt.Sprintf("A page from %q may not use this server.", r.Header.Get("Origin")))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// private wraps a handler that requires the token.
func (s *Server) private(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if !s.authorized(r) {
			refuse(w, http.StatusUnauthorized,
				"The token is missing or wrong: open the whole URL that 'waferpair serve' printed; each start has another one.")
			return
		}
		next(w, r)
	})
}

// hosts returns the valid values of Host.
func (s *Server) hosts() []string {
	_, port, _ := net.SplitHostPort(s.addr)
	return []string{s.addr, "127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port}
}

func (s *Server) ownHost(host string) bool {
	return slices.Contains(s.hosts(), strings.ToLower(host))
}

// windowOrigins are the origins of the desktop window's page.
var windowOrigins = []string{"wails://wails", "wails://wails.localhost"}

func (s *Server) ownOrigin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	host, ours := strings.CutPrefix(strings.ToLower(origins[0]), "http://")
	return len(origins) == 1 && (ours && host == strings.ToLower(r.Host) ||
		s.opt.Native && slices.Contains(windowOrigins, origins[0]))
}

// harden sets the security headers of every answer: a page runs, loads and connects only to
// content of this server, and no other page may frame it.
func (s *Server) harden(h http.Header, host string) {
	socket := ""
	if s.ownHost(host) && !strings.HasPrefix(host, "[") { // a policy cannot name an IPv6 address; 'self' covers it
		socket = " ws://" + host
	}
	h.Set("Content-Security-Policy", strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self' 'unsafe-inline'", "img-src 'self' data:",
		"font-src 'self'", "connect-src 'self'" + socket, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
	}, "; "))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

func refuse(w http.ResponseWriter, status int, why string) {
	http.Error(w, why, status)
}

// ErrAddress means that the server cannot listen on an address.
var ErrAddress = errors.New("not an address to listen on")

// loopback checks that only this computer can reach an address.
func loopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%w: %q; give one with a port, such as 127.0.0.1:8080", ErrAddress, addr)
	}
	if host == "localhost" {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%w: %q; only this computer may reach it (127.0.0.1, ::1, localhost), because whoever does and knows the token can change your files; to use the page from another computer, forward the port, as with: ssh -L 8080:127.0.0.1:8080 HOST", ErrAddress, addr)
}
