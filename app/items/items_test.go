package items

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/app/parts"
	_ "waferpair/build/testseed/rapidseed"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/history"
)

// memory stores items as the history does: the newest state of each, by number. One that
// has ended stays as it is.
type memory struct{ items []history.Item }

func (m *memory) put(items []history.Item) (ids []history.ItemID, err error) {
	for _, it := range items {
		if it.ID == 0 {
			it.ID = history.ItemID(len(m.items) + 1)
			m.items = append(m.items, it)
		} else if was := m.items[it.ID-1]; was.Status != history.ItemInProgress {
			return nil, fmt.Errorf("item %d has ended, as %s %s, and becomes %s %s", it.ID, was.Status, was.Body,
				it.Status, it.Body)
		}
		m.items[it.ID-1] = it
		ids = append(ids, it.ID)
	}
	return ids, nil
}

// turn is a random turn, with the parts that a page shows while it runs.
type turn struct {
	old bool // of an earlier version, which had fewer events
	*rapid.T
	log   Log
	live  *parts.List
	round int
	items int    // of all rounds
	open  bool   // the last one is open, and is a message
	said  string // the text of that message
	prose int    // how far a parser has read it

	steers int
	over   []int // those that have their last receipt
}

func (t *turn) event(ev engine.Event) {
	t.live.Take(ev)
	t.log.Take(ev)
}

func (t *turn) any(label string, n int) int { return rapid.IntRange(0, n-1).Draw(t.T, label) }

func (t *turn) hear(text string) {
	if !t.open {
		of := model.Item{Kind: model.Message, Role: model.RoleAssistant}
		if t.any("calls", 4) == 0 { // a call whose input is edits
			of = model.Item{Kind: model.CustomCall, CallID: "c", Name: "apply_patch"}
		}
		t.log.Record(t.round, model.Begin{At: t.items, Item: of})
		t.items, t.open, t.said, t.prose = t.items+1, true, "", 0
	}
	t.said += text
	t.log.Record(t.round, model.Text{At: t.items - 1, Text: text, Tokens: 1})
}

// think records a reasoning item beside the message, and may leave it open.
func (t *turn) think() {
	t.log.Record(t.round, model.Begin{At: t.items, Item: model.Item{Kind: model.Reasoning}})
	t.log.Record(t.round, model.Text{At: t.items, Text: "hm", Tokens: 1})
	if t.any("thought", 2) == 0 {
		t.log.Record(t.round, model.End{At: t.items})
	}
	if t.items++; t.open {
		t.open = false
		t.log.Record(t.round, model.End{At: t.items - 2})
	}
}

// step makes one random thing happen.
func (t *turn) step() {
	n := t.any("hunk", 3)
	steer := engine.Steered{Text: "s", Steer: 1 + t.any("steer", t.steers+1)} // all steers have the same text
	switch t.any("step", map[bool]int{false: 15, true: 13}[t.old]) {
	case 0, 1:
		t.hear(rapid.SampledFrom([]string{"a\n", "ü", "b\nb\n", "*** Begin Patch\n", "<&>\n", "\xff", "\n"}).
			Draw(t.T, "said"))
	case 2, 3:
		t.sayOn()
	case 4:
		t.event(engine.HunkOpened{Hunk: n, Path: "f", Line: 10 * n})
	case 5:
		t.event(engine.HunkClosed{Hunk: n, Path: "f", Added: n, Removed: 1, Partial: n == 2})
	case 6:
		t.event(engine.HunkFailed{Hunk: n, Path: "f", Reason: "missing", Message: "not there"})
	case 7:
		t.event([]engine.Event{engine.FileCreated{Path: "f"}, engine.FileDeleted{Path: "f"},
			engine.FileMoved{Path: "f", To: "g"}}[n])
	case 8:
		t.event(engine.Note{Text: "note"})
	case 9:
		t.steers++
		t.event(engine.Steered{Text: "s", Steer: t.steers, State: engine.SteerQueued})
	case 10:
		if steer.Steer > t.steers || slices.Contains(t.over, steer.Steer) {
			return
		}
		if n > 0 {
			t.over = append(t.over, steer.Steer)
		}
		steer.Hunk, steer.State = n, []engine.SteerState{engine.SteerSent, engine.SteerApplied, engine.SteerFailed}[n]
		if t.event(steer); steer.State == engine.SteerSent {
			t.round, t.open, t.said, t.prose = t.round+1, false, "", 0
		}
	case 11:
		t.event(engine.HunkChanged{Hunk: n, Path: "f"})
	case 12:
		t.think()
	case 13:
		t.event(engine.HunkReturned{Hunk: n, Path: "f", Line: 3})
	case 14:
		t.event(engine.Cited{Text: "f:3", Path: "f", Line: 3, OK: n > 0, Why: "why"})
	}
}

// sayOn reports prose as a parser does: text of the answer, after what it reported before.
// At times it reports text that is not in the answer, which no parser does so far.
func (t *turn) sayOn() {
	rest := strings.ToValidUTF8(t.said[t.prose:], "?")
	if t.any("elsewhere", 8) == 0 || rest == "" {
		t.event(engine.Prose{Text: "elsewhere\n"})
		return
	}
	from := t.any("from", len(rest))
	to := from + t.any("to", len(rest)-from) + 1
	text := t.said[t.prose:][from:to]
	if strings.ToValidUTF8(text, "") != text {
		return
	}
	t.prose += to
	t.event(engine.Prose{Text: text})
}

// store records what changed, or fails to.
func (m *memory) store(l *Log, fails bool) error {
	b := l.Changed()
	list, err := b.Items()
	if err != nil || fails {
		l.Took(b, nil)
		return err
	}
	ids, err := m.put(list)
	l.Took(b, ids)
	return err
}

// same compares the parts that the items show with those that pages had at that time.
func (t *turn) same(when string, m memory) {
	got, want := Fold(m.items), t.live.All()
	if len(got.Parts)+len(want) > 0 && !reflect.DeepEqual(got.Parts, want) {
		t.Fatalf("%s: %+v, want %+v", when, got.Parts, want)
	}
}

// TestTheStoredTurnIsTheOneThatWasSeen checks that a turn's items show what the running
// turn showed, at the end and at every moment when they were stored, such as before a
// crash.
func TestTheStoredTurnIsTheOneThatWasSeen(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		t := &turn{T: r, live: parts.Bounded()}
		var m memory
		t.log.User("do it")
		for range t.any("steps", 40) {
			if t.step(); t.any("put", 4) > 0 {
				continue
			}
			fails := t.any("fails", 4) == 0
			if err := m.store(&t.log, fails); err != nil {
				t.Fatal(err)
			}
			if !fails {
				t.same("meanwhile", m)
			}
		}
		t.log.End(engine.Outcome{Status: engine.Completed,
			Refusal: &model.Refusal{Reason: "no", Candidates: []model.Candidate{{Request: "x"}, {Request: "y"}}}})
		if err := m.store(&t.log, false); err != nil {
			t.Fatal(err)
		}
		t.same("at the end", m)
		if got := Fold(m.items); requestsOf(got.Nearest) != "[x y]" || got.Said[0].Text != "do it" {
			t.Fatalf("%+v", got)
		}
		for _, it := range m.items {
			if it.Status == history.ItemInProgress {
				t.Fatalf("%+v", it)
			}
		}
	})
}

// TestATurnIsBounded checks that the number of outcomes that are stored is bounded,
// whatever a model says, and that a note says that there were more.
func TestATurnIsBounded(t *testing.T) {
	var l Log
	var m memory
	for n := range 4 * maxOutcomes {
		l.Take(engine.HunkOpened{Hunk: n, Path: "f"})
		l.Take(engine.HunkClosed{Hunk: n, Path: "f"})
	}
	l.End(engine.Outcome{Status: engine.Completed})
	if err := m.store(&l, false); err != nil {
		t.Fatal(err)
	}
	shown := Fold(m.items).Parts
	if n := len(shown); n > maxOutcomes || !strings.HasPrefix(fmt.Sprint(shown[n-1]), "{note More happened") {
		t.Errorf("%d parts, %+v", n, shown[n-1])
	}
	if len(m.items) != 1 || len(m.items[0].Body) > 200*maxOutcomes {
		t.Errorf("%d items", len(m.items))
	}
}

// TestWhatIsSaidIsKeptToTheByte checks that every byte of an answer is stored, masked, also
// of a round that was cut.
func TestWhatIsSaidIsKeptToTheByte(t *testing.T) {
	secret := "ghp_" + strings.Repeat("a1B2c3D4e5F6", 3)
	var l Log
	var m memory
	l.User("use " + secret)
	say := func(at int, text string) { l.Record(at/3, model.Text{At: at, Text: text, Tokens: 3}) }
	begin := func(round, at int, i model.Item) { l.Record(round, model.Begin{At: at, Item: i}) }
	answer := model.Item{Kind: model.Message, Role: model.RoleAssistant}
	begin(0, 0, model.User("use "+secret)) // already recorded
	l.Record(0, model.End{})
	begin(0, 1, answer)
	say(1, "I use "+secret[:20])
	put := func() {
		t.Helper()
		if err := m.store(&l, false); err != nil {
			t.Fatal(err)
		}
		for _, it := range m.items {
			if strings.Contains(string(it.Body), secret[:12]) {
				t.Errorf("%s", it.Body)
			}
		}
	}
	put()
	say(1, secret[20:]+"\n<b> ")
	l.Take(engine.Prose{Text: "I use " + secret + "\n"})
	put()
	l.Take(engine.Steered{Text: "no", Steer: 1, State: engine.SteerQueued})
	l.Take(engine.Prose{Text: "<b> "})
	begin(0, 2, model.User("no")) // already recorded, too
	l.Take(engine.Steered{Text: "no", Steer: 1, State: engine.SteerSent})
	begin(1, 3, answer)
	say(3, "Fine.")
	l.Take(engine.Steered{Text: "no", Steer: 1, State: engine.SteerApplied})
	l.Record(1, model.End{At: 3})
	l.Take(engine.Prose{Text: "Fine."})
	l.End(engine.Outcome{Status: engine.Completed})
	put()
	var got string
	for _, it := range m.items {
		got += fmt.Sprintln(it.Round, it.Status, it.Tokens, string(it.Body))
	}
	masked := strings.Repeat("<masked>", 5)
	want := `0 completed 0 {"type":"message","role":"user","content":[{"type":"input_text","text":"use ` + masked + `"}]}
0 incomplete 6 {"type":"message","status":"incomplete","role":"assistant","content":[{"type":"output_text","text":"I use ` + masked + `\n<b> "}]}
0 completed 0 {"type":"waferpair:edits","of":2,"outcomes":[{"type":"prose","to":47}]}
0 completed 0 {"type":"message","role":"user","content":[{"type":"input_text","text":"no"}],"receipt":"applied"}
0 completed 0 {"type":"waferpair:edits","of":2,"outcomes":[{"type":"prose","from":47,"to":51}]}
1 completed 3 {"type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Fine."}]}
1 completed 0 {"type":"waferpair:edits","of":6,"outcomes":[{"type":"prose","to":5}]}
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func requestsOf(offers []Offer) string {
	out := make([]string, len(offers))
	for i, o := range offers {
		out[i] = o.Request
	}
	return fmt.Sprint(out)
}

// TestASummaryIsNoPartOfTheConversation checks that a turn that asked for a summary shows what it would show
// without, and that its summary and its end can be read.
func TestASummaryIsNoPartOfTheConversation(t *testing.T) {
	shown := func(summaries ...Summary) (Shown, []history.Item) {
		var log Log
		log.User("go")
		for _, s := range summaries {
			log.Summarize(s)
		}
		log.Record(1, model.Begin{At: 1, Item: model.Item{Kind: model.Message, Role: model.RoleAssistant}})
		log.Record(1, model.Text{At: 1, Text: "Sure. *** Begin Patch"})
		log.Take(engine.Prose{Text: "Sure. "})
		log.End(engine.Outcome{Status: engine.Completed})
		all, err := log.Changed().Items()
		if err != nil {
			t.Fatal(err)
		}
		return Fold(all), all
	}
	want, _ := shown()
	written := Summary{First: 1, Last: 3, Text: "They counted."}
	failed := Summary{First: 1, Last: 3, Failed: "it broke"}
	got, all := shown(failed, written)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("with a summary: %+v, without: %+v", got, want)
	}
	back := Summary{First: 1, Last: 3, Back: true}
	it, err := back.Item()
	if err != nil || it.Status != history.ItemCompleted {
		t.Errorf("%+v %v", it, err)
	}
	if read := Summaries(append(all, it)); !slices.Equal(read, []Summary{failed, written, back}) {
		t.Errorf("%+v", read)
	}
}
