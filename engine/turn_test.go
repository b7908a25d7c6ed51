package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	. "waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
	"waferpair/workspace/text"
)

// said is a model that streams chunks when the test sends them.
type said struct {
	say   chan string
	end   chan error
	after func(p model.Prompt) // called at each start
}

func (said) Info() model.Info { return model.Info{Name: "said"} }
func (s said) Generate(ctx context.Context, p model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	if s.after != nil {
		s.after(p)
	}
	return model.Result{}, s.generate(ctx, yield)
}

func (s said) generate(ctx context.Context, yield func(model.Delta) error) error {
	if err := yield(model.Begin{Item: model.Item{Kind: model.Message, Role: model.RoleAssistant}}); err != nil {
		return err
	}
	for {
		select {
		case text := <-s.say:
			if err := yield(model.Text{Text: text, Tokens: 1}); err != nil {
				return err
			}
		case err := <-s.end:
			if err != nil {
				return err
			}
			return yield(model.End{})
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func newSaid() said { return said{say: make(chan string), end: make(chan error, 1)} }

// await reads events until one fits.
func await[E Event](t *testing.T, turn *Turn, fits func(E) bool) E {
	t.Helper()
	timeout := time.After(time.Minute)
	for {
		select {
		case ev, ok := <-turn.Events():
			if !ok {
				t.Fatal("the turn ended first")
			}
			if e, is := ev.(E); is && (fits == nil || fits(e)) {
				return e
			}
		case <-timeout:
			t.Fatal("nothing happened for too long")
		}
	}
}

// heard waits until the turn has so many tokens: a steer would go before those that the
// model has not said.
func heard(t *testing.T, turn *Turn, tokens int64) {
	t.Helper()
	for end := time.Now().Add(time.Minute); turn.Tokens() < tokens; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d tokens after a minute, want %d", turn.Tokens(), tokens)
		}
	}
}

func drain(turn *Turn) Outcome {
	for range turn.Events() {
	}
	return turn.Wait()
}

const five = "one\ntwo\nthree\nfour\nfive\n"

func TestEditsStreamInAsTheyAreWritten(t *testing.T) {
	p, m := drivertest.NewMemory(map[string]string{"a": five}), newSaid()
	turn := NewSession(p).Start(t.Context(), Request{Driver: agent.New(m)})
	m.say <- "Sure.\n*** Begin Patch\n*** Update File: a\n@@\n two\n-three\n+3\n"
	await(t, turn, func(e HunkChanged) bool { return e.Inserted != "" })
	if got := p.Texts["a"].String(); got != "one\ntwo\n3\nfour\nfive\n" {
		t.Fatalf("in mid-hunk the file is %q", got)
	}
	m.say <- "+3.5\n four\n*** End Patch\nDone.\n"
	m.end <- nil
	out := drain(turn)
	if out.Status != Completed || len(out.Edits) != 1 || p.Texts["a"].String() != "one\ntwo\n3\n3.5\nfour\nfive\n" {
		t.Errorf("%+v %q", out, p.Texts["a"].String())
	}
	if want := (FileCount{Path: "a", Added: 2, Removed: 1}); len(out.Files) != 1 || out.Files[0] != want {
		t.Errorf("files %v", out.Files)
	}
}

func TestStopKeepsThePartialEdit(t *testing.T) {
	p, m := drivertest.NewMemory(map[string]string{"a": five}), newSaid()
	turn := NewSession(p).Start(t.Context(), Request{Driver: agent.New(m)})
	m.say <- "*** Begin Patch\n*** Update File: a\n@@\n two\n-three\n+3\n"
	await[HunkChanged](t, turn, nil)
	turn.Stop()
	closed := await[HunkClosed](t, turn, nil)
	out := drain(turn)
	if out.Status != Stopped || !closed.Partial || len(out.Edits) != 1 ||
		!strings.Contains(p.Texts["a"].String(), "two\n3\n") {
		t.Errorf("%+v %+v %q", out, closed, p.Texts["a"].String())
	}
	if turn.Steer("too late") != 0 {
		t.Error("a turn that has ended took a steer")
	}
}

// deaf is a model that ignores that it was cut off.
type deaf struct{ until chan struct{} }

func (deaf) Info() model.Info { return model.Info{Name: "deaf"} }
func (d deaf) Generate(_ context.Context, _ model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	<-d.until
	return model.Result{}, model.Say(yield, "*** Begin Patch\n*** Delete File: a\n*** End Patch\n", 1)
}

func TestStopDoesNotWaitForADeafModel(t *testing.T) {
	p, m := drivertest.NewMemory(map[string]string{"a": five}), deaf{make(chan struct{})}
	turn := NewSession(p).Start(t.Context(), Request{Driver: agent.New(m)})
	turn.Stop()
	out := drain(turn)
	close(m.until)
	if out.Status != Stopped || len(out.Edits) != 0 || p.Texts["a"].String() != five {
		t.Errorf("%+v %q", out, p.Texts["a"].String())
	}
}

func TestCancelledContextStops(t *testing.T) {
	p, m := drivertest.NewMemory(map[string]string{"a": five}), newSaid()
	ctx, cancel := context.WithCancel(t.Context())
	turn := NewSession(p).Start(ctx, Request{Driver: agent.New(m)})
	m.say <- "*** Begin Patch\n*** Update File: a\n@@\n two\n-three\n+3\n"
	await[HunkChanged](t, turn, nil)
	cancel()
	if out := drain(turn); out.Status != Stopped || len(out.Edits) != 1 {
		t.Errorf("%+v", out)
	}
}

func TestSteerCutsAndContinues(t *testing.T) {
	p, m := drivertest.NewMemory(map[string]string{"a": five}), newSaid()
	prompts := make(chan model.Prompt, 2)
	m.after = func(p model.Prompt) { prompts <- p }
	turn := NewSession(p).Start(t.Context(), Request{Driver: agent.New(m)})
	<-prompts
	first := "*** Begin Patch\n*** Update File: a\n@@\n two\n-three\n+3\n"
	m.say <- first
	await[HunkChanged](t, turn, nil)
	turn.Steer("use words")
	var states []SteerState
	for len(states) < 2 {
		states = append(states, await[Steered](t, turn, nil).State)
	}
	again := <-prompts
	if of := again.Items; len(of) != 2 || of[0].Text() != first || of[0].Status != model.Incomplete ||
		again.Request() != "use words" {
		t.Errorf("the model was asked to go on with %+v", again)
	}
	m.say <- "*** Begin Patch\n*** Update File: a\n@@\n-3\n+drei\n"
	applied := await[Steered](t, turn, nil)
	m.say <- "*** End Patch\n"
	m.end <- nil
	out := drain(turn)
	if states[0] != SteerQueued || states[1] != SteerSent || applied.State != SteerApplied || applied.Hunk != 1 {
		t.Errorf("receipts %v, then %+v", states, applied)
	}
	if out.Status != Completed || len(out.Edits) != 2 || p.Texts["a"].String() != "one\ntwo\ndrei\nfour\nfive\n" {
		t.Errorf("%+v %q", out, p.Texts["a"].String())
	}
}

func TestASteerThatIsNotAnsweredFails(t *testing.T) {
	p, m := drivertest.NewMemory(map[string]string{"a": five}), newSaid()
	turn := NewSession(p).Start(t.Context(), Request{Driver: agent.New(m)})
	m.say <- "Hm.\n"
	heard(t, turn, 1)
	turn.Steer("faster")
	await(t, turn, func(e Steered) bool { return e.State == SteerSent })
	turn.Stop()
	if e := await(t, turn, func(e Steered) bool { return e.State == SteerFailed }); e.Text != "faster" {
		t.Errorf("handed back %q", e.Text)
	}
	drain(turn)
}

func TestPauseHoldsTheText(t *testing.T) {
	p, m := drivertest.NewMemory(map[string]string{"a": five}), newSaid()
	turn := NewSession(p).Start(t.Context(), Request{Driver: agent.New(m)})
	await[Started](t, turn, nil)
	turn.Pause()
	go func() {
		m.say <- "*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n two\n*** End Patch\n"
		m.end <- nil
	}()
	select {
	case ev := <-turn.Events():
		t.Fatalf("%#v happened in a paused turn", ev)
	case <-time.After(50 * time.Millisecond):
	}
	turn.Resume()
	if out := drain(turn); out.Status != Completed || len(out.Edits) != 1 {
		t.Errorf("%+v", out)
	}
}

func TestEditsOutsideTheFenceAreHeld(t *testing.T) {
	p, m := drivertest.NewMemory(map[string]string{"in/a": five, "out/b": five}), newSaid()
	turn := NewSession(p).Start(t.Context(),
		Request{Driver: agent.New(m), Prompt: model.Prompt{Fence: model.Fence{Globs: []string{"in"}}}})
	m.say <- "*** Begin Patch\n*** Update File: out/b\n@@\n-one\n+1\n two\n*** Update File: in/a\n@@\n-one\n+1\n " +
		"two\n*** Add File: out/c\n+x\n*** End Patch\n"
	m.end <- nil
	out := drain(turn)
	if out.Status != Held || p.Texts["out/b"].String() != five || !strings.HasPrefix(p.Texts["in/a"].String(), "1\n") {
		t.Errorf("%+v %q %q", out, p.Texts["out/b"].String(), p.Texts["in/a"].String())
	}
	if _, made := p.Texts["out/c"]; made {
		t.Error("a file was made outside the fence")
	}
	if strings.Contains(out.Message, "--") || !slices.Equal(out.Outside, []string{"out/b", "out/c"}) {
		t.Errorf("%q is for the window too; outside are %q", out.Message, out.Outside)
	}
}

func TestHunkWithoutAPlaceIsAConflict(t *testing.T) {
	p, m := drivertest.NewMemory(map[string]string{"a": five}), newSaid()
	turn := NewSession(p).Start(t.Context(), Request{Driver: agent.New(m)})
	m.say <- "*** Begin Patch\n*** Update File: a\n@@\n-six\n+6\n*** End Patch\n"
	m.end <- nil
	if out := drain(turn); out.Status != Conflict || p.Texts["a"].String() != five ||
		!strings.Contains(out.Message, "in a:") {
		t.Errorf("%+v", out)
	}
}

func TestTheModelsErrorEndsTheTurn(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Status
	}{
		{errors.New("no route"), Failed},
		{&model.Refusal{Reason: "too hard"}, Declined},
		{&HeldError{Reason: "scope"}, Held},
	} {
		p, m := drivertest.NewMemory(map[string]string{"a": five}), newSaid()
		turn := NewSession(p).Start(t.Context(), Request{Driver: agent.New(m)})
		m.say <- "*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n"
		m.end <- c.err
		out := drain(turn)
		if out.Status != c.want || !strings.Contains(out.Message, c.err.Error()) {
			t.Errorf("%v: %+v", c.err, out)
		}
	}
}

func TestOthersChangesAreFollowed(t *testing.T) {
	p, m := drivertest.NewMemory(map[string]string{"a": five}), newSaid()
	p.Others["a"] = func(now text.Text) text.ChangeSet { // the user types at the top
		cs, err := text.NewChangeSet(now.Len(), text.Change{Insert: "mine\n"})
		if err != nil {
			t.Error(err)
		}
		return cs
	}
	turn := NewSession(p).Start(t.Context(), Request{Driver: agent.New(m)})
	m.say <- "*** Begin Patch\n*** Update File: a\n@@\n one\n-two\n+2\n"
	await[HunkChanged](t, turn, nil)
	m.say <- "+2.5\n three\n*** End Patch\n"
	m.end <- nil
	if out := drain(turn); out.Status != Completed || p.Texts["a"].String() != "mine\none\n2\n2.5\nthree\nfour\nfive\n" {
		t.Errorf("%+v %q", out, p.Texts["a"].String())
	}
}

func TestAcksComeWhenEditsAreDurable(t *testing.T) {
	p, m := drivertest.NewMemory(map[string]string{"a": five}), newSaid()
	p.Slow = make(chan struct{})
	turn := NewSession(p).Start(t.Context(), Request{Driver: agent.New(m)})
	m.say <- "*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n two\n*** End Patch\n"
	await[HunkClosed](t, turn, nil)
	m.end <- nil
	select {
	case ev := <-turn.Events():
		t.Fatalf("%#v before the edit was durable", ev)
	case <-time.After(30 * time.Millisecond):
	}
	close(p.Slow)
	await[EditAcked](t, turn, nil)
	drain(turn)
}

func TestASteerBeforeTheHunkHasAPlaceIsNoFailure(t *testing.T) {
	p, m := drivertest.NewMemory(map[string]string{"a": "x\ny\nx\nz\n"}), newSaid()
	turn := NewSession(p).Start(t.Context(), Request{Driver: agent.New(m)})
	m.say <- "*** Begin Patch\n*** Update File: a\n@@\n x\n" // there are two
	heard(t, turn, 1)
	turn.Steer("no, the last line")
	await(t, turn, func(e Steered) bool { return e.State == SteerSent })
	m.say <- "*** Begin Patch\n*** Update File: a\n@@\n-z\n+Z\n*** End Patch\n"
	m.end <- nil
	if out := drain(turn); out.Status != Completed || p.Texts["a"].String() != "x\ny\nx\nZ\n" {
		t.Errorf("%+v %q", out, p.Texts["a"].String())
	}
}
