package golang

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// The sentences about functions. A signature says little for certain, so a
// sentence says little: what a name's own words mean when they can be read as
// a sentence, the interface that a method with a well-known name and signature
// implements, and otherwise something plain that is true of any function.

// function is what a sentence can know about one.
type function struct {
	name    string
	recv    string // the receiver's type, "" for a function
	params  []param
	results []string // types
	outs    []string // names of the results, when they have some
	words   []string // of the name
}

type param struct{ name, typ string }

func functionOf(d *decl, name string, t *ast.FuncType) function {
	f := function{name: name, results: resultTypes(d.file, t), words: words(name)}
	if d.kind == "method" {
		f.recv = d.owner
	}
	for _, p := range t.Params.List {
		typ := oneLine(d.file.text(p.Type))
		if len(p.Names) == 0 {
			f.params = append(f.params, param{"", typ})
		}
		for _, n := range p.Names {
			f.params = append(f.params, param{n.Name, typ})
		}
	}
	if t.Results != nil {
		for _, r := range t.Results.List {
			for _, n := range r.Names {
				f.outs = append(f.outs, n.Name)
			}
		}
	}
	f.params = slices.DeleteFunc(f.params, func(p param) bool { return p.typ == "context.Context" })
	return f
}

func (f function) sentence() string {
	for _, say := range []func(function) string{function.wellKnown, function.predicate, function.constructor,
		function.variant, function.accessor, function.command} {
		if s := say(f); s != "" {
			return f.name + " " + s + "."
		}
	}
	return f.name + " " + f.plain() + "."
}

// wellKnownMethods are the methods whose name and signature say what they are for.
var wellKnownMethods = map[string]string{
	"Len() int":                                        "returns the length",
	"String() string":                                  "implements fmt.Stringer",
	"GoString() string":                                "implements fmt.GoStringer",
	"Format(fmt.State, rune)":                          "implements fmt.Formatter",
	"Error() string":                                   "implements error",
	"Unwrap() error":                                   "returns the wrapped error",
	"Unwrap() []error":                                 "returns the wrapped errors",
	"Is(error) bool":                                   "reports whether the error matches the target",
	"Close() error":                                    "implements io.Closer",
	"Read([]byte) (int, error)":                        "implements io.Reader",
	"ReadAt([]byte, int64) (int, error)":               "implements io.ReaderAt",
	"ReadByte() (byte, error)":                         "implements io.ByteReader",
	"UnreadByte() error":                               "implements io.ByteScanner",
	"ReadRune() (rune, int, error)":                    "implements io.RuneReader",
	"UnreadRune() error":                               "implements io.RuneScanner",
	"ReadFrom(io.Reader) (int64, error)":               "implements io.ReaderFrom",
	"Write([]byte) (int, error)":                       "implements io.Writer",
	"WriteAt([]byte, int64) (int, error)":              "implements io.WriterAt",
	"WriteByte(byte) error":                            "implements io.ByteWriter",
	"WriteString(string) (int, error)":                 "implements io.StringWriter",
	"WriteTo(io.Writer) (int64, error)":                "implements io.WriterTo",
	"Seek(int64, int) (int64, error)":                  "implements io.Seeker",
	"ServeHTTP(http.ResponseWriter, *http.Request)":    "implements http.Handler",
	"RoundTrip(*http.Request) (*http.Response, error)": "implements http.RoundTripper",
	"ServeHTTP(ResponseWriter, *Request)":              "handles a request",
	"MarshalJSON() ([]byte, error)":                    "implements json.Marshaler",
	"UnmarshalJSON([]byte) error":                      "implements json.Unmarshaler",
	"MarshalText() ([]byte, error)":                    "implements encoding.TextMarshaler",
	"UnmarshalText([]byte) error":                      "implements encoding.TextUnmarshaler",
	"MarshalBinary() ([]byte, error)":                  "implements encoding.BinaryMarshaler",
	"UnmarshalBinary([]byte) error":                    "implements encoding.BinaryUnmarshaler",
	"Less(int, int) bool":                              "reports whether element i sorts before element j",
	"Swap(int, int)":                                   "swaps elements i and j",
	"Push(any)":                                        "implements heap.Interface",
	"Pop() any":                                        "implements heap.Interface",
	"Lock()":                                           "locks the %s",
	"Unlock()":                                         "unlocks the %s",
}

func (f function) wellKnown() string {
	switch {
	case f.recv == "" && f.name == "main" && len(f.params) == 0:
		return "is the entry point of the program"
	case f.recv == "" && f.name == "init" && len(f.params) == 0:
		return "initializes the package"
	case f.recv == "":
		return ""
	}
	s := wellKnownMethods[f.signature()]
	if strings.Contains(s, "element i") && (len(f.params) != 2 || f.params[0].name != "i" || f.params[1].name != "j") {
		return "" // other names, and perhaps another meaning
	}
	return strings.Replace(s, "%s", f.recv, 1)
}

// signature is the name with the types: "Read([]byte) (int, error)".
func (f function) signature() string {
	var ps []string
	for _, p := range f.params {
		ps = append(ps, strings.Replace(p.typ, "interface{}", "any", 1))
	}
	s := f.name + "(" + strings.Join(ps, ", ") + ")"
	switch len(f.results) {
	case 0:
		return s
	case 1:
		return s + " " + strings.Replace(f.results[0], "interface{}", "any", 1)
	}
	return s + " (" + strings.Join(f.results, ", ") + ")"
}

// predicate is a sentence for what answers yes or no.
func (f function) predicate() string {
	if len(f.results) != 1 || f.results[0] != "bool" {
		return ""
	}
	rest, subject := f.words[1:], f.subject()
	switch f.words[0] {
	case "is":
		if len(rest) > 0 && subject != "" {
			return "reports whether " + subject + " is " + complement(rest)
		}
	case "has":
		if len(rest) > 0 && subject != "" {
			return "reports whether " + subject + " has " + f.object(rest)
		}
	case "can", "should", "must", "needs", "contains", "supports", "allows", "accepts", "exists", "matches",
		"includes", "uses", "wants":
		if arg := f.argument(); len(rest) == 1 && arg != "" && subject != "" && f.words[0] == "contains" {
			switch rest[0] {
			case "any":
				return "reports whether " + subject + " contains any of " + arg
			case "rune", "byte", "string":
				return "reports whether " + subject + " contains " + arg
			}
		}
		if len(rest) > 0 && subject != "" && !qualifiers[rest[len(rest)-1]] {
			if len(rest) > 1 && verbs[rest[0]] {
				return "reports whether " + subject + " " + f.words[0] + " " + rest[0] + " " + definite(rest[1:])
			}
			return "reports whether " + subject + " " + phrase(f.words)
		}
		if arg := f.argument(); len(rest) == 0 && arg != "" && subject != "" && f.words[0] != "can" &&
			f.words[0] != "should" && f.words[0] != "must" {
			return "reports whether " + subject + " " + f.words[0] + " " + arg
		}
		if f.words[0] == "exists" && subject != "" {
			return "reports whether " + subject + " exists"
		}
	case "equal", "equals":
		if len(rest) == 0 && subject != "" && f.argument() != "" {
			return "reports whether " + subject + " and " + f.argument() + " are equal"
		}
	case "valid":
		if subject != "" {
			return "reports whether " + subject + " is " + strings.TrimSpace(complement(f.words))
		}
	}
	if adjective(f.words[0]) && len(rest) == 0 && subject != "" && len(f.params) == 0 {
		return "reports whether " + subject + " is " + f.words[0]
	}
	return ""
}

// subject is what a predicate is about: the receiver, or the first parameter.
func (f function) subject() string {
	switch {
	case f.recv != "":
		return "the " + f.recv
	case len(f.params) > 0 && f.params[0].name != "" && f.params[0].name != "_":
		return f.params[0].name
	}
	return ""
}

// argument is the only other thing that a function is given.
func (f function) argument() string {
	ps := f.params
	if f.recv == "" && len(ps) > 0 {
		ps = ps[1:]
	}
	if len(ps) == 1 && ps[0].name != "_" {
		return ps[0].name
	}
	return ""
}

// object is "the given prefix" when that is what the argument is called.
func (f function) object(what []string) string {
	if a := f.argument(); a != "" && strings.EqualFold(a, phrase(what)) {
		return "the given " + a
	}
	if what[0] == "any" || what[0] == "all" || what[0] == "no" {
		return phrase(what)
	}
	return indefinite(phrase(what))
}

// adjectives are the words that can stand behind "is" by themselves, beside those with a telling ending.
var adjectives = strings.Fields("valid empty nil zero true false open closed absolute abs local ready done dirty upper lower public private equal sorted new old safe unsafe alive dead idle busy full hidden exported constant present missing last first online offline root set")

func adjective(w string) bool {
	for _, end := range []string{"able", "ible", "ed", "al", "ic", "ive", "ous", "less", "ful", "ing",
		"ent", "ant", "ary"} {
		if strings.HasSuffix(w, end) && len(w) > len(end)+2 {
			return true
		}
	}
	return slices.Contains(adjectives, w)
}

// complement is what something is: "empty", "a digit", "in range".
func complement(ws []string) string {
	switch first, last := ws[0], ws[len(ws)-1]; {
	case slices.Contains([]string{"in", "on", "at", "of", "from", "for", "not", "all", "any", "no",
		"an", "a", "the"}, first):
		return phrase(ws)
	case adjective(last), len(ws) == 1 && adjective(first):
		return phrase(ws)
	case strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss"):
		return phrase(ws)
	}
	return indefinite(phrase(ws))
}

func indefinite(s string) string {
	if strings.HasSuffix(s, "s") && !strings.HasSuffix(s, "ss") {
		return s
	}
	if strings.ContainsRune("aeioAEIO", rune(s[0])) {
		return "an " + s
	}
	return "a " + s
}

// constructor is a sentence for New..., Must... and With....
func (f function) constructor() string {
	rest := f.words[1:]
	switch f.words[0] {
	case "new":
		if f.recv != "" && len(f.results) == 0 || len(f.results) == 0 {
			return ""
		}
		if typ := named(f.results[0]); typ != "" {
			return "returns a new " + typ
		}
		if len(rest) > 0 {
			return "returns a new " + phrase(rest)
		}
	case "must":
		if len(rest) > 0 {
			return "is like " + f.name[len("Must"):] + " but panics on an error"
		}
	case "with":
		if typ := resultName(f.results); typ != "" && len(rest) > 0 {
			if strings.HasSuffix(typ, "Option") || strings.HasSuffix(typ, "Func") {
				return "returns " + indefinite(typ) + " for the " + phrase(rest)
			}
			return "returns " + indefinite(typ) + " with the " + phrase(rest)
		}
	}
	return ""
}

func resultName(results []string) string {
	if len(results) == 0 {
		return ""
	}
	return named(results[0])
}

// named is the name of a declared type, without its pointer, package and type
// arguments; "" for other types.
func named(typ string) string {
	typ = strings.TrimPrefix(typ, "*")
	if i := strings.IndexByte(typ, '['); i > 0 {
		typ = typ[:i]
	}
	typ = typ[strings.LastIndexByte(typ, '.')+1:]
	if typ == "" || isBasic(typ) || !token.IsIdentifier(typ) || strings.ContainsAny(typ, " (){}[]*") {
		return ""
	}
	return typ
}

// variant is a sentence for Printf, Sprintln and the like.
func (f function) variant() string {
	n := len(f.params)
	if n == 0 || !strings.HasPrefix(f.params[n-1].typ, "...") || len(f.words) > 1 && strings.HasSuffix(f.name, "f") &&
		!strings.Contains(f.params[n-1].typ, "any") {
		return ""
	}
	base := f.name[:len(f.name)-1]
	if strings.HasSuffix(f.name, "f") && n > 1 && strings.HasPrefix(f.params[n-2].name, "f") && len(base) > 2 {
		return "is like " + base + " with a format, as in fmt.Printf"
	}
	if strings.HasSuffix(f.name, "ln") && len(f.name) > 4 {
		return "is like " + f.name[:len(f.name)-2] + " with a line break at the end"
	}
	return ""
}

// accessor is a sentence for what returns the thing that it is called after.
func (f function) accessor() string {
	verb := verbs[f.words[0]]
	if verb && f.words[0] == "get" && len(f.words) == 1 && len(f.results) > 0 && f.results[0] != "error" {
		return "returns the value"
	}
	if len(f.results) == 0 || f.results[0] == "error" || f.results[0] == "bool" || verb && f.words[0] != "get" {
		return ""
	}
	what := f.words
	if what[0] == "get" {
		what = what[1:]
	}
	if len(what) == 0 {
		what = []string{"value"}
	}
	switch what[0] {
	case "to":
		return f.converted(what[1:])
	case "from", "by", "of", "for", "on", "if", "as", "at", "in":
		return ""
	}
	if qualifiers[what[len(what)-1]] && len(what) > 1 || len(f.params) > 0 && len(what) > 1 && slices.ContainsFunc(what,
		func(w string) bool { return verbs[w] }) {
		return ""
	}
	if typ := resultName(f.results); typ != "" && len(what) == 1 && ordinals[what[0]] {
		return "returns the " + what[0] + " " + typ
	}
	s := "returns " + definite(what)
	if strings.HasSuffix(f.results[len(f.results)-1], "bool") && len(f.results) == 2 {
		s += ", if there is one"
	}
	return s
}

func (f function) converted(to []string) string {
	if s := f.subject(); s != "" && len(to) > 0 && (len(f.params) == 0) != (f.recv == "") && len(f.params) < 2 &&
		(f.recv == "" || len(f.params) == 0) {
		return "returns " + s + " converted to " + phrase(to)
	}
	return ""
}

var ordinals = wordSet("next prev previous first last current")

// definite puts "the" before what can have it.
func definite(ws []string) string {
	switch ws[0] {
	case "all", "any", "every", "each", "no", "a", "an", "the", "it", "up", "down", "out", "off", "and", "if",
		"with", "without", "to", "from", "by", "for", "in", "into", "on", "at", "of", "as", "over", "until", "after",
		"before", "or", "only":
		return phrase(ws)
	}
	return "the " + phrase(ws)
}

// dangling are the last words behind which a sentence cannot stop.
var dangling = strings.Fields(
	"to from by for in into on at of as with without if or and not until after before over only")

// command is a sentence for what is called after what it does.
func (f function) command() string {
	verb := verbs[f.words[0]]
	if !verb && !f.acts() || len(f.results) > 0 && f.results[0] == "bool" {
		return ""
	}
	rest := f.words[1:]
	s := third(f.words[0])
	if len(rest) == 2 && rest[0] == "and" && verbs[rest[1]] {
		return s + " and " + third(rest[1])
	}
	if len(rest) > 0 && (!verb || !isObject(rest)) {
		return ""
	}
	if f.words[0] == "set" && len(rest) == 0 {
		return "sets the value"
	}
	if len(rest) > 0 {
		last := rest[len(rest)-1]
		if !slices.Contains(dangling, last) {
			return s + " " + definite(rest)
		}
		if arg := f.onlyParam(); arg != "" && last != "if" && last != "not" && last != "only" {
			return s + " " + strings.TrimSpace(definite(rest)) + " " + arg
		}
		return ""
	}
	switch arg := f.onlyParam(); {
	case f.recv != "" && len(f.params) == 1 && isNumber(f.params[0].typ):
		return s + " the " + f.recv
	case arg == f.words[0]:
		return ""
	case arg != "" && verb:
		return s + " " + arg
	case f.recv != "" && len(f.params) == 0:
		return s + " the " + f.recv
	case pairVerbs[f.words[0]] && len(f.params) == 2 && f.recv == "" && f.params[0].typ == f.params[1].typ &&
		f.params[1].name != "":
		return s + " " + f.params[0].name + " and " + f.params[1].name
	}
	return ""
}

// isObject reports whether the words can be what a verb is done to: no word
// among them goes on as a sentence of its own would.
func isObject(ws []string) bool {
	last := ws[len(ws)-1]
	if qualifiers[last] || adjective(last) {
		return false
	}
	return !slices.ContainsFunc(ws, func(w string) bool { return verbs[w] && !nounToo[w] || connectives[w] })
}

var (
	connectives = wordSet("front back before after left right and or too not on if is are was maybe when")
	nounToo     = wordSet("request query record report filter queue list log tag link format copy lock process schedule match patch call import export view title transfer load store search test sample read write count sum map group hash state update return")
)

// nounEndings are those of words that are no verbs.
var nounEndings = []string{"tion", "sion", "ment", "ness", "age", "er", "or", "up", "down", "s", "f", "ln", "main",
	"loop", "default"}

// acts reports whether a function without results is likely called after what
// it does: most are.
func (f function) acts() bool {
	if len(f.results) > 0 || len(f.words[0]) < 3 {
		return false
	}
	return !slices.ContainsFunc(nounEndings, func(end string) bool { return strings.HasSuffix(f.words[0], end) }) &&
		!slices.Contains(dangling, f.words[0]) && !adjective(f.words[0])
}

// pairVerbs do the same to both of their objects.
var pairVerbs = map[string]bool{"compare": true, "swap": true, "merge": true, "sum": true}

func (f function) onlyParam() string {
	if len(f.params) != 1 || f.params[0].name == "_" || strings.HasPrefix(f.params[0].typ, "func(") ||
		strings.HasPrefix(f.params[0].typ, "...") && len(f.params[0].name) < 3 {
		return ""
	}
	return f.params[0].name
}

// qualifiers end names that tell variants of a function apart: SplitN, IndexByte.
var qualifiers = wordSet("front back top bottom head tail end n func fn byte rune any all left right after before special unicode ascii ASCII seq iter fold locked unlocked slow fast impl internal helper with context ctx at to from by ex raw x f ln line once now again")

func isNumber(typ string) bool {
	return strings.HasPrefix(typ, "int") && typ != "interface{}" || strings.HasPrefix(typ, "uint") ||
		strings.HasPrefix(typ, "float")
}

// plain is what remains to be said: what comes out, or that the steps are run
// that the function is called after.
func (f function) plain() string {
	if n := len(f.outs); n > 1 && f.outs[n-1] != "_" && !slices.ContainsFunc(f.outs,
		func(o string) bool { return len(o) < 2 }) {
		return "returns " + list(f.outs, "and")
	}
	if len(f.results) > 0 {
		return "returns " + listTypes(f.results)
	}
	var names []string
	for _, p := range f.params {
		if p.name != "" && p.name != "_" {
			names = append(names, p.name)
		}
	}
	if len(names) > 0 && len(names) <= 4 {
		return "takes " + list(names, "and")
	}
	return "runs the " + phrase(f.words) + " step"
}
