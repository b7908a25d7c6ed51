package responses

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
	"waferpair/engine/model"
)

// TestBodies compares request bodies with what the API documents.
func TestBodies(t *testing.T) {
	warm := 0.5
	p := model.Prompt{
		Items: []model.Item{
			{Kind: model.Message, Role: model.RoleDeveloper, Parts: []model.Part{{Kind: model.InputText, Text: "Be <brief>."}}},
			model.User("go"),
			{Kind: model.Reasoning, ID: "rs_1", Opaque: json.RawMessage(`{"encrypted_content":"x"}`)},
			{Kind: model.Reasoning, ID: "rs_2", Parts: []model.Part{{Kind: model.ReasoningText, Text: "hm"}}},
			{Kind: model.CustomCall, ID: "ctc_1", CallID: "c", Name: "apply_patch", Input: "a\n\"b\""},
			{Kind: model.CustomOutput, CallID: "c", Parts: []model.Part{{Kind: model.InputText, Text: "ok"}}},
			{Kind: model.Message, ID: "of another server", Status: model.Incomplete, Role: model.RoleAssistant,
				Parts: []model.Part{{Kind: model.OutputText, Text: "I"}}},
			model.User("on"),
		},
		Tools: []model.Tool{{Name: "apply_patch", Description: "Edits.", Format: &model.Format{Syntax: model.Lark,
			Text: "start: /a/"}},
			{Name: "read", Schema: json.RawMessage(`{"type":"object"}`)}},
		ToolChoice: "apply_patch",
		Answer:     &model.Format{Syntax: model.JSONSchema, Text: `{"type":"object"}`},
		Options:    model.Options{MaxTokens: 9, Temperature: &warm, Effort: "low"},
	}
	for want, d := range map[string]Dialect{
		`{"stream":true,"model":"m","store":false,` +
			`"tools":[{"type":"custom","name":"apply_patch","description":"Edits.","format":{"type":"grammar","syntax":"lark","definition":"start: /a/"}},{"type":"function","name":"read","parameters":{"type":"object"},"strict":false}],` +
			`"tool_choice":{"type":"custom","name":"apply_patch"},"max_output_tokens":9,"temperature":0.5,"reasoning":{"effort":"low"},` +
			`"text":{"format":{"type":"json_schema","name":"answer","schema":{"type":"object"},"strict":true}},"include":["reasoning.encrypted_content"],"input":[` +
			`{"type":"message","role":"developer","content":[{"type":"input_text","text":"Be <brief>."}]},` +
			`{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},` +
			`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"},` +
			`{"type":"custom_tool_call","id":"ctc_1","call_id":"c","name":"apply_patch","input":"a\n\"b\""},` +
			`{"type":"custom_tool_call_output","call_id":"c","output":"ok"},` +
			`{"type":"message","status":"incomplete","role":"assistant","content":[{"type":"output_text","text":"I","annotations":[]}]},` +
			`{"type":"message","role":"user","content":[{"type":"input_text","text":"on"}]}]}`: {Freeform: true,
			Encrypted: true, Developer: true},
		`{"stream":true,"model":"m","store":false,"instructions":"Be <brief>.",` +
			`"tools":[{"type":"function","name":"apply_patch","description":"Edits.\nThe argument input is the whole text. It matches this grammar (lark):\nstart: /a/","parameters":` + inputSchema +
			`,"strict":false},{"type":"function","name":"read","parameters":{"type":"object"},"strict":false}],` +
			`"tool_choice":{"type":"function","name":"apply_patch"},"max_output_tokens":9,"temperature":0.5,"reasoning":{"effort":"low"},` +
			`"text":{"format":{"type":"json_schema","name":"answer","schema":{"type":"object"},"strict":true}},"input":[` +
			`{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},` +
			`{"type":"reasoning","id":"rs_2","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]},` +
			`{"type":"function_call","call_id":"c","name":"apply_patch","arguments":"{\"input\":\"a\\n\\\"b\\\"\"}"},` +
			`{"type":"function_call_output","call_id":"c","output":"ok"},` +
			`{"type":"message","status":"incomplete","role":"assistant","content":[{"type":"output_text","text":"I","annotations":[]}]},` +
			`{"type":"message","role":"user","content":[{"type":"input_text","text":"on"}]}]}`: {},
	} {
		r, err := Encode(p, "m", d)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Body(nil, `"stream":true`); err != nil || string(got) != want {
			t.Errorf("%v\n got %s\nwant %s", err, got, want)
		}
	}
	for _, bad := range []model.Prompt{{Answer: &model.Format{Syntax: model.Lark}},
		{Options: model.Options{Stop: []string{"x"}}}, {Tools: []model.Tool{{Name: "t", Schema: json.RawMessage("{")}}}} {
		if _, err := Encode(bad, "m", Dialect{}); err == nil {
			t.Errorf("%+v was encoded", bad)
		}
	}
}

// TestSSE checks that events do not depend on chunks or on the ends of lines.
func TestSSE(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stream bytes.Buffer
		var want []string
		eol := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "eol")
		if rapid.Bool().Draw(t, "bom") {
			stream.WriteString("\xef\xbb\xbf")
		}
		for range rapid.IntRange(0, 6).Draw(t, "events") {
			if rapid.Bool().Draw(t, "comment") {
				stream.WriteString(": ping" + eol + eol + "id: 3" + eol)
			}
			name := rapid.SampledFrom([]string{"", "a", "b.c"}).Draw(t, "name")
			if name != "" {
				stream.WriteString("event: " + name + eol)
			}
			lines := rapid.SliceOfN(rapid.StringMatching(`[a-z:é]{1,9}`), 1, 3).Draw(t, "lines")
			for _, l := range lines {
				stream.WriteString(rapid.SampledFrom([]string{"data:", "data: "}).Draw(t, "field") + l + eol)
			}
			stream.WriteString(eol)
			want = append(want, name+"|"+strings.Join(lines, "\n"))
		}
		var s SSE
		var got []string
		for b := stream.Bytes(); len(b) > 0; {
			n := rapid.IntRange(1, min(len(b), 20)).Draw(t, "chunk")
			if err := s.Push(b[:n], func(name string, data []byte) error {
				got = append(got, name+"|"+string(data))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			b = b[n:]
		}
		if err := s.Close(nil); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q\n got %q\nwant %q", stream.String(), got, want)
		}
	})
}

// TestSSEBounds checks that a line, an event and an end without a blank line are bounded.
func TestSSEBounds(t *testing.T) {
	mb := bytes.Repeat([]byte("x"), 1<<20)
	for _, begin := range []string{"", "data: "} {
		var s SSE
		err := s.Push([]byte(begin), nil)
		for n := 0; err == nil && n < 20; n++ {
			err = s.Push(mb, nil)
		}
		if !errors.Is(err, ErrTooLarge) {
			t.Error(err)
		}
	}
	for last, want := range map[string]bool{`data: {"a":1}`: true, `data: {"a":`: false, "data: [DONE]\n": true,
		"": true, ": x": true} {
		var s SSE
		none := func(string, []byte) error { return nil }
		if err := s.Push([]byte(last), none); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(none); (err == nil) != want {
			t.Errorf("%q: %v", last, err)
		}
	}
}

// slow reads the top level of an event as encoding/json does.
func slow(b []byte) (*event, error) {
	e := &event{output: -1, content: -1, summary: -1, whole: b}
	var of map[string]json.RawMessage
	if err := json.Unmarshal(b, &of); err != nil {
		return e, err
	}
	if of == nil {
		return e, errNotObject
	}
	for _, f := range []struct {
		name string
		to   *[]byte
	}{{"delta", &e.delta}, {"item_id", &e.itemID}, {"item", &e.item}, {"response", &e.response}, {"error", &e.failed},
		{"logprobs", &e.logprobs}} {
		if v, ok := of[f.name]; ok && string(v) != "null" {
			*f.to = v
		}
	}
	for _, f := range []struct {
		name string
		to   *int
	}{{"output_index", &e.output}, {"content_index", &e.content}, {"summary_index", &e.summary}} {
		if v, ok := of[f.name]; ok && string(v) != "null" {
			if err := json.Unmarshal(v, f.to); err != nil || *f.to < 0 {
				return e, fmt.Errorf("an index: %w", errNotObject)
			}
		}
	}
	if v, ok := of["type"]; ok && string(v) != "null" {
		return e, json.Unmarshal(v, &e.kind)
	}
	return e, nil
}

// sameScan compares scan with slow. scan may accept what is no JSON where it need not look.
func sameScan(t interface{ Errorf(string, ...any) }, b []byte) {
	var e event
	err := e.scan(b)
	want, slowErr := slow(b)
	if slowErr != nil {
		return
	}
	if err != nil {
		t.Errorf("%s: %v", b, err)
		return
	}
	e.whole, want.whole = nil, nil
	if fmt.Sprintf("%v", e) != fmt.Sprintf("%v", *want) {
		t.Errorf("%s\n got %v\nwant %v", b, e, *want)
	}
	if e.delta != nil {
		sameText(t, e.delta)
	}
}

func sameText(t interface{ Errorf(string, ...any) }, raw []byte) {
	var want string
	wantErr := json.Unmarshal(raw, &want)
	if got, err := unquote(raw); got != want && wantErr == nil || (err == nil) != (wantErr == nil) {
		t.Errorf("%q: %q, %v; want %q, %v", raw, got, err, want, wantErr)
	}
}

var scanned = []string{
	`{"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"a\n\"\\é😀","logprobs":[],"obfuscation":"x\"}"}`,
	`{"delta":"\u00e9\ud83d\ude00\ud83dx\ude00","output_index":12,"type":"response.custom_tool_call_input.delta","x":{"a":["}",{"b":"]"}]}}`,
	` { "type" : "response.completed" , "response" : { "id" : "r" , "usage" : null } , "delta" : null } `,
	`{}`, `{"type":"a","type":"b","item":{}}`, `{"output_index":-1}`, `{"output_index":1.5}`, `{"t\u0079pe":"x"}`, `null`,
	`[]`, ``, `{"a"`, `{"delta":"\x"}`, `{"delta":"a` + "\x01" + `"}`, `{"delta":5}`, `{"delta":"` + "\xff" + `"}`,
	`{"a":1}x`, `{"a":"\"}`,
}

// TestScan compares the fast reader of events with encoding/json.
func TestScan(t *testing.T) {
	for _, s := range scanned {
		sameScan(t, []byte(s))
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		quoted, _ := json.Marshal(text)
		sameText(t, quoted)
		sameText(t,
			[]byte(`"`+rapid.StringMatching(`(\\u[dD][89a-fA-F]..|\\u00e9|\\[nt"\\/xu]|[a-zé]){0,5}`).Draw(t, "raw")+`"`))
	})
}

func FuzzScan(f *testing.F) {
	for _, s := range scanned {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) { sameScan(t, b) })
}

// FuzzEvents feeds a decoder lines of events: it never panics, and its deltas are in order.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(strings.Join(scanned, "\n")))
	f.Add([]byte(`{"type":"response.output_item.added","output_index":0,"item":{"type":"message"}}` + "\n" +
		`{"type":"response.output_text.delta","output_index":0,"delta":"a"}` + "\n" +
		`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"ab"}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var o model.Output
		d := NewDecoder(map[string]bool{"apply_patch": true})
		for line := range bytes.SplitSeq(b, []byte("\n")) {
			if err := d.Event("", line, func(d model.Delta) error {
				if err := o.Take(d); err != nil {
					t.Errorf("%s: %v", b, err)
				}
				return nil
			}); err != nil {
				return
			}
		}
	})
}

// TestUnwrap checks that the input of a wrapped tool does not depend on how its JSON is cut.
func TestUnwrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		input := rapid.StringMatching(`([a-z]|[\\"\n<é🙂]|\\u00e9){0,20}`).Draw(t, "input")
		var args bytes.Buffer
		args.WriteString(rapid.SampledFrom([]string{`{`, ` { "why" : {"a":["}\""]} , `, `{"n":1,`}).Draw(t, "before"))
		if rapid.Bool().Draw(t, "ascii") {
			args.WriteString(`"input":"` + ascii(input) + `"`)
		} else {
			args.WriteString(Member("input", input))
		}
		args.WriteString(rapid.SampledFrom([]string{`}`, `,"more":"x"}`, ` , "input2" : [] } `}).Draw(t, "after"))
		var u Unwrapper
		got := ""
		for s := args.String(); s != ""; {
			n := rapid.IntRange(1, len(s)).Draw(t, "cut")
			got += u.Push(s[:n])
			s = s[n:]
		}
		whole, err := Unwrap(args.String())
		if got != input || whole != input || err != nil {
			t.Fatalf("%s: %q and %q, %v; want %q", args.String(), got, whole, err, input)
		}
	})
	for args, want := range map[string]string{"*** Begin": "*** Begin", `{"patch":"x"}`: "x", ` raw`: "raw"} {
		if got, err := Unwrap(args); err != nil || got != want {
			t.Errorf("%q: %q, %v", args, got, err)
		}
	}
	if _, err := Unwrap(`{"input":"a`); err == nil {
		t.Error("broken JSON was unwrapped")
	}
}

// ascii returns the body of a JSON string with escapes for all but ASCII.
func ascii(s string) string {
	b, _ := json.Marshal(s)
	var out strings.Builder
	for _, r := range string(b[1 : len(b)-1]) {
		switch {
		case r < utf8.RuneSelf:
			out.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		}
	}
	return out.String()
}
