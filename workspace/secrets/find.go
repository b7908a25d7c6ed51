package secrets

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// Finding is one secret: the bytes [From,To) of the text, on the 1-based Line, found by the
// gitleaks rule with the ID Rule.
type Finding struct {
	Rule     string
	From, To int
	Line     int
}

// Find returns the secrets in b, sorted and without overlap. The path tells the rules the
// kind of file; it need not exist and may be empty.
func Find(path string, b []byte) []Finding {
	return theDetector().find(path, b)
}

// Filler is repeated over a secret. It is readable, and so rare that text with it can be
// distinguished from text without it.
const Filler = "<masked>"

// Mask returns b with every secret, except its newlines, overwritten by Filler, so that all
// other bytes keep their places. It returns b itself if there is no secret. It does not
// change b.
func Mask(path string, b []byte) (masked []byte, found []Finding) {
	found = Find(path, b)
	if len(found) == 0 {
		return b, nil
	}
	masked = bytes.Clone(b)
	for _, f := range found {
		for i := f.From; i < f.To; i++ {
			if masked[i] != '\n' && masked[i] != '\r' {
				masked[i] = Filler[(i-f.From)%len(Filler)]
			}
		}
	}
	return masked, found
}

// search is one call of find.
type search struct {
	d     *detector
	path  string
	b     []byte
	spans []span // where to run each rule, in the order of first need
	index map[*rule]int
	found []match
}

// span is the parts of the text that a rule must search.
type span struct {
	r       *rule
	skip    bool // the rule does not apply to this file
	windows []window
}

type window struct{ from, to int }

// match is a finding with the position of its rule in the configuration.
type match struct {
	Finding
	order int
}

func (d *detector) find(path string, b []byte) []Finding {
	s := search{d: d, path: path, b: b, index: map[*rule]int{}}
	d.words.scan(b, s.keyword)
	for _, r := range d.always {
		s.whole(r)
	}
	wanted := func(sp span) bool { return len(sp.windows) > 0 }
	if !slices.ContainsFunc(s.spans, wanted) || s.fileAllowed(d.global.get()) {
		return nil
	}
	for i := range s.spans {
		for _, w := range s.spans[i].windows {
			s.run(s.spans[i].r, w)
		}
	}
	return s.merged()
}

func (s *search) fileAllowed(lists []allowlist) bool {
	return slices.ContainsFunc(lists, func(a allowlist) bool { return a.allowsFile(s.path) })
}

// keyword handles one occurrence of a keyword that ends at end.
func (s *search) keyword(id int32, end int) {
	at := end - len(s.d.keywords[id])
	for _, r := range s.d.byWord[id] {
		s.probe(r, at)
	}
}

func (s *search) spanOf(r *rule) *span {
	i, known := s.index[r]
	if !known {
		r.load()
		i = len(s.spans)
		s.index[r] = i
		s.spans = append(s.spans, span{r: r, skip: !r.applies(s.path)})
	}
	return &s.spans[i]
}

func (s *search) whole(r *rule) {
	if sp := s.spanOf(r); !sp.skip {
		sp.windows = []window{{0, len(s.b)}}
	}
}

// probe adds a window around the keyword at `at`, if a match there is possible.
func (s *search) probe(r *rule, at int) {
	sp := s.spanOf(r)
	if sp.skip {
		return
	}
	p := &r.plan
	if p.probe.text == "" {
		sp.windows = []window{{0, len(s.b)}}
		return
	}
	if !p.probe.get().Match(s.b[at:min(len(s.b), at+p.probeLen)]) {
		return
	}
	w := window{s.back(at, p.before), s.ahead(at, p.after)}
	if n := len(sp.windows); n > 0 && w.from <= sp.windows[n-1].to {
		last := &sp.windows[n-1]
		last.from, last.to = min(last.from, w.from), max(last.to, w.to)
		return
	}
	sp.windows = append(sp.windows, w)
}

// back returns the earliest place before at where a match may begin, minus one byte, so
// that the expression sees the byte before the match.
func (s *search) back(at int, r reach) int {
	for ; at > 0; at-- {
		if !r.spend(s.b[at-1]) {
			return at - 1
		}
	}
	return 0
}

// ahead is back, in the other direction.
func (s *search) ahead(at int, r reach) int {
	for ; at < len(s.b); at++ {
		if !r.spend(s.b[at]) {
			return at + 1
		}
	}
	return len(s.b)
}

// spend takes c out of the reach. It returns false if c is beyond it.
func (r *reach) spend(c byte) bool {
	if c == '\n' {
		if r.lines--; r.lines < 0 {
			return false
		}
	}
	if r.run.has(c) {
		return true
	}
	r.bytes--
	return r.bytes >= 0
}

// run searches w for matches of r. A match at the very edge may exist only because the text
// is cut there (\b, $): then w grows, until no match is at its edge or w is all of the
// text.
func (s *search) run(r *rule, w window) {
	r.prepare()
	if s.fileAllowed(r.allow) {
		return
	}
	for {
		matches := r.full.get().FindAllSubmatchIndex(s.b[w.from:w.to], -1)
		if len(matches) == 0 {
			return
		}
		first, last := matches[0], matches[len(matches)-1]
		step := 64 + (w.to - w.from)
		atStart := first[0] == 0 && w.from > 0
		atEnd := last[1] == w.to-w.from && w.to < len(s.b)
		if !atStart && !atEnd {
			for _, m := range matches {
				s.judge(r, m, w.from)
			}
			return
		}
		if atStart {
			w.from = max(0, w.from-step)
		}
		if atEnd {
			w.to = min(len(s.b), w.to+step)
		}
	}
}

// judge keeps the match m (indexes relative to base) if it is a secret.
func (s *search) judge(r *rule, m []int, base int) {
	from, to := secretIn(s.b[base:], m, r.spec.SecretGroup)
	if from == to {
		return
	}
	from, to = from+base, to+base
	c := candidate{path: s.path, secret: string(s.b[from:to]), match: string(s.b[m[0]+base : m[1]+base])}
	if r.spec.Entropy > 0 && entropy(c.secret) <= r.spec.Entropy {
		return
	}
	c.match = strings.Trim(c.match, "\n")
	c.line = func() string { return s.linesAround(m[0]+base, m[1]+base) }
	allowed := func(a allowlist) bool { return a.allows(c) }
	if slices.ContainsFunc(s.d.global.get(), allowed) || slices.ContainsFunc(r.allow, allowed) {
		return
	}
	s.found = append(s.found, match{Finding{Rule: r.spec.ID, From: from, To: to}, r.order})
}

// secretIn returns the secret in the match m: the given group, otherwise the first group
// that is not empty, otherwise the whole match.
func secretIn(b []byte, m []int, group int) (from, to int) {
	if group > 0 && 2*group+1 < len(m) {
		return max(0, m[2*group]), max(0, m[2*group+1])
	}
	for g := 2; g+1 < len(m); g += 2 {
		if m[g] >= 0 && m[g] < m[g+1] {
			return m[g], m[g+1]
		}
	}
	from, to = m[0], m[1]
	for from < to && b[from] == '\n' {
		from++
	}
	for from < to && b[to-1] == '\n' {
		to--
	}
	return from, to
}

// maxLine is how much of the line to each side of a match the allow lists see: a bundled
// script is one line of megabytes with thousands of matches.
const maxLine = 300

func (s *search) linesAround(from, to int) string {
	start, end := max(0, from-maxLine), min(len(s.b), to+maxLine)
	start += bytes.LastIndexByte(s.b[start:from], '\n') + 1
	if n := bytes.IndexByte(s.b[to:end], '\n'); n >= 0 {
		end = to + n
	}
	return string(s.b[start:end])
}

// entropy returns Shannon's entropy in bits per character.
func entropy(s string) float64 {
	counts := map[rune]int{}
	for _, r := range s {
		counts[r]++
	}
	e, n := 0.0, float64(len(s))
	for _, c := range counts {
		f := float64(c) / n
		e -= f * math.Log2(f)
	}
	return e
}

// merged sorts the findings, joins those that overlap and sets the line numbers. A joined
// finding gets the name of its most specific rule.
func (s *search) merged() []Finding {
	slices.SortFunc(s.found, func(a, b match) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return a.order - b.order
	})
	var out []Finding
	for _, m := range s.found {
		if n := len(out); n > 0 && m.From < out[n-1].To {
			last := &out[n-1]
			last.To = max(last.To, m.To)
			if last.Rule == genericRule {
				last.Rule = m.Rule
			}
			continue
		}
		out = append(out, m.Finding)
	}
	line, at := 1, 0
	for i := range out {
		line += bytes.Count(s.b[at:out[i].From], []byte("\n"))
		at = out[i].From
		out[i].Line = line
	}
	return out
}

// genericRule is the least specific rule: any other name is better.
const genericRule = "generic-api-key"
