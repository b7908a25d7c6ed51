package prompt

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/engine/model"
)

// talk is a session whose turns become too long for their prompts.
type talk struct {
	*rapid.T
	files     project
	turns     []Turn
	memory    *Memory
	summaries Summaries
	limit     int
	last      string // everything of the last turn that a model has read and said
}

// build builds the next prompt, twice.
func (s *talk) build() Context {
	r := Request{Text: "go on", Files: s.files, Turns: s.turns, Before: s.memory, Summaries: s.summaries, Limit: s.limit,
		Without: []string{"map"}} // which shrinks first
	c := build(s.T, r)
	if again := build(s.T, r); !reflect.DeepEqual(again, c) {
		s.Fatal("the same request gave another prompt")
	}
	if c.Tokens > c.Limit-c.Reserve {
		s.Fatalf("%d tokens of %d", c.Tokens, c.Limit-c.Reserve)
	}
	checkCalls(s.T, c.Items)
	return c
}

// checkDue checks what a model would be asked, and that old outputs go before a summary is asked for.
func (s *talk) checkDue(c Context) {
	d := c.Due
	tokens := 0
	for _, i := range d.Items {
		tokens += Ratio{}.Count(i.Text())
	}
	if most := c.Limit - c.Reserve; tokens > most {
		s.Fatalf("the model is asked for the summary with %d tokens of %d", tokens, most)
	}
	if d.To <= s.summaries.Now.To || d.From != 10 {
		s.Fatalf("a summary of %s follows that of %s", d.Name(), s.summaries.Now.Name())
	}
	if now := s.summaries.Now.Text; !strings.Contains(d.Items[1].Text(), now) {
		s.Fatalf("the summary does not take the one before in:\n%s", d.Items[1].Text())
	}
	for _, p := range c.Parts {
		if p.Kind == Conversation && strings.Contains(p.Text, strings.Repeat("output ", 40)) {
			s.Fatalf("a summary is asked for, and an output is in:\n%s", p.Text)
		}
	}
}

// TestSummaries checks the laws of a session with summaries: no prompt is too long, old outputs go first,
// a summary takes the one before in, prompts begin with the bytes of the one before until another summary is
// written, and that is not in every turn.
func TestSummaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &talk{T: t, files: shop(), limit: rapid.IntRange(6000, 12_000).Draw(t, "limit")}
		written := -10
		for n := range 14 {
			c := s.build()
			now := said(c.Items)
			if c.Due != nil {
				s.checkDue(c)
				if n-written < 2 {
					t.Fatalf("a summary in turn %d, and again in turn %d", written, n)
				}
				written = n
				sum, err := c.Due.Take(fmt.Sprintf("the essence of %s", c.Due.Name()), Ratio{}.Count)
				if err != nil {
					t.Fatal(err)
				}
				s.summaries.Now = sum
				if c = s.build(); c.Due != nil {
					t.Fatal("another summary is due at once")
				}
				now = said(c.Items)
				if strings.Count(now, "the essence of") != 1 || !strings.Contains(now, sum.Text) {
					t.Fatalf("the summary is not in, or an older one is:\n%s", now)
				}
				s.last = ""
			}
			shortened := c.Memory.Outputs > 0 && (s.memory == nil || c.Memory.Outputs != s.memory.Outputs)
			if !shortened && !strings.HasPrefix(now, s.last) {
				t.Fatalf("turn %d:\n%s\ndoes not begin with\n%s", n, now, s.last)
			}
			items := append([]model.Item{c.Items[c.From]}, call(fmt.Sprint("c", n),
				strings.Repeat("output ", rapid.IntRange(0, 800).Draw(t, "output")))...)
			items = append(items, model.Assistant(strings.Repeat("words ", rapid.IntRange(20, 900).Draw(t, "words"))))
			s.turns, s.memory = append(s.turns, Turn{ID: int64(10 + n), Items: items}), &c.Memory
			s.last = now + said(items[1:])
		}
	})
}

// long is a session of n turns, of about 600 tokens each, numbered from 1.
func long(n int) (turns []Turn) {
	for i := range n {
		turns = append(turns, Turn{ID: int64(i + 1), Items: []model.Item{model.User(fmt.Sprintf("question %d", i+1)),
			model.Assistant(strings.Repeat("some words ", 190))}})
	}
	return turns
}

// TestASummaryStandsForItsTurns checks where it stands, and what is said of the turns.
func TestASummaryStandsForItsTurns(t *testing.T) {
	r := Request{Text: "go on", Turns: long(8), Files: project{}, Limit: 4400}
	c := build(t, r)
	if c.Due == nil || c.Due.From != 1 || c.Due.To != 7 ||
		!strings.Contains(c.Out[0].Reason, "first asked for a summary") {
		t.Fatalf("%+v\n%+v", c.Due, c.Out)
	}
	r.Summaries.Now, _ = c.Due.Take(" They counted.\n", Ratio{}.Count)
	c = build(t, r)
	if got, want := names(c), "instructions turns 1 to 7 turn 8 request"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(c.Out) != 7 || c.Out[6].Reason != "the summary of turns 1 to 7 stands for it" {
		t.Errorf("%+v", c.Out)
	}
	if text := c.Items[1].Text(); text !=
		"Summary of turns 1 to 7 of this conversation, which are left out to save room:\nThey counted.\n" {
		t.Error(text)
	}
	r.Without = []string{"turns 1 to 7"}
	if got := names(build(t, r)); got != "instructions turn 8 request" {
		t.Error(got)
	}
	r.Without = []string{"conversation"}
	if got := names(build(t, r)); got != "instructions request" {
		t.Error(got)
	}
}

// TestATurnThatWasTakenOutIsInNoSummary checks that the model is not asked about it.
func TestATurnThatWasTakenOutIsInNoSummary(t *testing.T) {
	c := build(t, Request{Text: "go on", Turns: long(8), Files: project{}, Limit: 4400, Without: []string{"turn 2"}})
	if asked := said(c.Due.Items); strings.Contains(asked, "question 2") || !strings.Contains(asked, "question 3") {
		t.Error(asked)
	}
}

// TestNoSummary checks a model that wrote none that is of use: the oldest turns go, with the reason, and
// it is asked again only when more have to go.
func TestNoSummary(t *testing.T) {
	r := Request{Text: "go on", Turns: long(8), Files: project{}, Limit: 4400}
	d := build(t, r).Due
	for _, text := range []string{"", " \n", strings.Repeat("endless ", 4000)} {
		if _, err := d.Take(text, Ratio{}.Count); err == nil {
			t.Errorf("%.20q is a summary", text)
		}
	}
	r.Summaries = Summaries{Tried: d.To, Why: "it broke"}
	c := build(t, r)
	if c.Due != nil || !strings.HasSuffix(c.Out[0].Reason, "there is no summary of it: it broke") {
		t.Errorf("%+v %+v", c.Due, c.Out)
	}
	r.Turns = long(10)
	if c = build(t, r); c.Due != nil {
		t.Error("it is asked again at once")
	}
	r.Turns = long(14)
	if c = build(t, r); c.Due == nil || c.Due.From != 1 || c.Due.To <= d.To {
		t.Errorf("%+v", c.Due)
	}
}

// TestASummaryTakenBack checks that the turns are in themselves again, as far as they fit, and that no
// summary of them is asked for.
func TestASummaryTakenBack(t *testing.T) {
	r := Request{Text: "go on", Turns: long(8), Files: project{}, Limit: 4400, Summaries: Summaries{Back: 6}}
	c := build(t, r)
	if got, want := names(c), "instructions turn 5 turn 6 turn 7 turn 8 request"; got != want || c.Due != nil {
		t.Errorf("got %s, want %s; %+v", got, want, c.Due)
	}
	if !strings.HasSuffix(c.Out[0].Reason, "you took its summary back") {
		t.Errorf("%+v", c.Out)
	}
	r.Turns = long(16)
	if c = build(t, r); c.Due == nil || c.Due.From != 7 {
		t.Errorf("%+v", c.Due)
	}
	r.Summaries = Summaries{Back: 6, Now: Summary{7, 14, "They counted."}}
	got, want := names(build(t, r), Summarized, Conversation), "turn 5 turn 6 turns 7 to 14 turn 15 turn 16"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
