package speed

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/refactor/golang/genproject"
)

// renamed are the two names between which models rename, there and back.
var renamed = [2]string{genproject.Function, "loadConfig"}

// models lets every model rename a function that 20 files use.
func (m *measuring) models() (err error) {
	for _, name := range m.Names {
		e := m.model(name)
		if e != nil && !errors.Is(e, ErrModel) {
			return e
		}
		err = errors.Join(err, e)
	}
	return err
}

func (m *measuring) model(name string) error {
	m.Doing(name + " gets ready")
	if err := m.p.Prepare(m.ctx); err != nil {
		return err
	}
	m.Doing("asking " + name)
	var first []time.Duration
	var rates []float64
	edits := 0
	whole, err := m.repeat(2*patience, func(i int) (time.Duration, error) {
		t, err := m.turn(name, fmt.Sprintf("rename %s to %s everywhere", renamed[i%2], renamed[1-i%2]))
		first, edits = append(first, t.first), len(t.out.Edits)
		if r := t.out.Timing.TokensPerSecond(); r > 0 {
			rates = append(rates, r)
		}
		return t.whole, err
	})
	var failed *failure
	if errors.As(err, &failed) {
		m.Report(Figure{Model: name, Name: "turn", Help: "rename a function that 20 files use", Failed: failed.why})
		return ErrModel
	}
	if err != nil {
		return err
	}
	m.times(Figure{Model: name, Name: "first-edit", Help: "from a request to the first change"}, first)
	m.times(Figure{Model: name, Name: "turn", Help: fmt.Sprintf("to the end of %d edits, all kept", edits)}, whole)
	if len(rates) > 0 { // a model that has tokens
		slices.Sort(rates)
		m.Report(Figure{Model: name, Name: "tokens", Help: "from its first text to its last", Value: rates[len(rates)/2],
			Worst: rates[0], Times: len(rates), Unit: "tokens/s"})
	}
	return nil
}

// failure says that a turn did not carry out its request.
type failure struct{ why string }

func (f *failure) Error() string { return f.why }

// turn is one request, with its durations.
type turn struct {
	first, whole time.Duration
	out          engine.Outcome
}

func (m *measuring) turn(model, request string) (t turn, err error) {
	start := time.Now()
	running, err := m.p.Edit(m.ctx, app.EditRequest{Text: request, Model: model})
	if err != nil {
		return t, err
	}
	for ev := range running.Events() {
		if _, ok := ev.(engine.HunkChanged); ok && t.first == 0 {
			t.first = time.Since(start)
		}
	}
	t.out, t.whole = running.Wait(), time.Since(start)
	switch {
	case m.ctx.Err() != nil:
		return t, m.ctx.Err()
	case t.out.Status != engine.Completed:
		return t, &failure{fmt.Sprintf("%s: %s", t.out.Status, t.out.Message)}
	case t.first == 0:
		return t, &failure{"it changed nothing"}
	}
	return t, nil
}
