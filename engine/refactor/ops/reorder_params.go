package ops

import (
	"slices"
	"strconv"
	"strings"

	"waferpair/engine/refactor/kit"
)

// reorderParams moves one parameter of a function, and what every call passes for it.
func reorderParams(j *kit.Job) error {
	sig, err := j.Syntax.(signer).Signature("func")
	if err != nil {
		return err
	}
	m := &moving{Job: j, sig: sig}
	for i, l := range sig.Lists {
		from, to, err := m.place(l)
		if err != nil {
			return err
		}
		if i > 0 && (from != m.from || to != m.to) {
			return j.Declined("%s is not the same parameter in every build", j.Arg("name"))
		}
		m.from, m.to = from, to
		if err := m.declaration(l); err != nil {
			return err
		}
	}
	for _, c := range sig.Calls {
		out, err := m.passes(c)
		if err != nil {
			return err
		}
		m.orders = append(m.orders, out)
	}
	m.calls()
	j.Say("Moved the parameter %s of %s, and the argument in %s.", j.Arg("name"), sig.Title,
		countOf(m.moved, "call"))
	return nil
}

// moving is one move of a parameter: from an index to another, both counted from 0.
type moving struct {
	*kit.Job
	sig      *Signature
	from, to int
	orders   [][]argument // of each call
	moved    int
}

// place finds the parameter and where it goes.
func (m *moving) place(l ParamList) (from, to int, err error) {
	ps := l.Params
	if from, err = m.index(ps, "name"); err != nil {
		return 0, 0, err
	}
	if why := ps[from].Fixed; why != "" {
		return 0, 0, m.Declined("%s cannot be moved: %s", ps[from].Name, why)
	}
	switch before, after, at := m.Arg("before"), m.Arg("after"), m.Arg("position"); {
	case before != "":
		if to, err = m.index(ps, "before"); to > from {
			to--
		}
	case after != "":
		if to, err = m.index(ps, "after"); to < from {
			to++
		}
	case at == "first", at == "last":
		to = farthest(ps, from, at == "last")
	case at == "":
		return 0, 0, m.Declined("where does %s go? say first, last, a number, or after or before which parameter",
			m.Arg("name"))
	default:
		to, err = m.numbered(ps, at)
	}
	switch {
	case err != nil:
		return 0, 0, err
	case to == from:
		return 0, 0, m.Already("%s is there already", ps[from].Name)
	}
	for _, p := range ps[min(from, to) : max(from, to)+1] {
		if p.Fixed != "" || p.NameOnly != ps[from].NameOnly || p.PlaceOnly != ps[from].PlaceOnly {
			return 0, 0, m.Declined("%s cannot be moved past %s", ps[from].Name, string(l.File.Src[p.From:p.To]))
		}
	}
	return from, to, nil
}

func (m *moving) index(ps []Parameter, arg string) (int, error) {
	i := slices.IndexFunc(ps, func(p Parameter) bool { return p.Name == m.Arg(arg) })
	if i < 0 {
		return 0, m.Declined("%s has no parameter %s", m.sig.Title, m.Arg(arg))
	}
	return i, nil
}

func (m *moving) numbered(ps []Parameter, at string) (int, error) {
	n, err := strconv.Atoi(at)
	if err != nil || n < 1 || n > len(ps) {
		return 0, m.Declined("%s has no position %s", m.sig.Title, at)
	}
	return n - 1, nil
}

// farthest is how far a parameter can go among its like.
func farthest(ps []Parameter, from int, last bool) int {
	step := -1
	if last {
		step = 1
	}
	to := from
	for i := from; i >= 0 && i < len(ps) && ps[i].Fixed == "" && ps[i].NameOnly == ps[from].NameOnly &&
		ps[i].PlaceOnly == ps[from].PlaceOnly; i += step {
		to = i
	}
	return to
}

// order is the old index of what stands at each index afterwards.
func (m *moving) order(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	out = slices.Delete(out, m.from, m.from+1)
	return slices.Insert(out, m.to, m.from)
}

// declaration rewrites the parameters.
func (m *moving) declaration(l ParamList) error {
	order := m.order(len(l.Params))
	var before []string
	optional := ""
	for _, at := range order {
		p := l.Params[at]
		if optional != "" && !p.Optional && !p.NameOnly && p.Fixed == "" {
			return m.Declined("%s, which calls must pass, cannot stand behind %s, which they may leave out", p.Name, optional)
		}
		if p.Optional && !p.NameOnly {
			optional = p.Name
		}
		before = append(before, p.Name)
		for _, name := range p.Uses {
			if !slices.Contains(before, name) {
				return m.Declined("the default of %s uses %s, which would stand behind it", p.Name, name)
			}
		}
	}
	lo, hi := min(m.from, m.to), max(m.from, m.to)
	from, to := groups(l.Params, lo, hi)
	regroups := l.Params[from].End != l.Params[to].End && slices.ContainsFunc(l.Params[from:to+1], Parameter.shares)
	places := make([]extent, len(order))
	for i, p := range l.Params {
		places[i] = extent{p.From, p.To}
	}
	if c := remarkAmong(l.File, l.Params[lo].From, l.Params[hi].End); c != nil && (regroups ||
		!m.remarks(l.File, places, order, lo, hi)) {
		return m.Declined("there is a comment among the parameters at %s, which would stand at another one",
			l.File.Place(c.From))
	}
	if regroups {
		return m.regroup(l, order, from, to)
	}
	for i := lo; i <= hi; i++ {
		p, q := l.Params[i], l.Params[order[i]]
		m.Edits.Replace(l.File, p.From, p.To, string(l.File.Src[q.From:q.To]))
	}
	return nil
}

func (p Parameter) shares() bool { return p.End > p.To }

// groups widens a range to all the parameters that share a type with one in it.
func groups(ps []Parameter, lo, hi int) (from, to int) {
	for lo > 0 && ps[lo-1].End == ps[lo].End {
		lo--
	}
	for hi+1 < len(ps) && ps[hi+1].End == ps[hi].End {
		hi++
	}
	return lo, hi
}

// regroup writes the parameters anew: neighbours of one type share it.
func (m *moving) regroup(l ParamList, order []int, lo, hi int) error {
	f, from, to := l.File, l.Params[lo].From, l.Params[hi].End
	sep := ", "
	if strings.Contains(string(f.Src[from:to]), "\n") {
		sep = "," + f.EOL() + f.Indent(from)
	}
	var out strings.Builder
	for i := lo; i <= hi; i++ {
		p := l.Params[order[i]]
		out.WriteString(p.Name)
		switch {
		case i < hi && l.Params[order[i+1]].Type == p.Type:
			out.WriteString(", ")
		case i < hi:
			out.WriteString(" " + p.Type + sep)
		default:
			out.WriteString(" " + p.Type)
		}
	}
	m.Edits.Replace(f, from, to, out.String())
	return nil
}

func remarkIn(f *kit.File, from, to int) (found *kit.Node) {
	f.Root().Walk(func(n *kit.Node) bool {
		if n.Kind == kit.Remark && n.From >= from && n.To <= to {
			found = n
		}
		return found == nil
	})
	return found
}

// extent is where a parameter or an argument stands.
type extent struct{ from, to int }

// remarks moves the comments behind what is at [lo, hi] with it, where each stands on a line of its
// own and comments stand behind them only; ok is false where they do not.
func (m *moving) remarks(f *kit.File, ps []extent, order []int, lo, hi int) (ok bool) {
	behind := make([]extent, len(ps))
	for i := lo; i <= hi; i++ {
		at := ps[i].to
		for at < len(f.Src) && strings.ContainsRune(", \t", rune(f.Src[at])) && f.Src[at-1] != ',' {
			at++
		}
		if f.Src[at-1] != ',' {
			at = ps[i].to
		}
		behind[i] = extent{at, f.LineEnd(at)}
		if !f.BeginsLine(ps[i].from) || f.Code(at, f.LineEnd(at)) ||
			i < hi && f.LineOf(ps[i+1].from) != f.LineOf(ps[i].to)+1 {
			return false
		}
	}
	if !f.Blank(f.LineStart(ps[lo].from)-1) && remarkIn(f, f.LineStart(f.LineStart(ps[lo].from)-1), ps[lo].from) != nil {
		above := f.LineStart(ps[lo].from) - 1
		if !f.Code(f.LineStart(above), above) {
			return false // a line of its own above belongs to what follows it
		}
	}
	for i := lo; i <= hi; i++ {
		m.Edits.Replace(f, behind[i].from, behind[i].to, string(f.Src[behind[order[i]].from:behind[order[i]].to]))
	}
	return true
}

// remarkAmong is a comment between [from, to), beside what stands there, or directly before it.
func remarkAmong(f *kit.File, from, to int) (found *kit.Node) {
	f.Root().Walk(func(n *kit.Node) bool {
		if n.Kind == kit.Remark && n.To > f.LineStart(from) && n.From < f.LineEnd(to) &&
			(n.From >= from || strings.TrimSpace(string(f.Src[n.To:from])) == "") &&
			(n.To <= to || strings.Trim(string(f.Src[to:n.From]), ", \t") == "") {
			found = n
		}
		return found == nil
	})
	return found
}

// argument is what a place of a call gets: one of its arguments, by name where name is set.
type argument struct {
	at   int
	name string
}

// passes is what a call passes afterwards by place, and by name where it has to; nil when
// nothing changes.
func (m *moving) passes(c Passed) ([]argument, error) {
	ps, lo, hi := m.sig.Lists[0].Params, min(m.from, m.to), max(m.from, m.to)
	given := 0 // by place; the others have names
	for given < len(c.Args) && c.Args[given].Name == "" {
		given++
	}
	if ps[m.from].NameOnly || given <= lo {
		return nil, nil
	}
	var out []argument
	left := ""
	for _, at := range m.order(len(ps)) {
		switch p := ps[at]; {
		case p.Fixed != "" || p.NameOnly:
		case at >= given:
			left = p.Name
		case left == "":
			out = append(out, argument{at: at})
		case m.Dialect().Keyword == "" || p.PlaceOnly:
			return nil, m.Declined("the call at %s leaves out %s, which would stand before %s", c.File.Place(c.At), left,
				p.Name)
		default:
			out = append(out, argument{at, p.Name + m.Dialect().Keyword})
		}
	}
	places, order := make([]extent, len(c.Args)), make([]int, len(out))
	for i, a := range c.Args {
		places[i] = extent{a.From, a.To}
	}
	for i, a := range out {
		order[i] = a.at
	}
	if r := remarkAmong(c.File, c.Args[lo].From, c.Args[min(given, hi+1)-1].To); r != nil &&
		(len(out) <= hi || !m.remarks(c.File, places, order, lo, hi)) {
		return nil, m.Declined("there is a comment among the arguments at %s, which would stand at another one",
			c.File.Place(r.From))
	}
	m.moved++
	if runs := slices.DeleteFunc(slices.Clone(c.Args[lo:min(given, hi+1)]), func(a Argument) bool { return !a.Runs }); len(
		runs) > 1 {
		m.Note("%s: the arguments are evaluated in their new order.", c.File.Place(c.At))
	}
	return out, nil
}

// calls records the changes of all calls. One that stands in an argument which moves is
// written with it.
func (m *moving) calls() {
	for i, c := range m.sig.Calls {
		for at, arg := range m.orders[i] {
			if from, to := c.Args[at].From, c.Args[at].To; arg.moves(at) && !m.carried(c) {
				m.Edits.Replace(c.File, from, to, m.written(c, arg))
			}
		}
	}
}

func (a argument) moves(at int) bool { return a.at != at || a.name != "" }

// carried reports whether the call is part of an argument that moves.
func (m *moving) carried(c Passed) bool {
	for i, o := range m.sig.Calls {
		for at, arg := range m.orders[i] {
			if a := o.Args[arg.at]; arg.moves(at) && o.File == c.File && a.From <= c.At && c.At < a.To {
				return true
			}
		}
	}
	return false
}

func (m *moving) written(c Passed, a argument) string {
	return a.name + m.text(c.File, c.Args[a.at].From, c.Args[a.at].To)
}

// text is the source of [from, to) as it reads after the move.
func (m *moving) text(f *kit.File, from, to int) string {
	var b strings.Builder
	at := from
	for i, c := range m.sig.Calls {
		if c.File != f || c.At < at || c.At >= to {
			continue
		}
		for k, arg := range m.orders[i] {
			b.Write(f.Src[at:c.Args[k].From])
			b.WriteString(m.written(c, arg))
			at = c.Args[k].To
		}
	}
	b.Write(f.Src[at:to])
	return b.String()
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
