package fake_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"waferpair/engine/responses/fake"
)

var plain = fake.Say("one two three four")

// body returns what arrives of a faulty stream, and the error that ends it.
func body(t *testing.T, s *fake.Server) (*http.Response, string, error) {
	t.Helper()
	res := post(t, serve(t, s).URL+"/responses", turn)
	b, err := io.ReadAll(res.Body)
	return res, string(b), err
}

func TestFaultsOfStreams(t *testing.T) {
	seq := plain.InChunks("one ", "two ", "three")
	for name, c := range map[string]struct {
		fault fake.Fault
		check func(status int, text string, err error) bool
	}{
		"429": {fake.RateLimited("7"), func(status int, text string, err error) bool {
			return status == 429 && strings.Contains(text, "rate_limit_exceeded") && err == nil
		}},
		"gateway": {fake.HTML(502), func(status int, text string, err error) bool {
			return status == 502 && strings.HasPrefix(text, "<html>")
		}},
		"late": {fake.Late(5, "rate_limit_exceeded", "try again in 2s"), func(status int, text string, err error) bool {
			return status == 200 && strings.Contains(text, "response.failed") && !strings.Contains(text, "three") && err == nil
		}},
		"die": {fake.At(fake.Die, 5), func(_ int, text string, err error) bool {
			return strings.Count(text, "event: ") == 5 && err != nil
		}},
		"die at byte": {fake.AtByte(700), func(_ int, text string, err error) bool {
			return len(text) >= 700 && !strings.HasSuffix(text, "\n\n") && err != nil
		}},
		"reset": {fake.At(fake.Reset, 6), func(_ int, text string, err error) bool {
			return errors.Is(err, syscall.ECONNRESET) || err != nil && strings.Contains(err.Error(), "EOF")
		}},
		"no end": {fake.At(fake.NoEnd, 0), func(_ int, text string, err error) bool {
			return !strings.Contains(text, "response.completed") && strings.Contains(text, "three") && err == nil
		}},
		"future": {fake.At(fake.Future, 2), func(_ int, text string, err error) bool {
			return strings.Count(text, "event: response.shimmer.delta") > 5 && strings.Contains(text, "response.completed")
		}},
		"cut JSON": {fake.At(fake.CutJSON, 4), func(_ int, text string, err error) bool {
			return !strings.Contains(text, `"delta":"one "`) && strings.Contains(text, "response.completed")
		}},
		"no JSON": {fake.At(fake.NoJSON, 4), func(_ int, text string, err error) bool {
			return strings.Contains(text, "data: upstream connect error")
		}},
		"UTF-8": {fake.At(fake.BadUTF8, 4), func(_ int, text string, err error) bool {
			return strings.Contains(text, "\xff\xfe\xc3")
		}},
		"disorder": {fake.At(fake.Disorder, 4), func(_ int, text string, err error) bool {
			return strings.Index(text, `"two "`) < strings.Index(text, `"one "`) && strings.Contains(text, "response.completed")
		}},
		"doubled": {fake.At(fake.Doubled, 0), func(_ int, text string, err error) bool {
			return strings.Count(text, "event: response.output_item.done") == 2
		}},
		"minimal": {fake.At(fake.Minimal, 0), func(_ int, text string, err error) bool {
			return strings.Count(text, "event: ") == 3 && strings.Contains(text, "one two three")
		}},
		"no parts": {fake.At(fake.NoParts, 0), func(_ int, text string, err error) bool {
			return !strings.Contains(text, "content_part") && strings.Contains(text, "output_text.delta")
		}},
		"error event": {fake.Fault{Kind: fake.ErrorEvent, After: 4, Code: "server_error", Message: "sorry"},
			func(_ int, text string, err error) bool {
				return strings.Contains(text, "event: error\n") && !strings.Contains(text, "response.completed")
			}},
		"flood": {fake.Flooding(3 << 20), func(_ int, text string, err error) bool {
			return len(text) > 3<<20 && strings.Contains(text, "response.completed")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := fake.New(fake.OpenAI(), func(*fake.Request) fake.Answer {
				return fake.Answer{Items: []fake.Item{seq}, Fault: c.fault}
			})
			res, text, err := body(t, s)
			if !c.check(res.StatusCode, text, err) {
				t.Errorf("%d, error %v: %.3000s", res.StatusCode, err, text)
			}
			if want := c.fault.RetryAfter; res.Header.Get("Retry-After") != want {
				t.Errorf("Retry-After: %q", res.Header.Get("Retry-After"))
			}
		})
	}
}

func TestIdleEndsWithTheClient(t *testing.T) {
	s := fake.New(fake.OpenAI(), func(*fake.Request) fake.Answer {
		return fake.Answer{Items: []fake.Item{plain}, Fault: fake.At(fake.Idle, 3)}
	})
	res := post(t, serve(t, s).URL+"/responses", turn)
	buf := make([]byte, 1)
	if _, err := res.Body.Read(buf); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	<-s.Arrived(1, time.Minute).Ended()
}

func TestBufferedComesAtOnce(t *testing.T) {
	clock := fake.NewManual()
	s := fake.New(fake.OpenAI(), func(*fake.Request) fake.Answer {
		return fake.Answer{Items: []fake.Item{plain}, First: time.Second, Fault: fake.At(fake.Buffered, 0)}
	})
	s.Clock = clock
	url, got := serve(t, s).URL, make(chan int, 1)
	go func() {
		b, err := io.ReadAll(post(t, url+"/responses", turn).Body)
		if err != nil {
			t.Error(err)
		}
		got <- len(b)
	}()
	clock.Sleepers(1)
	select {
	case n := <-got:
		t.Fatalf("%d bytes came before the end", n)
	default:
		clock.Advance(time.Second)
	}
	if n := <-got; n < 1000 {
		t.Errorf("%d bytes", n)
	}
}

func TestFaultsOfSockets(t *testing.T) {
	for name, f := range map[string]fake.Fault{"die": fake.At(fake.Die, 4), "byte": fake.AtByte(1500),
		"reset": fake.At(fake.Reset, 4), "bad frame": fake.At(fake.BadFrame, 4)} {
		s := fake.New(fake.OpenAI(), func(*fake.Request) fake.Answer {
			return fake.Answer{Items: []fake.Item{plain}, Fault: f}
		})
		c, _, err := websocket.Dial(t.Context(), serve(t, s).URL+"/responses", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Write(t.Context(), websocket.MessageText, []byte(create(`"input":"x"`))); err != nil {
			t.Fatal(err)
		}
		n := 0
		for err == nil {
			if _, _, err = c.Read(t.Context()); err == nil {
				n++
			}
		}
		if n == 0 || n > 5 || websocket.CloseStatus(err) > 0 {
			t.Errorf("%s: %d events, then %v", name, n, err)
		}
		c.CloseNow()
	}
}

func TestUpgradesRefused(t *testing.T) {
	for _, status := range []int{426, 404} {
		s := fake.New(fake.OpenAI(), fake.Always(plain))
		s.RefuseUpgrades(status)
		if _, res, err := websocket.Dial(t.Context(), serve(t, s).URL+"/responses", nil); err == nil ||
			res.StatusCode != status {
			t.Errorf("error %v, answer %+v", err, res)
		}
	}
}

func TestConnections(t *testing.T) {
	s := fake.New(fake.OpenAI(), fake.Always(plain))
	h := serve(t, s)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func(url string) error {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Do(q)
		if err == nil {
			res.Body.Close()
		}
		return err
	}
	h.ResetNext(1)
	if err := get(h.URL); err == nil {
		t.Error("the connection was not reset")
	}
	if err := get(h.URL); err != nil {
		t.Error(err)
	}
	h.SlowHandshake(30 * time.Millisecond)
	begin := time.Now()
	if err := get(h.URL); err != nil || time.Since(begin) < 30*time.Millisecond {
		t.Errorf("error %v after %v", err, time.Since(begin))
	}
	h.Close()
	if err := get(h.URL); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a closed host: %v", err)
	}
	again, err := s.ServeAt(h.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := get(again.URL); err != nil {
		t.Error(err)
	}
}

func TestUnknownCertificate(t *testing.T) {
	h, err := fake.New(fake.OpenAI(), fake.Always(plain)).ServeTLS(false)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for _, known := range []bool{false, true} {
		conf := &tls.Config{}
		if known {
			conf.RootCAs = h.Pool
		}
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: conf, DisableKeepAlives: true}}
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+"/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Do(q)
		if (err == nil) != known {
			t.Errorf("known %v: %v", known, err)
		}
		if err == nil {
			res.Body.Close()
		}
	}
}

// Two round trips: the handshake's and the echo's; and the uplink's time.
func TestProxyShapes(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err == nil {
			_, _ = io.Copy(c, c)
		}
	}()
	p, err := fake.NewProxy(l.Addr().String(), fake.Shape{Delay: 10 * time.Millisecond, Up: 8_000_000})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	begin := time.Now()
	c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", p.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sent := bytes.Repeat([]byte("x"), 20_000)
	if _, err := c.Write(sent); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(sent))
	if _, err := io.ReadFull(c, got); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(begin); d < 60*time.Millisecond {
		t.Errorf("20 ms of handshake, 20 ms of way, 20 ms of 20 kB at 8 Mbit/s took %v", d)
	}
	if up, down, n := p.Bytes(); up != 20_000 || down != 20_000 || n != 1 {
		t.Errorf("%d up, %d down, %d connections", up, down, n)
	}
}
