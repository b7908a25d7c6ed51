package spark

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"waferpair/engine/model"
	"waferpair/engine/refactor"
)

// What is offered in the place of a request that was declined. Languages and the
// parser know what comes near: names, files, readings of the request, operations.
// Here that becomes whole requests, and each is tried on the project as it is:
// only those that change files are offered, however few that leaves.

const (
	mostOffers = 3
	mostTries  = 12
)

// offerWithin bounds how long the user waits for offers after a request was
// declined. What was not tried by then is not offered.
var offerWithin = 4 * time.Second

// sureWithin bounds the trial of what is most probably meant. It takes as long as the request
// itself would: with an empty Go build cache, types take most of a minute.
var sureWithin = 2 * time.Minute

// offering makes a refusal of a Declined, whose candidates are requests that work.
// Advice that is no request goes to its reason. Other errors stay what they are.
func (m *Model) offering(ctx context.Context, p model.Prompt, request string, parsed Parsed, err error,
	h hearing) error {
	var d *refactor.Declined
	if !errors.As(err, &d) {
		return err
	}
	c := model.Refusal{Code: codeOf(d.Code), Understood: d.Understood, Reason: d.Reason}
	w := wish{request: request, target: refactor.Target(p.Target), program: parsed.Program}
	w.files, _ = p.Files.Files(ctx) // without them a file that is named is not known
	for _, near := range d.Nearest {
		w.take(near)
	}
	if len(h.requests) > 0 { // the grammar's own are next to what was typed
		h.requests = distinctRequests(append(slices.Clone(w.whole), h.requests...))
	}
	if m.askBack(ctx, p, h, &c) {
		return &c
	}
	var heard []string // what askBack has not tried
	left := 0
	if d.Code == refactor.NoSymbol || parsed.Program == nil && d.Code != refactor.Beyond {
		h = m.heard(ctx, p, request)
		heard, left = h.requests, h.more
	}
	if h.asked { // an operation whose words are in the request is a worse guess than none
		w.ops = nil
	}
	requests := inTurns(w.requests(), heard)
	if c.Candidates, c.More = m.tried(ctx, p, requests); len(c.Candidates) > 0 {
		c.More += left
	}
	advice := w.advice
	if len(c.Candidates) == 0 && len(w.names) > 0 {
		advice = append(advice, "there is "+strings.Join(w.names, ", "))
	}
	if h.asked && len(c.Candidates) == 0 && d.Understood == "" {
		switch {
		case h.like != "":
			c.Reason = "I didn't understand all of it; it sounds like a request such as " + strconv.Quote(h.like)
		case strings.HasPrefix(c.Reason, cannotDo): // the first word was no verb to the voices, either
			c.Reason = "I didn't understand this request"
		}
	}
	if len(advice) > 0 {
		c.Reason += "; " + strings.Join(advice, ", or ")
	}
	return &c
}

// inTurns lists what two voices say, one after the other, without what both say.
func inTurns(a, b []string) []string {
	var out []string
	for i := range max(len(a), len(b)) {
		for _, list := range [][]string{a, b} {
			if i < len(list) && !slices.Contains(out, list[i]) {
				out = append(out, list[i])
			}
		}
	}
	return out
}

// askBack makes the refusal ask about what was heard, or say why that cannot be done. It
// returns false if nothing was heard.
func (m *Model) askBack(ctx context.Context, p model.Prompt, h hearing, c *model.Refusal) bool {
	if len(h.requests) == 0 {
		return false
	}
	if c.Candidates, c.More = m.tried(ctx, p, h.requests); len(c.Candidates) > 0 {
		c.More += h.more
		c.Code, c.Reason = model.Ambiguous, unsure(c)
		return true
	}
	if !h.sure {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, sureWithin)
	defer cancel()
	if one, works := m.try(ctx, p, h.requests[0]); works { // it took longer than the others may
		c.Candidates, c.Code, c.More = []model.Candidate{one}, model.Ambiguous, len(h.requests)-1+h.more
		c.Reason = unsure(c)
		return true
	}
	return m.whyNot(ctx, p, h.requests[0], c)
}

// whyNot makes the refusal say why a request that was heard cannot be carried out.
func (m *Model) whyNot(ctx context.Context, p model.Prompt, request string, c *model.Refusal) bool {
	files, err := p.Files.Files(ctx)
	if err != nil {
		return false
	}
	parsed, err := Parse(request, Context{Target: refactor.Target(p.Target), Files: files})
	if err != nil {
		return false
	}
	res, err := m.runner.Run(ctx, newSnapshot(p.Files), parsed.Target, parsed.Program)
	var d *refactor.Declined
	switch {
	case errors.As(err, &d):
		c.Code, c.Reason = codeOf(d.Code), d.Reason
		w := wish{request: request, target: parsed.Target, program: parsed.Program, files: files}
		for _, near := range d.Nearest {
			w.take(near)
		}
		requests := w.requests()
		if spec, _ := refactor.Lookup(parsed.Program[0].Name); d.Code == refactor.NoFile && len(parsed.Program) == 1 {
			requests = append(requests, inEach(spec, parsed.Program[0], files)...)
		}
		c.Candidates, c.More = m.tried(ctx, p, requests)
	case err == nil && len(res.Edits) == 0:
		c.Reason = strings.TrimSuffix(res.Summary, ".")
	default:
		return false
	}
	c.Understood = request
	return true
}

// inEach asks for an operation on each file of a small project, where the request names none.
func inEach(spec refactor.Spec, op refactor.Op, files []string) []string {
	if spec.Ask.File == "" || len(op.Args) > 0 || len(files) > mostTries {
		return nil
	}
	var out []string
	for _, f := range files {
		out = append(out, spec.Ask.File+codeQuote(f))
	}
	return out
}

// unsure is why a request is asked about although it was heard.
func unsure(c *model.Refusal) string {
	if len(c.Candidates)+c.More == 1 {
		return "I may have understood it, and change nothing unasked"
	}
	return "it may mean one of several things"
}

// codeOf is how a turn knows the reason.
func codeOf(c refactor.Code) model.Code {
	switch c {
	case refactor.Ambiguous:
		return model.Ambiguous
	case refactor.NoSymbol:
		return model.NoSymbol
	case refactor.NoFile:
		return model.NoFile
	}
	return model.Beyond
}

// Working are those of the requests, made as p was, that would change files. Each
// is tried; what could not be tried in time is left out.
func (m *Model) Working(ctx context.Context, p model.Prompt, requests []string) []string {
	found, _ := m.tried(ctx, p, requests)
	return (&model.Refusal{Candidates: found}).Requests()
}

// tried are the first of the requests, made as p was, that would change files. more counts those
// that were not tried, because enough were found, or time was up.
func (m *Model) tried(ctx context.Context, p model.Prompt, requests []string) (out []model.Candidate, more int) {
	ctx, cancel := context.WithTimeout(ctx, offerWithin)
	defer cancel()
	type trial struct {
		candidate model.Candidate
		works     bool
	}
	trials := make(chan trial, mostTries)
	go func() { // a compiler that is asked on the way may take longer than anybody waits
		defer close(trials)
		for _, r := range requests[:min(len(requests), mostTries)] {
			if ctx.Err() != nil {
				return
			}
			c, works := m.try(ctx, p, r)
			trials <- trial{c, works}
		}
	}()
	for n := len(requests); ; n-- {
		select {
		case t, ok := <-trials:
			if !ok {
				return out, n
			}
			if t.works && !slices.ContainsFunc(out, func(c model.Candidate) bool { // said in other words
				return reflect.DeepEqual(c.Edits, t.candidate.Edits)
			}) {
				out = append(out, t.candidate)
			}
			if len(out) == mostOffers {
				return out, n - 1
			}
		case <-ctx.Done():
			return out, n
		}
	}
}

// try carries a request, made as p was, out on copies; false if it would not change files.
func (m *Model) try(ctx context.Context, p model.Prompt, request string) (model.Candidate, bool) {
	files, err := p.Files.Files(ctx)
	if err != nil {
		return model.Candidate{}, false
	}
	parsed, err := Parse(request, Context{Target: refactor.Target(p.Target), Files: files})
	if err != nil {
		return model.Candidate{}, false
	}
	read := newSnapshot(p.Files)
	res, err := m.runner.Run(ctx, read, parsed.Target, parsed.Program)
	outside := func(e refactor.FileEdit) bool { return !p.Fence.Allows(e.Path) }
	if err != nil || len(res.Edits) == 0 || slices.ContainsFunc(res.Edits, outside) {
		return model.Candidate{}, false
	}
	inFile := func(e refactor.FileEdit) bool { return e.Path == parsed.Target.File }
	if parsed.Target.File != p.Target.File && !slices.ContainsFunc(res.Edits, inFile) {
		return model.Candidate{}, false // it names a file, and is about another one
	}
	c := model.Candidate{Request: request, Operation: operationsOf(parsed.Program), Summary: strings.TrimSpace(said(res))}
	c.Edits, err = read.edits(res.Edits)
	return c, err == nil && ctx.Err() == nil
}

// operationsOf names the operations of a program.
func operationsOf(p refactor.Program) string {
	names := make([]string, len(p))
	for i, op := range p {
		names[i] = op.Name
	}
	return strings.Join(names, "; ")
}

// wish is a declined request, and what was found near it.
type wish struct {
	request string
	target  refactor.Target
	files   []string
	program refactor.Program // as far as the request was understood
	whole   []string         // requests
	names   []string         // of symbols and files
	ops     []string         // operations that its words make one think of
	advice  []string
}

var typed = regexp.MustCompile(`^\S+:\d+ \(type (.+)\)$`)

// take sorts one thing that was found near the request.
func (w *wish) take(near string) {
	if m := typed.FindStringSubmatch(near); m != nil {
		if file, ok := strings.CutPrefix(m[1], "--file "); !ok {
			w.names = append(w.names, m[1])
		} else if !strings.Contains(file, " ") {
			w.whole = append(w.whole, w.request+" in "+file)
		}
		w.advice = append(w.advice, "type "+m[1])
		return
	}
	for _, op := range refactor.Ops {
		if near == op.Example {
			w.ops = append(w.ops, op.Name)
			return
		}
	}
	switch _, err := Parse(near, Context{Target: w.target, Files: w.files}); {
	case err == nil:
		w.whole = append(w.whole, near)
	case strings.ContainsAny(near, " \t"):
		w.advice = append(w.advice, near)
	default:
		w.names = append(w.names, near)
	}
}

// requests are the whole requests that what was found makes, the likeliest first.
func (w *wish) requests() []string {
	out := slices.Clone(w.whole)
	for _, name := range w.names {
		if word := w.meant(name); word != "" {
			out = append(out, w.corrected(word, name))
		}
	}
	for _, op := range w.ops {
		out = append(out, w.about(op)...)
	}
	return slices.DeleteFunc(distinctRequests(out), func(r string) bool { return r == w.request })
}

// distinctRequests are the requests without those that came before.
func distinctRequests(requests []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(requests, func(r string) bool {
		again := seen[r]
		seen[r] = true
		return again
	})
}

// meant is the word of the request that a name may have been meant by: its last
// part, or the most similar one. Where the request was understood, only what it
// is about comes into question.
func (w *wish) meant(name string) string {
	var words []string
	if w.program == nil {
		words = slices.DeleteFunc(wordsOf(w.request), func(s string) bool { return !strings.ContainsAny(s, "./") })
	}
	for _, op := range w.program {
		for _, arg := range slices.Sorted(maps.Keys(op.Args)) {
			if arg != "to" && arg != "value" && arg != "text" {
				words = append(words, op.Args[arg])
			}
		}
	}
	best, least := "", 0
	for _, word := range words {
		if word == "" || word == name {
			continue
		}
		if strings.HasSuffix(name, "."+word) || strings.HasSuffix(name, "/"+word) {
			return word
		}
		_, last := qualified(word, name)
		limit := max(2, len(last)/3)
		d := refactor.Distance(strings.ToLower(last), strings.ToLower(name), limit)
		if d <= limit && (best == "" || d < least) {
			best, least = word, d
		}
	}
	return best
}

// qualified cuts a word such as Type.Mehtod in two where name is only a last part.
func qualified(word, name string) (owner, last string) {
	if i := strings.LastIndexByte(word, '.'); i >= 0 && !strings.Contains(name, ".") {
		return word[:i+1], word[i+1:]
	}
	return "", word
}

// corrected is the request with name in the place of word, which it may say in
// two parts: "Mehtod of Type".
func (w *wish) corrected(word, name string) string {
	owner, last := qualified(word, name)
	if r := replaceWord(w.request, word, owner+name); r != w.request {
		return r
	}
	return replaceWord(w.request, last, name)
}

// about are the requests for an operation with the words of this one, and its file.
func (w *wish) about(op string) []string {
	var out []string
	spec, _ := refactor.Lookup(op)
	t := spec.Ask
	for _, word := range wordsOf(w.request) {
		switch isFile := strings.Contains(word, "."); {
		case t.Symbol != "" && !isFile && CanName(word):
			out = append(out, t.Symbol+word)
		case t.File != "" && isFile:
			out = append(out, t.File+word)
		}
	}
	if t.File != "" && w.target.File != "" {
		out = append(out, t.File+w.target.File)
	}
	return out
}

var wordLike = regexp.MustCompile(`[\pL\pN_$@.\-/]*[\pL\pN_$]`)

// wordsOf are the words of a request, names and paths whole.
func wordsOf(request string) []string { return wordLike.FindAllString(request, -1) }

// replaceWord puts name in the place of a word of the request.
func replaceWord(request, word, name string) string {
	var b strings.Builder
	at := 0
	for _, span := range wordLike.FindAllStringIndex(request, -1) {
		if request[span[0]:span[1]] == word {
			b.WriteString(request[at:span[0]] + name)
			at = span[1]
		}
	}
	b.WriteString(request[at:])
	return b.String()
}
