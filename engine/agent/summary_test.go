package agent_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/engine/responses/client"
	"waferpair/engine/responses/fake"
)

// recapped is a summary that a test asks for, and what came of it.
type recapped struct {
	text   string
	failed error
	used   int
}

// ask returns the summary to ask for. With it the prompt has its text before the request.
func (r *recapped) ask() *engine.Recap {
	return &engine.Recap{Items: []model.Item{model.User("sum up"), model.User("long ago")}, About: "turns 1 to 2",
		Use: func(text string, failed error) ([]model.Item, int, string, error) {
			r.text, r.failed, r.used = text, failed, r.used+1
			if failed != nil {
				return []model.Item{model.User("go")}, 0, "without: " + failed.Error(), nil
			}
			return []model.Item{model.User("<" + text + ">"), model.User("go")}, 1, "with it", nil
		}}
}

// phases are those that the turn showed, each once.
func (s *served) phases() (out string) {
	for _, ev := range s.events {
		if w, is := ev.(engine.Working); is && !strings.HasSuffix(out, string(w.Phase)+" ") {
			out += string(w.Phase) + " "
		}
	}
	return out
}

// TestASummaryFirst has a model write a summary before its answer: without tools, shown as a phase of its
// own, no item and no words of the turn, in its usage and not in its time to the first token.
func TestASummaryFirst(t *testing.T) { onEachWire(t, checkASummaryFirst) }

func checkASummaryFirst(t *testing.T, of client.Provider) {
	var r recapped
	s := serveAfter(t, of, r.ask(), fake.Answers(
		fake.Answer{Items: []fake.Item{fake.Think("hm"), fake.Say("They "), fake.Say("counted.")},
			First: 50 * time.Millisecond,
			Usage: &fake.Usage{Input: 1000, Output: 100}},
		fake.Answer{Items: []fake.Item{fake.Custom("apply_patch", placed)}, Usage: &fake.Usage{Input: 10, Output: 5}},
		fake.Answer{Items: []fake.Item{fake.Say("Done.")}, Usage: &fake.Usage{Input: 20, Output: 5}}), nil)
	asked := s.server.Asked()
	if s.Status != engine.Completed || len(asked) != 3 || r.used != 1 || r.text != "They counted." || r.failed != nil {
		t.Fatalf("%+v, %d requests, %+v", s.Outcome, len(asked), r)
	}
	if len(asked[0].Tools) > 0 || len(asked[1].Tools) == 0 || asked[0].Has(`"go"`) || !asked[0].Has("long ago") {
		t.Errorf("asked first: %s\nand then: %s", asked[0].Body, asked[1].Body)
	}
	if !asked[1].Has("They counted.") || asked[1].Has("long ago") || asked[1].Text() != "go" {
		t.Errorf("asked then: %s", asked[1].Body)
	}
	if strings.Contains(s.items(), "counted") || strings.Contains(s.Said, "counted") {
		t.Errorf("the summary is part of the turn: %s", s.items())
	}
	took := s.Timing
	if took.Usage.Input != 1030 || took.Usage.Output != 110 || took.Rounds != 3 || took.Summary < 50*time.Millisecond ||
		took.TTFT > took.Total-took.Summary || *took.Cost != (1030+1100)/1e6 {
		t.Errorf("%+v, cost %v", took, *took.Cost)
	}
	if got := s.phases(); !strings.HasPrefix(got, "summary ") || strings.Count(got, "summary") != 1 {
		t.Errorf("shown: %s", got)
	}
}

// TestNoSummaryFirst has the summary fail: the answer follows without it.
func TestNoSummaryFirst(t *testing.T) { onEachWire(t, checkNoSummaryFirst) }

func checkNoSummaryFirst(t *testing.T, of client.Provider) {
	for name, first := range map[string]fake.Answer{
		"refused":  {Fault: fake.Status(400, "", "not today")},
		"died":     {Items: []fake.Item{fake.Say(words)}, Fault: fake.AtByte(3000)},
		"too long": {Items: []fake.Item{fake.Say("They")}, Stop: "max_output_tokens"}} {
		var r recapped
		s := serveAfter(t, of, r.ask(), func(q *fake.Request) fake.Answer {
			if q.Has("long ago") {
				return first
			}
			return fake.Answer{Items: []fake.Item{fake.Say(placed)}}
		}, nil)
		if s.Status != engine.Completed || r.used != 1 || r.failed == nil || strings.Contains(s.items(), "They") {
			t.Errorf("%s: %+v %+v", name, s.Outcome, r)
		}
	}
}

// TestASummaryIsCut stops and steers while the summary is written: upstream is cut, a stop ends the turn,
// and after a steer the answer follows without the summary, with the instruction.
func TestASummaryIsCut(t *testing.T) { onEachWire(t, checkASummaryIsCut) }

func checkASummaryIsCut(t *testing.T, of client.Provider) {
	for _, steer := range []bool{false, true} {
		var r recapped
		s := serveAfter(t, of, r.ask(), fake.Answers(
			fake.Answer{Items: []fake.Item{fake.Say(words)}, Gap: time.Millisecond},
			fake.Answer{Items: []fake.Item{fake.Say("So be it.")}}), func(s *served, run *engine.Turn) {
			s.server.Arrived(1, time.Minute)
			if steer {
				run.Steer("instead")
			} else {
				run.Stop()
			}
		})
		s.left(t, 0)
		asked := s.server.Asked()
		if r.used != 1 || !errors.Is(r.failed, engine.ErrCutByUser) {
			t.Errorf("steer %v: %+v", steer, r)
		}
		if !steer {
			if s.Status != engine.Stopped || len(asked) != 1 || s.Said != "" {
				t.Errorf("%+v, %d requests", s.Outcome, len(asked))
			}
			continue
		}
		if !inWords(s.Outcome) || len(asked) != 2 || asked[1].Text() != "instead" || !asked[1].Has("go") ||
			s.Said != "So be it." {
			t.Errorf("%+v, %d requests", s.Outcome, len(asked))
		}
		var states []engine.SteerState
		for _, ev := range s.events {
			if st, is := ev.(engine.Steered); is {
				states = append(states, st.State)
			}
		}
		if len(states) != 3 || states[2] != engine.SteerApplied {
			t.Errorf("%v", states)
		}
	}
}
