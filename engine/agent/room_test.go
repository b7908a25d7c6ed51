package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
)

// TestLongOutputsFitTheContext has a model with a small context read a long file again and again. No
// prompt is longer than its context, each call keeps its output, the newest output is there as far as
// it fits, and what the model has read stays as it was until something has to go.
func TestLongOutputsFitTheContext(t *testing.T) {
	const limit, rounds = 8000, 15
	long := strings.Repeat("a line of the long file\n", 5000)
	var answers [][]model.Item
	for n := range rounds {
		answers = append(answers, []model.Item{{Kind: model.FunctionCall, CallID: fmt.Sprint("c", n), Name: "read",
			Input: fmt.Sprintf(`{"path":"long.txt","from":%d}`, 1+n)}})
	}
	m := &drivertest.Speaker{Language: true, Context: limit,
		Answers: append(answers, []model.Item{model.Assistant("Done.")})}
	turn := engine.NewSession(drivertest.NewMemory(map[string]string{"long.txt": long})).Start(t.Context(),
		engine.Request{Driver: agent.New(m, agent.Tools()...),
			Prompt: model.Prompt{Items: []model.Item{model.User("read it")}}})
	for range turn.Events() {
	}
	if o := turn.Wait(); !inWords(o) {
		t.Fatalf("%s: %s", o.Status, o.Message)
	}
	prompts := m.Prompts()
	if len(prompts) != rounds+1 {
		t.Fatalf("%d prompts", len(prompts))
	}
	kept := 0
	for n, p := range prompts {
		size, outputs := 0, 0
		for _, i := range p.Items {
			size += len(i.Text())
			if i.Kind.IsOutput() {
				outputs++
			}
		}
		if size > limit*3 || outputs != n {
			t.Errorf("prompt %d has %d bytes and %d outputs", n, size, outputs)
		}
		if n == 0 {
			continue
		}
		last := p.Items[len(p.Items)-1].Text()
		if !strings.Contains(last, fmt.Sprintf("long.txt, lines %d to", n)) || len(last) < 1000 {
			t.Errorf("prompt %d ends with %.200q", n, last)
		}
		before := prompts[n-1].Items
		same := true
		for at := range before {
			same = same && before[at].Text() == p.Items[at].Text()
		}
		if same {
			kept++
		} else if p.After != "" {
			t.Errorf("prompt %d changes what the model has read, and goes on from it", n)
		}
	}
	if kept == 0 {
		t.Error("each prompt changed the one before")
	}
}
