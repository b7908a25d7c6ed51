package app_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"waferpair/app"
	"waferpair/app/items"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/model"
	"waferpair/engine/prompt"
	"waferpair/history"
)

// talker is a model with a small context that says much, and writes summaries when it is asked to. A
// request of the form "edit N" changes the line N of a.txt.
type talker struct {
	mu      sync.Mutex
	asked   []model.Prompt // for summaries
	answers []model.Prompt // all others
	summary func(context.Context) (string, error)
	breaks  int // the number of the answer that breaks off in its edit, from 1; 0: none
}

func (m *talker) Info() model.Info {
	return model.Info{Name: "talker", Language: true, Context: 10_000, Offline: true}
}

func (m *talker) Generate(ctx context.Context, p model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	m.mu.Lock()
	sums := strings.Contains(p.Items[0].Text(), "Write the summary")
	if sums {
		m.asked = append(m.asked, p)
	} else {
		m.answers = append(m.answers, p)
	}
	m.mu.Unlock()
	text := strings.Repeat("many words ", 300)
	if n, is := strings.CutPrefix(p.Request(), "edit "); is {
		text += "\n*** Begin Patch\n*** Update File: a.txt\n@@\n-line " + n + "\n+Line " + n + "\n*** End Patch\n"
	}
	if sums {
		var err error
		if text, err = m.summary(ctx); err != nil {
			return model.Result{}, err
		}
	}
	used := model.Result{Stop: model.StopEnd, Usage: model.Usage{Input: 10, Output: 1, Estimated: true}}
	if !sums && len(m.answers) == m.breaks {
		text, used.Stop = text[:strings.LastIndex(text, "\n+")+3], model.StopLength
	}
	begin := model.Begin{Item: model.Item{Kind: model.Message, Role: model.RoleAssistant}}
	deltas := []model.Delta{begin, model.Text{Text: text, Tokens: 1}, model.End{}}
	if used.Stop == model.StopLength { // the item stays open
		deltas = deltas[:2]
	}
	for _, d := range deltas {
		if err := yield(d); err != nil {
			return used, err
		}
	}
	return used, nil
}

// eight requests are one too many for talker's context.
var eight = []string{"one", "two", "three", "four", "five", "six", "seven", "eight"}

const essence = "They talked about the lines. Its token is " + hushed

// hushed is a secret that a model says.
const hushed = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"

func (w *world) talking() (*app.Project, *talker) {
	m := &talker{summary: func(context.Context) (string, error) { return essence, nil }}
	return w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(m, agent.Tools()...)})}), m
}

// say runs turns.
func (w *world) say(p *app.Project, requests ...string) {
	w.Helper()
	for _, r := range requests {
		mode := app.ModeAsk
		if strings.HasPrefix(r, "edit ") {
			mode = app.ModeEdit
		}
		if o := w.turn(p, app.EditRequest{Text: r, Mode: mode}); o.Status != engine.Completed {
			w.Fatalf("%s: %+v", r, o)
		}
	}
}

// conversing returns the parts of the next prompt that are conversation, and what is left out of it.
func (w *world) conversing(p *app.Project) (in string, out []prompt.Left) {
	w.Helper()
	c, err := p.Context(w.Context(), app.EditRequest{Text: "and now?"})
	w.ok(err)
	for _, part := range c.Parts {
		if part.Kind == prompt.Conversation || part.Kind == prompt.Summarized {
			in += part.Name + ", "
		}
	}
	return in, c.Out
}

func (w *world) undamaged(p *app.Project) {
	w.Helper()
	r, err := p.History().Check(w.Context(), nil)
	if w.ok(err); len(r.Damage) > 0 {
		w.Errorf("%+v", r.Damage)
	}
}

// TestASummaryOfASession talks until the oldest turns do not fit: the model is asked for a summary once,
// before its answer and within the turn; it is an item of that turn, masked, and the prompts begin with it
// until more has to go. The turns stay, also when the project is opened again.
func TestASummaryOfASession(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": lines(9)})
	p, m := w.talking()
	w.say(p, eight...)
	if len(m.asked) != 1 {
		t.Fatalf("asked for %d summaries", len(m.asked))
	}
	s, err := p.Summary(t.Context(), 0)
	if w.ok(err); s.From != 1 || s.Text == "" || strings.Contains(s.Text, hushed) {
		t.Fatalf("%+v", s)
	}
	var in history.Turn
	turns, err := p.History().Turns(t.Context(), 1, 0, 0)
	w.ok(err)
	for _, turn := range turns {
		if found := items.Summaries(turn.Items); len(found) == 1 && found[0].Text == s.Text && found[0].Last == s.To {
			in = turn
		} else if len(found) > 0 {
			t.Errorf("%+v", found)
		}
	}
	if in.ID == 0 || len(turns) != 8 || !strings.Contains(string(in.Timing), `"summary_ms"`) ||
		!strings.Contains(string(in.Timing), `"input_tokens":20`) {
		t.Errorf("turn %d: %s", in.ID, in.Timing)
	}
	shown := items.Fold(in.Items)
	if len(shown.Parts) != 2 || len(shown.Said) != 2 || !strings.Contains(shown.Prose, "many words") ||
		!strings.Contains(fmt.Sprint(shown.Parts[0]), "a summary stands for turns 1 to") {
		t.Errorf("%+v", shown)
	}
	// the prompt of that turn, and those after it, have it in the place of its turns
	last := ""
	for n, asked := range m.answers[in.ID-1:] {
		all := ""
		for _, i := range asked.Items {
			all += fmt.Sprintf("[%s] %s\n", i.Role, i.Text())
		}
		if strings.Count(all, s.Text) != 1 || strings.Contains(all, "] one\n") || !strings.Contains(all, "] eight\n") &&
			n == len(m.answers)-int(in.ID) {
			t.Errorf("prompt of turn %d:\n%s", int(in.ID)+n, all)
		}
		if last != "" && !strings.HasPrefix(all, last) {
			t.Errorf("the prompt of turn %d does not begin with the one before", int(in.ID)+n)
		}
		last = all
	}
	w.undamaged(p)
	was, out := w.conversing(p)
	if out[0].Reason != "the summary of "+s.Name()+" stands for it" {
		t.Errorf("%+v", out)
	}
	w.ok(p.Close())
	p, m = w.talking()
	if now, _ := w.conversing(p); now != was {
		t.Errorf("after opening again: %s, before: %s", now, was)
	}
	w.say(p, "9", "10", "11", "12", "13")
	if next, err := p.Summary(t.Context(), 1); err != nil || next.To <= s.To || next.From != 1 || len(m.asked) != 1 ||
		!strings.Contains(m.asked[0].Items[1].Text(), s.Text) {
		t.Errorf("the next summary: %+v, %d asked, %v", next, len(m.asked), err)
	}
	w.nowhere(hushed)
}

// TestASummaryIsTakenBack checks that the turns are in the prompt themselves again, durably, and that no
// other summary of them is asked for.
func TestASummaryIsTakenBack(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": lines(9)})
	p, _ := w.talking()
	if _, err := p.DropSummary(t.Context(), 0); !errors.As(err, new(*app.NoSummary)) {
		t.Error(err)
	}
	w.say(p, eight...)
	s, err := p.DropSummary(t.Context(), 1)
	if w.ok(err); s.Text == "" {
		t.Errorf("%+v", s)
	}
	in, out := w.conversing(p)
	if strings.Contains(in, "turns") || !strings.Contains(in, fmt.Sprintf("turn %d, ", s.To)) ||
		!strings.HasSuffix(out[0].Reason, "you took its summary back") {
		t.Errorf("in: %s; out: %+v", in, out)
	}
	w.undamaged(p)
	w.ok(p.Close())
	p, m := w.talking()
	if again, _ := w.conversing(p); again != in {
		t.Errorf("after opening again: %s, before: %s", again, in)
	}
	w.say(p, "nine")
	if len(m.asked) != 0 {
		t.Errorf("asked again for what was taken back: %s", m.asked[0].Items[1].Text())
	}
	w.say(p, append(eight, eight...)...)
	if next, err := p.Summary(t.Context(), 1); err != nil || next.From != s.To+1 {
		t.Errorf("%+v %v", next, err)
	}
}

// TestAForkFromBeforeASummary checks that a fork has the summary only when it has the turn that asked for
// it, that it gets its own, and that a request that is sent again from before does so.
func TestAForkFromBeforeASummary(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": lines(9)})
	p, m := w.talking()
	w.say(p, "edit 1", "edit 2", "edit 3", "edit 4", "edit 5", "edit 6", "edit 7", "edit 8")
	s, err := p.Summary(t.Context(), 0)
	if w.ok(err); s.Text == "" || len(m.asked) != 1 {
		t.Fatalf("%+v", s)
	}
	_, err = p.Fork(t.Context(), "early", 3)
	w.ok(err)
	if in, _ := w.conversing(p); in != "turn 1, turn 2, turn 3, " {
		t.Errorf("the fork from before has %s", in)
	}
	w.say(p, "edit 8", "edit 7", "edit 6", "edit 5", "edit 4")
	if own, err := p.Summary(t.Context(), 0); err != nil || own.Text == "" || len(m.asked) != 2 {
		t.Errorf("the fork's own: %+v, %v, %d asked", own, err, len(m.asked))
	}
	_, err = p.SwitchFork(t.Context(), "main")
	w.ok(err)
	if now, err := p.Summary(t.Context(), 0); err != nil || now != s {
		t.Errorf("back on the line with the summary: %+v, was %+v, %v", now, s, err)
	}
	asked := len(m.asked)
	for _, again := range []history.TurnID{8, 7, 6} {
		if o := w.turn(p, app.EditRequest{Again: &app.Again{Turn: again}}); o.Status != engine.Completed {
			t.Errorf("%+v", o)
		}
	}
	if now, err := p.Summary(t.Context(), 0); err != nil || now.Text != "" && len(m.asked) == asked {
		t.Errorf("sent again from before the summary: %+v, %v", now, err)
	}
	w.undamaged(p)
}

// TestNoSummaryOfASession checks a model that fails to write one: the answer comes without it, the left-out
// list says why, and it is not asked in each turn. One that the user stopped is asked for again.
func TestNoSummaryOfASession(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": lines(9)})
	p, m := w.talking()
	m.summary = func(context.Context) (string, error) { return "", errors.New("too tired, said " + hushed) }
	w.say(p, append(eight, "nine")...)
	_, out := w.conversing(p)
	if len(m.asked) != 1 || !strings.Contains(out[0].Reason, "there is no summary of it: too tired, said <masked>") {
		t.Errorf("%d asked, %+v", len(m.asked), out)
	}
	began := make(chan struct{})
	m.summary = func(ctx context.Context) (string, error) {
		close(began)
		<-ctx.Done()
		return "", ctx.Err()
	}
	for n := 0; n < 9 && len(m.asked) == 1; n++ {
		turn, err := p.Edit(context.Background(), app.EditRequest{Text: "go on", Mode: app.ModeAsk})
		w.ok(err)
		go func() {
			select {
			case <-began:
				turn.Stop()
			case <-turn.Ended():
			}
		}()
		for range turn.Events() {
		}
		if o := turn.Wait(); o.Status != engine.Stopped && len(m.asked) > 1 {
			t.Errorf("%+v", o)
		}
	}
	m.summary = func(context.Context) (string, error) { return essence, nil }
	w.say(p, "again")
	if s, err := p.Summary(t.Context(), 0); err != nil || s.From != 1 || len(m.asked) != 3 {
		t.Errorf("%+v %v, %d asked", s, err, len(m.asked))
	}
	w.undamaged(p)
	w.nowhere(hushed)
}

// TestAPurgedSummary checks that a purge of the session removes its words.
func TestAPurgedSummary(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": lines(9)})
	p, _ := w.talking()
	w.say(p, eight...)
	s, err := p.Summary(t.Context(), 1)
	if w.ok(err); s.Text == "" {
		t.Fatal("there is no summary")
	}
	_, err = p.Purge(t.Context(), "", 1)
	w.ok(err)
	if s, err = p.Summary(t.Context(), 1); err != nil || s.Text != "" {
		t.Errorf("%+v %v", s, err)
	}
	w.undamaged(p)
	w.ok(p.Close())
	if found := w.dataHolds("They talked about the lines"); len(found) > 0 {
		t.Error(found)
	}
}

// TestASummaryOfManyTurns checks that it stays in use while more turns follow than a prompt looks at.
func TestASummaryOfManyTurns(t *testing.T) {
	if testing.Short() {
		t.Skip("its turns come one after the other; there are shorter ones for the race detector")
	}
	w := newWorld(t, map[string]string{"a.txt": lines(9)})
	p, m := w.talking()
	w.say(p, eight...)
	s, err := p.Summary(t.Context(), 1)
	w.ok(err)
	m.summary = func(context.Context) (string, error) { return "", errors.New("no other") }
	for n := range 110 {
		w.say(p, fmt.Sprint("more ", n))
	}
	if now, err := p.Summary(t.Context(), 1); err != nil || now != s {
		t.Errorf("%+v, was %+v, %v", now, s, err)
	}
}

// TestATurnGoesOnAfterASummary continues a turn that broke off in an edit, when the conversation has become
// too long: the summary stands for older turns, and the answer goes on with what it reads of the newest one.
func TestATurnGoesOnAfterASummary(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": lines(9)})
	p, m := w.talking()
	m.breaks = 7
	w.say(p, eight[:6]...)
	if o := w.turn(p, app.EditRequest{Text: "edit 5"}); o.Code != engine.ContinueCode {
		t.Fatalf("%+v", o)
	}
	o := w.turn(p, app.EditRequest{Continue: &app.Continuation{}, Text: "go on"})
	if len(m.asked) != 1 || !strings.Contains(m.asked[0].Items[1].Text(), "one") {
		t.Fatalf("%d asked; %+v", len(m.asked), o)
	}
	sent := m.answers[len(m.answers)-1]
	all := ""
	for _, i := range sent.Items {
		all += fmt.Sprintf("[%s] %s\n", i.Role, i.Text())
	}
	request := strings.Index(all, "[user] Continue: edit 5")
	note := strings.Index(all, "[developer] Your last answer broke off")
	if !strings.Contains(all, "They talked about the lines") ||
		!strings.Contains(all, "[user] edit 5\n[assistant] many words") || request < 0 || note < request {
		t.Errorf("it reads\n%s", all)
	}
	w.undamaged(p)
}
