package responses

import (
	"fmt"
	"testing"

	"waferpair/engine/model"
)

// TestEndsAlone reads texts of which a server sends the end alone, in whatever event, and nothing twice.
func TestEndsAlone(t *testing.T) {
	const added = `{"type":"response.output_item.added","output_index":0,"item":`
	for _, events := range [][]string{
		{`{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"hé"}`},
		{added + `{"id":"msg_1","type":"message","role":"assistant","content":[]}}`,
			`{"type":"response.content_part.done","output_index":0,"content_index":0,"part":{"type":"output_text","text":"hé"}}`},
		{`{"type":"response.output_text.delta","output_index":0,"delta":"h"}`,
			`{"type":"response.output_text.done","output_index":0,"text":"hé"}`,
			`{"type":"response.content_part.done","output_index":0,"part":{"type":"output_text","text":"hé"}}`},
		{`{"type":"response.refusal.done","output_index":0,"refusal":"hé"}`},
		{`{"type":"response.reasoning_summary_text.done","output_index":0,"summary_index":0,"text":"hé"}`},
		{added + `{"id":"fc_1","type":"function_call","name":"read","call_id":"c","arguments":""}}`,
			`{"type":"response.function_call_arguments.done","output_index":0,"arguments":"hé"}`},
		{added + `{"id":"fc_1","type":"function_call","name":"wrapped","call_id":"c","arguments":""}}`,
			`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"input\":\"h"}`,
			`{"type":"response.function_call_arguments.done","output_index":0,"arguments":"{\"input\":\"hé\"}"}`},
		{`{"type":"response.output_item.done","output_index":0,"item":{"id":"fc_1","type":"function_call","name":"wrapped",
			"call_id":"c","arguments":{"input":"hé"}}}`},
	} {
		d, o := NewDecoder(map[string]bool{"wrapped": true}), model.Output{}
		for _, e := range append(events, `{"type":"response.completed","response":{"id":"resp_1","output":[]}}`) {
			if err := d.Event("", []byte(e), o.Take); err != nil {
				t.Fatal(e, err)
			}
		}
		if items := o.Items(); len(items) != 1 || items[0].Text() != "hé" || len(o.Open()) > 0 {
			t.Errorf("%v: %v", events, fmt.Sprint(items))
		}
	}
}
