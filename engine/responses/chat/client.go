package chat

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpproxy"

	"waferpair/engine/model"
)

// Provider is a server, and how to talk to it.
type Provider struct {
	Name    string
	BaseURL string
	Key     func(ctx context.Context) (string, error) // asked for each request; "": none
	KeyEnv  string                                    // the variable that has the key; "": the keyring
	Query   map[string]string
	Headers map[string]string
	Retries int           // of a request of which nothing has arrived
	Streams int           // how often a stream that broke off before its first delta is asked for again
	Idle    time.Duration // how long a stream may be silent
	HTTP    *http.Client  // nil: one of our own
}

// Client talks to a provider.
type Client struct {
	of   Provider
	http *http.Client
	most int // bytes of an answer

	ctx  context.Context // of Connect
	stop context.CancelFunc
	mu   sync.Mutex
	used time.Time // when a request was sent last
	key  string    // of the last request
	runs sync.WaitGroup
}

// New returns a client. Nothing is sent yet.
func New(p Provider) *Client {
	if p.Idle == 0 {
		p.Idle = 5 * time.Minute
	}
	h := p.HTTP
	if h == nil {
		h = Trusting(nil)
	}
	c := &Client{of: p, http: h, most: maxAnswer}
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

// Trusting returns an HTTP client that trusts these certificates; nil: the system's. It follows
// HTTPS_PROXY, HTTP_PROXY and NO_PROXY as they are now, and no redirects, which could send the key
// elsewhere.
func Trusting(pool *x509.CertPool) *http.Client {
	proxy := httpproxy.FromEnvironment().ProxyFunc()
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{Proxy: func(r *http.Request) (*url.URL, error) { return proxy(r.URL) },
			OnProxyConnectResponse: proxyAnswered, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 8, DialContext: dialPaced,
			IdleConnTimeout: 5 * time.Minute, TLSHandshakeTimeout: 15 * time.Second, DisableCompression: true,
			TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}},
	}
}

// Close closes idle connections.
func (c *Client) Close() {
	c.stop()
	c.runs.Wait()
	c.http.CloseIdleConnections()
}

// fresh is how long a connection stays usable for certain: servers close those that idle for a minute
// or so.
const fresh = 30 * time.Second

// Connect connects to a server far away, so that the next request does not wait for it. What it sends
// asks for nothing and has no key; the answer does not matter.
func (c *Client) Connect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !strings.HasPrefix(c.of.BaseURL, "https:") || time.Since(c.used) < fresh || c.ctx.Err() != nil {
		return
	}
	c.used = time.Now()
	c.runs.Go(func() {
		ctx, cancel := context.WithTimeout(c.ctx, fresh)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodHead, strings.TrimSuffix(c.of.BaseURL, "/")+"/models", nil)
		if err != nil {
			return // the request itself will say so
		}
		req.Header.Set("User-Agent", "waferpair")
		if r, err := c.http.Do(req); err == nil {
			_ = r.Body.Close() // it is empty
		}
	})
}

// using notes that a connection is in use.
func (c *Client) using() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used = time.Now()
}

// Model returns a model of the provider. It costs nothing.
func (c *Client) Model(id string, info model.Info) model.Model { return &chatModel{c, id, info} }

type chatModel struct {
	client *Client
	id     string
	info   model.Info
}

// Info describes the model.
func (m *chatModel) Info() model.Info { return m.info }

// Connect sees to it that the next request finds a connection.
func (m *chatModel) Connect() { m.client.Connect() }

// send sends a request until an answer begins. Each repetition is announced.
func (c *Client) send(ctx context.Context, method, path string, body []byte,
	yield func(model.Delta) error) (*http.Response, error) {
	for n := 0; ; n++ {
		r, err := c.try(ctx, method, path, body)
		var e *Error
		if err == nil || ctx.Err() != nil || !errors.As(err, &e) || !e.Again || n >= c.of.Retries {
			if err != nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return r, err
		}
		if err := c.Wait(ctx, n, e, yield); err != nil {
			return nil, err
		}
	}
}

// Wait waits before the next try: as long as the provider asks for, or twice as long each time.
func (c *Client) Wait(ctx context.Context, n int, e *Error, yield func(model.Delta) error) error {
	d := e.RetryAfter
	if d == 0 {
		d = time.Duration((0.75 + rand.Float64()/2) * float64(min(500*time.Millisecond<<n, 20*time.Second)))
	}
	for left := d; left > 0; left -= time.Second {
		if err := yield(model.Progress{Phase: model.Retry, Done: (d - left).Milliseconds(), Total: d.Milliseconds(),
			Note: e.Message}); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(min(left, time.Second)):
		}
	}
	return nil
}

// Post sends a body until an answer begins, as Generate does. Package responses/client talks to the
// same provider over another protocol.
func (c *Client) Post(ctx context.Context, path string, body []byte,
	yield func(model.Delta) error) (*http.Response, error) {
	return c.send(ctx, http.MethodPost, path, body, yield)
}

// try sends a request once. A server that takes longer to begin its answer, or to say why there is
// none, than a stream may be silent is given up.
func (c *Client) try(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	ctx, cancel := context.WithCancel(ctx)
	var late atomic.Bool
	clock := time.AfterFunc(c.of.Idle, func() {
		late.Store(true)
		cancel()
	})
	r, err := c.begin(ctx, method, path, body)
	switch {
	case !clock.Stop() && late.Load():
		if err == nil {
			_ = r.Body.Close() // it came too late
		}
		cancel()
		return nil, &Error{Provider: c.of.Name, Message: fmt.Sprintf("no answer within %v", c.of.Idle), Again: true,
			Next: "check the server, or set stream_idle_timeout_ms higher if it needs longer"}
	case err != nil:
		cancel()
		return nil, err
	}
	r.Body = &answerBody{r.Body, cancel}
	return r, nil
}

// begin sends a request and waits for the head of its answer.
func (c *Client) begin(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := c.Request(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	c.using()
	r, err := c.http.Do(req)
	if err != nil {
		return nil, c.NetError(err)
	}
	if r.StatusCode != http.StatusOK {
		defer r.Body.Close()
		return nil, c.Hide(c.StatusError(r))
	}
	if r.Header.Get("Content-Encoding") == "gzip" { // of a proxy that was not asked to
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			_ = r.Body.Close() // it cannot be read
			return nil, again(c.Broken(ctx, "its answer cannot be unpacked", err))
		}
		r.Body = struct {
			io.Reader
			io.Closer
		}{unpacked, r.Body}
	}
	return r, nil
}

// answerBody ends the context of its request when it is closed.
type answerBody struct {
	io.ReadCloser
	done context.CancelFunc
}

// Close closes the body.
func (b *answerBody) Close() error {
	defer b.done()
	return b.ReadCloser.Close()
}

// Request returns a request with all that the provider wants of one, and the key in it.
func (c *Client) Request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	u, err := url.Parse(strings.TrimSuffix(c.of.BaseURL, "/") + path)
	if err != nil {
		return nil, &Error{Provider: c.of.Name, Message: "base_url is no URL", Next: "correct it in config.toml"}
	}
	q := u.Query()
	for k, v := range c.of.Query {
		q.Set(k, v)
	}
	u.RawQuery = q.Encode()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", c.of.Name, err)
	}
	req.Header.Set("User-Agent", "waferpair")
	// Sent again at once if the server closed an idle connection in the same moment, as llama.cpp's does
	// after each answer. The header itself is not sent.
	req.Header["Idempotency-Key"] = nil
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "text/event-stream")
	}
	for k, v := range c.of.Headers {
		req.Header.Set(k, v)
	}
	key := ""
	if c.of.Key != nil {
		if key, err = c.of.Key(ctx); err != nil {
			return nil, err
		}
	}
	if key != "" {
		Authorize(req, key)
		c.mu.Lock()
		c.key = key
		c.mu.Unlock()
	}
	return req, nil
}

// Authorize puts a key into a request. Azure wants it in a header of its own where requests name
// deployments; behind a company's gateway, its API is known by its path.
func Authorize(req *http.Request, key string) {
	req.Header.Set("Authorization", "Bearer "+key)
	if strings.HasSuffix(req.URL.Hostname(), ".azure.com") || strings.HasPrefix(req.URL.Path, "/openai/") {
		req.Header.Set("Api-Key", key)
	}
}

// HTTP returns the HTTP client of the provider.
func (c *Client) HTTP() *http.Client { return c.http }
