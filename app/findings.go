package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"waferpair/app/items"
	"waferpair/app/mask"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/findings"
	"waferpair/engine/model"
	"waferpair/history"
	"waferpair/workspace/text"
)

// What a review found, as comments on lines.
//
//	end of a review's turn ── answer ──> findings.Parse, Place ──> the settings of its turn
//	Findings: the version that the review saw ── text.Diff ──> the text now: where the lines are
//	Fix: the suggested lines as an exact edit, or a request ──> an ordinary turn
//
// Findings are kept with their turn: they are purged with it, and belong to the same line of the
// history. A finding has the lines of the version after edit At. Their place now is that place mapped
// through the difference of the two texts, not through each edit between them: so it is right on
// every fork, also after a restore. If the lines read differently now, the finding is outdated.

// FindingState is what the user decided about a finding.
type FindingState string

// The states.
const (
	FindingOpen      FindingState = "open"
	FindingAccepted  FindingState = "accepted" // the user agrees, and has not fixed it yet
	FindingDismissed FindingState = "dismissed"
	FindingFixed     FindingState = "fixed" // a turn changed something for it
)

// Finding is a comment of a review on lines of a file.
type Finding struct {
	N    int            `json:"n"` // its number in the project
	Turn history.TurnID `json:"turn"`
	findings.Finding
	State    FindingState   `json:"state"`
	Fixed    history.TurnID `json:"fixed,omitempty"`    // the turn that fixed it
	Moved    string         `json:"moved,omitempty"`    // how its place differs from what the model wrote
	Outdated string         `json:"outdated,omitempty"` // why its lines are not as the review saw them; not stored
}

// Reviewed is what a review found.
type Reviewed struct {
	At       history.EditID `json:"at"` // the newest edit that it saw
	Findings []Finding      `json:"findings"`
	Notes    []string       `json:"notes"` // what could not be read or placed, or was not shown to the model
	Prose    string         `json:"prose,omitempty"`
	Clean    bool           `json:"clean,omitempty"` // the model says that there is nothing to find
}

// FindingFilter selects findings. The zero value selects those that are open.
type FindingFilter struct {
	Turn history.TurnID
	Path string
	All  bool // also those that the user decided about
}

// NoFinding says that there is no finding of a number.
type NoFinding struct{ N int }

func (e *NoFinding) Error() string {
	return fmt.Sprintf("there is no finding %d; 'waferpair review list --all' shows them", e.N)
}

// commenter owns the findings of reviews.
type commenter struct {
	*turnFiles
	sessions *sessions

	mu sync.Mutex // held while findings are read and stored again
}

// The marks of the history that lead to findings.
const (
	reviewsMark = "reviews"        // the turns with findings, as a JSON list
	numberMark  = "finding.newest" // the newest number that was given out
)

// maxReviews bounds the reviews whose findings are listed.
const maxReviews = 100

// ending returns what to do at the end of a turn: nil, or keep what a review found, or note that a
// finding is fixed.
func (p *commenter) ending(ctx context.Context, r EditRequest,
	turn history.TurnID) (func(engine.Outcome) error, error) {
	switch {
	case r.Finding != 0:
		return func(o engine.Outcome) error {
			if len(o.Edits) == 0 || o.Status != engine.Completed {
				return nil
			}
			_, err := p.set(context.Background(), r.Finding, FindingFixed, turn)
			return err
		}, nil
	case r.Kind != KindReview:
		return nil, nil
	}
	at, err := p.newest(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin the review: %w", err)
	}
	t := r.task
	if t == nil {
		t = &task{}
	}
	return func(o engine.Outcome) error {
		t.at = at
		return p.keep(context.Background(), turn, t, o)
	}, nil
}

// newest returns the newest edit of the current line; 0: there is none.
func (p *commenter) newest(ctx context.Context) (history.EditID, error) {
	list, err := p.store.List(ctx, history.Filter{Limit: 1})
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0].ID, nil
}

// keep stores what a review found.
func (p *commenter) keep(ctx context.Context, id history.TurnID, t *task, o engine.Outcome) error {
	turn, err := p.store.Turn(ctx, id)
	if err != nil {
		return err
	}
	said := findings.Parse(items.Answer(turn.Items))
	out := Reviewed{At: t.at, Findings: []Finding{}, Notes: []string{}, Prose: said.Prose, Clean: said.Clean()}
	for _, l := range t.left {
		out.Notes = append(out.Notes, "not shown to the model: "+l)
	}
	out.Notes = append(out.Notes, said.Problems...)
	if o.Status != engine.Completed && len(said.Findings) > 0 {
		out.Notes = append(out.Notes, "the review did not end: "+o.Message)
	}
	bases := bases{commenter: p, at: t.at, of: map[string]based{}}
	for _, f := range said.Findings {
		placed, says, err := p.place(ctx, f, t, &bases)
		if err != nil {
			out.Notes = append(out.Notes, fmt.Sprintf("dropped %s %q: %v", f.At(), f.Title, err))
			continue
		}
		placed.Title, placed.Why = mask.Words(placed.Title), mask.Words(placed.Why)
		out.Findings = append(out.Findings, Finding{Turn: id, Finding: placed, State: FindingOpen, Moved: says})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.number(ctx, out.Findings); err != nil {
		return err
	}
	if err := p.put(ctx, turn, out); err != nil {
		return err
	}
	if len(out.Findings) == 0 {
		return nil
	}
	ids, err := p.reviews(ctx)
	if err != nil {
		return err
	}
	ids = append(ids, id)
	raw, err := json.Marshal(ids[max(0, len(ids)-maxReviews):])
	if err != nil {
		return err
	}
	return p.store.SetMark(ctx, reviewsMark, string(raw))
}

// number gives findings numbers that no others have. mu is held.
func (p *commenter) number(ctx context.Context, of []Finding) error {
	value, err := p.store.Mark(ctx, numberMark)
	if err != nil || len(of) == 0 {
		return err
	}
	n, _ := strconv.Atoi(value) // "": there are none yet
	for i := range of {
		n++
		of[i].N = n
	}
	return p.store.SetMark(ctx, numberMark, strconv.Itoa(n))
}

// reviews returns the turns with findings, the oldest first.
func (p *commenter) reviews(ctx context.Context) (ids []history.TurnID, err error) {
	value, err := p.store.Mark(ctx, reviewsMark)
	if err != nil || value == "" {
		return nil, err
	}
	if err := json.Unmarshal([]byte(value), &ids); err != nil {
		return nil, fmt.Errorf("read the list of reviews: %w", err)
	}
	return ids, nil
}

// place finds the lines of a finding in the version that is the base of its review.
func (p *commenter) place(ctx context.Context, f findings.Finding,
	t *task, b *bases) (findings.Finding, string, error) {
	name, err := p.Path(f.Path)
	if err != nil {
		return f, "", errors.New("the path is outside of the project")
	}
	f.Path = name
	base := b.text(ctx, name)
	shown, was := t.shown[name]
	if !was {
		shown = base.text
	}
	if base.why != "" {
		return f, "", errors.New(base.why)
	}
	placed, says, ok := findings.Place(f, linesOf(shown))
	if !ok {
		return f, "", errors.New(says)
	}
	if !shown.Equal(base.text) { // it was shown another version: what is staged, or an earlier one
		from, to, same := mapLines(shown, base.text, placed.From, placed.To)
		if !same {
			return f, "", errors.New("the lines that it is about have changed since")
		}
		placed.From, placed.To = from, to
	}
	if placed.Suggests && placed.Replacement == textOfLines(base.text, placed.From, placed.To) {
		placed.Suggests, placed.Replacement = false, ""
	}
	return placed, says, nil
}

// bases are the texts of files after an edit, read once.
type bases struct {
	*commenter
	at history.EditID
	of map[string]based
}

type based struct {
	text text.Text // in characters, masked
	why  string    // why there is none
}

func (b *bases) text(ctx context.Context, name string) based {
	if t, read := b.of[name]; read {
		return t
	}
	t := based{}
	switch v, err := b.store.At(ctx, b.at, name); {
	case err != nil:
		t.why = "there is no such file in the history: " + err.Error()
	case !v.Exists:
		t.why = noSuchFile
		if why := b.exclusion(name); why != "" {
			t.why = why
		}
	default:
		t.text = text.Plain(text.Of(v.Bytes))
	}
	b.of[name] = t
	return t
}

// current returns the text of a file as it is now, in characters and masked.
func (p *commenter) current(name string) (text.Text, error) {
	b, err := p.Read(name)
	if err != nil {
		return text.Text{}, err
	}
	m, _ := mask.Text(name, text.Of(b))
	return text.Plain(m), nil
}

// linesOf returns the lines of a text without their ends.
func linesOf(t text.Text) []string {
	s := strings.TrimSuffix(t.String(), "\n")
	if s == "" && t.Len() == 0 {
		return nil
	}
	out := strings.Split(s, "\n")
	for i := range out {
		out[i] = strings.TrimSuffix(out[i], "\r")
	}
	return out
}

// span returns the bytes of lines, from 1, inclusive.
func span(t text.Text, from, to int) (start, end text.Byte) {
	last := t.Lines()
	start = t.LineStart(min(max(from, 1), last) - 1)
	if to >= last {
		return start, t.Len()
	}
	return start, t.LineStart(to)
}

func textOfLines(t text.Text, from, to int) string {
	start, end := span(t, from, to)
	return t.Slice(start, end).String()
}

// mapLines returns where lines of a text are in another one; same says that they read the same there.
func mapLines(a, b text.Text, from, to int) (newFrom, newTo int, same bool) {
	start, end := span(a, from, to)
	cs := text.Diff(a, b)
	at, until := cs.MapPos(start, 1), cs.MapPos(end, -1)
	until = max(at, until)
	newFrom = b.LineAt(at) + 1
	newTo = newFrom
	if until > at {
		newTo = b.LineAt(until-1) + 1
	}
	newFrom, newTo = min(newFrom, b.Lines()), min(newTo, b.Lines())
	return newFrom, newTo, textOfLines(a, from, to) == textOfLines(b, newFrom, newTo)
}

// Findings lists findings at their lines of now, the oldest first.
func (p *commenter) Findings(ctx context.Context, f FindingFilter) ([]Finding, error) {
	ids, err := p.reviews(ctx)
	if err != nil {
		return nil, err
	}
	turns, err := p.store.TurnsAmong(ctx, ids, 0)
	if err != nil {
		return nil, err
	}
	out := []Finding{}
	now := map[string]based{}
	for _, t := range turns {
		if f.Turn != 0 && t.ID != f.Turn {
			continue
		}
		r, is := reviewOf(t)
		if !is {
			continue
		}
		b := bases{commenter: p, at: r.At, of: map[string]based{}}
		for _, one := range r.Findings {
			if f.Path != "" && one.Path != f.Path || !f.All && one.State != FindingOpen && one.State != FindingAccepted {
				continue
			}
			one.Turn = t.ID
			out = append(out, p.follow(ctx, one, &b, now))
		}
	}
	return out, nil
}

// follow moves a finding to where its lines are now.
func (p *commenter) follow(ctx context.Context, f Finding, b *bases, now map[string]based) Finding {
	base := b.text(ctx, f.Path)
	if base.why != "" {
		f.Outdated = "the version that the review saw is not in the history any more"
		return f
	}
	cur, read := now[f.Path]
	if !read {
		t, err := p.current(f.Path)
		switch cur.text = t; {
		case errors.Is(err, fs.ErrNotExist):
			cur.why = "the file is gone"
		case err != nil:
			cur.why = err.Error()
		}
		now[f.Path] = cur
	}
	if cur.why != "" {
		f.Outdated = cur.why
		return f
	}
	from, to, same := mapLines(base.text, cur.text, f.From, f.To)
	f.From, f.To = from, to
	if !same && f.State != FindingFixed {
		f.Outdated = "these lines have changed since the review"
	}
	return f
}

// reviewOf returns what a turn found.
func reviewOf(t history.Turn) (Reviewed, bool) {
	var s struct {
		Review *Reviewed `json:"review"`
	}
	if len(t.Settings) == 0 || json.Unmarshal(t.Settings, &s) != nil || s.Review == nil {
		return Reviewed{}, false
	}
	return *s.Review, true
}

// put stores what a turn found. mu is held.
func (p *commenter) put(ctx context.Context, t history.Turn, r Reviewed) error {
	settings := map[string]json.RawMessage{}
	if len(t.Settings) > 0 {
		if err := json.Unmarshal(t.Settings, &settings); err != nil {
			return fmt.Errorf("the settings of turn %d: %w", t.ID, err)
		}
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	settings["review"] = raw
	if raw, err = json.Marshal(settings); err != nil {
		return err
	}
	return p.store.SetTurnSettings(ctx, t.ID, raw)
}

// Review returns what the review of a turn found; false when it is no review.
func (p *commenter) Review(ctx context.Context, id history.TurnID) (Reviewed, bool, error) {
	t, err := p.store.Turn(ctx, id)
	if err != nil {
		return Reviewed{}, false, err
	}
	r, is := reviewOf(t)
	if !is {
		return r, false, nil
	}
	b, now := bases{commenter: p, at: r.At, of: map[string]based{}}, map[string]based{}
	for i := range r.Findings {
		r.Findings[i].Turn = id
		r.Findings[i] = p.follow(ctx, r.Findings[i], &b, now)
	}
	return r, true, nil
}

// Finding returns a finding by its number.
func (p *commenter) Finding(ctx context.Context, n int) (Finding, error) {
	all, err := p.Findings(ctx, FindingFilter{All: true})
	if err != nil {
		return Finding{}, err
	}
	i := slices.IndexFunc(all, func(f Finding) bool { return f.N == n })
	if i < 0 {
		return Finding{}, &NoFinding{n}
	}
	return all[i], nil
}

// SetFinding notes what the user decided about a finding.
func (p *commenter) SetFinding(ctx context.Context, n int, s FindingState) (Finding, error) {
	if err := p.writable(); err != nil {
		return Finding{}, err
	}
	if _, err := p.set(ctx, n, s, 0); err != nil {
		return Finding{}, err
	}
	return p.Finding(ctx, n)
}

func (p *commenter) set(ctx context.Context, n int, s FindingState, by history.TurnID) (Finding, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ids, err := p.reviews(ctx)
	if err != nil {
		return Finding{}, err
	}
	turns, err := p.store.TurnsAmong(ctx, ids, 0)
	if err != nil {
		return Finding{}, err
	}
	for _, t := range turns {
		r, is := reviewOf(t)
		i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.N == n })
		if !is || i < 0 {
			continue
		}
		r.Findings[i].State, r.Findings[i].Fixed = s, by
		return r.Findings[i], p.put(ctx, t, r)
	}
	return Finding{}, &NoFinding{n}
}

// Fix returns the request that fixes a finding: with the lines that it suggests, when they can be put in
// place as they are, and of a model otherwise. of is the model; "" is the one of the review.
func (p *commenter) Fix(ctx context.Context, n int, of string) (EditRequest, error) {
	f, err := p.Finding(ctx, n)
	if err != nil {
		return EditRequest{}, err
	}
	r := EditRequest{Kind: KindEdit, Model: of, Finding: n, Target: model.Target{File: f.Path, From: f.From, To: f.To}}
	if r.Model == "" {
		t, err := p.store.Turn(ctx, f.Turn)
		if err != nil {
			return r, err
		}
		r.Model = t.Model
	}
	if f.Outdated != "" && f.From == 0 {
		r.Target = model.Target{}
	}
	now, err := p.current(f.Path)
	if err != nil {
		return r, fmt.Errorf("fix finding %d: %s: %w", n, f.Path, err)
	}
	r.Text = fixText(f)
	if f.Suggests && f.Outdated == "" && !mask.Has(f.Replacement) {
		r.Text = fmt.Sprintf("Make the change that finding %d suggests for %s: %s", n, f.At(), f.Title)
		r.driver = agent.New(suggestion{f, textOfLines(now, f.From, f.To)})
	}
	return r, nil
}

// fixText is the request that asks a model to fix a finding.
func fixText(f Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Fix what a review found at %s: %s\n", f.At(), f.Title)
	if f.Outdated != "" {
		b.WriteString("The file has changed since; look where this is now, and change nothing if it is fixed already.\n")
	}
	if f.Why != "" {
		b.WriteString("\n" + f.Why + "\n")
	}
	if f.Suggests {
		fmt.Fprintf(&b, "\nThe review suggested these lines:\n\n~~~\n%s~~~\n", f.Replacement)
	}
	return b.String()
}

// suggestion is the model that puts the suggested lines of a finding in their place.
type suggestion struct {
	f   Finding
	was string // the lines that it replaces, masked
}

// SuggestionModel is the model name in the turn of a suggestion.
const SuggestionModel = "review"

func (suggestion) Info() model.Info {
	return model.Info{Name: SuggestionModel, Kind: "review", Offline: true,
		Help: "puts the lines in place that a review suggested"}
}

func (s suggestion) Generate(_ context.Context, p model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	raw, err := p.Files.Read(s.f.Path)
	if err != nil {
		return model.Result{}, err
	}
	t := text.Of(raw)
	if text.IsUTF16(t) {
		return model.Result{}, fmt.Errorf("%s is in UTF-16: edit it yourself, or ask a model with --model", s.f.Path)
	}
	from, to := span(t, s.f.From, s.f.To)
	if m, _ := mask.Text(s.f.Path, t); m.Slice(from, to).String() != s.was {
		return model.Result{}, fmt.Errorf("%s has just changed: try again", s.f.Path)
	}
	lines := s.f.Replacement
	if around, _ := span(t, s.f.From-1, s.f.From); strings.Contains(t.Slice(around, to).String(), "\r\n") {
		lines = strings.ReplaceAll(strings.ReplaceAll(lines, "\r\n", "\n"), "\n", "\r\n")
	}
	if to == t.Len() && !strings.HasSuffix(t.Slice(from, to).String(), "\n") {
		lines = strings.TrimRight(lines, "\r\n")
	}
	cs, err := text.NewChangeSet(t.Len(), text.Change{From: from, To: to, Insert: lines})
	if err != nil {
		return model.Result{}, err
	}
	err = yield(model.Edits{Of: []model.FileEdit{{Path: s.f.Path, Base: t, Changes: cs}}})
	return model.Result{}, err
}
