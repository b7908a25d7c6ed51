package chat

import (
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"waferpair/engine/model"
	"waferpair/engine/responses"
)

// sends starts a server that answers with these bytes.
func sends(t *testing.T, kind, body string) *Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(body)) // the client sees what is missing
	}))
	t.Cleanup(s.Close)
	c := New(Provider{Name: "p", BaseURL: s.URL, Retries: 0})
	t.Cleanup(c.Close)
	return c
}

// says is the stream of deltas, with an end.
func says(deltas ...string) string {
	var b strings.Builder
	for _, d := range deltas {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":null}]}\n\n", d)
	}
	return b.String() + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
}

// callOf is a delta with a piece of a call.
func callOf(fields, name, arguments string) string {
	return fmt.Sprintf(`{"tool_calls":[{%s"function":{"name":%q,"arguments":%s}}]}`, fields, name, arguments)
}

// TestDialects reads answers as servers variously write them.
func TestDialects(t *testing.T) {
	const read1, read2 = `"{\"path\":\"1\"}"`, `"{\"path\":\"2\"}"`
	two := []string{`function_call {"path":"1"}`, `function_call {"path":"2"}`}
	for _, d := range []struct {
		name, stream string
		want         []string
	}{
		{"thought in tags", says(`{"content":"<thi"}`, `{"content":"nk>\nhm <b>"}`, `{"content":" so</th"}`,
			`{"content":"ink>\n"}`, `{"content":"\n<think>yes"}`), []string{"reasoning \nhm <b> so", "message <think>yes"}},
		{"a tag that is none", says(`{"content":"<thi"}`, `{"content":"s"}`), []string{"message <this"}},
		{"the beginning of a tag", says(`{"content":"<thi"}`), []string{"message <thi"}},
		{"thought twice", says(`{"reasoning":"hm","reasoning_content":"hm"}`, `{"content":"a"}`),
			[]string{"reasoning hm", "message a"}},
		{"parts", says(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`,
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`), []string{"reasoning hm", "message ab"}},
		{"half a character", says(`{"content":"\ud83d"}`, `{"content":"\ude42!"}`), []string{"message 🙂!"}},
		{"a second answer", says(`{"content":"a"}`) + `data: {"choices":[{"index":1,"delta":{"content":"b"}}]}` + "\n\n",
			[]string{"message a"}},
		{"CR", strings.ReplaceAll(says(`{"content":"a"}`), "\n", "\r"), []string{"message a"}},
		{"no reason", "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n", []string{"message a"}},
		{"odd usage", `data: {"choices":[],"usage":{"prompt_tokens":7.0,"completion_tokens":"2"}}` + "\n\n" +
			says(`{"content":"a"}`), []string{"message a"}},
		{"arguments that are an object", says(callOf(`"index":0,"id":"c",`, "read", `{"path":"1"}`)), two[:1]},
		{"calls without number and id", says(callOf("", "read", read1), callOf("", "read", read2)), two},
		{"calls of one number", says(callOf(`"index":0,`, "read", read1), callOf(`"index":0,`, "read", read2)), two},
		{"mixed calls", says(callOf(`"index":0,"id":"c",`, "read", `""`),
			callOf(`"index":1,"id":"d",`, "read", `"{\"path\":"`), callOf(`"index":0,`, "", `"{\"path\":"`),
			callOf(`"index":1,`, "", `"\"2\"}"`), callOf(`"index":0,`, "", `"\"1\"}"`)),
			two},
		{"an id in each piece", says(callOf(`"index":0,"id":"c",`, "read", `"{\"path\":"`),
			callOf(`"index":0,"id":"c",`, "read", `"\"1\"}"`), callOf(`"index":0,"id":"c",`, "read", `""`)), two[:1]},
		{"a function", says(`{"function_call":{"name":"read","arguments":` + read1 + `}}`), two[:1]},
		{"another argument", says(callOf("", "apply_patch", `"{\"patch\":\"x\"}"`)), []string{"custom_tool_call x"}},
		{"a text", says(callOf("", "apply_patch", `"*** Begin"`)), []string{"custom_tool_call *** Begin"}},
	} {
		c := sends(t, "text/event-stream", d.stream)
		o, _, r, err := generate(t.Context(), c, model.User("hi"))
		var got []string
		for _, i := range o.Items() {
			got = append(got, string(i.Kind)+" "+i.Text())
		}
		if err != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", d.want) || len(o.Open()) > 0 {
			t.Errorf("%s: %q, %v; want %q", d.name, got, err, d.want)
		}
		if calls := len(d.want) > 0 && strings.Contains(d.want[0], "call"); calls != (r.Stop == model.StopTools) {
			t.Errorf("%s stops as %s", d.name, r.Stop)
		}
	}
}

// TestWhole reads the answer of a server that does not stream, and of a proxy that says another type or
// packs a stream, unasked.
func TestWhole(t *testing.T) {
	const whole = `  {"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`
	var packed strings.Builder
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write([]byte(says(`{"content":"a"}`))); err != nil || zip.Close() != nil {
		t.Fatal(err)
	}
	for _, s := range []struct{ kind, encoding, body string }{
		{"application/json; charset=utf-8", "", whole},
		{"text/plain", "", whole},
		{"application/json", "", says(`{"content":"a"}`)},
		{"text/event-stream", "gzip", packed.String()},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", s.kind)
			w.Header().Set("Content-Encoding", s.encoding)
			_, _ = w.Write([]byte(s.body)) // the client sees what is missing
		}))
		c := New(Provider{Name: "p", BaseURL: server.URL})
		if o, _, _, err := generate(t.Context(), c, model.User("hi")); err != nil || o.Items()[0].Text() != "a" {
			t.Errorf("%s %s: %v", s.kind, s.encoding, err)
		}
		c.Close()
		server.Close()
	}
}

func keyed(context.Context) (string, error) { return "sk-hush", nil }

// TestReportedErrors reads errors in all the places in which servers put them. None has the key in it.
func TestReportedErrors(t *testing.T) {
	begun := `data: {"choices":[{"delta":{"content":"a"}}]}` + "\n\n"
	for name, s := range map[string]struct{ kind, body string }{
		"instead of a stream": {"application/json", `{"error":{"message":"boom sk-hush","code":400}}`},
		"flat": {"text/event-stream",
			begun + `data: {"object":"error","message":"boom sk-hush","code":500}` + "\n\n"},
		"field": {"text/event-stream", begun + `error: {"code":500,"message":"boom sk-hush"}` + "\n\n"},
		"event": {"text/event-stream", begun + "event: error\ndata: {\"message\":\"boom sk-hush\"}\n\n"},
		"words": {"text/event-stream", begun + `data: {"error":"boom sk-hush"}` + "\n\n"},
		"page":  {"text/html", "<p>boom"},
	} {
		c := sends(t, s.kind, s.body)
		c.of.Key = keyed
		_, _, r, err := generate(t.Context(), c, model.User("hi"))
		want := "boom •••"
		if name == "page" {
			want = "a web page"
		}
		if err == nil || !strings.Contains(err.Error(), want) || r.Stop != model.StopCut {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNextStep says what to do about each error of a provider, and which may pass.
func TestNextStep(t *testing.T) {
	c := New(Provider{Name: "p"})
	for _, s := range []struct {
		status        int
		code, message string
		next          string
		again         bool
	}{
		{402, "", "", "billing", false},
		{429, "insufficient_quota", "", "billing", false},
		{429, "", "", "wait", true},
		{429, "429 RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.",
			"billing", false},
		{429, "", "You exceeded your current quota. Please retry in 32.3s.", "wait", true},
		{429, "", "insufficient_quota", "billing", false},
		{403, "", "Insufficient balance", "billing", false},
		{0, "429", "", "wait", true},
		{400, "context_length_exceeded", "", "take files out", false},
		{400, "", "This model's maximum context length is 8192 tokens.", "take files out", false},
		{400, "", "no", "change the request", false},
		{407, "", "", "HTTPS_PROXY", false},
		{0, "invalid_api_key", "", "check its key", false},
		{529, "", "", "try again later", true},
		{0, "502", "", "try again later", true},
	} {
		if next, again := c.next(statusOf(s.status, s.code), s.code, strings.ToLower(s.message)); again != s.again ||
			!strings.Contains(next, s.next) {
			t.Errorf("%+v: %q, %v", s, next, again)
		}
	}
}

// TestWhatAProviderSaysIsFollowedByWhatToDo joins a message, however it ends, with the next step.
func TestWhatAProviderSaysIsFollowedByWhatToDo(t *testing.T) {
	c := New(Provider{Name: "p"})
	for _, s := range []struct {
		status         int
		message, words string
	}{
		{429, "Check your billing details. ", "p: 429 Too Many Requests: Check your billing details; wait"},
		{0, "Check your billing details. ", "p: Check your billing details; "},
		{429, "Slow down;", "p: 429 Too Many Requests: Slow down; wait"},
	} {
		if e := c.Reported(&responses.Error{Status: s.status, Message: s.message}); !strings.HasPrefix(e.Error(), s.words) {
			t.Errorf("%q, want %q", e.Error(), s.words)
		}
	}
	said := responses.ParseError([]byte(`[{"error":{"message":"You exceeded your current quota","code":429}}]`))
	if said == nil || said.Message != "You exceeded your current quota" {
		t.Errorf("an error in a list: %+v", said)
	}
}

// TestParseModels reads lists of models, and says what is wrong with others in words.
func TestParseModels(t *testing.T) {
	got, err := ParseModels([]byte(`{"data":[{"id":5},{"id":"a","context_length":"128k"},null,"x",
		{"id":"b","max_model_len":4096.0,"owned_by":7},{"id":"c","meta":{"n_ctx":10,"n_ctx_train":20},"owned_by":"d"}]}`))
	want := []ListedModel{{ID: "a"}, {ID: "b", Context: 4096}, {ID: "c", Context: 10, OwnedBy: "d"}}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v, %v", got, err)
	}
	// prices as OpenRouter lists them; others are left out
	got, err = ParseModels([]byte(`{"data":[
		{"id":"a","pricing":{"prompt":"0.0000006","completion":"0.0000022","input_cache_read":"0.00000011"}},
		{"id":"b","pricing":{"prompt":"0","completion":0.00000001}},{"id":"router","pricing":{"prompt":"-1","completion":"-1"}},
		{"id":"c","pricing":{"input":0.3,"output":0.5}},{"id":"d","pricing":"free"},
		{"id":"e","pricing":{"prompt":"NaN","completion":"0"}},{"id":"f","pricing":{"prompt":3,"completion":15}}]}`))
	prices := []*model.Price{{Input: 0.6, Cached: 0.11, Output: 2.2}, {Output: 0.01}, nil, nil, nil, nil, nil}
	if err != nil || len(got) != len(prices) {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, want := range prices {
		if m := got[i]; (m.Price == nil) != (want == nil) || want != nil && *m.Price != *want {
			t.Errorf("%s: %+v, not %+v", m.ID, m.Price, want)
		}
	}
	for body, want := range map[string]string{`{"data":[{"id":"a"`: "was cut", "<html>": "no JSON", "[]": "no list",
		`{"data":null}`: "no list", `{"object":"list"}`: "no list"} {
		if _, err := ParseModels([]byte(body)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", body, err)
		}
	}
}
