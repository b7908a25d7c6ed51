package ops

import (
	"cmp"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
)

// awaiter knows which functions can be async, and their calls.
type awaiter interface {
	// Waiter is the function that an argument of the request names.
	Waiter(arg string) (*Waiter, error)
	// Awaited are the calls of a function. It declines when one cannot be seen: the function is
	// handed on as a value to what would not wait for it, or belongs to an interface.
	Awaited(w *Waiter) ([]AwaitedCall, error)
}

// Waiter is a function that is async, or may become so.
type Waiter struct {
	Title string
	File  *kit.File
	At    int
	Async bool
	Fixed string // why it cannot be async, or ""
	// Promises says that callers wait for its result already: no call changes.
	Promises bool
	Edits    []kit.Patch // that make it async
	Note     string      // what is to be known once it is, or ""
	Raw      any
}

// AwaitedCall is one call of such a function.
type AwaitedCall struct {
	File     *kit.File
	From, To int
	Done     bool    // its result is awaited, or handed to what waits for it
	Parens   bool    // what stands behind the call binds more than await
	Begins   bool    // it begins a statement that a parenthesis would join to the line before
	Run      string  // what runs the call where nothing can wait: asyncio.run
	In       *Waiter // the function around it, which has to be async; nil where there is none
	Fixed    string  // why the call cannot be awaited, or ""
	Runs     func()  // makes Run known in the file
}

// async makes a function async, and all those that have to wait for it.
func async(j *kit.Job) error {
	a := &asyncing{Job: j, hook: j.Syntax.(awaiter), known: map[place]bool{}}
	w, err := a.hook.Waiter("func")
	if err != nil {
		return err
	}
	switch {
	case w.Async:
		return a.already(w)
	case w.Fixed != "":
		return j.Declined("%s (%s) cannot be async: %s", w.Title, w.File.Place(w.At), w.Fixed)
	}
	if err := a.spread(w); err != nil {
		return err
	}
	a.write()
	j.Say("%s.", a.said())
	return nil
}

// asyncing is one function becoming async, with what that takes.
type asyncing struct {
	*kit.Job
	hook  awaiter
	known map[place]bool
	made  []*Waiter // the first is the one that the request names
	calls []AwaitedCall
}

type place struct {
	file string
	at   int
}

func (w *Waiter) place() place { return place{w.File.Path, w.At} }

// already says so, with the calls that nothing waits for.
func (a *asyncing) already(w *Waiter) error {
	calls, err := a.hook.Awaited(w)
	var loose []string
	for _, c := range calls {
		if !c.Done {
			loose = append(loose, c.File.Place(c.From))
		}
	}
	if err != nil || len(loose) == 0 { // a doubt about its calls changes nothing
		return a.Already("%s (%s) is async already", w.Title, w.File.Place(w.At))
	}
	return a.Already("%s (%s) is async already; not awaited: %s", w.Title, w.File.Place(w.At), strings.Join(loose, ", "))
}

// spread collects the functions and the calls, from callee to caller.
func (a *asyncing) spread(first *Waiter) error {
	a.known[first.place()] = true
	a.made = []*Waiter{first}
	for i := 0; i < len(a.made); i++ {
		w := a.made[i]
		if w.Promises {
			continue
		}
		calls, err := a.hook.Awaited(w)
		if err != nil {
			return err
		}
		for _, c := range calls {
			if err := a.wait(w, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// wait notes one call of a function, and the function around it.
func (a *asyncing) wait(w *Waiter, c AwaitedCall) error {
	switch in := c.In; {
	case c.Done:
		return nil
	case c.Fixed != "":
		return a.Declined("the call of %s at %s cannot be awaited: %s", w.Title, c.File.Place(c.From), c.Fixed)
	case c.Run != "" || in == nil || in.Async || a.known[in.place()]:
	case in.Fixed != "":
		return a.Declined("%s calls %s (%s) and cannot be async: %s", in.Title, w.Title, c.File.Place(c.From), in.Fixed)
	default:
		a.known[in.place()] = true
		a.made = append(a.made, in)
	}
	a.calls = append(a.calls, c)
	return nil
}

// write records the edits, those of outer calls first: they may begin where inner ones do.
func (a *asyncing) write() {
	for _, w := range a.made {
		for _, p := range w.Edits {
			a.Edits.Replace(w.File, p.From, p.To, p.With)
		}
		if w.Note != "" {
			a.Note("%s", w.Note)
		}
	}
	slices.SortStableFunc(a.calls, func(x, y AwaitedCall) int {
		return cmp.Or(cmp.Compare(x.File.Path, y.File.Path), cmp.Compare(x.From, y.From), cmp.Compare(y.To, x.To))
	})
	for i, c := range a.calls {
		before, after := "await ", ""
		first := i == 0 || a.calls[i-1].File != c.File || a.calls[i-1].From != c.From
		switch {
		case c.Run != "":
			before, after = c.Run+"(", ")"
			c.Runs()
		case c.Parens && c.Begins && first:
			before, after = ";(await ", ")"
		case c.Parens:
			before, after = "(await ", ")"
		}
		a.Edits.Insert(c.File, c.From, before)
		if after != "" {
			a.Edits.Insert(c.File, c.To, after)
		}
	}
}

// said is the result in words.
func (a *asyncing) said() string {
	s := "Made " + a.made[0].Title + " async"
	const most = 4
	var callers []string
	for _, w := range a.made[1:] {
		callers = append(callers, w.Title)
	}
	switch n := len(callers); {
	case n > most:
		s += " with " + countOf(n, "caller") + " (" + strings.Join(callers[:most], ", ") + ", ...)"
	case n > 0:
		s += " with what calls it: " + strings.Join(callers, ", ")
	}
	switch {
	case a.made[0].Promises:
		s += "; its calls stay as they are, since it gave a promise before"
	case len(a.calls) > 0:
		s += "; awaited " + countOf(len(a.calls), "call")
	}
	return s
}
