package secrets

import (
	"maps"
	"regexp/syntax"
	"sync"
	"unicode/utf8"
)

// unfinishedBack is how far back Unfinished looks for the beginning of a secret: farther
// than the length of any secret on one line, except a long JWT.
const unfinishedBack = 512

// Unfinished reports whether b may end inside a secret that continues with the text to
// come, although no rule matches yet: inside a token of a known kind, or in the first
// letters of a value assigned to a key. from is where the secret begins.
//
// A rule's expression runs as usual, but the question is not whether it has matched: it is
// whether a match is still in progress at the end, with at least one byte of the secret
// consumed.
func Unfinished(path string, b []byte) (from int, ok bool) {
	from = len(b)
	base := max(0, len(b)-unfinishedBack)
	for base < len(b) && base > 0 && !utf8.RuneStart(b[base]) {
		base++
	}
	tail := b[base:]
	for r, word := range theDetector().begun(path, tail) {
		if at := r.underWay(tail, word); at >= 0 {
			from = min(from, base+at)
		}
	}
	return from, from < len(b)
}

// begun returns the rules that have a keyword in b, each with the start of its last one.
func (d *detector) begun(path string, b []byte) map[*rule]int {
	out := map[*rule]int{}
	d.words.scan(b, func(id int32, end int) {
		for _, r := range d.byWord[id] {
			if end < len(b) {
				out[r] = end - len(d.keywords[id])
			}
		}
	})
	maps.DeleteFunc(out, func(r *rule, _ int) bool {
		r.load()
		return !r.applies(path)
	})
	return out
}

// underWay returns the start of the secret in a match that includes a keyword (the last one
// is at word) and that the end of b interrupts, or -1 if there is none.
func (r *rule) underWay(b []byte, word int) int {
	prog := r.program()
	if prog == nil {
		return -1
	}
	m := machine{prog: prog, group: r.spec.SecretGroup, now: newThreads(prog), next: newThreads(prog)}
	prev := rune(-1)
	for at := 0; at < len(b); {
		c, size := utf8.DecodeRune(b[at:])
		flags := syntax.EmptyOpContext(prev, c)
		m.resume(flags, at)
		if at <= word {
			m.begin(at, flags)
		}
		at += size
		m.step(c, at)
		prev = c
	}
	m.resume(syntax.EmptyOpContext(prev, -1), len(b))
	return m.live(len(b))
}

// program returns the rule's expression, compiled on first use.
func (r *rule) program() *syntax.Prog {
	r.partly.once.Do(func() {
		re, err := syntax.Parse(r.spec.Regex, syntax.Perl)
		if err != nil {
			return
		}
		r.partly.prog, _ = syntax.Compile(re.Simplify())
	})
	return r.partly.prog
}

// partial is an expression as a program whose progress can be queried.
type partial struct {
	once sync.Once
	prog *syntax.Prog
}

// machine runs a program over text, all alternatives at once. Of the paths that lead to one
// instruction it keeps the one that began first.
type machine struct {
	prog      *syntax.Prog
	group     int // the group of the secret; 0: the first one, or the whole match
	now, next *threads
}

// thread is the start of a match's secret; -1: not reached.
type thread int

// threads is a set of instructions, each with its thread.
type threads struct {
	list []uint32
	at   []thread
	in   []bool
}

func newThreads(p *syntax.Prog) *threads {
	return &threads{at: make([]thread, len(p.Inst)), in: make([]bool, len(p.Inst))}
}

func (t *threads) clear() {
	for _, pc := range t.list {
		t.in[pc] = false
	}
	t.list = t.list[:0]
}

// begin starts a match. Without groups the whole match is the secret.
func (m *machine) begin(at int, flags syntax.EmptyOp) {
	secret := thread(-1)
	if m.prog.NumCap <= 2 {
		secret = thread(at)
	}
	m.add(m.now, uint32(m.prog.Start), secret, at, flags)
}

// add follows all instructions from pc on that consume no text. One that depends on the
// text around it stays in the set until resume sees that text.
func (m *machine) add(t *threads, pc uint32, th thread, at int, flags syntax.EmptyOp) {
	if t.in[pc] {
		return
	}
	t.in[pc], t.at[pc] = true, th
	t.list = append(t.list, pc)
	switch in := &m.prog.Inst[pc]; in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		m.add(t, in.Out, th, at, flags)
		m.add(t, in.Arg, th, at, flags)
	case syntax.InstNop:
		m.add(t, in.Out, th, at, flags)
	case syntax.InstCapture:
		if in.Arg%2 == 0 && th < 0 && (m.group == 0 || int(in.Arg) == 2*m.group) {
			th = thread(at)
		}
		m.add(t, in.Out, th, at, flags)
	case syntax.InstEmptyWidth:
		if syntax.EmptyOp(in.Arg)&^flags == 0 {
			m.add(t, in.Out, th, at, flags)
		}
	default: // it needs a character, or is the end
	}
}

// resume continues the instructions that depend on the text after them.
func (m *machine) resume(flags syntax.EmptyOp, at int) {
	for i := 0; i < len(m.now.list); i++ {
		pc := m.now.list[i]
		if in := &m.prog.Inst[pc]; in.Op == syntax.InstEmptyWidth && syntax.EmptyOp(in.Arg)&^flags == 0 {
			m.add(m.now, in.Out, m.now.at[pc], at, flags)
		}
	}
}

// step consumes one character; the text after it is not known yet.
func (m *machine) step(c rune, after int) {
	m.next.clear()
	for _, pc := range m.now.list {
		in := &m.prog.Inst[pc]
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if in.MatchRune(c) {
				m.add(m.next, in.Out, m.now.at[pc], after, 0)
			}
		default: // it consumes no character
		}
	}
	m.now, m.next = m.next, m.now
}

// live returns the start of the earliest secret that is still being matched at end, or -1.
func (m *machine) live(end int) int {
	found := -1
	for _, pc := range m.now.list {
		switch m.prog.Inst[pc].Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if from := int(m.now.at[pc]); from >= 0 && from < end && (found < 0 || from < found) {
				found = from
			}
		default: // it needs no character
		}
	}
	return found
}
