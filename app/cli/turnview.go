package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"waferpair/app"
	"waferpair/app/spending"
	"waferpair/engine"
	"waferpair/engine/model"
)

// turnView shows a turn as it happens: as a diff for people, or as JSON lines.
type turnView struct {
	env    *env
	turn   int64 // 0: it is not recorded
	diff   *diffView
	prose  strings.Builder
	broken bool // something else came after the prose: what follows is a text of its own

	asks   bool   // the request is a question: its answer is printed as it comes
	spoken spoken // the answer
	cited  bool   // places of it were printed
}

func newTurnView(e *env, turn int64) *turnView {
	v := &turnView{env: e, turn: turn, diff: newDiffView(e.out, e.color(e.out))}
	v.spoken.show = v.said
	return v
}

// jsonOut prints one object on a line of its own.
func jsonOut(w io.Writer, v any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v) // output keeps its first error
	if errors.As(err, new(*json.UnsupportedValueError)) {
		panic("cli: " + err.Error()) // a number that JSON does not have: no output at all would look like a success
	}
}

// jsonEvent prints one event.
func jsonEvent(w io.Writer, ev engine.Event) {
	if b, err := engine.MarshalEvent(ev); err == nil { // its fields are words and numbers: it cannot fail
		fmt.Fprintf(w, "%s\n", b)
	}
}

// show shows one event.
func (v *turnView) show(ev engine.Event) {
	if v.env.json {
		v.showJSON(ev)
		return
	}
	out := v.env.out
	switch ev := ev.(type) {
	case engine.Prose:
		if v.asks {
			v.spoken.say(ev.Text)
			return
		}
		v.write(ev.Text)
	case engine.Cited:
		v.citation(ev)
	case engine.Called:
		v.called(ev)
	case engine.HunkOpened:
		v.broken = true
		v.diff.hunk(ev.Path)
	case engine.HunkChanged:
		v.diff.change(ev.Line, ev.Removed, ev.Inserted)
	case engine.HunkFailed:
		if ev.Reason == string(engine.Reverted) { // the end of the turn says why
			return
		}
		v.broken = true
		fmt.Fprintf(out, "%s\n", v.diff.paint(ansiYellow, clean(notEdited(ev))))
	case engine.HunkReturned:
		what := "sent back to the model"
		if ev.Path != "" {
			what = ev.Path + ": " + what + " with the file's lines"
		}
		fmt.Fprintf(out, "%s\n", v.diff.paint(ansiDim, clean("  "+what)))
	case engine.FileCreated:
		fmt.Fprintf(out, "%s\n", v.diff.paint(ansiBold, "new file "+clean(ev.Path)))
	case engine.FileDeleted:
		fmt.Fprintf(out, "%s\n", v.diff.paint(ansiBold, "deleted "+clean(ev.Path)))
	case engine.FileMoved:
		fmt.Fprintf(out, "%s\n", v.diff.paint(ansiBold, "moved "+clean(ev.Path)+" -> "+clean(ev.To)))
	case engine.Note:
		fmt.Fprintf(v.env.err, "waferpair: %s\n", clean(ev.Text))
	}
}

// retry shows that a request is sent again, with a countdown: a terminal has a line for it, which a turn
// that has shown something gets again; elsewhere each try is said once.
func (v *turnView) retry(w *waiting, ev engine.Working) *waiting {
	e := v.env
	switch {
	case e.json:
		jsonEvent(e.out, ev)
	case !e.isTerminal(e.err):
		if ev.Done == 0 {
			fmt.Fprintf(e.err, "waferpair: %s\n", workingText(ev))
		}
	case e.waiting.Load() != w:
		v.endSaid() // the line begins where the cursor is
		return e.startWaiting()
	}
	return w
}

// notEdited says which edit was not made, and why.
func notEdited(ev engine.HunkFailed) string {
	path := ev.Path
	if path == "" {
		path = "a part of the answer"
	}
	return fmt.Sprintf("%s: not edited (%s): %s", path, ev.Reason, strings.TrimPrefix(ev.Message, ev.Path+": "))
}

// write keeps prose for the end of the turn: each text is a paragraph of its own.
func (v *turnView) write(text string) {
	if all := v.prose.String(); v.broken && all != "" && all[len(all)-1] != '\n' {
		v.prose.WriteString("\n\n")
	}
	v.broken = false
	v.prose.WriteString(text)
}

// called shows a call of a tool.
func (v *turnView) called(ev engine.Called) {
	v.endSaid()
	v.broken = true
	words := strings.TrimSpace(ev.Tool + " " + ev.About)
	if ev.Failed != "" {
		words += ": " + ev.Failed
	}
	fmt.Fprintf(v.env.out, "%s\n", v.diff.paint(ansiDim, cleanName(words)))
}

// showJSON prints the events that scripts use; end prints the last one.
func (v *turnView) showJSON(ev engine.Event) {
	switch ev := ev.(type) {
	case engine.Prose:
		if v.asks {
			v.spoken.say(ev.Text)
			return
		}
		v.write(ev.Text)
	case engine.Cited, engine.Called:
		v.broken = true
		v.endSaid()
		jsonEvent(v.env.out, ev)
	case engine.Started, engine.EditAcked, engine.HunkFailed, engine.HunkReturned, engine.Note:
		jsonEvent(v.env.out, ev)
	}
}

// end prints the turn's result, and returns the exit code.
func (v *turnView) end(o engine.Outcome, dryRun bool) error {
	v.endSaid()
	if v.env.json {
		if v.prose.Len() > 0 {
			jsonEvent(v.env.out, engine.Prose{Text: v.prose.String()})
		}
		v.jsonChoices(o)
		jsonEvent(v.env.out, engine.End(o))
		return codeOf(o.Status)
	}
	if s := strings.TrimSpace(v.prose.String()); s != "" {
		fmt.Fprintf(v.env.out, "\n%s\n", clean(s))
	}
	v.summary(o, dryRun)
	return codeOf(o.Status)
}

func (v *turnView) summary(o engine.Outcome, dryRun bool) {
	err := v.env.err
	switch o.Status {
	case engine.Declined:
		switch {
		case o.Refusal == nil && o.Code != model.Types:
			fmt.Fprintf(err, "waferpair: %s\n", clean(o.Message))
		case v.asks:
			fmt.Fprint(err, questionDeclined(o))
			return
		default:
			fmt.Fprint(err, declinedText(o, dryRun))
			v.otherModel(err, o, dryRun)
			return
		}
	case engine.Completed:
	default:
		v.env.showRefused(o)
		v.approvable(o)
		command := map[bool]string{true: "ask", false: "edit"}[v.asks]
		stopped := o.Status == engine.Stopped && o.Timing.Rounds > 0 && !dryRun // a language model's
		if o.Code == engine.ContinueCode || stopped {
			fmt.Fprintf(err, "  to go on: waferpair %s --continue\n", command)
		}
		if o.Code == spending.OverCode {
			fmt.Fprintf(err, "  to send it anyway: waferpair %s --again --over-budget\n", command)
		}
	}
	if dryRun {
		fmt.Fprintf(v.env.out, "%s\n", v.diff.paint(ansiDim, "dry run: nothing was written"))
		return
	}
	fmt.Fprintf(v.env.out, "%s\n", v.diff.paint(ansiDim, closingLine(o, v.asks)))
	v.otherModel(v.env.out, o, dryRun)
}

// otherModel says how to ask another model than the one that was chosen for the user.
func (v *turnView) otherModel(w io.Writer, o engine.Outcome, dryRun bool) {
	if o.Auto == "" || dryRun {
		return
	}
	name := v.env.otherThan(o.Model)
	if name == "" {
		return
	}
	command := "edit"
	if v.asks {
		command = "ask"
	}
	fmt.Fprintf(w, "%s\n",
		v.diff.paint(ansiDim, clean(fmt.Sprintf("  another model: waferpair %s --again --model %s", command, name))))
}

// approvable says how to make held edits anyway.
func (v *turnView) approvable(o engine.Outcome) {
	if v.turn != 0 && len(o.Outside)+len(o.Unmade) > 0 {
		fmt.Fprintf(v.env.err, "  to approve it: waferpair history approve %d\n", v.turn)
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// declinedText says what was understood, why it was declined, which requests would work, and
// how to attach a model that can do more.
func declinedText(o engine.Outcome, dryRun bool) string {
	var b strings.Builder
	if o.Code == model.Types {
		return fmt.Sprintf("waferpair: %s\n", clean(o.Message))
	}
	fmt.Fprintf(&b, "waferpair: declined, nothing was changed\n")
	d := o.Refusal
	if d.Understood != "" {
		fmt.Fprintf(&b, "  understood: %s\n", clean(d.Understood))
	}
	fmt.Fprintf(&b, "  because:    %s\n", clean(d.Reason))
	b.WriteString(choices(d, dryRun))
	fmt.Fprintf(&b, "  'waferpair models show spark' lists what the built-in model can do.\n")
	fmt.Fprintf(&b, "  %s\n", app.LargerModelHint)
	return b.String()
}

// codeOf returns the exit code for a turn's ending. The view has printed everything.
func codeOf(s engine.Status) error {
	code := exitFailed
	switch s {
	case engine.Completed:
		return nil
	case engine.Declined, engine.Held:
		code = exitBeyond
	case engine.Conflict:
		code = exitConflict
	case engine.Stopped, engine.Failed:
	}
	return &codeError{code: code, err: errors.New(string(s)), quiet: true}
}
