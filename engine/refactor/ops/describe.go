package ops

import (
	"cmp"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
)

// The describer says of a declaration what its code shows for certain. It reads a body as a
// sequence of statements: what guards it and what a guard gives or raises, what it does on the way,
// what it returns. What it cannot put into words it leaves out; it says nothing that another path
// through the body could make false. Only where the body says nothing does a name speak.

// act is something that a function does, as a verb and the rest: "return", "the sum of a and b".
type act struct {
	verb, rest string
	and        []act  // what is done besides
	tail       string // behind all of it: " unless x is empty"
}

func do(verb, rest string) act { return act{verb: verb, rest: rest} }

func (a act) imperative() string { return a.said(func(v string) string { return v }) }
func (a act) third() string      { return a.said(third) }

func (a act) said(verb func(string) string) string {
	out := []string{strings.TrimSpace(verb(a.verb) + " " + a.rest)}
	for _, b := range a.and {
		out = append(out, strings.TrimSpace(verb(b.verb)+" "+b.rest))
	}
	return enumerated(out, "and") + a.tail
}

// outcome is a way out of a function: what it gives or raises, and when.
type outcome struct {
	raises bool
	leaves bool   // it returns nothing; what is "early" when it has done something
	what   string // a value or an exception; "" for Go's "an error"
	when   string // "x is empty"; "" when that is not certain
	says   string // the message, where the condition is not certain
}

// describer describes one declaration.
type describer struct {
	*kit.Job
	d    *kit.Documented
	f    *kit.File
	form kit.DocForm

	bound      map[string][]binding // names that the body declares or writes
	facts      facts
	params     map[string]string // what is known of a parameter
	touched    bool              // what was read so far may have changed more than locals
	unlessSaid bool              // the first sentence says when nothing is done
	settled    bool              // the value is what a loop has found
	nothing    bool              // there is nothing to say but the name and the types
	alone      bool              // the request is about this one: what goes in and comes out is better than nothing
}

// facts are what the body shows.
type facts struct {
	outcomes []outcome
	acts     []act    // what it does unless it has left before
	calls    []string // what else it calls, in the source's order
	does     []string // those calls of which it is certain, as statements with their arguments
	value    string   // what it returns at its end
	truth    string   // the condition that it reports
	whole    bool     // nothing else is in the body
	returns  bool     // it returns a value somewhere
	misses   bool     // some return could not be put into words
	vague    bool     // it may leave before its end, and when is not known
}

func newDescriber(j *kit.Job, d *kit.Documented, form kit.DocForm) *describer {
	return &describer{Job: j, d: d, f: d.File, form: form, params: map[string]string{}}
}

func (w *describer) comment() comment {
	var c comment
	switch w.d.Kind {
	case "func", "method", "constructor", "property":
		c = w.function()
	default:
		c = comment{text: w.thing(), wraps: true}
	}
	if w.nothing {
		return comment{}
	}
	return c
}

// function is the comment of a function.
func (w *describer) function() comment {
	if w.d.Body != nil {
		w.bind()
		w.read()
	}
	first, u := w.summary()
	if w.nothing = w.nothing || u.name && !w.says(); w.nothing && w.alone {
		first, u, w.nothing = w.least()
	}
	if u.acts > 0 || u.calls {
		first = w.unless(first)
	}
	text := w.begin(first)
	more := w.more(u, text)
	switch w.form {
	case kit.GoDoc:
		return comment{text: strings.Join(append(append([]string{text}, more...), w.waysOut(u)...), " "), wraps: true}
	case kit.Docstring:
		return w.docstring(text, more, u)
	}
	return comment{text: strings.Join(append([]string{text}, more...), " "), wraps: true, tags: w.tags(u)}
}

// unless says with what is done when nothing is.
func (w *describer) unless(a act) act {
	var when []string
	if a.tail != "" {
		return a
	}
	for _, o := range w.facts.outcomes {
		if o.leaves {
			if o.what == "early" {
				return a
			}
			when = append(when, o.when)
		}
	}
	if len(when) == 1 && !strings.Contains(a.imperative(), " if ") && len(when[0]) < 70 {
		w.unlessSaid = true
		a.tail += " unless " + when[0]
	}
	return a
}

// begin is the first sentence, in the language's way.
func (w *describer) begin(a act) string {
	switch w.form {
	case kit.GoDoc:
		return w.d.Name + " " + a.third() + "."
	case kit.Docstring:
		return capital(a.imperative()) + "."
	}
	return capital(a.third()) + "."
}

// used says what the first sentence has said already.
type used struct {
	value  bool
	acts   int
	calls  bool
	raised bool
	name   bool // it is the name that speaks, not the body
}

// says reports whether the body shows something that can be said for certain.
func (w *describer) says() bool {
	fs := &w.facts
	return len(fs.acts)+len(w.certainCalls()) > 0 || w.allValues() != "" || w.raises() != "" ||
		slices.ContainsFunc(fs.outcomes, func(o outcome) bool { return o.leaves })
}

// certainCalls are the calls that it makes whatever happens.
func (w *describer) certainCalls() []string {
	fs := &w.facts
	if len(w.special()) > 0 || fs.vague || fs.misses || slices.ContainsFunc(fs.outcomes, func(o outcome) bool {
		return o.leaves || o.raises && w.form != kit.GoDoc && o.when == ""
	}) {
		return nil
	}
	return fs.does
}

// raises says what is raised and when, where that is certain: "an error if x is empty".
func (w *describer) raises() string {
	var out []string
	before := ""
	for _, o := range w.facts.outcomes {
		if o.raises && o.when != "" {
			what := o.what
			switch {
			case what == "":
				what = "an error"
			case w.form != kit.GoDoc:
				what = w.code(what)
			}
			switch s := what + " if " + o.when; {
			case slices.Contains(out, s):
			case what == before:
				out[len(out)-1] += " or if " + o.when
			default:
				out = append(out, s)
			}
			before = what
		}
	}
	if s := strings.Join(out, ", and "); len(s) < 200 {
		return s
	}
	return ""
}

// summary is the essence: what the body shows when it is simple, else what the name says, else
// what comes out, or what goes in.
func (w *describer) summary() (act, used) {
	d, fs := w.d, w.facts
	if a, ok := w.agreed(); ok {
		return a, used{}
	}
	if d.Kind == "constructor" {
		return w.constructor()
	}
	switch {
	case w.hollow():
		return do("do", "nothing"), used{}
	case (fs.truth != "" || fs.value != "") && fs.whole && len(fs.acts) > 0 && len(w.special()) == 0:
		first, n := w.together()
		if v := w.allValues(); n == len(fs.acts) && len(first.imperative())+len(v) < 160 {
			first.and = append(first.and, act{verb: w.returnVerb(), rest: v})
			return first, used{acts: n, value: true}
		}
		return first, used{acts: n}
	case (fs.truth != "" || fs.value != "") && fs.whole:
		return w.comesOut(), used{value: true}
	case len(fs.acts) > 0 && fs.whole && !fs.returns:
		first, n := w.together()
		return first, used{acts: n}
	}
	if w.isBool() && len(w.special()) == 0 {
		if p := namePredicate(d, w.subject()); p != "" {
			return w.reports(p), used{value: true, name: true}
		}
	}
	if a, ok := nameAct(d); ok {
		if a.rest == "\x00" {
			a.rest = w.code(d.Params[0].Name)
		}
		return a, used{name: true}
	}
	if fs.truth != "" || fs.value != "" {
		return w.comesOut(), used{value: true}
	}
	return w.plain()
}

// together are the first acts as one, as many as a sentence takes.
func (w *describer) together() (act, int) {
	const most = 130
	acts := w.facts.acts
	first := acts[0]
	n := 1
	for n < len(acts) && n < 4 && len(first.imperative())+len(acts[n].imperative()) < most {
		first.and = append(first.and, acts[n])
		n++
	}
	return first, n
}

// comesOut is what is returned, in all cases.
func (w *describer) comesOut() act {
	if len(w.special()) > 5 {
		a, _ := w.plain()
		return a
	}
	if w.facts.truth != "" && len(w.special()) == 0 {
		return w.reports(w.facts.truth)
	}
	return do(w.returnVerb(), w.allValues())
}

// special are the values that only some calls get: "0 if items is empty".
func (w *describer) special() []string {
	var out []string
	before := ""
	for _, o := range w.facts.outcomes {
		switch {
		case o.raises || o.leaves || o.when == "":
			continue
		case o.what == before: // one upon the other: what comes first holds first
			out[len(out)-1] += " or if " + o.when
		default:
			out = append(out, o.what+" if "+o.when)
		}
		before = o.what
	}
	return out
}

// allValues is what is returned, with what only some calls get; "" when it is not known.
func (w *describer) allValues() string {
	value := w.facts.value
	if w.facts.truth != "" {
		value = "whether " + w.facts.truth
	}
	special := w.special()
	const most = 5
	switch n := len(special); {
	case n == 0 || n > most:
		if n > most {
			return ""
		}
		return value
	case value != "":
		sep := " and "
		if n > 1 || strings.Contains(special[0], " and ") || strings.Contains(special[0], " or ") {
			sep = ", and "
		}
		return strings.Join(special, ", ") + sep + value + " otherwise"
	case n == 1:
		return special[0]
	}
	return strings.Join(special[:len(special)-1], ", ") + ", and " + special[len(special)-1]
}

func (w *describer) returnVerb() string {
	if w.d.Generator {
		return "yield"
	}
	return "return"
}

func (w *describer) reports(truth string) act {
	switch {
	case w.form == kit.Docstring:
		return do("return", "whether "+truth)
	case w.form == kit.Javadoc:
		return do("return", "whether "+truth)
	}
	return do("report", "whether "+truth)
}

// hollow reports whether the body has no statement that does anything.
func (w *describer) hollow() bool {
	if !w.d.Body.Is(kit.Block) {
		return false
	}
	for _, n := range w.d.Body.Code() {
		if w.f.Text(n) != "pass" && !(n.Is(kit.Return) && len(n.Code()) == 0) {
			return false
		}
	}
	return true
}

// plain is what remains: what it does, what comes out in some cases, what it raises.
func (w *describer) plain() (act, used) {
	fs := &w.facts
	special := len(w.special())
	switch {
	case len(w.d.Results) == 1 && w.neverFails():
		return do("return", "nil"), used{}
	case len(fs.acts) > 0:
		first, n := w.together()
		if fs.vague || fs.misses || special > 0 {
			first.tail = ", unless it returns early"
		}
		return first, used{acts: n}
	case w.allValues() != "":
		return do(w.returnVerb(), w.allValues()), used{value: true}
	case len(w.certainCalls()) > 0 && !fs.returns && w.d.Body.Is(kit.Block) &&
		len(w.d.Body.Code()) == len(w.certainCalls()): // it does nothing else
		calls := w.certainCalls()
		return do("call", enumerated(calls[:min(4, len(calls))], "and")), used{calls: true}
	case w.raises() != "":
		verb := map[kit.DocForm]string{kit.GoDoc: "return", kit.Docstring: "raise"}[w.form]
		return do(cmp.Or(verb, "throw"), w.raises()), used{raised: true}
	}
	w.nothing = true
	return act{}, used{}
}

// least says what goes in, what comes out and what is used on the way; nothing is true if there is none of it.
func (w *describer) least() (a act, u used, nothing bool) {
	var given, types []string
	for _, p := range w.d.Params {
		if p.Name != "" && p.Name != "_" && p.Type != "context.Context" {
			given = append(given, w.code(p.Name))
		}
	}
	for _, t := range w.d.Results {
		if t = w.quoted(t); t != "" && t != "error" {
			types = append(types, aOrAn(t))
		}
	}
	calls := w.facts.calls
	switch what := enumerated(types, "and"); {
	case len(given) > 5:
		return act{}, used{}, true
	case what == "" && (w.facts.returns || w.d.Generator) && len(given)+len(calls) > 0:
		types = []string{"a value"}
		fallthrough
	case what != "":
		a := do(w.returnVerb(), enumerated(types, "and"))
		if len(given) > 0 {
			a.tail = ", given " + enumerated(given, "and")
		} else if len(calls) > 0 {
			a.tail = ", with " + enumerated(calls[:min(3, len(calls))], "and")
		}
		return a, used{}, false
	case len(given) > 0:
		return do("take", enumerated(given, "and")), used{}, false
	case len(calls) > 0:
		return do("use", enumerated(calls[:min(3, len(calls))], "and")), used{}, false
	}
	return act{}, used{}, true
}

// neverFails reports whether every return of a Go function that returns only an error gives nil.
func (w *describer) neverFails() bool {
	if len(w.d.Outs) > 0 || w.d.Body == nil || w.form != kit.GoDoc || w.d.Results[0] != "error" {
		return false
	}
	never := true
	w.d.Body.Walk(func(n *kit.Node) bool {
		never = never && !w.givesError(n)
		return never && !n.Is(kit.Func, kit.Class)
	})
	return never
}

func (w *describer) declaredBool() bool {
	return len(w.d.Results) == 1 && slices.Contains([]string{"bool", "boolean"}, w.d.Results[0])
}

func (w *describer) isBool() bool {
	if len(w.d.Results) != 1 {
		return len(w.d.Results) == 0 && w.form != kit.GoDoc && w.form != kit.Javadoc && w.facts.truth != ""
	}
	return slices.Contains([]string{"bool", "boolean", "Promise<boolean>"}, w.d.Results[0])
}

// subject is what a predicate is about.
func (w *describer) subject() string {
	switch {
	case w.d.Owner != "" && w.d.Self != "" && !w.d.Fixed && len(w.d.Params) == 0:
		return w.this()
	case (w.d.Owner == "" || w.d.Fixed) && len(w.d.Params) == 1 && w.d.Params[0].Name != "":
		return w.code(w.d.Params[0].Name)
	}
	return ""
}

// this is the receiver in words.
func (w *describer) this() string {
	if w.form == kit.GoDoc {
		return "the " + w.d.Owner
	}
	return "this " + w.d.Owner
}

// constructor is what one does.
func (w *describer) constructor() (act, used) {
	var kept []string
	for _, p := range w.d.Params {
		if p.Name != "" {
			kept = append(kept, w.code(p.Name))
		}
	}
	with := ""
	if len(kept) > 0 && len(kept) <= 5 {
		with = " from " + enumerated(kept, "and")
	}
	if w.form == kit.Docstring {
		return do("initialize", "the "+w.d.Owner+with), used{name: true}
	}
	return do("create", aOrAn(w.d.Owner)+with), used{name: true}
}

// more are the sentences behind the first: what else it does.
func (w *describer) more(u used, first string) []string {
	var out []string
	var doing []string
	if w.d.Kind == "constructor" && len(w.d.Params) <= 5 {
		w.facts.acts = slices.DeleteFunc(w.facts.acts, func(a act) bool { return a.verb == "store" })
	}
	it := "It "
	if !w.unlessSaid {
		for _, o := range w.facts.outcomes {
			if o.leaves && o.what != "early" {
				out, it = append(out, "It does nothing if "+o.when+"."), "Otherwise, it "
			}
		}
	}
	if !u.value && len(w.special()) > 0 || w.facts.vague || w.facts.misses || w.unlessSaid {
		it = "It may " // it may also leave before
	}
	say := func(a act) string {
		if it != "It may " {
			return a.third()
		}
		return a.imperative()
	}
	doing = nil
	for i, a := range w.facts.acts[u.acts:] {
		if i < 5 {
			doing = append(doing, say(a))
		}
	}
	if len(doing) > 0 {
		out = append(out, it+enumerated(doing, "and")+".")
	}
	said := first + strings.Join(out, "")
	calls := slices.DeleteFunc(slices.Clone(w.certainCalls()), func(c string) bool {
		name, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(strings.Trim(c, "`"), "{@code "), "}"), "(")
		return strings.Contains(said, name)
	})
	if len(doing)+u.acts < 2 && len(calls) > 0 && !u.calls {
		out = append(out, it+say(do("call", enumerated(calls[:min(4, len(calls))], "and")))+".")
	}
	return out
}

// outcomesAsText says in sentences what comes out, and when.
func (w *describer) outcomesAsText(u used) []string {
	var out, errs []string
	for _, o := range w.facts.outcomes {
		verb := "return"
		if o.raises && w.form != kit.GoDoc {
			verb = "raise"
		}
		switch {
		case !o.raises && !o.leaves || w.unlessSaid && o.leaves || u.raised && o.raises && o.when != "":
		case o.leaves && o.what == "early":
			out = append(out, "It returns early if "+o.when+".")
		case o.leaves: // said before
		case o.raises && o.what == "":
			if !slices.Contains(errs, "if "+o.when) {
				errs = append(errs, "if "+o.when)
			}
		case o.when != "":
			out = append(out, "It "+third(verb)+" "+o.what+" if "+o.when+".")
		case o.says != "":
			out = append(out, "It may "+verb+" "+o.what+" ("+o.says+").")
		default:
			out = append(out, "It may "+verb+" "+o.what+".")
		}
	}
	if len(errs) > 0 {
		out = append(out, "It returns an error "+enumerated(errs, "or")+".")
	}
	return out
}

// waysOut says what is returned and what is raised, in the order in which the body decides it.
func (w *describer) waysOut(u used) []string {
	value, raised := w.valueSentence(u), w.outcomesAsText(u)
	for _, o := range w.facts.outcomes {
		if o.raises {
			return append(raised, value...)
		}
		if !o.leaves {
			break
		}
	}
	return append(value, raised...)
}

// valueSentence is what is returned at the end, where the first sentence does not say it.
func (w *describer) valueSentence(u used) []string {
	if v := w.valuePhrase(u); v != "" {
		return []string{"It " + third(w.returnVerb()) + " " + v + "."}
	}
	return nil
}

// valuePhrase is what is returned at the end, or "" where the first sentence says it.
func (w *describer) valuePhrase(u used) string {
	if u.value {
		return ""
	}
	return w.allValues()
}
