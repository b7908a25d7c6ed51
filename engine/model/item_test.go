package model

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
)

// TestItemsAreTheResponsesAPIs checks that items are the API's JSON, to the byte, and that
// unknown fields survive.
func TestItemsAreTheResponsesAPIs(t *testing.T) {
	for _, want := range []string{
		`{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"a <b> & é","annotations":[],"logprobs":[]}]}`,
		`{"type":"message","role":"user","content":[{"type":"input_text","text":""},{"type":"input_image","file_id":"sha256:ab","detail":"high"},{"type":"input_file","file_id":"f","filename":"a.pdf"}]}`,
		`{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`,
		`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"}`,
		`{"type":"reasoning","summary":[{"type":"summary_text","text":"s"},{"type":"summary_text","text":"t"}],"content":[{"type":"reasoning_text","text":"r"}]}`,
		`{"type":"function_call","status":"incomplete","call_id":"c","name":"f","arguments":""}`,
		`{"type":"custom_tool_call","id":"ctc","call_id":"c","name":"apply_patch","input":"*** Begin Patch\n"}`,
		`{"type":"custom_tool_call_output","call_id":"c","output":"done"}`,
		`{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"a"},{"type":"input_image","file_id":"h"}]}`,
		`{"type":"web_search_call","id":"ws","status":"completed","action":{"query":"q","type":"search"}}`,
		`{"type":"odd_call","a\u0001b\"<":1}`,
	} {
		var i Item
		if err := json.Unmarshal([]byte(want), &i); err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		if got, err := i.MarshalJSON(); err != nil || string(got) != want {
			t.Errorf("%v\n got %s\nwant %s", err, got, want)
		}
	}
	var i Item
	if err := json.Unmarshal([]byte(`{"role":"assistant","content":"hi"}`), &i); err != nil ||
		!reflect.DeepEqual(i, Item{Kind: Message, Role: RoleAssistant, Parts: []Part{{Kind: OutputText, Text: "hi"}}}) {
		t.Errorf("%+v, %v", i, err)
	}
	if err := json.Unmarshal([]byte(`{"type":"function_call","arguments":{"a":1}}`), &i); err != nil ||
		i.Input != `{"a":1}` {
		t.Errorf("%+v, %v", i, err)
	}
	if err := json.Unmarshal([]byte(`{"type":"function_call","arguments":[]}`), &i); err == nil ||
		!strings.Contains(err.Error(), "function_call") || !strings.Contains(err.Error(), "arguments") {
		t.Error(err)
	}
}

// TestUsageIsTheResponsesAPIs checks the names.
func TestUsageIsTheResponsesAPIs(t *testing.T) {
	for _, u := range []Usage{{}, {Input: 9, Cached: 4, Output: 7, Reasoning: 2, Drafted: 5,
		Accepted: 3, Estimated: true}} {
		b, err := json.Marshal(u)
		var got Usage
		if err == nil {
			err = json.Unmarshal(b, &got)
		}
		if err != nil || got != u {
			t.Errorf("%s is %+v, %v", b, got, err)
		}
	}
	var u Usage
	const theirs = `{"input_tokens":3,"input_tokens_details":{"cached_tokens":1},"output_tokens":2,"output_tokens_details":{"reasoning_tokens":1},"total_tokens":5}`
	if err := json.Unmarshal([]byte(theirs), &u); err != nil ||
		u != (Usage{Input: 3, Cached: 1, Output: 2, Reasoning: 1}) {
		t.Errorf("%+v, %v", u, err)
	}
	if b, _ := json.Marshal(u); string(b) != theirs {
		t.Errorf("%s", b)
	}
}

// TestOutput checks that the items of an answer do not depend on how it is cut into texts,
// or on which items are open side by side; and that, cut anywhere, each item holds its text
// so far.
func TestOutput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.SliceOfN(rapid.SampledFrom([]Kind{Message, Reasoning, FunctionCall, CustomCall}), 1, 4).
			Draw(t, "kinds")
		var o Output
		said, ended := make([]string, len(kinds)), make([]bool, len(kinds))
		for at, k := range kinds {
			if err := o.Take(Begin{At: at, Item: Item{Kind: k, Role: RoleAssistant, CallID: "c"}}); err != nil {
				t.Fatal(err)
			}
		}
		for range rapid.IntRange(0, 30).Draw(t, "deltas") {
			at := rapid.IntRange(0, len(kinds)-1).Draw(t, "at")
			words := rapid.StringMatching(`[a-zé🙂\n]{0,5}`).Draw(t, "text")
			parts := 0
			if i, _, _ := o.Item(at); !kinds[at].IsCall() {
				parts = len(i.Parts)
			}
			part := max(0, parts-rapid.IntRange(0, 1).Draw(t, "back"))
			err := o.Take(Text{At: at, Part: part, Text: words, Tokens: 1})
			if (err != nil) != ended[at] {
				t.Fatalf("item %d has ended: %v; %v", at, ended[at], err)
			}
			if err == nil {
				said[at] += words
			}
			if !ended[at] && rapid.IntRange(0, 9).Draw(t, "end") == 0 {
				i, _, _ := o.Item(at)
				i.ID = "id"
				if err := o.Take(End{At: at, Item: i}); err != nil {
					t.Fatal(err)
				}
				ended[at] = true
			}
		}
		for _, at := range o.Open() {
			o.Cut(at)
		}
		for at, i := range o.Items() {
			if i.Text() != said[at] || i.Kind != kinds[at] || (i.Status == Complete) != ended[at] ||
				(i.ID == "id") != ended[at] {
				t.Fatalf("item %d: %+v, want %q", at, i, said[at])
			}
		}
	})
}

// TestOutputOutOfOrder checks that the error for deltas in the wrong order names the item.
func TestOutputOutOfOrder(t *testing.T) {
	begin := Begin{Item: Item{Kind: Message, Role: RoleAssistant}}
	for want, of := range map[string][]Delta{
		"text of item 0, which has not begun":    {Text{Text: "a"}},
		"the end of item 1, which has not begun": {begin, End{At: 1}},
		"item 0 began twice":                     {begin, begin},
		"text of item 0, which has ended":        {begin, End{}, Text{Text: "a"}},
		"text of part 1 of item 0, which has 0":  {begin, Text{Part: 1}},
		"item 0 began as message and ends":       {begin, End{Item: Item{Kind: Reasoning}}},
		"item 0 has other words":                 {begin, Text{Text: "a"}, End{Item: Assistant("b")}},
	} {
		var o Output
		var err error
		for _, d := range of {
			if err == nil {
				err = o.Take(d)
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
