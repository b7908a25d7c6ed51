package cuts

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"waferpair/engine/responses/fake"
)

// Manner is how the model goes on with an answer that broke off.
type Manner int

// The manners.
const (
	Exactly    Manner = iota // at the very byte
	LineAgain                // from the beginning of the line that broke off
	Everything               // the whole answer
	TheRest                  // the edits that are not in place, as it is asked to
)

func (m Manner) String() string {
	return [...]string{"goes on at the byte", "repeats the last line", "writes everything again", "writes the rest"}[m]
}

// Manners lists them.
func Manners() []Manner { return []Manner{Exactly, LineAgain, Everything, TheRest} }

// Provider answers one job at a time, and cuts its answers.
type Provider struct {
	URL string

	lines  *lines
	server *http.Server
	done   chan struct{}

	mu      sync.Mutex
	rand    *rand.Rand
	job     *Job
	manner  Manner
	most    int // cuts of the job's answers
	cuts    []*line
	said    written // what it said, or would have said, last
	refused []string
	log     []string
}

// Start listens on 127.0.0.1.
func Start(seed uint64) (*Provider, error) {
	p := &Provider{rand: rand.New(rand.NewPCG(seed, 5)), done: make(chan struct{})}
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p.URL = fmt.Sprintf("http://%s/v1", l.Addr())
	p.lines = &lines{Listener: l, all: map[string]*line{}}
	s := fake.New(fake.OpenAI(), p.answer)
	s.Seed = seed
	p.server = &http.Server{Handler: marked(s), ReadHeaderTimeout: time.Minute, ConnContext: p.lines.context}
	go func() {
		defer close(p.done)
		_ = p.server.Serve(p.lines) // until Close
	}()
	return p, nil
}

// Close ends all connections.
func (p *Provider) Close() {
	_ = p.server.Close() // it ends either way
	<-p.done
}

// Begin takes the next job; its first answers are cut, at most so often.
func (p *Provider) Begin(j *Job, m Manner, cuts int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.job, p.manner, p.most, p.cuts, p.refused, p.log = j, m, cuts, nil, nil, nil
	p.said = j.write(0)
}

// Ended returns how many answers of the job were cut, and what the product said of edits that it did
// not make.
func (p *Provider) Ended() (cuts int, refused, log []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.cuts {
		if l.wasCut() {
			cuts++
		}
	}
	return cuts, p.refused, p.log
}

// answer is the model.
func (p *Provider) answer(r *fake.Request) fake.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := r.Text()
	p.log = append(p.log, fmt.Sprintf("%s asked: %q", r.Wire, tail(asked, 300)))
	line := p.lines.of(r.Header)
	line.spare()
	switch {
	case isOutput(r.New[len(r.New)-1]):
		if strings.Contains(asked, "once more") {
			p.refused = append(p.refused, asked)
		}
		return say("Done.\n")
	case strings.Contains(asked, "not made"):
		p.refused = append(p.refused, asked)
		return say("I leave it at that.\n")
	}
	text := p.said.text
	if strings.Contains(asked, "broke off") {
		text = p.goOn(r)
	}
	p.log = append(p.log, fmt.Sprintf("said: %q", text))
	if len(p.cuts) < p.most {
		p.cuts = append(p.cuts, line)
		line.cutAfter(p.rand.IntN(wireSize(r.Wire, text)), p.rand.IntN(2) == 0)
	}
	if p.job.Format == Call && strings.Contains(text, "*") {
		return fake.Answer{Items: []fake.Item{fake.Custom("apply_patch", text)}}
	}
	return say(text)
}

func say(text string) fake.Answer { return fake.Answer{Items: []fake.Item{fake.Say(text)}} }

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// wireSize is about what an answer has on the wire. A cut beyond its end cuts nothing.
func wireSize(wire, text string) int {
	const perEvent, characters = 4, 4 // characters of a chunk, on average
	events := len(text)/perEvent + 8
	return events*map[string]int{"ws": 165, "sse": 225, "chat-sse": 235}[wire] + len(text)
}

// goOn is the answer to a request to continue: by what the client has of the answer that broke off.
func (p *Provider) goOn(r *fake.Request) string {
	had := lastSaid(r.Items)
	place := endIn(p.said.text, had)
	text := ""
	switch p.manner {
	case Exactly:
		text = p.said.text[place:]
	case LineAgain:
		text = p.said.text[beginOfLine(p.said.text, place):]
	case Everything:
		p.said = p.job.write(0)
		text = p.said.text
	case TheRest:
		first := inPlace(r.Text())
		if first >= p.job.write(0).edits {
			return "That was all.\n"
		}
		p.said = p.job.write(first)
		text = p.said.text
	}
	if strings.TrimSpace(text) == "" {
		return "That was all.\n"
	}
	return text
}

var moreInPlace = regexp.MustCompile(`\((\d+) more, before these\)`)

// inPlace counts the edits that a request to continue says are in place.
func inPlace(asked string) int {
	n := 0
	for line := range strings.Lines(asked) {
		if m := moreInPlace.FindStringSubmatch(line); m != nil {
			more, _ := strconv.Atoi(m[1]) // it is a number
			n += more
		} else if strings.HasPrefix(line, "- ") {
			n++
		}
	}
	return n
}

// beginOfLine returns where the line begins that broke off. A line of which no word had come, or one that
// had come whole, is not repeated: it could as well be the one that follows it.
func beginOfLine(text string, place int) int {
	from := strings.LastIndexByte(text[:place], '\n') + 1
	if len(strings.Join(strings.Fields(text[from:place]), "")) < 3 {
		return place
	}
	return from
}

// endIn returns where the longest end of had that text contains ends in it.
func endIn(text, had string) int {
	for k := min(len(had), len(text)); k > 0; k-- {
		end := had[len(had)-k:]
		if at := strings.Index(text, end); at >= 0 {
			return at + k
		}
	}
	return 0
}

func isOutput(item map[string]any) bool {
	kind, _ := item["type"].(string)
	return strings.HasSuffix(kind, "_output") || item["role"] == "tool"
}

// lastSaid returns the model's last words, or the input of its last call.
func lastSaid(items []map[string]any) string {
	for k := len(items) - 1; k >= 0; k-- {
		i := items[k]
		switch {
		case i["type"] == "custom_tool_call":
			return asString(i["input"])
		case i["type"] == "function_call":
			return input(asString(i["arguments"]))
		case i["role"] == "assistant":
			if calls, is := i["tool_calls"].([]any); is && len(calls) > 0 {
				call, _ := calls[len(calls)-1].(map[string]any)
				f, _ := call["function"].(map[string]any)
				return input(asString(f["arguments"]))
			}
			return words(i["content"])
		}
	}
	return ""
}

func asString(v any) string {
	s, _ := v.(string)
	return s
}

func words(content any) string {
	parts, is := content.([]any)
	if !is {
		return asString(content)
	}
	text := ""
	for _, part := range parts {
		p, _ := part.(map[string]any)
		text += asString(p["text"])
	}
	return text
}

// input returns the patch in the arguments of a function, also of ones that broke off.
func input(arguments string) string {
	var a struct{ Input string }
	if json.Unmarshal([]byte(arguments), &a) != nil {
		return arguments
	}
	return a.Input
}
