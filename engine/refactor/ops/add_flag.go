package ops

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// flagger knows how programs of a language read their command line.
type flagger interface {
	// CommandLines are what the project's programs, and their subcommands, read from it.
	CommandLines() ([]*CommandLine, error)
}

// CommandLine is what one program, or one subcommand, reads from its command line.
type CommandLine struct {
	Title    string   // as messages name it
	Called   []string // what a request may call it: its function, its variable, the subcommand
	File     *kit.File
	From, To int      // the code that declares it
	Flags    []string // those that it has, without dashes
	// Add records the edits, and says where the program finds the value.
	Add func(Flag, *kit.Edits) (value string, err error)
}

// Flag is a flag that a program gets.
type Flag struct {
	Name  string // without dashes
	Kind  FlagKind
	Type  string // as the request writes it, "" where it does not
	Value string // its default: a text without its quotes, or code; "" where there is none
	Code  bool   // Value is code even where the flag is a text
	Help  string // one line
}

// FlagKind is what a flag takes.
type FlagKind int

// The kinds of flags.
const (
	Switch   FlagKind = iota // nothing: it is there, or not
	Int                      // a whole number
	Float                    // any number
	Text                     // a string
	Duration                 // 5s
	OtherFlag
)

// addFlag gives a program a flag, beside those that it has.
func addFlag(j *kit.Job) error {
	f, err := wantedFlag(j)
	if err != nil {
		return err
	}
	all, err := j.Syntax.(flagger).CommandLines()
	if err != nil {
		return err
	}
	c, err := commandLine(j, all)
	if err != nil {
		return err
	}
	if slices.Contains(c.Flags, f.Name) {
		return j.Already("%s has the flag %s", c.Title, f.Name)
	}
	for _, have := range c.Flags {
		if sameFlag(have, f.Name) {
			return j.Declined("%s has the flag %s, which is spelled almost as %s", c.Title, have, f.Name)
		}
	}
	value, err := c.Add(f, &j.Edits)
	if err != nil {
		return err
	}
	j.Say("Added the flag %s to %s; its value is %s.", f.Name, c.Title, value)
	return nil
}

// sameFlag reports whether two names differ in their marks and capitals alone.
func sameFlag(a, b string) bool {
	plain := strings.NewReplacer("-", "", "_", "")
	return len(a) > 1 && strings.EqualFold(plain.Replace(a), plain.Replace(b))
}

var (
	flagName  = regexp.MustCompile(`^[\pL\pN][\pL\pN_.-]*$`)
	integer   = regexp.MustCompile(`^[-+]?(0[xX][0-9a-fA-F_]+|\d[\d_]*)$`)
	decimal   = regexp.MustCompile(`^[-+]?\d+\.\d+$`)
	span      = regexp.MustCompile(`^(\d+)(ns|us|ms|s|m|h)$`)
	codeValue = regexp.MustCompile(`^[\pL_][\pL\pN_]*(\.[\pL_][\pL\pN_]*)*\(.*\)$|^[A-Z][A-Z0-9_]+$`)
)

// wantedFlag reads the request.
func wantedFlag(j *kit.Job) (Flag, error) {
	f := Flag{Name: strings.TrimLeft(j.Arg("name"), "-"), Type: j.Arg("type"), Value: j.Arg("value"), Help: j.Arg("text")}
	if !flagName.MatchString(f.Name) {
		return f, j.Declined("%q cannot be the name of a flag", j.Arg("name"))
	}
	given := f.Value != ""
	if q := f.Value; len(q) > 1 && strings.ContainsRune("\"'`", rune(q[0])) && q[len(q)-1] == q[0] {
		f.Value = q[1 : len(q)-1]
		if f.Type == "" {
			f.Type = "string"
		}
	} else {
		f.Code = codeValue.MatchString(q)
	}
	if strings.ContainsAny(f.Value+f.Help, "\n\\") {
		return f, j.Declined("the default and the help text have to be plain text on one line")
	}
	switch kind, known := flagKinds[strings.ToLower(f.Type)]; {
	case known:
		f.Kind = kind
	case f.Type != "":
		f.Kind = OtherFlag
	case !given && takesValue(f.Name):
		return f, unsure(j, f)
	default:
		f.Kind = kindOfValue(f.Value)
	}
	if why := f.misfit(); why != "" {
		return f, j.Declined("%s", why)
	}
	return f, nil
}

// flagKinds are the kinds of types, as any of the languages calls them.
var flagKinds = map[string]FlagKind{}

func init() {
	for kind, names := range map[FlagKind]string{
		Switch:   "bool boolean switch store_true flag",
		Int:      "int integer int64 int32 uint uint64 uint32 long short",
		Float:    "float float64 float32 double number num decimal",
		Text:     "str string text char",
		Duration: "duration time.duration",
	} {
		for _, n := range strings.Fields(names) {
			flagKinds[n] = kind
		}
	}
}

// kindOfValue is what a flag takes whose default is this.
func kindOfValue(value string) FlagKind {
	switch low := strings.ToLower(value); {
	case low == "" || low == "true" || low == "false":
		return Switch
	case integer.MatchString(value):
		return Int
	case decimal.MatchString(value):
		return Float
	case span.MatchString(value) || strings.Contains(value, "time."):
		return Duration
	}
	return Text
}

// misfit is why the default cannot be one of the flag's kind.
func (f Flag) misfit() string {
	if is := kindOfValue(f.Value); f.Value == "" || f.Code || is == f.Kind || is == Int && f.Kind == Float ||
		f.Kind == Text || f.Kind == OtherFlag {
		return ""
	}
	if f.Kind == Duration && (f.Value == "0" || strings.Contains(f.Value, "time.")) {
		return ""
	}
	return fmt.Sprintf("%s cannot be the default of a flag of type %s", f.Value, f.Type)
}

// On reports whether a switch is on by default.
func (f Flag) On() bool { return f.Kind == Switch && strings.EqualFold(f.Value, "true") }

// Nanos is the default of a duration written as 5s: the number and the unit; ok is false for others.
func (f Flag) Nanos() (number, unit string, ok bool) {
	m := span.FindStringSubmatch(f.Value)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

var valued = strings.Fields(`port count limit size timeout retries depth workers threads jobs level interval delay
	output out config file path dir directory folder name host address addr url uri format token user username
	input prefix suffix key seed width height max min number num lang language locale mode type title email date`)

// takesValue reports whether a name sounds like that of a flag with a value.
func takesValue(name string) bool {
	all := partsOf(name)
	return slices.Contains(valued, all[len(all)-1]) &&
		!slices.Contains([]string{"no", "skip", "show", "list", "print"}, all[0])
}

var counted = strings.Fields(`port count limit size retries depth workers threads jobs seed width height max min number
	num interval delay timeout`)

// unsure asks whether a flag takes a value.
func unsure(j *kit.Job, f Flag) error {
	typ, in := "string", ""
	if all := partsOf(f.Name); slices.Contains(counted, all[len(all)-1]) {
		typ = "int"
	}
	if j.Target.File != "" {
		in = "in `" + j.Target.File + "`, "
	}
	return &refactor.Declined{Code: refactor.Ambiguous, Understood: j.Op.String(),
		Reason: "does " + f.Name + " take a value? say its type, or its default",
		Nearest: []string{in + request(j, map[string]string{"type": typ}),
			in + request(j, map[string]string{"type": "bool"})}}
}

// partsOf are the words of a name, in lower case.
func partsOf(name string) []string {
	var out []string
	word := ""
	flush := func() {
		if word != "" {
			out = append(out, strings.ToLower(word))
		}
		word = ""
	}
	rs := []rune(name)
	for i, r := range rs {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(rs[i-1]) {
			flush()
		}
		word += string(r)
	}
	flush()
	return out
}

// Dashed is the flag as it is typed; one letter has one dash.
func (f Flag) Dashed() string { return "--"[:min(len([]rune(f.Name)), 2)] + f.Name }

// Camel is the flag's name as a variable: dryRun.
func (f Flag) Camel() string {
	all := partsOf(f.Name)
	for i := range all {
		if i > 0 {
			all[i] = Capital(all[i])
		}
	}
	return strings.Join(all, "")
}

// Snake is the flag's name as a variable: dry_run.
func (f Flag) Snake() string { return strings.Join(partsOf(f.Name), "_") }

// Capital is a word with a capital letter at its beginning.
func Capital(w string) string {
	if w == "" {
		return w
	}
	r := []rune(w)
	return string(unicode.ToUpper(r[0])) + string(r[1:])
}

// usual are the help texts of flags that mean the same in most programs.
var usual = map[string]string{
	"dry run": "show what would be done, without doing it", "verbose": "enable verbose output",
	"quiet": "suppress output", "silent": "suppress output", "debug": "enable debug output", "port": "port number",
	"host": "host name", "config": "path of the configuration file", "version": "print the version",
	"yes": "answer all questions with yes", "json": "print JSON", "no color": "disable colors",
	"workers": "number of workers", "jobs": "number of parallel jobs", "threads": "number of threads",
	"retries": "number of retries", "max retries": "maximum number of retries", "input": "input file",
	"output": "output file", "recursive": "recurse into folders", "watch": "watch for changes",
}

// HelpLike is the help text, the one that the request gives or else one in the style of the
// others; "" where the others have none.
func (f Flag) HelpLike(others []string) string {
	if f.Help != "" {
		return f.Help
	}
	words := strings.Join(partsOf(f.Name), " ")
	help := usual[words]
	if help == "" {
		help = words
	}
	none, capitals, stops := 0, 0, 0
	for _, o := range others {
		switch o = strings.TrimSpace(o); {
		case o == "":
			none++
		default:
			if unicode.IsUpper([]rune(o)[0]) {
				capitals++
			}
			if strings.HasSuffix(o, ".") {
				stops++
			}
		}
	}
	with := len(others) - none
	if len(others) > 0 && with == 0 {
		return ""
	}
	if 2*capitals > with {
		help = Capital(help)
	}
	if 2*stops > with {
		help += "."
	}
	return help
}

// commandLine is the one that the request is about.
func commandLine(j *kit.Job, all []*CommandLine) (*CommandLine, error) {
	if len(all) == 0 {
		return nil,
			j.Declined("no program here reads flags from its command line with a library that is known (%s)", knownParsers)
	}
	found := all
	if want := j.Arg("func"); want != "" {
		found = keep(all, func(c *CommandLine) bool { return c.is(want) })
		if len(found) == 0 && slices.Contains(anyProgram, strings.ToLower(want)) {
			found = all
		}
		if len(found) == 0 {
			return nil, &refactor.Declined{Code: refactor.NoSymbol, Understood: j.Op.String(),
				Reason: fmt.Sprintf("%s declares no flags", want), Nearest: choices(j, all)}
		}
	}
	if j.Target.File != "" {
		here := keep(found, func(c *CommandLine) bool { return c.File.Path == j.Target.File })
		if len(here) == 0 {
			return nil, &refactor.Declined{Code: refactor.Ambiguous, Understood: j.Op.String(),
				Reason: j.Target.File + " declares no flags", Nearest: choices(j, found)}
		}
		found = here
	} else if apart := keep(found, func(c *CommandLine) bool { return !isTest(c.File.Path) }); len(apart) > 0 {
		found = apart
	}
	if selected := keep(found, func(c *CommandLine) bool {
		return j.Target.From > 0 && j.Touches(c.File, &kit.Node{From: c.From, To: c.To})
	}); len(selected) > 0 {
		found = selected
	}
	if len(found) > 1 {
		return nil, &refactor.Declined{Code: refactor.Ambiguous, Understood: j.Op.String(),
			Reason: "it can go to " + titles(found), Nearest: choices(j, found)}
	}
	return found[0], nil
}

// anyProgram are words for a program that do not say which.
var anyProgram = strings.Fields("cli tool program app application script command binary")

const knownParsers = "flag, pflag, cobra; argparse, optparse, click; commander, yargs, util.parseArgs; picocli, Commons CLI"

func keep(all []*CommandLine, ok func(*CommandLine) bool) []*CommandLine {
	return slices.DeleteFunc(slices.Clone(all), func(c *CommandLine) bool { return !ok(c) })
}

// is reports whether a request calls it that.
func (c *CommandLine) is(name string) bool {
	plain := func(s string) string { return strings.Join(partsOf(s), "") }
	return slices.ContainsFunc(c.Called, func(own string) bool {
		return own == name || strings.HasSuffix(own, "."+name) || plain(own) == plain(name)
	})
}

func isTest(file string) bool {
	base := path.Base(file)
	return strings.Contains(base, "_test.") || strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") ||
		strings.HasPrefix(base, "test_") || strings.Contains("/"+file, "/test/") || strings.Contains("/"+file, "/tests/") ||
		strings.Contains("/"+file, "/testdata/")
}

func titles(all []*CommandLine) string {
	var out []string
	for _, c := range all[:min(len(all), 4)] {
		out = append(out, fmt.Sprintf("%s (%s)", c.Title, c.File.Place(c.From)))
	}
	if n := len(all) - len(out); n > 0 {
		return strings.Join(out, ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(out[:len(out)-1], ", ") + " and " + out[len(out)-1]
}

// choices are requests that are each about one of some command lines.
func choices(j *kit.Job, all []*CommandLine) []string {
	var out []string
	for _, c := range all {
		same := func(o *CommandLine) bool { return o.File.Path == c.File.Path }
		to := j.Arg("func")
		if len(keep(all, same)) > 1 {
			if to = c.own(keep(all, same)); to == "" {
				continue
			}
		}
		out = append(out, "in `"+c.File.Path+"`, "+request(j, map[string]string{"func": to}))
	}
	return out
}

// own is what only this one of some is called.
func (c *CommandLine) own(all []*CommandLine) string {
	for _, name := range c.Called {
		if len(keep(all, func(o *CommandLine) bool { return o.is(name) })) == 1 {
			return name
		}
	}
	return ""
}

// request is the job's with other arguments.
func request(j *kit.Job, with map[string]string) string {
	s := "add flag " + Flag{Name: strings.TrimLeft(j.Arg("name"), "-")}.Dashed()
	for _, part := range []struct{ arg, before string }{{"type", " of type"}, {"value", " with default"},
		{"func", " to"}, {"text", " with help"}} {
		v, other := with[part.arg]
		if !other {
			v = j.Arg(part.arg)
		}
		if v != "" {
			s += part.before + " `" + strings.ReplaceAll(v, "`", "'") + "`"
		}
	}
	return s
}
