package fake_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"waferpair/engine/responses/fake"
)

func serve(t *testing.T, s *fake.Server) *fake.Host {
	t.Helper()
	h, err := s.Serve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

func post(t *testing.T, url, body string) *http.Response {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func all(t *testing.T, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

type event struct {
	Type     string
	Sequence int    `json:"sequence_number"`
	Output   int    `json:"output_index"`
	ItemID   string `json:"item_id"`
	Delta    string
	Text     string
	Input    string
	Args     string `json:"arguments"`
	Status   int
	Lane     string `json:"stream_id"`
	Item     map[string]any
	Error    struct{ Code, Message, Type, Param string }
	Response struct {
		ID, Status string
		Output     []map[string]any
		Parent     string `json:"previous_response_id"`
		Error      struct{ Code string }
		Usage      *struct {
			Input   int `json:"input_tokens"`
			Output  int `json:"output_tokens"`
			Total   int `json:"total_tokens"`
			Details struct {
				Cached int `json:"cached_tokens"`
			} `json:"input_tokens_details"`
		}
		Incomplete *struct{ Reason string } `json:"incomplete_details"`
	}
}

func parse(t *testing.T, b []byte) event {
	t.Helper()
	var e event
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return e
}

func events(t *testing.T, body io.Reader) (out []event) {
	t.Helper()
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	name := ""
	for lines.Scan() {
		if after, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			name = after
		}
		if after, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			e := parse(t, []byte(after))
			if e.Type != name {
				t.Errorf("event %s has type %s", name, e.Type)
			}
			out = append(out, e)
		}
	}
	return out
}

func types(es []event) string {
	var out []string
	for _, e := range es {
		name := strings.TrimPrefix(e.Type, "response.")
		if len(out) == 0 || out[len(out)-1] != name {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

const turn = `{"model":"gpt-5.5","stream":true,"store":false,"input":"hello","tools":[{"type":"custom","name":"apply_patch"},` +
	`{"type":"function","name":"read","parameters":{"type":"object"}}]}`

// The order that facts/protocol.md section 2 gives, of every kind of item.
func TestOrderOfEvents(t *testing.T) {
	s := fake.New(fake.OpenAI(), fake.Always(fake.Think("Which file?"), fake.Say("I read it: größer."),
		fake.Call("read", `{"path":"a.go"}`), fake.Custom("apply_patch", "*** Begin Patch\n")))
	es := events(t, post(t, serve(t, s).URL+"/responses", turn).Body)
	want := "created in_progress " +
		"output_item.added reasoning_summary_part.added reasoning_summary_text.delta reasoning_summary_text.done " +
		"reasoning_summary_part.done output_item.done " +
		"output_item.added content_part.added output_text.delta output_text.done content_part.done output_item.done " +
		"output_item.added function_call_arguments.delta function_call_arguments.done output_item.done " +
		"output_item.added custom_tool_call_input.delta custom_tool_call_input.done output_item.done completed"
	if got := types(es); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	checkLaws(t, es)
}

// checkLaws: numbers rise by one, done equals the deltas before it, and the terminal output the items.
func checkLaws(t *testing.T, es []event) {
	t.Helper()
	deltas := map[string]string{}
	var items []map[string]any
	for i, e := range es {
		if e.Sequence != i {
			t.Errorf("event %d (%s) has number %d", i, e.Type, e.Sequence)
		}
		deltas[e.ItemID] += e.Delta
		if whole := e.Text + e.Args + e.Input; strings.HasSuffix(e.Type, ".done") && whole != "" &&
			whole != deltas[e.ItemID] {
			t.Errorf("%s: %q, the deltas make %q", e.Type, whole, deltas[e.ItemID])
		}
		if e.Type == "response.output_item.done" {
			items = append(items, e.Item)
		}
	}
	last := es[len(es)-1]
	a, b := mustJSON(t, last.Response.Output), mustJSON(t, items)
	if !bytes.Equal(a, b) {
		t.Errorf("output of %s: %s\nitems: %s", last.Type, a, b)
	}
	if u := last.Response.Usage; u == nil || u.Total != u.Input+u.Output || u.Output == 0 {
		t.Errorf("usage: %+v", u)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSameSeedSameStream(t *testing.T) {
	run := func() string {
		s := fake.New(fake.OpenAI(), fake.Always(fake.Say(strings.Repeat("word ", 50))))
		s.Clock = fake.NewManual()
		return all(t, post(t, serve(t, s).URL+"/responses", turn).Body)
	}
	if a, b := run(), run(); a != b {
		t.Errorf("two runs differ:\n%s\n%s", a, b)
	}
}

func TestWholeAnswer(t *testing.T) {
	s := fake.New(fake.LlamaCpp(), fake.Always(fake.Custom("apply_patch", "x\ny")))
	body := `{"model":"small","input":[{"role":"user","content":"hi"}],"tools":[{"type":"function","name":"apply_patch",` +
		`"parameters":{"type":"object","properties":{"input":{"type":"string"}}}}]}`
	got := all(t, post(t, serve(t, s).URL+"/responses", body).Body)
	if !strings.Contains(got, `"arguments":"{\"input\":\"x\\ny\"}"`) {
		t.Errorf("a freeform call for a function: %s", got)
	}
}

// dial opens a socket and returns how to send a frame and read the events of its answer.
func dial(t *testing.T, url string) func(body string) []event {
	t.Helper()
	c, _, err := websocket.Dial(t.Context(), url+"/responses", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CloseNow() })
	c.SetReadLimit(1 << 24)
	return func(body string) (out []event) {
		t.Helper()
		if err := c.Write(t.Context(), websocket.MessageText, []byte(body)); err != nil {
			t.Fatal(err)
		}
		for {
			_, b, err := c.Read(t.Context())
			if err != nil {
				t.Fatalf("%v after %s", err, types(out))
			}
			out = append(out, parse(t, b))
			if name := out[len(out)-1].Type; slices.Contains([]string{"error", "response.completed", "response.failed",
				"response.incomplete"}, name) {
				return out
			}
		}
	}
}

func create(rest string) string {
	return `{"type":"response.create","model":"gpt-5.5","store":false,` + rest + `}`
}

func TestSocketChains(t *testing.T) {
	s := fake.New(fake.OpenAI(), func(r *fake.Request) fake.Answer {
		return fake.Answer{Items: []fake.Item{fake.Say("you said " + r.Text())}}
	})
	h := serve(t, s)
	send := dial(t, h.URL)
	warm := send(create(`"input":[],"generate":false,"instructions":"be brief"`))
	if got := types(warm); got != "created in_progress completed" {
		t.Errorf("warm-up: %s", got)
	}
	last := func(es []event) event { return es[len(es)-1] }
	one := last(send(create(`"input":"one","previous_response_id":"` + last(warm).Response.ID + `"`)))
	two := last(send(create(`"input":"two","previous_response_id":"` + one.Response.ID + `"`)))
	asked := s.Asked()
	if n := len(asked[1].Items); n != 3 || !asked[1].Has("you said one") || len(asked[1].New) != 1 {
		t.Errorf("the second request's conversation has %d items: %v", n, asked[1].Items)
	}
	if u := two.Response.Usage; u.Details.Cached == 0 || u.Details.Cached >= u.Input ||
		two.Response.Parent != one.Response.ID {
		t.Errorf("cached %d of %d, parent %s", u.Details.Cached, u.Input, two.Response.Parent)
	}
	gone := last(send(create(`"input":"x","previous_response_id":"` + one.Response.ID + `"`)))
	if gone.Type != "error" || gone.Status != 400 || gone.Error.Code != "previous_response_not_found" ||
		!strings.Contains(gone.Error.Message, one.Response.ID) {
		t.Errorf("a response that is not the latest: %+v", gone)
	}
	other := last(dial(t, h.URL)(create(`"input":"x","previous_response_id":"` + two.Response.ID + `"`)))
	if other.Error.Code != "previous_response_not_found" {
		t.Errorf("another socket: %+v", other)
	}
}

func TestFailedContinuationEvictsParent(t *testing.T) {
	send := dial(t, serve(t, fake.New(fake.OpenAI(), fake.Always(fake.Say("yes")))).URL)
	last := func(es []event) event { return es[len(es)-1] }
	id := last(send(create(`"input":"one"`))).Response.ID
	chained := create(`"input":[{"type":"function_call_output","call_id":"c","output":"x"}],"previous_response_id":"` +
		id + `"`)
	if e := last(send(chained)); !strings.Contains(e.Error.Message, "No tool call found") {
		t.Errorf("an output without a call: %+v", e.Error)
	}
	if e := last(send(create(`"input":"again","previous_response_id":"` + id + `"`))); e.Error.Code !=
		"previous_response_not_found" {
		t.Errorf("the parent is still there: %+v", e)
	}
}

func TestSocketsAge(t *testing.T) {
	clock := fake.NewManual()
	s := fake.New(fake.OpenAI(), fake.Always(fake.Say("yes")))
	s.Clock = clock
	send := dial(t, serve(t, s).URL)
	clock.Advance(59 * time.Minute)
	if es := send(create(`"input":"one","stream_id":"b"`)); es[0].Lane != "b" || len(es) < 4 {
		t.Errorf("after 59 minutes: %+v", es)
	}
	clock.Advance(time.Minute)
	if es := send(create(`"input":"one"`)); es[0].Error.Code != "websocket_connection_limit_reached" {
		t.Errorf("after 60 minutes: %+v", es[0])
	}
}

func TestKeyRevoked(t *testing.T) {
	s := fake.New(fake.OpenAI(), fake.Always(fake.Say("yes")))
	send := dial(t, serve(t, s).URL)
	send(create(`"input":"one"`))
	s.SetKey("secret")
	if es := send(create(`"input":"two"`)); es[0].Status != 401 {
		t.Errorf("revoked: %+v", es[0])
	}
}

func TestCutIsSeen(t *testing.T) {
	s := fake.New(fake.OpenAI(), func(*fake.Request) fake.Answer { return fake.Answer{Fault: fake.At(fake.Endless, 0)} })
	h := serve(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	c, _, err := websocket.Dial(ctx, h.URL+"/responses", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(ctx, websocket.MessageText, []byte(create(`"input":"x"`))); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if _, _, err := c.Read(ctx); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	c.CloseNow()
	r := s.Arrived(1, 10*time.Second)
	<-r.Ended()
	if n, _, gone := r.Sent(); !gone || n < 20 {
		t.Errorf("%d events sent, gone %v", n, gone)
	}
}

func TestPrefixIsCached(t *testing.T) {
	h := serve(t, fake.New(fake.OpenAI(), fake.Always(fake.Say("yes"))))
	cached := func(body string) int {
		es := events(t, post(t, h.URL+"/responses", `{"model":"gpt-5.5","stream":true,`+body+`}`).Body)
		return es[len(es)-1].Response.Usage.Details.Cached
	}
	long := `{"role":"user","content":"` + strings.Repeat("long text ", 100) + `"}`
	first := cached(`"input":[` + long + `]`)
	longer := cached(`"input":[` + long + `,{"role":"assistant","content":"yes"},{"role":"user","content":"more"}]`)
	other := cached(`"instructions":"other","input":[` + long + `]`)
	if first != 0 || longer < 200 || other != 0 {
		t.Errorf("cached: first %d, longer %d, other instructions %d", first, longer, other)
	}
}

func TestStandsAlone(t *testing.T) {
	var b bytes.Buffer
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/responses", strings.NewReader(turn))
	if err != nil {
		t.Fatal(err)
	}
	fake.New(fake.OpenAI(), fake.Always(fake.Say("yes"))).ServeHTTP(recorder{&b, http.Header{}}, q)
	checkLaws(t, events(t, &b))
}

type recorder struct {
	io.Writer
	h http.Header
}

func (r recorder) Header() http.Header { return r.h }
func (r recorder) WriteHeader(int)     {}
func (r recorder) Flush()              {}
