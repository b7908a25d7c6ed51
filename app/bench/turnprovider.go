package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"waferpair/engine/responses/fake"
)

// A provider of the turns benchmark is a process of its own, so that its work is not measured:
//
//	benchmark --starts, with turnProvider set--> this binary: Child -> scripted, or paced
//	          <--stdout: its base URL, then "ended AT" for each answer without end that a client left
const turnProvider = "WAFERBENCH_TURN_PROVIDER"

// The kinds of providers.
const (
	providerScripted = "scripted" // package fake: short answers; one without end when it is asked to write
	providerPaced    = "paced"    // text at a steady rate, as bytes that were made before
	providerPatch    = "patch"    // the same, of a patch
)

// pacedRate is the rate of the paced provider, in tokens a second.
const pacedRate = 5000

// provider is a running provider.
type provider struct {
	url   string
	ended chan time.Time // when it noticed that a client had left
	cmd   *exec.Cmd
}

// startProvider starts a provider in a process of its own; for the paced one, of answers of n tokens.
func startProvider(ctx context.Context, kind string, n int) (*provider, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), turnProvider+"="+kind, fmt.Sprintf("%s_N=%d", turnProvider, n))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &provider{ended: make(chan time.Time, 1024), cmd: cmd}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		p.close()
		return nil, fmt.Errorf("the provider did not start")
	}
	p.url = lines.Text()
	go func() {
		for lines.Scan() {
			var at int64
			if _, err := fmt.Sscanf(lines.Text(), "ended %d", &at); err == nil {
				p.ended <- time.Unix(0, at)
			}
		}
	}()
	return p, nil
}

func (p *provider) close() {
	_ = p.cmd.Process.Kill() // it may have ended
	_ = p.cmd.Wait()         // killed
}

// provide is the provider's process.
func provide(kind string) error {
	if kind != providerScripted {
		n := 0
		if _, err := fmt.Sscan(os.Getenv(turnProvider+"_N"), &n); err != nil {
			return err
		}
		if kind == providerPatch {
			return providePaced(insertion("big.go", 150, n))
		}
		return providePaced(slices.Repeat([]string{" word"}, n))
	}
	long := fake.Say("").InChunks(insertion("big.go", 150, 100_000)...)
	s := fake.New(fake.OpenAI(), func(r *fake.Request) fake.Answer {
		switch {
		case endless(r) && strings.Contains(r.Text(), "write"):
			return fake.Answer{Items: []fake.Item{long}, Gap: time.Millisecond}
		case strings.Contains(r.Text(), "say aye "):
			_, n, _ := strings.Cut(r.Text(), "say aye ")
			n, _, _ = strings.Cut(n, ";")
			return fake.Answer{Items: []fake.Item{fake.Say("").InChunks("Aye "+n, ", it is so.\n")}}
		case endless(r):
			return fake.Answer{Items: []fake.Item{fake.Say("I talk.")}, Gap: time.Millisecond, Fault: fake.At(fake.Endless, 0)}
		case r.Tools["apply_patch"] != "" && strings.Contains(r.Text(), "change "):
			_, n, _ := strings.Cut(r.Text(), "change ")
			return fake.Answer{Items: []fake.Item{fake.Say("Done.\n" + flip(n))}}
		}
		return fake.Answer{Items: []fake.Item{fake.Say("Yes, it is so.")}}
	})
	h, err := s.Serve()
	if err != nil {
		return err
	}
	fmt.Println(h.URL)
	var printing sync.Mutex
	for n := 1; ; n++ {
		r := s.Arrived(n, 24*time.Hour)
		if r == nil {
			return nil
		}
		go func() {
			<-r.Ended()
			at := time.Now()
			if endless(r) { // such an answer ends when its client leaves
				printing.Lock()
				defer printing.Unlock()
				fmt.Printf("ended %d\n", at.UnixNano())
			}
		}()
	}
}

// endless reports whether a request gets an answer without end.
func endless(r *fake.Request) bool { return strings.Contains(r.Text(), "without end") }

// flip is a patch of the file that changes with each turn.
func flip(n string) string {
	var was, is int
	if _, err := fmt.Sscanf(n, "%d to %d", &was, &is); err != nil {
		return ""
	}
	return fmt.Sprintf("*** Begin Patch\n*** Update File: n.txt\n@@\n-n = %d\n+n = %d\n*** End Patch\n", was, is)
}

// providePaced sends each token as an event of its own, with the fields that OpenAI's have.
func providePaced(tokens []string) error {
	n := len(tokens)
	const head = `{"type":"response.created","sequence_number":0,"response":{"id":"resp_1"}}`
	const item = `{"id":"msg_1","type":"message","role":"assistant","status":"%s","content":[%s]}`
	events := []string{head,
		fmt.Sprintf(`{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":`+
			item+`}`, "in_progress", "")}
	for k, t := range tokens {
		events = append(events, fmt.Sprintf(`{"type":"response.output_text.delta","sequence_number":%d,"item_id":"msg_1",`+
			`"output_index":0,"content_index":0,"delta":%s,"logprobs":[],"obfuscation":"abcdefgh"}`, k+2, quoted(t)))
	}
	text := fmt.Sprintf(`{"type":"output_text","text":%s,"annotations":[]}`, quoted(strings.Join(tokens, "")))
	events = append(events,
		fmt.Sprintf(`{"type":"response.output_item.done","sequence_number":%d,"output_index":0,"item":`+
			item+`}`, n+2, "completed", text), `{"type":"response.completed","response":{"id":"resp_1","usage":`+
			fmt.Sprintf(`{"input_tokens":1,"output_tokens":%d,"total_tokens":%d}}}`, n, n+1))
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/v1\n", l.Addr())
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		if r.Method == http.MethodPost {
			w.Header().Set("Content-Type", "text/event-stream")
			flush := http.NewResponseController(w)
			_ = pace(events, func(e string) error { // a client that leaves ends it
				name, _, _ := strings.Cut(e[len(`{"type":"`):], `"`)
				if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, e); err != nil {
					return err
				}
				return flush.Flush()
			})
			return
		}
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return // it has answered
		}
		defer func() { _ = c.CloseNow() }() // the client has left
		for {
			if _, _, err := c.Read(r.Context()); err != nil {
				return
			}
			if pace(events, func(e string) error {
				return c.Write(r.Context(), websocket.MessageText, []byte(e))
			}) != nil {
				return
			}
		}
	})}
	return server.Serve(l)
}

// quoted returns a JSON string.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // every string has one
	}
	return string(b)
}

// pace sends events at the rate, one write each.
func pace(events []string, send func(string) error) error {
	start := time.Now()
	for k, e := range events {
		time.Sleep(time.Until(start.Add(time.Duration(k) * time.Second / pacedRate)))
		if err := send(e); err != nil {
			return err
		}
	}
	return nil
}
