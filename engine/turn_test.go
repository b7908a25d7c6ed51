package engine

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"waferpair/engine/editstream"
	"waferpair/engine/model"
	"waferpair/workspace/text"
)

// memory is a project in memory. Its history is a list of committed paths.
type memory struct {
	mu     sync.Mutex
	files  map[string]text.Text
	edits  []string
	others map[string]func(text.Text) text.ChangeSet // what somebody else does at the next change
	slow   chan struct{}                             // when set, edits become durable once it is closed
}

func newMemory(files map[string]string) *memory {
	m := &memory{files: map[string]text.Text{}, others: map[string]func(text.Text) text.ChangeSet{}}
	for p, s := range files {
		m.files[p] = text.OfString(s)
	}
	return m
}

func (m *memory) Root() string                            { return "/nowhere" }
func (m *memory) Files(context.Context) ([]string, error) { return nil, nil }
func (m *memory) Read(p string) ([]byte, error)           { return m.files[p].Bytes(), nil }
func (m *memory) Settle(context.Context) error            { return nil }

func (m *memory) Open(p string) (editstream.Doc, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.files[p]
	if !ok {
		return editstream.Doc{}, fs.ErrNotExist
	}
	return editstream.Doc{Text: t}, nil
}

func (m *memory) Change(_ context.Context, h Hunk, cs text.ChangeSet) (Applied, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	after, err := cs.Apply(m.files[h.Path])
	if err != nil {
		return Applied{}, err
	}
	done := Applied{Others: text.Retain(after.Len())}
	for c := range cs.Changes {
		done.Pieces = append(done.Pieces, Piece{1, m.files[h.Path].Slice(c.From, c.To).String(), c.Insert})
	}
	if other := m.others[h.Path]; other != nil {
		delete(m.others, h.Path)
		done.Others = other(after)
		if after, err = done.Others.Apply(after); err != nil {
			return Applied{}, err
		}
	}
	m.files[h.Path] = after
	return done, nil
}

type memoryAck struct {
	id   int64
	slow chan struct{}
}

func (a memoryAck) EditIDs() []int64 { return []int64{a.id} }
func (a memoryAck) Wait(context.Context) error {
	if a.slow != nil {
		<-a.slow
	}
	return nil
}

func (m *memory) commit(path string) (Ack, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.edits = append(m.edits, path)
	return memoryAck{int64(len(m.edits)), m.slow}, nil
}

// Apply makes them one after the other; nobody else is there.
func (m *memory) Apply(_ context.Context, _ int64, of []model.FileEdit) ([]Made, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Made
	for _, e := range of {
		if !m.files[e.Path].Equal(e.Base) {
			return nil, &OverlapError{Path: e.Path, By: "user", Line: 1}
		}
	}
	for _, e := range of {
		after, err := e.Changes.Apply(e.Base)
		if err != nil {
			return nil, err
		}
		m.files[e.Path] = after
		m.edits = append(m.edits, e.Path)
		out = append(out, Made{Path: e.Path, Line: 1, Added: 1, Removed: 1, Ack: memoryAck{int64(len(m.edits)), m.slow}})
	}
	return out, nil
}

func (m *memory) Commit(_ context.Context, h Hunk) (Ack, error) { return m.commit(h.Path) }
func (m *memory) Create(_ context.Context, h Hunk) (Ack, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[h.Path] = text.Text{}
	return nil, nil
}
func (m *memory) Delete(_ context.Context, h Hunk) (Ack, error) {
	delete(m.files, h.Path)
	return m.commit(h.Path)
}
func (m *memory) Move(_ context.Context, h Hunk, to string) (Ack, error) {
	m.files[to] = m.files[h.Path]
	delete(m.files, h.Path)
	return m.commit(to)
}

// said is a model that says what it is told to, chunk by chunk, when it is told to.
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
	timeout := time.After(20 * time.Second)
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

func drain(turn *Turn) Outcome {
	for range turn.Events() {
	}
	return turn.Wait()
}

const five = "one\ntwo\nthree\nfour\nfive\n"

func TestEditsStreamInAsTheyAreWritten(t *testing.T) {
	p, m := newMemory(map[string]string{"a": five}), newSaid()
	turn := NewSession(p).Start(t.Context(), Request{Model: m})
	m.say <- "Sure.\n*** Begin Patch\n*** Update File: a\n@@\n two\n-three\n+3\n"
	await(t, turn, func(e HunkChanged) bool { return e.Inserted != "" })
	if got := p.files["a"].String(); got != "one\ntwo\n3\nfour\nfive\n" {
		t.Fatalf("in mid-hunk the file is %q", got)
	}
	m.say <- "+3.5\n four\n*** End Patch\nDone.\n"
	m.end <- nil
	out := drain(turn)
	if out.Status != Completed || len(out.Edits) != 1 || p.files["a"].String() != "one\ntwo\n3\n3.5\nfour\nfive\n" {
		t.Errorf("%+v %q", out, p.files["a"].String())
	}
	if want := (FileCount{"a", 2, 1}); len(out.Files) != 1 || out.Files[0] != want {
		t.Errorf("files %v", out.Files)
	}
}

func TestStopKeepsThePartialEdit(t *testing.T) {
	p, m := newMemory(map[string]string{"a": five}), newSaid()
	turn := NewSession(p).Start(t.Context(), Request{Model: m})
	m.say <- "*** Begin Patch\n*** Update File: a\n@@\n two\n-three\n+3\n"
	await[HunkChanged](t, turn, nil)
	turn.Stop()
	closed := await[HunkClosed](t, turn, nil)
	out := drain(turn)
	if out.Status != Stopped || !closed.Partial || len(out.Edits) != 1 || !strings.Contains(p.files["a"].String(), "two\n3\n") {
		t.Errorf("%+v %+v %q", out, closed, p.files["a"].String())
	}
	if turn.Steer("too late") {
		t.Error("a turn that has ended took a steer")
	}
}

// deaf is a model that does not hear that it was cut off.
type deaf struct{ until chan struct{} }

func (deaf) Info() model.Info { return model.Info{Name: "deaf"} }
func (d deaf) Generate(_ context.Context, _ model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	<-d.until
	return model.Result{}, model.Say(yield, "*** Begin Patch\n*** Delete File: a\n*** End Patch\n", 1)
}

func TestStopDoesNotWaitForADeafModel(t *testing.T) {
	p, m := newMemory(map[string]string{"a": five}), deaf{make(chan struct{})}
	turn := NewSession(p).Start(t.Context(), Request{Model: m})
	turn.Stop()
	out := drain(turn)
	close(m.until)
	if out.Status != Stopped || len(out.Edits) != 0 || p.files["a"].String() != five {
		t.Errorf("%+v %q", out, p.files["a"].String())
	}
}

func TestCancelledContextStops(t *testing.T) {
	p, m := newMemory(map[string]string{"a": five}), newSaid()
	ctx, cancel := context.WithCancel(t.Context())
	turn := NewSession(p).Start(ctx, Request{Model: m})
	m.say <- "*** Begin Patch\n*** Update File: a\n@@\n two\n-three\n+3\n"
	await[HunkChanged](t, turn, nil)
	cancel()
	if out := drain(turn); out.Status != Stopped || len(out.Edits) != 1 {
		t.Errorf("%+v", out)
	}
}

func TestSteerCutsAndContinues(t *testing.T) {
	p, m := newMemory(map[string]string{"a": five}), newSaid()
	prompts := make(chan model.Prompt, 2)
	m.after = func(p model.Prompt) { prompts <- p }
	turn := NewSession(p).Start(t.Context(), Request{Model: m})
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
	if of := again.Items; len(of) != 2 || of[0].Text() != first || of[0].Status != model.Incomplete || again.Request() != "use words" {
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
	if out.Status != Completed || len(out.Edits) != 2 || p.files["a"].String() != "one\ntwo\ndrei\nfour\nfive\n" {
		t.Errorf("%+v %q", out, p.files["a"].String())
	}
}

func TestASteerThatIsNotAnsweredFails(t *testing.T) {
	p, m := newMemory(map[string]string{"a": five}), newSaid()
	turn := NewSession(p).Start(t.Context(), Request{Model: m})
	m.say <- "Hm.\n"
	turn.Steer("faster")
	await(t, turn, func(e Steered) bool { return e.State == SteerSent })
	turn.Stop()
	if e := await(t, turn, func(e Steered) bool { return e.State == SteerFailed }); e.Text != "faster" {
		t.Errorf("handed back %q", e.Text)
	}
	drain(turn)
}

func TestPauseHoldsTheText(t *testing.T) {
	p, m := newMemory(map[string]string{"a": five}), newSaid()
	turn := NewSession(p).Start(t.Context(), Request{Model: m})
	turn.Pause()
	m.say <- "*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n two\n*** End Patch\n"
	m.end <- nil
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
	p, m := newMemory(map[string]string{"in/a": five, "out/b": five}), newSaid()
	turn := NewSession(p).Start(t.Context(), Request{Model: m, Prompt: model.Prompt{Fence: model.Fence{Globs: []string{"in"}}}})
	m.say <- "*** Begin Patch\n*** Update File: out/b\n@@\n-one\n+1\n two\n*** Update File: in/a\n@@\n-one\n+1\n two\n*** Add File: out/c\n+x\n*** End Patch\n"
	m.end <- nil
	out := drain(turn)
	if out.Status != Held || p.files["out/b"].String() != five || !strings.HasPrefix(p.files["in/a"].String(), "1\n") {
		t.Errorf("%+v %q %q", out, p.files["out/b"].String(), p.files["in/a"].String())
	}
	if _, made := p.files["out/c"]; made {
		t.Error("a file was made outside the fence")
	}
	if strings.Contains(out.Message, "--") || !slices.Equal(out.Outside, []string{"out/b", "out/c"}) {
		t.Errorf("%q is for the window too; outside are %q", out.Message, out.Outside)
	}
}

func TestHunkWithoutAPlaceIsAConflict(t *testing.T) {
	p, m := newMemory(map[string]string{"a": five}), newSaid()
	turn := NewSession(p).Start(t.Context(), Request{Model: m})
	m.say <- "*** Begin Patch\n*** Update File: a\n@@\n-six\n+6\n*** End Patch\n"
	m.end <- nil
	if out := drain(turn); out.Status != Conflict || p.files["a"].String() != five || !strings.Contains(out.Message, "in a:") {
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
		p, m := newMemory(map[string]string{"a": five}), newSaid()
		turn := NewSession(p).Start(t.Context(), Request{Model: m})
		m.say <- "*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n"
		m.end <- c.err
		out := drain(turn)
		if out.Status != c.want || !strings.Contains(out.Message, c.err.Error()) {
			t.Errorf("%v: %+v", c.err, out)
		}
	}
}

func TestOthersChangesAreFollowed(t *testing.T) {
	p, m := newMemory(map[string]string{"a": five}), newSaid()
	p.others["a"] = func(now text.Text) text.ChangeSet { // the user types at the top
		cs, err := text.NewChangeSet(now.Len(), text.Change{Insert: "mine\n"})
		if err != nil {
			t.Error(err)
		}
		return cs
	}
	turn := NewSession(p).Start(t.Context(), Request{Model: m})
	m.say <- "*** Begin Patch\n*** Update File: a\n@@\n one\n-two\n+2\n"
	await[HunkChanged](t, turn, nil)
	m.say <- "+2.5\n three\n*** End Patch\n"
	m.end <- nil
	if out := drain(turn); out.Status != Completed || p.files["a"].String() != "mine\none\n2\n2.5\nthree\nfour\nfive\n" {
		t.Errorf("%+v %q", out, p.files["a"].String())
	}
}

func TestAcksComeWhenEditsAreDurable(t *testing.T) {
	p, m := newMemory(map[string]string{"a": five}), newSaid()
	p.slow = make(chan struct{})
	turn := NewSession(p).Start(t.Context(), Request{Model: m})
	m.say <- "*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n two\n*** End Patch\n"
	await[HunkClosed](t, turn, nil)
	m.end <- nil
	select {
	case ev := <-turn.Events():
		t.Fatalf("%#v before the edit was durable", ev)
	case <-time.After(30 * time.Millisecond):
	}
	close(p.slow)
	await[EditAcked](t, turn, nil)
	drain(turn)
}

func TestASteerBeforeTheHunkHasAPlaceIsNoFailure(t *testing.T) {
	p, m := newMemory(map[string]string{"a": "x\ny\nx\nz\n"}), newSaid()
	turn := NewSession(p).Start(t.Context(), Request{Model: m})
	m.say <- "*** Begin Patch\n*** Update File: a\n@@\n x\n" // there are two
	turn.Steer("no, the last line")
	await(t, turn, func(e Steered) bool { return e.State == SteerSent })
	m.say <- "*** Begin Patch\n*** Update File: a\n@@\n-z\n+Z\n*** End Patch\n"
	m.end <- nil
	if out := drain(turn); out.Status != Completed || p.files["a"].String() != "x\ny\nx\nZ\n" {
		t.Errorf("%+v %q", out, p.files["a"].String())
	}
}
