package chat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"waferpair/engine/model"
	"waferpair/engine/responses/fake"
)

// TestFaults has everything go wrong that the scripted provider knows: each answer ends, in order, as
// the whole one or with an error that says what to do.
func TestFaults(t *testing.T) {
	const whole = "some words before the patch"
	for _, f := range []struct {
		name  string
		fault fake.Fault
		want  string // in the error; "": the answer is whole
	}{
		{"no end", fake.At(fake.NoEnd, 3), "the stream ended before the answer did"},
		{"dies", fake.At(fake.Die, 3), "the stream broke off"},
		{"reset", fake.At(fake.Reset, 3), "the stream broke off"},
		{"fails in the middle", fake.Late(3, "rate_limit_exceeded", "too many tokens"), "it broke off: too many tokens"},
		{"silent", fake.At(fake.Idle, 3), "silent for too long; what arrived is kept"},
		{"no JSON", fake.At(fake.NoJSON, 3), "its answer is no JSON"},
		{"cut JSON", fake.At(fake.CutJSON, 3), "its answer is no JSON"},
		{"events of the future", fake.At(fake.Future, 0), ""},
		{"a proxy that buffers", fake.At(fake.Buffered, 0), ""},
		{"a page", fake.HTML(403), "403 Forbidden; the key may not do this"},
		{"403", fake.Status(403, "forbidden", "no access"), "403 Forbidden: no access"},
		{"400", fake.Status(400, "bad", "context too long"), "400 Bad Request: context too long"},
	} {
		t.Run(f.name, func(t *testing.T) {
			_, c := serve(t, fake.VLLM(), fake.Answers(fake.Answer{Items: []fake.Item{fake.Say(whole),
				fake.Custom("apply_patch", patch)}, Fault: f.fault}), func(p *Provider) {
				p.Idle = time.Minute
				if f.fault.Kind == fake.Idle {
					p.Idle = 300 * time.Millisecond
				}
			})
			o, _, r, err := generate(t.Context(), c, model.User("hi"))
			var e *Error
			switch {
			case f.want == "" && (err != nil || len(o.Items()) != 2 || o.Items()[1].Input != patch):
				t.Errorf("%v, %+v", err, o.Items())
			case f.want != "" && (!errors.As(err, &e) || !strings.Contains(err.Error(), f.want) || r.Stop != model.StopCut):
				t.Errorf("%v, stop %s", err, r.Stop)
			}
			for _, i := range o.Items() {
				if i.Kind == model.Message && !strings.HasPrefix(whole, i.Text()) {
					t.Errorf("%q", i.Text())
				}
			}
		})
	}
}

// TestEndless checks that text without end, a line without end, and calls without end do not fill the
// memory.
func TestEndless(t *testing.T) {
	for chunk, want := range map[string]string{
		`data: {"choices":[{"delta":{"content":"` + strings.Repeat("and so on ", 100) + `"}}]}` +
			"\n\n": "its answer is longer than 65536 bytes",
		strings.Repeat("x", 1<<16): "the stream broke off: an event is larger than 16 MB",
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"` + strings.Repeat("a", 100) +
			`"}}]}}]}` + "\n\n": "its answer is longer than 65536 bytes",
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write([]byte(chunk)); err != nil {
					return
				}
			}
		}))
		c := New(Provider{Name: "endless", BaseURL: s.URL})
		c.most = 1 << 16
		if _, _, r, err := generate(t.Context(), c, model.User("hi")); err == nil || !strings.Contains(err.Error(), want) ||
			r.Stop != model.StopCut {
			t.Errorf("%.60s: %v", chunk, err)
		}
		c.Close()
		s.CloseClientConnections()
		s.Close()
	}
}

// TestRateLimit waits as long as the provider asks for, and says so.
func TestRateLimit(t *testing.T) {
	_, c := serve(t, fake.VLLM(), fake.Answers(fake.Answer{Fault: fake.RateLimited("0.3")},
		fake.Answer{Items: []fake.Item{fake.Say("ready")}}), nil)
	_, did, _, err := generate(t.Context(), c, model.User("hi"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range did {
		if p.Phase == model.Retry {
			if p.Total != 300 || !strings.Contains(p.Note, "429") {
				t.Errorf("%+v", p)
			}
			return
		}
	}
	t.Errorf("no retry is shown: %+v", did)
}

// TestCertificates checks that a company's certificates work, and what is said of unknown ones.
func TestCertificates(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		s := fake.New(fake.OpenAI(), fake.Always(fake.Say("ready")))
		h, err := s.ServeTLS(h2)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		c := New(Provider{Name: "corp", BaseURL: h.URL})
		if _, err := c.Models(t.Context()); err == nil || !strings.Contains(err.Error(), "its certificate is not trusted") ||
			!strings.Contains(err.Error(), "ca_file") {
			t.Error(err)
		}
		c = New(Provider{Name: "corp", BaseURL: h.URL, HTTP: Trusting(h.Pool)})
		if o, _, _, err := generate(t.Context(), c, model.User("hi")); err != nil || o.Items()[0].Text() != "ready" {
			t.Error(err)
		}
		c.Close()
	}
}

// TestRedirect checks that a key does not follow a redirect.
func TestRedirect(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	first := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer first.Close()
	c := New(Provider{Name: "moved", BaseURL: first.URL})
	if _, err := c.Models(t.Context()); err == nil || !strings.Contains(err.Error(), "correct base_url") || asked {
		t.Error(err, asked)
	}
}

// TestConnect has a connection ready before the request, with a message that has neither key nor body.
func TestConnect(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		s := fake.New(fake.OpenAI(), fake.Always(fake.Say("ready")))
		h, err := s.ServeTLS(h2)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		c := New(Provider{Name: "corp", BaseURL: h.URL, HTTP: Trusting(h.Pool),
			Key: func(context.Context) (string, error) { return "sk-hush", nil }})
		c.Connect()
		c.Connect()
		c.runs.Wait()
		if _, _, _, err := generate(t.Context(), c, model.User("hi")); err != nil {
			t.Fatal(err)
		}
		c.Connect() // the connection was in use just now
		c.Close()
		all := s.Requests()
		if len(all) != 2 || h.Accepted() != 1 || all[0].Method != http.MethodHead || len(all[0].Body) > 0 ||
			all[0].Header.Get("Authorization") != "" {
			t.Errorf("HTTP/2 %v: %d requests over %d connections; %+v", h2, len(all), h.Accepted(), all[0])
		}
	}
}

// TestRetryAfter reads how long a provider asks to wait, from its header or its words. One that asks for
// hours is not waited for.
func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{"3": 3 * time.Second, "0.5": 500 * time.Millisecond,
		"": 0, "soon": 0, "-1": 0, "NaN": 0, "Inf": 30 * 24 * time.Hour, "0": 0,
		"Sun, 01 Mar 2026 12:00:07 GMT": 7 * time.Second, "Sunday, 01-Mar-26 12:01:00 GMT": time.Minute,
		"Sun, 01 Mar 2026 11:00:00 GMT": 0} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("Retry-After %q: %v, not %v", value, got, want)
		}
	}
	for words, want := range map[string]time.Duration{"Please try again in 1.2s.": 1200 * time.Millisecond,
		"try again in 20ms. Visit": 20 * time.Millisecond, "Try again in 6m0s": 6 * time.Minute,
		"retry after 2 seconds": 2 * time.Second, "try again in 1h2m3s": time.Hour + 2*time.Minute + 3*time.Second,
		"try again in 5 minutes": 5 * time.Minute, "try again in 3m": 3 * time.Minute, "try again in a while": 0,
		"try again in 9..s": 0} {
		if got := TryAgainIn(words); got != want {
			t.Errorf("%q: %v, not %v", words, got, want)
		}
	}
	e := (&Error{Again: true}).After(2 * time.Hour)
	if e.Again || !strings.Contains(e.Next, "2h0m0s") {
		t.Errorf("%+v", e)
	}
}

// TestStreamsThatDie asks again as often as the setting for streams says.
func TestStreamsThatDie(t *testing.T) {
	s, c := serve(t, fake.VLLM(), func(*fake.Request) fake.Answer {
		return fake.Answer{Fault: fake.At(fake.Die, 1), Items: []fake.Item{fake.Say("ready")}}
	}, func(p *Provider) { p.Retries, p.Streams = 0, 1 })
	if _, _, _, err := generate(t.Context(), c, model.User("hi")); err == nil || len(s.Asked()) != 2 {
		t.Errorf("%v, asked %d times", err, len(s.Asked()))
	}
}

// TestBusyStream asks again for a stream that fails before its first piece, after the pause that the
// provider asks for, and never for one that has begun.
func TestBusyStream(t *testing.T) {
	ready := fake.Answer{Items: []fake.Item{fake.Say("ready")}}
	for name, f := range map[string]fake.Fault{
		"429":  fake.Late(0, "rate_limit_exceeded", "Rate limit reached. Please try again in 10ms."),
		"dies": fake.At(fake.Die, 0),
	} {
		s, c := serve(t, fake.VLLM(), fake.Answers(fake.Answer{Fault: f, Items: ready.Items}, ready), nil)
		o, did, _, err := generate(t.Context(), c, model.User("hi"))
		if err != nil || len(o.Items()) != 1 || o.Items()[0].Text() != "ready" || len(s.Asked()) != 2 {
			t.Errorf("%s: %v, %d requests", name, err, len(s.Asked()))
		}
		shown := 0
		for _, p := range did {
			if p.Phase == model.Retry {
				shown++
			}
		}
		if shown == 0 {
			t.Errorf("%s: no countdown: %+v", name, did)
		}
	}
	words := fake.Answer{Items: []fake.Item{fake.Say("some words that come before")}, Fault: fake.Late(5,
		"rate_limit_exceeded", "Rate limit reached.")}
	s, c := serve(t, fake.VLLM(), fake.Answers(words, ready), nil)
	if o, _, r, err := generate(t.Context(), c, model.User("hi")); err == nil || r.Stop != model.StopCut ||
		len(s.Asked()) != 1 || len(o.Items()) != 1 {
		t.Errorf("%v, %d requests", err, len(s.Asked()))
	}
}

// TestLateHeaders tells connecting from the model's reading where a server sends nothing, headers
// included, before the first token.
func TestLateHeaders(t *testing.T) {
	const late = 100 * time.Millisecond
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(late)
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}`+
			"\n\ndata: [DONE]\n\n") // the client sees a failure
	}))
	t.Cleanup(s.Close)
	c := New(Provider{Name: "late", BaseURL: s.URL})
	t.Cleanup(c.Close)
	_, did, r, err := generate(t.Context(), c, model.User("hi"))
	if err != nil || len(did) < 2 || did[0].Phase != model.Connect || did[1].Phase != model.Prefill {
		t.Fatalf("%v, %v", did, err)
	}
	if r.Timing[model.Prefill] < late {
		t.Errorf("reading took %v, connecting %v", r.Timing[model.Prefill], r.Timing[model.Connect])
	}
}

// TestClosedMeanwhile asks again, without a try of the provider's, where the server closes an idle
// connection in the moment in which the next request goes out on it.
func TestClosedMeanwhile(t *testing.T) {
	var l net.ListenConfig
	at, err := l.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	go func() {
		for {
			conn, err := at.Accept()
			if err != nil {
				return
			}
			r := bufio.NewReader(conn)
			for n := range 2 {
				q, err := http.ReadRequest(r)
				if err != nil {
					break
				}
				_, _ = io.Copy(io.Discard, q.Body)
				if n == 0 {
					const body = "data: {\"choices\":[{\"delta\":{\"content\":\"ready\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
					_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s",
						len(body), body)
				}
			}
			conn.Close()
		}
	}()
	c := New(Provider{Name: "brief", BaseURL: "http://" + at.Addr().String() + "/v1"})
	defer c.Close()
	for range 3 {
		if _, _, _, err := generate(t.Context(), c, model.User("hi")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAuthorize gives Azure the key in the header that it reads, also behind a gateway.
func TestAuthorize(t *testing.T) {
	for url, azure := range map[string]bool{
		"https://res.openai.azure.com/openai/v1/models":                     true,
		"https://gateway.example.com/openai/deployments/d/chat/completions": true,
		"https://api.openai.com/v1/responses":                               false,
		"https://notazure.com/v1/responses":                                 false,
	} {
		req := httptest.NewRequest(http.MethodGet, url, nil)
		Authorize(req, "sk-hush")
		if got := req.Header.Get("Api-Key") == "sk-hush"; got != azure ||
			req.Header.Get("Authorization") != "Bearer sk-hush" {
			t.Errorf("%s: %v", url, req.Header)
		}
	}
}
