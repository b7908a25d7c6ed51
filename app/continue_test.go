package app_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/build/testseed"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
	"waferpair/history"
)

// The kinds of models: what they write when they go on.
const (
	goesOn       = iota // at the very byte
	againTheEdit        // from the beginning of the edit that broke off
	everything          // all of the answer
)

// beginsAgain returns what a model writes that begins again, in a patch of its own, the hunk or section
// in which a patch broke off: the last one whose first line had come.
func beginsAgain(patch string, cut int) string {
	from, header := 0, ""
	at := 0
	for line := range strings.SplitAfterSeq(patch, "\n") {
		if at += len(line); at > cut {
			break
		}
		begin := at - len(line)
		switch {
		case strings.HasPrefix(line, "*** Update"):
			from, header = begin, line
		case strings.HasPrefix(line, "*** Add"), strings.HasPrefix(line, "*** Delete"):
			from, header = begin, ""
		case strings.HasPrefix(line, "*** Move"):
			header += line
		case strings.HasPrefix(line, "@@"):
			from = begin
		}
	}
	if strings.HasPrefix(patch[from:], "@@") {
		return "*** Begin Patch\n" + header + patch[from:]
	}
	if from > 0 {
		return "*** Begin Patch\n" + patch[from:]
	}
	return patch
}

// TestAnswersCutAndContinued cuts answers at random bytes, in a message or in a call, and continues
// them until they are whole, with models that go on in three ways. The file must be what
// the whole patch makes of it: no edit is lost, none is made twice, and the history is sound.
func TestAnswersCutAndContinued(t *testing.T) {
	turns := 60
	if testing.Short() {
		turns = 20
	}
	if n, err := strconv.Atoi(os.Getenv("WAFERPAIR_CUTS")); err == nil { // a long run
		turns = n
	}
	w := newWorld(t, map[string]string{"README.md": "x\n"})
	seed := testseed.New(t)
	r := rand.New(rand.NewPCG(seed, 12))
	s := &drivertest.Speaker{Language: true}
	died := errors.New("the line is dead")
	broken := map[int]bool{}
	s.Ends = func(n int) (model.Stop, error) {
		if broken[n] {
			return model.StopCut, died
		}
		return model.StopEnd, nil
	}
	p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(s, agent.Tools()...)})})
	run := func(req app.EditRequest) engine.Outcome {
		turn, err := p.Edit(context.Background(), req)
		w.ok(err)
		for range turn.Events() {
		}
		return turn.Wait()
	}
	for n := range turns {
		file := fmt.Sprintf("f%d.txt", n)
		w.write(file, numberedLines(24))
		patch, want := randomPatch(r, file)
		item := func(text string) model.Item {
			if n%2 == 0 {
				return model.Assistant(text)
			}
			return model.Item{Kind: model.CustomCall, CallID: fmt.Sprint("c", len(s.Answers)),
				Name: model.ApplyPatch, Input: text}
		}
		say := func(text string, breaks bool) {
			broken[len(s.Answers)] = breaks
			s.Answers = append(s.Answers, []model.Item{item(text)})
			if n%2 == 1 && !breaks { // its output is answered
				s.Answers = append(s.Answers, []model.Item{model.Assistant("Done.\n")})
			}
		}
		kind := r.IntN(3)
		at := 1 + r.IntN(len(patch)-1)
		next := func() string {
			switch kind {
			case goesOn:
				return patch[at:]
			case againTheEdit:
				return beginsAgain(patch, at)
			}
			return patch
		}
		say(patch[:at], true)
		o := run(app.EditRequest{Text: "change " + file, Session: "new"})
		for range r.IntN(3) {
			part := next()
			cut := 1 + r.IntN(len(part))
			if cut == len(part) {
				break
			}
			say(part[:cut], true)
			if at = len(patch) - len(part) + cut; kind == everything {
				at = cut
			}
			if o = run(app.EditRequest{Continue: &app.Continuation{}}); o.Status != engine.Failed ||
				o.Code != engine.ContinueCode {
				t.Fatalf("seed %d, turn %d: %+v", seed, n, o)
			}
		}
		say(next(), false)
		o = run(app.EditRequest{Continue: &app.Continuation{}})
		if got := w.disk(file); got != want || o.Status != engine.Completed {
			t.Fatalf("seed %d, turn %d, model %d, ended %s (%s): %s has\n%swant\n%safter\n%s", seed, n, kind, o.Status,
				o.Message, file, got, want, patch)
		}
		if _, err := p.Edit(context.Background(), app.EditRequest{Continue: &app.Continuation{}}); err == nil ||
			!strings.Contains(err.Error(), "did not break off") {
			t.Fatalf("a complete turn was continued: %v", err)
		}
	}
	report, err := p.History().Check(context.Background(), nil)
	if w.ok(err); len(report.Damage) > 0 {
		t.Errorf("%+v", report.Damage)
	}
}

func numberedLines(n int) (out string) {
	for i := range n {
		out += fmt.Sprintf("line %d\n", i+1)
	}
	return out
}

// randomPatch returns a patch of a file of 24 numbered lines, and what it makes of it.
func randomPatch(r *rand.Rand, file string) (patch, want string) {
	lines := strings.SplitAfter(numberedLines(24), "\n")
	patch = "*** Begin Patch\n*** Update File: " + file + "\n"
	at := 0
	for at < 18 {
		for range r.IntN(3) {
			want, at = want+lines[at], at+1
		}
		patch += "@@\n " + lines[at]
		want, at = want+lines[at], at+1
		for range r.IntN(3) {
			patch, at = patch+"-"+lines[at], at+1
		}
		for range 1 + r.IntN(3) {
			added := fmt.Sprintf("new %d\n", r.IntN(5))
			patch, want = patch+"+"+added, want+added
		}
	}
	for ; at < len(lines); at++ {
		want += lines[at]
	}
	return patch + "*** End Patch\n", want
}

// twoFiles is an answer with all that a patch can do. Its contexts occur more than once, so that the place
// of a hunk depends on those before it.
const twoFiles = "Sure.\n\n*** Begin Patch\n*** Update File: a.txt\n@@\n top\n begin\n-\told\n+\tnew\n+\tmore\n end\n@@\n begin\n" +
	"+\tmiddle\n end\n@@\n begin\n-\told\n+\tlast\n*** Add File: new/file.txt\n+first\n+\n+third\n*** Delete File: gone.txt\n" +
	"*** Update File: from.txt\n*** Move to: to.txt\n@@\n one\n-two\n+TWO\n*** Update File: b.txt\n@@\n x\n+y\n z\n*** End Patch\nDone.\n"

func filesOfTwoFiles() map[string]string {
	return map[string]string{"a.txt": "top\nbegin\n\told\nend\n\nbegin\n\told\nend\n\nbegin\nend\n\nbegin\n\told\nend\n",
		"b.txt": "x\nz\n", "from.txt": "one\ntwo\n", "gone.txt": "x\n"}
}

// TestAnAnswerCutAtEachByte cuts one answer at bytes all over it, in a message or a call, and continues it.
func TestAnAnswerCutAtEachByte(t *testing.T) {
	step := 29
	if testing.Short() {
		step = 61
	}
	if os.Getenv("WAFERPAIR_CUTS") != "" { // all of them
		step = 1
	}
	files := []string{"a.txt", "new/file.txt", "gone.txt", "from.txt", "to.txt", "b.txt"}
	state := func(w *world) (out string) {
		for _, f := range files {
			b, err := os.ReadFile(filepath.Join(w.dir, f))
			out += fmt.Sprintf("%s %v\n%s", f, err == nil, b)
		}
		return out
	}
	patch := twoFiles[strings.Index(twoFiles, "***"):strings.Index(twoFiles, "Done")]
	want := ""
	for cut := 0; cut < len(patch); cut += step {
		for kind := range 3 {
			for _, call := range []bool{false, true} {
				w := newWorld(t, filesOfTwoFiles())
				s := &drivertest.Speaker{Language: true}
				s.Ends = func(n int) (model.Stop, error) {
					if n == 0 && cut > 0 {
						return model.StopCut, errors.New("the line is dead")
					}
					return model.StopEnd, nil
				}
				next := patch[cut:]
				switch kind {
				case againTheEdit:
					next = beginsAgain(patch, cut)
				case everything:
					next = patch
				}
				for _, text := range []string{patch[:cut], next} {
					if text == "" {
						continue
					}
					i := model.Assistant(text)
					if call {
						i = model.Item{Kind: model.CustomCall, CallID: fmt.Sprint("c", len(s.Answers)),
							Name: model.ApplyPatch, Input: text}
					}
					s.Answers = append(s.Answers, []model.Item{i})
				}
				s.Answers = append(s.Answers, []model.Item{model.Assistant("Done.\n")})
				p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(s, agent.Tools()...)})})
				var o engine.Outcome
				for _, r := range []app.EditRequest{{Text: "edit"}, {Continue: &app.Continuation{}}} {
					turn, err := p.Edit(context.Background(), r)
					w.ok(err)
					for range turn.Events() {
					}
					if o = turn.Wait(); cut == 0 {
						break
					}
				}
				if cut == 0 {
					want = state(w)
				}
				if got := state(w); got != want || o.Status != engine.Completed {
					t.Errorf("cut at %d, model %d, call %v: %s (%s)\n%s\n---- then\n%s\n---- got\n%s\n---- want\n%s", cut, kind, call,
						o.Status, o.Message, patch[:cut], next, got, want)
				}
				w.ok(p.Close())
				if t.Failed() {
					return
				}
			}
		}
	}
}

// TestABlockCutAtEachByteIsWrittenAgain cuts a search/replace block at each byte. The model writes it again
// from its start, as it is asked to, also where nothing of it was made yet.
func TestABlockCutAtEachByteIsWrittenAgain(t *testing.T) {
	const block = "a.txt\n<<<<<<< SEARCH\none\ntwo\nthree\n=======\none\nTWO\nthree\n>>>>>>> REPLACE\n"
	w := newWorld(t, map[string]string{"a.txt": ""})
	s := &drivertest.Speaker{Language: true}
	s.Ends = func(n int) (model.Stop, error) {
		if n%2 == 0 {
			return model.StopCut, errors.New("the line is dead")
		}
		return model.StopEnd, nil
	}
	p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(s)})})
	for cut := 1; cut < len(block)-1; cut++ {
		name := fmt.Sprintf("f%d.txt", cut)
		w.write(name, "one\ntwo\nthree\n")
		text := strings.Replace(block, "a.txt", name, 1)
		s.Answers = append(s.Answers, []model.Item{model.Assistant(text[:cut+len(name)-len("a.txt")])},
			[]model.Item{model.Assistant(text)})
		var o engine.Outcome
		for _, r := range []app.EditRequest{{Text: "edit", Session: "new"}, {Continue: &app.Continuation{}}} {
			turn, err := p.Edit(context.Background(), r)
			w.ok(err)
			for range turn.Events() {
			}
			o = turn.Wait()
		}
		if got := w.disk(name); got != "one\nTWO\nthree\n" || o.Status != engine.Completed {
			t.Errorf("after %q it ended as %s (%s) with\n%s", block[:cut], o.Status, o.Message, got)
		}
	}
}

// TestADiffCutInItsHeaderIsNotDone cuts the header of a second diff; the model says that it is done.
func TestADiffCutInItsHeaderIsNotDone(t *testing.T) {
	const first = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+ONE\n"
	for _, header := range []string{"--- a/b.t", "--- a/b.txt\n+++ b", "--- a/b.txt\n+++ b/b.txt\n",
		"diff --git a/b.txt b/b.txt\n"} {
		w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
		s := &drivertest.Speaker{Language: true, Answers: [][]model.Item{{model.Assistant(first + header)},
			{model.Assistant("Done.\n")}, {model.Assistant(first + "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-two\n+TWO\n")}}}
		s.Ends = func(n int) (model.Stop, error) {
			if n == 0 {
				return model.StopCut, errors.New("the line is dead")
			}
			return model.StopEnd, nil
		}
		p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(s)})})
		var ends []engine.Status
		for _, r := range []app.EditRequest{{Text: "edit"}, {Continue: &app.Continuation{}},
			{Continue: &app.Continuation{}}} {
			turn, err := p.Edit(context.Background(), r)
			w.ok(err)
			for range turn.Events() {
			}
			ends = append(ends, turn.Wait().Status)
		}
		if ends[1] != engine.Failed || ends[2] != engine.Completed || w.disk("b.txt") != "TWO\n" {
			t.Errorf("after %q: %v, b.txt is %q", header, ends, w.disk("b.txt"))
		}
	}
}

// TestAnEditThatStaysLostIsAskedForAgain continues a turn twice: the first time the model says that it is done.
func TestAnEditThatStaysLostIsAskedForAgain(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	const one = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+ONE\n*** End Patch\n"
	other := strings.NewReplacer("a.txt", "b.txt", "one", "two").Replace(one) // also inserts the line ONE
	s := &drivertest.Speaker{Language: true,
		Answers: [][]model.Item{{model.Assistant(one[:len(one)-len("*** End Patch\n")])},
			{model.Assistant("Done.\n")}, {model.Assistant(other)}, {model.Assistant(one)}}}
	s.Ends = func(n int) (model.Stop, error) {
		if n == 0 {
			return model.StopCut, errors.New("the line is dead")
		}
		return model.StopEnd, nil
	}
	p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(s)})})
	var ends []engine.Status
	for _, r := range []app.EditRequest{{Text: "edit"}, {Continue: &app.Continuation{}}, {Continue: &app.Continuation{}},
		{Continue: &app.Continuation{}}} {
		turn, err := p.Edit(context.Background(), r)
		w.ok(err)
		for range turn.Events() {
		}
		ends = append(ends, turn.Wait().Status)
	}
	if want := []engine.Status{engine.Failed, engine.Failed, engine.Failed, engine.Completed}; !slices.Equal(ends, want) ||
		w.disk("a.txt") != "ONE\n" || w.disk("b.txt") != "ONE\n" {
		t.Errorf("%v, %q, %q", ends, w.disk("a.txt"), w.disk("b.txt"))
	}
}

// TestAContinuedTurnOfWhichNothingCame goes on at the byte after a try that ended before its first one.
func TestAContinuedTurnOfWhichNothingCame(t *testing.T) {
	const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n+three\n*** End Patch\n"
	at := strings.Index(patch, "ree")
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := &drivertest.Speaker{Language: true,
		Answers: [][]model.Item{{model.Assistant(patch[:at])}, {}, {model.Assistant(patch[at:])}}}
	s.Ends = func(n int) (model.Stop, error) {
		if n < 2 {
			return model.StopCut, errors.New("the line is dead")
		}
		return model.StopEnd, nil
	}
	p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(s)})})
	var o engine.Outcome
	for _, r := range []app.EditRequest{{Text: "edit"}, {Continue: &app.Continuation{}}, {Continue: &app.Continuation{}}} {
		turn, err := p.Edit(context.Background(), r)
		w.ok(err)
		for range turn.Events() {
		}
		o = turn.Wait()
	}
	if got := w.disk("a.txt"); got != "one\nthree\n" || o.Status != engine.Completed {
		t.Errorf("it ended as %s (%s) with\n%s", o.Status, o.Message, got)
	}
}

// TestAPlaceThatACutSplitsIsCited continues answers to a question that were cut within a place.
func TestAPlaceThatACutSplitsIsCited(t *testing.T) {
	const answer = "It is in sub/server.go:12, and in a.txt:1 too.\n"
	for cut := 10; cut < 25; cut++ {
		w := newWorld(t, map[string]string{"sub/server.go": strings.Repeat("x\n", 20), "a.txt": "x\n"})
		s := &drivertest.Speaker{Language: true, Answers: [][]model.Item{{model.Assistant(answer[:cut])},
			{model.Assistant(answer[cut:])}}}
		s.Ends = func(n int) (model.Stop, error) { return []model.Stop{model.StopLength, model.StopEnd}[n], nil }
		p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(s)})})
		var last string
		for _, r := range []app.EditRequest{{Text: "where is it?", Mode: app.ModeAsk}, {Continue: &app.Continuation{}}} {
			turn, err := p.Edit(context.Background(), r)
			w.ok(err)
			last = ""
			for ev := range turn.Events() {
				if c, is := ev.(engine.Cited); is {
					last += fmt.Sprintf("%s:%d %v ", c.Path, c.Line, c.OK)
				}
			}
		}
		if last != "sub/server.go:12 true a.txt:1 true " {
			t.Errorf("cut after %q: %s", answer[:cut], last)
		}
		w.ok(p.Close())
	}
}

// TestADeletionCountsItsLines looks at what the history has of a deleted file.
func TestADeletionCountsItsLines(t *testing.T) {
	w := newWorld(t, map[string]string{"gone.txt": "1\n2\n3"})
	s := &drivertest.Speaker{Language: true,
		Answers: [][]model.Item{{model.Assistant("*** Begin Patch\n*** Delete File: gone.txt\n" +
			"*** End Patch\n")}}}
	p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(s)})})
	turn, err := p.Edit(context.Background(), app.EditRequest{Text: "delete it"})
	w.ok(err)
	for range turn.Events() {
	}
	edits, err := p.History().List(context.Background(), history.Filter{})
	if w.ok(err); len(edits) != 1 || edits[0].Removed != 3 || edits[0].Added != 0 {
		t.Errorf("%+v", edits)
	}
}

// TestAContinuedTurnIsSentAgain sends a turn again that went on with another one: it goes on once more.
func TestAContinuedTurnIsSentAgain(t *testing.T) {
	const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n+ONE\n@@\n two\n+TWO\n+2\n*** End Patch\n"
	const other = "*** Begin Patch\n*** Update File: a.txt\n@@\n two\n+ZWEI\n*** End Patch\n"
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
	s := &drivertest.Speaker{Language: true, Answers: [][]model.Item{{model.Assistant(patch[:len(patch)-16])},
		{model.Assistant(patch)}, {model.Assistant(other)}}}
	s.Ends = func(n int) (model.Stop, error) {
		if n == 0 {
			return model.StopLength, nil
		}
		return model.StopEnd, nil
	}
	p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(s)})})
	for n, r := range []app.EditRequest{{Text: "count"}, {Continue: &app.Continuation{}, Text: "in words"},
		{Again: &app.Again{}}} {
		turn, err := p.Edit(context.Background(), r)
		w.ok(err)
		for range turn.Events() {
		}
		want := []string{"one\nONE\ntwo\nTWO\n", "one\nONE\ntwo\nTWO\n2\n", "one\nONE\ntwo\nZWEI\n"}[n]
		if got := w.disk("a.txt"); got != want {
			t.Errorf("after turn %d (%+v):\n%s", n+1, turn.Wait(), got)
		}
	}
	c, err := p.Query().Conversation(context.Background(), 0, 0, 0)
	w.ok(err)
	if last := c.Turns[len(c.Turns)-1]; last.Request != "Continue: count\nin words" || len(c.Turns) != 2 {
		t.Errorf("%d turns, the last is %q", len(c.Turns), last.Request)
	}
}

// TestABlockThatBrokeOffUnchanged continues an answer that broke off in a block whose new lines were those of
// the file so far: nothing of it is in place.
func TestABlockThatBrokeOffUnchanged(t *testing.T) {
	const block = "a.txt\n<<<<<<< SEARCH\none\ntwo\nthree\n=======\none\ntwo\nTHREE\n>>>>>>> REPLACE\n"
	cut := strings.Index(block, "THREE") - 2
	for name, next := range map[string]string{"goes on": block[cut:], "everything": block} {
		w := newWorld(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
		s := &drivertest.Speaker{Language: true, Answers: [][]model.Item{{model.Assistant(block[:cut])},
			{model.Assistant(next)}}}
		s.Ends = func(n int) (model.Stop, error) {
			if n == 0 {
				return model.StopCut, errors.New("the line is dead")
			}
			return model.StopEnd, nil
		}
		p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(s, agent.Tools()...)})})
		var o engine.Outcome
		for _, r := range []app.EditRequest{{Text: "edit"}, {Continue: &app.Continuation{}}} {
			turn, err := p.Edit(context.Background(), r)
			w.ok(err)
			for range turn.Events() {
			}
			o = turn.Wait()
		}
		got, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
		if w.ok(err); string(got) != "one\ntwo\nTHREE\n" || o.Status != engine.Completed {
			t.Errorf("%s: %s (%s), %q", name, o.Status, o.Message, got)
		}
		w.ok(p.Close())
	}
}

// TestAWholeFileWhoseFenceHadComeIsMade cuts an answer behind the fence that closes a document, where it is
// not certain yet that the fence ends the block: it does, whatever the model says then.
func TestAWholeFileWhoseFenceHadComeIsMade(t *testing.T) {
	for _, old := range []string{"", "old\n"} {
		w := newWorld(t, map[string]string{"a.txt": "a\n"})
		s := &drivertest.Speaker{Language: true}
		broken := map[int]bool{}
		s.Ends = func(n int) (model.Stop, error) {
			if broken[n] {
				return model.StopCut, errors.New("the line is dead")
			}
			return model.StopEnd, nil
		}
		p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(s)})})
		n := 0
		for _, then := range [][]string{{"rest"}, {"Done.\n"}, {"all"},
			{"I go on with", " the rest: nothing is missing.\n"}, {"The file is in place.\n\nI changed nothing else.\n"}} {
			for _, end := range []string{"", "\n", "\n\nDo"} {
				if end == "" && len(then) > 1 { // words behind the fence, on its line, may be of one inside
					continue
				}
				n++
				name := fmt.Sprintf("f%d.md", n)
				if old != "" {
					w.write(name, old)
				}
				text := "I write it.\n\n" + name + "\n```markdown\n# New\n\nnew\n```" + end
				broken[len(s.Answers)] = true
				s.Answers = append(s.Answers, []model.Item{model.Assistant(text)})
				reqs := []app.EditRequest{{Text: "edit", Session: "new"}}
				for k, words := range then {
					switch words {
					case "rest":
						words = ("\n\nDone: it says new.\n" + "Good.\n")[len(end):]
					case "all":
						words = text + "\n"
					}
					broken[len(s.Answers)] = k < len(then)-1
					s.Answers = append(s.Answers, []model.Item{model.Assistant(words)})
					reqs = append(reqs, app.EditRequest{Continue: &app.Continuation{}})
				}
				var o engine.Outcome
				for _, r := range reqs {
					turn, err := p.Edit(context.Background(), r)
					w.ok(err)
					for range turn.Events() {
					}
					o = turn.Wait()
				}
				b, _ := os.ReadFile(filepath.Join(w.dir, name)) // one that is missing is empty
				if got := string(b); got != "# New\n\nnew\n" || o.Status != engine.Completed {
					t.Errorf("%q after %q, then %q: it ended as %s (%s) with\n%q", old, end, then, o.Status, o.Message, got)
				}
			}
		}
		w.ok(p.Close())
	}
}
