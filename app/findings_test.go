package app_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/build/testseed"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
)

// git runs git in the project's folder.
func (w *world) git(args ...string) {
	w.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main"},
		args...)...)
	c.Dir = w.dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := c.CombinedOutput(); err != nil {
		w.Fatalf("git %q: %v: %s", args, err, out)
	}
}

// reviewing opens the project with a language model that gives these answers.
func (w *world) reviewing(answers ...string) (*app.Project, *drivertest.Speaker) {
	m := &drivertest.Speaker{Language: true}
	for _, a := range answers {
		m.Answers = append(m.Answers, []model.Item{model.Assistant(a)})
	}
	return w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(m, agent.Tools()...)})}), m
}

// turn runs a request to its end.
func (w *world) turn(p *app.Project, r app.EditRequest) engine.Outcome {
	w.Helper()
	turn, err := p.Edit(context.Background(), r)
	w.ok(err)
	for range turn.Events() {
	}
	return turn.Wait()
}

var review = app.EditRequest{Mode: app.ModeAsk, Kind: app.KindReview, Changes: &app.Changes{}}

func all(p model.Prompt) string {
	var b strings.Builder
	for _, i := range p.Items {
		fmt.Fprintf(&b, "[%s] %s\n", i.Role, i.Text())
	}
	return b.String()
}

// TestAReviewReadsTheChanges checks what a model reads in a review: the changes with the numbers of the
// new lines, the changed files, no secret on any side, no ignored file, no conversation.
func TestAReviewReadsTheChanges(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	w := newWorld(t, map[string]string{"a.txt": lines(40), "old.txt": "x\ntoken = \"" + secret + "\"\n",
		"gone.txt": "bye\n", ".gitignore": "ignored.txt\n", "ignored.txt": "hidden\n", "from.txt": lines(30),
		"raw.bin": "a\x00b"})
	w.git("init", "-q")
	w.git("add", ".")
	w.git("commit", "-qm", "First of all")
	w.write("a.txt", strings.Replace(lines(40), "line 20\n", "line twenty\nline more\n", 1))
	w.write("old.txt", "x\n")
	w.write("new.txt", "key = \""+secret+"\"\n")
	w.write("raw.bin", "a\x00c")
	w.ok(os.Remove(filepath.Join(w.dir, "gone.txt")))
	w.git("mv", "from.txt", "to.txt")
	p, m := w.reviewing("Nice.", "No findings.", "the message")
	w.turn(p, app.EditRequest{Text: "talk about the weather", Mode: app.ModeAsk})
	if o := w.turn(p, review); o.Status != engine.Completed {
		t.Fatalf("%+v", o)
	}
	said := all(m.Prompts()[1])
	for _, want := range []string{"# a.txt (changed)\n       ...\n     9   line 8\n",
		"       - line 20\n    21 + line twenty\n    22 + line more\n    23   line 21\n",
		"# gone.txt (deleted)\n       - bye\n", "# new.txt (new)\n     1 + key = \"<masked>", "# old.txt (changed)",
		"       - token = \"<masked>", "# to.txt (renamed from from.txt)\n", "# raw.bin (changed)\nIt is not a text file.",
		"## error path/to/file.go:41-43",
		"[user] Review the uncommitted changes (3 lines added, 3 removed) in a.txt, gone.txt, old.txt, raw.bin, to.txt, new.txt."} {
		if !strings.Contains(said, want) {
			t.Errorf("the prompt lacks %q", want)
		}
	}
	for _, not := range []string{secret, "hidden", "weather"} {
		if strings.Contains(said, not) {
			t.Errorf("the prompt has %q", not)
		}
	}
	if t.Failed() {
		t.Log(said)
	}
	commit := review
	commit.Kind, commit.Changes = app.KindCommit, &app.Changes{Staged: true}
	w.turn(p, commit)
	if said := all(m.Prompts()[2]); !strings.Contains(said, "- First of all\n") ||
		strings.Contains(said, "new.txt (new)") ||
		!strings.Contains(said, "renamed from from.txt") {
		t.Errorf("%s", said)
	}
}

// TestALargeReviewSaysWhatIsLeftOut checks changes of five megabytes: what has no room is cut or left
// out, and the review says so.
func TestALargeReviewSaysWhatIsLeftOut(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	w.git("init", "-q")
	w.git("add", ".")
	w.git("commit", "-qm", "x")
	w.write("a.txt", strings.Repeat("another line of forty characters, or so\n", 125_000))
	w.write("b.txt", "bee\n")
	p, m := w.reviewing("## error a.txt:7\n> another line of forty characters, or so\nWhy so many?\n")
	o := w.turn(p, review)
	r, _, err := p.Reviewed(context.Background(), 1)
	w.ok(err)
	if o.Status != engine.Completed || len(r.Findings) != 1 || r.Findings[0].From != 7 {
		t.Fatalf("%+v\n%+v", o, r)
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "a.txt: the last 1") ||
		!strings.Contains(notes, "the prompt would be too long") {
		t.Errorf("%q", r.Notes)
	}
	if said := all(m.Prompts()[0]); len(said) > 600_000 || !strings.Contains(said, "(More is left out") {
		t.Errorf("the prompt has %d bytes", len(said))
	}
}

// TestFindingsFollowTheirLines checks that findings stay at their lines while others change, that they
// are outdated exactly when theirs do, and that they are there after a restart.
func TestFindingsFollowTheirLines(t *testing.T) {
	seed := testseed.New(t)
	r := rand.New(rand.NewPCG(seed, 21))
	now := strings.SplitAfter(lines(60), "\n")[:60]
	w := newWorld(t, map[string]string{"a.txt": strings.Join(now, "")})
	w.git("init", "-q")
	var said strings.Builder
	at := map[int]string{} // number: its line
	for n := 1; n <= 12; n++ {
		l := n * 4
		fmt.Fprintf(&said, "## warning a.txt:%d\n> %sThis one.\n\n", l+r.IntN(3)-1, now[l])
		at[n] = now[l]
	}
	p, _ := w.reviewing(said.String())
	w.turn(p, review)
	touched := map[string]bool{}
	for round := range 8 {
		i := r.IntN(len(now))
		switch r.IntN(3) {
		case 0:
			now = append(now[:i:i], append([]string{fmt.Sprintf("new %d\n", round)}, now[i:]...)...)
		case 1:
			touched[now[i]] = true
			now[i] = strings.TrimSuffix(now[i], "\n") + ", changed\n"
		case 2:
			touched[now[i]] = true
			now = append(now[:i:i], now[i+1:]...)
		}
		w.write("a.txt", strings.Join(now, ""))
		w.ok(p.Reconcile(context.Background()))
		if round == 5 {
			w.ok(p.Close())
			p = w.open()
			w.ok(p.Ready(context.Background()))
		}
		list, err := p.Findings(context.Background(), app.FindingFilter{Path: "a.txt"})
		w.ok(err)
		if len(list) != len(at) {
			t.Fatalf("%d findings", len(list))
		}
		for _, f := range list {
			switch line := at[f.N]; {
			case touched[line] != (f.Outdated != ""):
				t.Errorf("round %d: %+v: its line was %q, touched %v", round, f, line, touched[line])
			case f.Outdated == "" && now[f.From-1] != line:
				t.Errorf("round %d: %+v is at %q, not %q", round, f, now[f.From-1], line)
			}
		}
	}
}

// TestAFindingIsFixed checks that the suggested lines replace exactly the lines of a finding, with the
// file's line ends, as a turn that can be reverted; and that without a suggestion the model is asked.
func TestAFindingIsFixed(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\r\ntwo\r\nthree", "b.txt": "b\n"})
	w.git("init", "-q")
	p, m := w.reviewing(
		"## error a.txt:2-3\n> two\nWrong.\n\n```suggestion\nTWO\n2b\nTHREE\n```\n\n## note b.txt:1\n> b\nToo short.\n",
		"*** Begin Patch\n*** Update File: b.txt\n@@\n-b\n+bee\n*** End Patch\n")
	w.turn(p, review)
	ctx := context.Background()
	req, err := p.Fix(ctx, 1, "")
	w.ok(err)
	if o := w.turn(p, req); o.Status != engine.Completed || w.disk("a.txt") != "one\r\nTWO\r\n2b\r\nTHREE" {
		t.Fatalf("%+v, %q", o, w.disk("a.txt"))
	}
	req, err = p.Fix(ctx, 2, "")
	w.ok(err)
	if o := w.turn(p, req); o.Status != engine.Completed || w.disk("b.txt") != "bee\n" {
		t.Fatalf("%+v, %q", o, w.disk("b.txt"))
	}
	if said := all(m.Prompts()[1]); !strings.Contains(said, "Fix what a review found at b.txt:1: Too short.") {
		t.Error(said)
	}
	list, err := p.Findings(ctx, app.FindingFilter{})
	w.ok(err)
	done, err := p.Findings(ctx, app.FindingFilter{All: true})
	w.ok(err)
	if len(list) != 0 || len(done) != 2 || done[0].State != app.FindingFixed || done[0].Fixed != 2 {
		t.Errorf("%+v %+v", list, done)
	}
	f, err := p.SetFinding(ctx, 2, app.FindingDismissed)
	w.ok(err)
	if f.State != app.FindingDismissed {
		t.Errorf("%+v", f)
	}
	if _, err := p.Finding(ctx, 3); err == nil {
		t.Error("there is a third finding")
	}
}
