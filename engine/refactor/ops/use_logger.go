package ops

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// printLogger is the hook of a language that has prints, and loggers to take their place.
type printLogger interface {
	// Printed are the calls of a file that print, in the order of the source.
	Printed(f *kit.File) ([]Printed, error)
	// Logged is the call that logs what one of them prints, at a level, with the logger that is named
	// or else the one that is there. It records what else the file needs for it, and declines where
	// there is none, or it cannot take what is printed.
	Logged(f *kit.File, p Printed, with kit.Logger) (string, error)
}

// Printed is a call that prints and does nothing else.
type Printed struct {
	Node   *kit.Node
	Callee string   // as written
	Texts  []string // what its literal arguments say
	Level  string   // debug, info, warning, error: what it prints is as important as that
	Keep   string   // why it can be no log message; "" if it can
	Raw    any      // the language's own
}

// useLogger makes the prints of a function, of the selected lines or of the file calls of the logger.
// Those that are named are meant; of a whole file, what is the program's output stays.
func useLogger(j *kit.Job) error {
	places, err := printPlaces(j)
	if err != nil {
		return err
	}
	u := logUse{Job: j, with: kit.LoggerOf(j.Arg("logger")), call: strings.Trim(j.Arg("call"), "`")}
	for _, p := range places {
		if err := u.within(p.f, p.n); err != nil {
			return err
		}
	}
	switch {
	case u.done > 0:
	case u.refused != nil:
		return u.refused
	case len(u.output) > 0:
		return u.which()
	case len(j.Notes) > 0:
		return j.Declined("%s", strings.Join(j.Notes, " "))
	case u.call != "":
		return j.Declined("nothing in %s prints by %s", cmp.Or(j.Arg("func"), j.Target.File), u.call)
	default:
		return j.Already("%s prints nothing", cmp.Or(j.Arg("func"), j.Target.File))
	}
	for _, o := range u.output {
		j.Note("%s: kept, because %s.", o.f.Place(o.n.From), o.why)
	}
	j.Promise.Removes = true
	j.Say("Made %s of %s.", kit.Plural(u.done, "log message"), kit.Plural(u.done, "print"))
	return nil
}

// printPlace is a part of a file whose prints are meant.
type printPlace struct {
	f *kit.File
	n *kit.Node
}

func printPlaces(j *kit.Job) ([]printPlace, error) {
	if j.Arg("func") == "" {
		f, err := j.TargetFile()
		if err != nil {
			return nil, err
		}
		return []printPlace{{f, f.Root()}}, nil
	}
	ds, err := j.Subject("func")
	if err != nil {
		return nil, err
	}
	var out []printPlace
	for _, d := range ds {
		n := d.Func()
		if n == nil {
			n = d.File.Around(d.At, d.At+1).Up(kit.Class)
		}
		if n == nil || n.Is(kit.Func) && n.Get("body") == nil {
			return nil, j.Declined("%s (%s) is no function with a body", d.Title, d.Place())
		}
		out = append(out, printPlace{d.File, n})
	}
	return out, nil
}

// logUse is the operation while it goes from print to print.
type logUse struct {
	*kit.Job
	with    kit.Logger
	call    string
	done    int
	refused error // the first reason why a print cannot be logged
	output  []keptPrint
}

// keptPrint is one that stays.
type keptPrint struct {
	f   *kit.File
	n   *kit.Node
	why string
}

func (u *logUse) within(f *kit.File, n *kit.Node) error {
	hook := u.Syntax.(printLogger)
	all, err := hook.Printed(f)
	if err != nil {
		return err
	}
	meant := u.Arg("func") != "" || u.call != "" || u.Target.From > 0 && u.Target.File == f.Path
	for _, p := range all {
		if !n.Covers(p.Node.From, p.Node.To) || !u.Touches(f, p.Node) || !p.is(u.call) {
			continue
		}
		if p.Keep != "" {
			u.Note("%s: kept, because %s.", f.Place(p.Node.From), p.Keep)
			continue
		}
		if why := p.output(f); why != "" && !meant {
			u.output = append(u.output, keptPrint{f, p.Node, why})
			continue
		}
		if err := u.log(f, p); err != nil {
			return err
		}
	}
	return nil
}

// log puts the logger's call in the place of a print, or remembers why it cannot.
func (u *logUse) log(f *kit.File, p Printed) error {
	with := u.with
	if with.Level == "" || strings.HasPrefix(with.Level, "print") {
		with.Level = p.Level
	}
	text, err := u.Syntax.(printLogger).Logged(f, p, with)
	if d := (*refactor.Declined)(nil); errors.As(err, &d) {
		if u.refused == nil {
			u.refused = err
		}
		u.Note("%s: kept, because %s.", f.Place(p.Node.From), d.Reason)
		return nil
	}
	if err != nil {
		return err
	}
	u.done++
	u.Edits.Replace(f, p.Node.From, p.Node.To, text)
	return nil
}

// anyPrint are words for printing that do not say which.
var anyPrint = regexp.MustCompile(
	`(?i)^(the )?(print|prints|printing|printf|println|stdout|standard output)( (statement|call|line)s?)?$`)

// is reports whether the request is about it: about any, about what it calls, or about what it says.
func (p Printed) is(call string) bool {
	name := strings.TrimSuffix(strings.TrimPrefix(call, "the "), "()")
	if call == "" || p.Callee == name || strings.HasPrefix(p.Callee, name+".") || strings.HasSuffix(p.Callee, "."+name) {
		return true
	}
	if anyPrint.MatchString(name) && !strings.Contains(strings.ToLower(p.Callee), "stack") {
		return true
	}
	text := strings.ToLower(strings.Trim(call, "\"'`"))
	return len(text) > 3 && slices.ContainsFunc(p.Texts, func(t string) bool {
		return strings.Contains(strings.ToLower(t), text)
	})
}

var (
	forUsers = regexp.MustCompile(
		`(?i)^_*(main|usage|help|version|banner|(print|show|display|dump|list|report|cmd|do|command)([_A-Z].*)?)$`)
	usage = regexp.MustCompile(`(?i)^\s*usage\b`)
)

// output says why a print looks like what the program is for, or "".
func (p Printed) output(f *kit.File) string {
	if slices.ContainsFunc(p.Texts, usage.MatchString) {
		return "it says how the program is used"
	}
	for c := p.Node.Up(kit.If); c != nil; c = c.Up(kit.If) {
		if strings.Contains(f.Text(c.Get("condition")), "__main__") {
			return "it is printed where the file is run as a program"
		}
	}
	for fn := p.Node.Up(kit.Func); fn != nil; fn = fn.Up(kit.Func) {
		if name := f.Text(fn.Get("name")); forUsers.MatchString(name) {
			return "it may be what the program says to its users, in " + name
		}
	}
	return ""
}

// which asks, with the functions and the lines as choices.
func (u *logUse) which() error {
	var places, near []string
	for _, o := range u.output {
		places = append(places, o.f.Place(o.n.From))
		request := fmt.Sprintf("on line %d of `%s`, use the logger instead of prints", o.f.LineOf(o.n.From), o.f.Path)
		if len(near) < 3 && !slices.Contains(near, request) {
			near = append(near, request)
		}
	}
	return &refactor.Declined{Code: refactor.Ambiguous, Understood: u.Op.String(), Nearest: near,
		Reason: "what is printed at " + refactor.Few(places) + " may be what the program says to its users; say which " +
			"lines, or which function"}
}
