package fake_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"waferpair/engine/responses/fake"
)

// What clients get wrong, and what OpenAI says about it.
func TestBadRequests(t *testing.T) {
	in := func(items string) string { return `{"model":"gpt-5.5","store":false,"input":[` + items + `]}` }
	user := `{"role":"user","content":"x"}`
	call := `{"type":"function_call","call_id":"c1","name":"read","arguments":"{}"}`
	output := `{"type":"function_call_output","call_id":"c1","output":"x"}`
	tools := func(tool string) string { return `{"model":"gpt-5.5","input":"x","tools":[` + tool + `]}` }
	message := func(m string) string { return `chat {"model":"gpt-5.5","messages":[` + m + `]}` }
	for _, c := range []struct{ body, want string }{
		{in(user), ""},
		{in(user + "," + call + "," + output), ""},
		{`{"model":"gpt-5.5","input":`, "could not parse the JSON body"},
		{`{"input":"x"}`, "Missing required parameter: 'model'"},
		{`{"model":"gpt-5.5"}`, "Missing required parameter: 'input'"},
		{`{"model":"gpt-9","input":"x"}`, "model_not_found"},
		{`{"model":"gpt-5.5","input":"x","stop":["y"]}`, "Unknown parameter: 'stop'"},
		{`{"model":"gpt-5.5","input":"x","seed":1}`, "Unknown parameter: 'seed'"},
		{`{"model":"gpt-5.5","input":"x","max_output_tokens":5}`, "minimum value"},
		{`{"model":"gpt-5.5","input":"x","temperature":3}`, "between 0 and 2"},
		{`{"model":"gpt-5.5","input":"x","previous_response_id":"resp_x"}`, "previous_response_not_found"},
		{in(`{"role":"user","content":[{"type":"output_text","text":"x"}]}`), "Invalid value: 'output_text'"},
		{in(`{"role":"assistant","content":[{"type":"input_text","text":"x"}]}`), "'output_text', 'refusal'"},
		{in(`{"role":"tool","content":"x"}`), "Invalid value: 'tool'"},
		{in(`{"role":"user","content":"x","name":"me"}`), "Unknown parameter: 'input[0].name'"},
		{in(`{"type":"message","id":"x1","role":"user","content":"x"}`), "begins with 'msg'"},
		{in(user + "," + call), "No tool output found for function call c1"},
		{in(user + "," + output), "No tool call found for function call output with call_id c1"},
		{in(output + "," + call), "No tool call found"},
		{in(`{"type":"function_call","call_id":"c1","name":"read","arguments":{}}`), "input[0].arguments"},
		{in(`{"type":"function_call","call_id":"` + strings.Repeat("c", 65) + `","name":"read","arguments":""}`),
			"length 65"},
		{in(`{"type":"reasoning","id":"rs_1","summary":[]},` + user), "not found. Items are not persisted"},
		{in(user + `,{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}`), "required following item"},
		{tools(`{"type":"function","function":{"name":"read"}}`), "Missing required parameter: 'tools[0].name'"},
		{tools(`{"type":"function","name":"read file"}`), "does not match pattern"},
		{tools(`{"type":"function","name":"read","strict":true,"parameters":{"type":"object"}}`), "additionalProperties"},
		{tools(`{"type":"function","name":"read","parameters":{}}`), "type: \\\"object\\\""},
		{tools(`{"type":"custom","name":"p","format":{"type":"grammar","syntax":"gbnf","definition":"x"}}`),
			"'lark' and 'regex'"},
		{tools(`{"type":"custom","name":"p"},{"type":"custom","name":"p"}`), "Duplicate tool name"},
		{message(user), ""},
		{`chat {"model":"gpt-5.5","messages":[]}`, "empty array"},
		{`chat {"model":"gpt-5.5","messages":[` + user + `],"input":"x"}`, "Unrecognized request argument supplied: input"},
		{`chat {"model":"gpt-5.5","messages":[` + user + `],"max_tokens":9}`, "Use 'max_completion_tokens' instead"},
		{`chat {"model":"gpt-5.5","messages":[` + user + `],"stream_options":{"include_usage":true}}`,
			"only allowed when 'stream'"},
		{`chat {"model":"gpt-5.5","messages":[` + user + `],"tools":[]}`, "empty array"},
		{message(`{"role":"user","content":[{"type":"input_text","text":"x"}]}`), "Invalid value: 'input_text'"},
		{message(`{"role":"tool","tool_call_id":"c1","content":"x"}`), "must be a response to a preceeding"},
		{message(user + `,{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"read",` +
			`"arguments":"{}"}}]},` + user), "did not have response messages: c1"},
		{message(`{"role":"assistant","content":null}`), "expected a string, got null"},
	} {
		s := fake.New(fake.OpenAI(), fake.Always(fake.Say("yes")))
		path, body := "/responses", c.body
		if rest, chat := strings.CutPrefix(body, "chat "); chat {
			path, body = "/chat/completions", rest
		}
		res := post(t, serve(t, s).URL+path, body)
		text := all(t, res.Body)
		if ok := res.StatusCode == http.StatusOK; ok != (c.want == "") || !strings.Contains(text, c.want) {
			t.Errorf("%s\nis answered %d %s\nwant %q", c.body, res.StatusCode, text, c.want)
		}
		status, _ := s.Requests()[0].Status()
		if status != res.StatusCode || string(s.Requests()[0].Body) != body {
			t.Errorf("recorded as %d: %s", status, s.Requests()[0].Body)
		}
	}
}

func TestProvidersDiffer(t *testing.T) {
	custom := `{"model":"small","stream":true,"input":"x","tools":[{"type":"custom","name":"apply_patch"}]}`
	for _, c := range []struct {
		caps                      fake.Caps
		responses, chat, freeform int
	}{
		{fake.OpenAI(), 200, 200, 200}, {fake.Azure(), 200, 200, 200}, {fake.XAI(), 200, 200, 400},
		{fake.VLLM(), 200, 200, 400}, {fake.Ollama(), 200, 200, 200}, {fake.LlamaCpp(), 200, 200, 200},
		{fake.LMStudio(), 200, 200, 200}, {fake.Cerebras(), 404, 200, 404}, {fake.OpenRouter(), 200, 200, 400},
	} {
		h := serve(t, fake.New(c.caps, fake.Always(fake.Think("hm"), fake.Say("yes"))))
		status := fmt.Sprint(post(t, h.URL+"/responses", `{"model":"small","input":"x"}`).StatusCode,
			post(t, h.URL+"/chat/completions", `{"model":"small","messages":[{"role":"user","content":"x"}]}`).StatusCode,
			post(t, h.URL+"/responses", custom).StatusCode)
		if want := fmt.Sprint(c.responses, c.chat, c.freeform); status != want {
			t.Errorf("%s answers %s, want %s", c.caps.Name, status, want)
		}
	}
}

func TestChatStream(t *testing.T) {
	s := fake.New(fake.VLLM(), fake.Always(fake.Think("hm"), fake.Say("yes").InChunks("y", "es"),
		fake.Call("read", `{"path":"a"}`).InChunks(`{"path"`, `:"a"}`)))
	body :=
		`{"model":"small","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"x"}],` +
			`"tools":[{"type":"function","function":{"name":"read","parameters":{"type":"object"}}}]}`
	got := all(t, post(t, serve(t, s).URL+"/chat/completions", body).Body)
	at := 0
	for _, want := range []string{`"role":"assistant"`, `"reasoning":`, `"content":"y"`, `"content":"es"`,
		`"name":"read"`, `"arguments":"{\"path\""`, `"arguments":":\"a\"}"`, `"finish_reason":"tool_calls"`,
		`"choices":[],`, `"prompt_tokens":`, "data: [DONE]\n\n"} {
		i := strings.Index(got[at:], want)
		if i < 0 {
			t.Fatalf("no %s after byte %d in %s", want, at, got)
		}
		at += i
	}
}
