package ops

import (
	"slices"
	"strconv"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/words"
)

// agreed is what a name says by agreement rather than by its words.
func (w *describer) agreed() (act, bool) {
	d := w.d
	if w.form == kit.GoDoc {
		return w.agreedGo()
	}
	a, ok := map[string][2]string{
		"__repr__": {"return", "the representation of {} for debugging"}, "__str__": {"return", "the text form of {}"},
		"__len__": {"return", "the length of {}"}, "__hash__": {"return", "the hash of {}"},
		"__bool__": {"return", "whether {} counts as true"}, "__iter__": {"return", "an iterator over {}"},
		"__enter__": {"enter", "the context of {}"}, "__exit__": {"leave", "the context of {}"},
		"__aenter__": {"enter", "the context of {}"}, "__aexit__": {"leave", "the context of {}"},
		"__del__":     {"clean", "up when {} goes away"},
		"__getitem__": {"return", "the item of {} for the given key"},
		"__setitem__": {"set", "the item of {} for the given key"},
		"__delitem__": {"delete", "the item of {} for the given key"},
		"toString":    {"return", "the text form of {}"}, "hashCode": {"return", "the hash of {}"},
		"toJSON": {"return", "what is serialized as JSON for {}"},
	}[d.Name]
	if ok && d.Owner != "" {
		if w.facts.whole && (w.facts.value != "" || w.facts.truth != "") {
			return act{}, false
		}
		return do(a[0], strings.ReplaceAll(a[1], "{}", w.this())), true
	}
	two := map[string]string{"__eq__": "equals", "__ne__": "differs from", "__lt__": "sorts before",
		"__le__": "does not sort after", "__gt__": "sorts after", "__ge__": "does not sort before",
		"__contains__": "contains", "equals": "equals"}[d.Name]
	if two != "" && d.Owner != "" && len(d.Params) == 1 {
		return do("return", "whether "+w.this()+" "+two+" "+w.code(d.Params[0].Name)), true
	}
	if d.Name == "main" && (d.Owner == "" || d.Fixed) {
		return do("run", "the program"), true
	}
	return act{}, false
}

// goMethods are the methods whose name and signature say what they are for.
var goMethods = map[string][2]string{
	"Len() int":                                     {"return", "the length of {}"},
	"String() string":                               {"implement", "fmt.Stringer"},
	"GoString() string":                             {"implement", "fmt.GoStringer"},
	"Error() string":                                {"implement", "error"},
	"Unwrap() error":                                {"return", "the wrapped error"},
	"Unwrap() []error":                              {"return", "the wrapped errors"},
	"Close() error":                                 {"implement", "io.Closer"},
	"Read([]byte) int,error":                        {"implement", "io.Reader"},
	"ReadAt([]byte,int64) int,error":                {"implement", "io.ReaderAt"},
	"ReadByte() byte,error":                         {"implement", "io.ByteReader"},
	"ReadFrom(io.Reader) int64,error":               {"implement", "io.ReaderFrom"},
	"Write([]byte) int,error":                       {"implement", "io.Writer"},
	"WriteByte(byte) error":                         {"implement", "io.ByteWriter"},
	"WriteString(string) int,error":                 {"implement", "io.StringWriter"},
	"WriteTo(io.Writer) int64,error":                {"implement", "io.WriterTo"},
	"Seek(int64,int) int64,error":                   {"implement", "io.Seeker"},
	"MarshalJSON() []byte,error":                    {"implement", "json.Marshaler"},
	"UnmarshalJSON([]byte) error":                   {"implement", "json.Unmarshaler"},
	"MarshalText() []byte,error":                    {"implement", "encoding.TextMarshaler"},
	"UnmarshalText([]byte) error":                   {"implement", "encoding.TextUnmarshaler"},
	"MarshalBinary() []byte,error":                  {"implement", "encoding.BinaryMarshaler"},
	"UnmarshalBinary([]byte) error":                 {"implement", "encoding.BinaryUnmarshaler"},
	"ServeHTTP(http.ResponseWriter,*http.Request) ": {"implement", "http.Handler"},
	"RoundTrip(*http.Request) *http.Response,error": {"implement", "http.RoundTripper"},
	"Swap(int,int) ":                                {"swap", "the elements with the indexes {0} and {1}"},
	"Less(int,int) bool":                            {"report", "whether element {0} sorts before element {1}"},
	"Push(any) ":                                    {"implement", "heap.Interface"},
	"Pop() any":                                     {"implement", "heap.Interface"},
}

func (w *describer) agreedGo() (act, bool) {
	d := w.d
	switch {
	case d.Kind == "func" && d.Name == "main" && len(d.Params) == 0:
		return do("run", "the program"), true
	case d.Kind == "func" && d.Name == "init" && len(d.Params) == 0:
		return do("initialize", "the package"), true
	case d.Kind != "method":
		return act{}, false
	}
	var types []string
	for _, p := range d.Params {
		types = append(types, strings.ReplaceAll(p.Type, "interface{}", "any"))
	}
	known, ok := goMethods[d.Name+"("+strings.Join(types, ",")+") "+strings.ReplaceAll(strings.Join(d.Results, ","),
		"interface{}", "any")]
	if !ok || w.facts.whole && (w.facts.value != "" || w.facts.truth != "") && known[0] != "implement" {
		return act{}, false
	}
	a := do(known[0], strings.ReplaceAll(known[1], "{}", w.this()))
	for i, p := range d.Params {
		if p.Name == "" && strings.Contains(a.rest, "{"+strconv.Itoa(i)+"}") {
			return act{}, false
		}
		a.rest = strings.ReplaceAll(a.rest, "{"+strconv.Itoa(i)+"}", p.Name)
	}
	return a, true
}

// thing is the text about a type, a constant or a variable.
func (w *describer) thing() string {
	says := ""
	switch w.d.Kind {
	case "const", "var", "field":
		says = w.valueSays()
	default:
		says = w.typeSays()
	}
	if w.form == kit.GoDoc {
		return w.d.Name + " " + says
	}
	return capital(says)
}

// some are names as a sentence lists them.
func (w *describer) some(names []string) string {
	const most = 6
	var out []string
	for _, n := range names {
		out = append(out, w.code(n))
	}
	if len(out) > most {
		return enumerated(append(out[:most:most], "others"), "and")
	}
	return enumerated(out, "and")
}

func (w *describer) typeSays() string {
	d := w.d
	holds := func() string {
		var out []string
		if len(d.Fields) > 0 {
			out = append(out, third("hold")+" "+w.some(d.Fields)+".")
		}
		if len(d.Methods) > 0 {
			word := "the method "
			if len(d.Methods) > 1 {
				word = "the methods "
			}
			if len(out) > 0 {
				out = append(out, "It has "+word+w.some(d.Methods)+".")
			} else {
				out = append(out, "has "+word+w.some(d.Methods)+".")
			}
		}
		return strings.Join(out, " ")
	}
	bases := ""
	if len(d.Bases) > 0 && w.quoted(strings.Join(d.Bases, ", ")) != "" {
		bases = aOrAn(w.code(d.Bases[0]))
		for _, b := range d.Bases[1:] {
			bases += " and " + w.code(b)
		}
	}
	switch {
	case d.Kind == "alias":
		return "is another name for " + d.Type + "."
	case len(d.Values) > 0 && d.Kind == "type":
		return "one of " + strings.ReplaceAll(w.some(d.Values), " and ", " or ") + "."
	case len(d.Values) > 0:
		return "one of " + strings.ReplaceAll(w.some(d.Values), " and ", " or ") + "."
	case d.Kind == "interface" && w.form == kit.GoDoc:
		if len(d.Methods) > 0 && len(d.Bases) == 0 {
			return "is implemented by types with " + w.some(d.Methods) + "."
		}
		if len(d.Methods) == 0 && len(d.Bases) > 0 {
			return "is an interface that embeds or lists " + strings.Join(d.Bases, ", ") + "."
		}
		if len(d.Methods) > 0 {
			return "is an interface with " + w.some(d.Methods) + ", and what " + strings.Join(d.Bases, ", ") + " has."
		}
		w.nothing = true
		return ""
	case d.Kind == "class" && w.form == kit.GoDoc:
		if h := holds(); h != "" {
			return h
		}
		w.nothing = true
		return ""
	case d.Kind == "class" || d.Kind == "interface":
		h := holds()
		switch {
		case bases != "" && h != "":
			if len(d.Fields) > 0 {
				return bases + " that " + h
			}
			return bases + " that " + h
		case bases != "":
			by := w.raisedBy()
			w.nothing = by == ""
			return "a kind of " + strings.TrimPrefix(strings.TrimPrefix(bases, "an "), "a ") + "." + by
		case h != "" && d.Kind == "interface" && len(d.Fields) > 0 && len(d.Methods) == 0:
			return "an object with " + w.some(d.Fields) + "."
		case h != "" && d.Kind == "interface":
			return "an object that " + h
		case h != "":
			return h
		}
		w.nothing = true
		return ""
	case w.form == kit.GoDoc && len(d.Params)+len(d.Results) > 0 || strings.HasPrefix(d.Type, "func("):
		return "is a function type: " + d.Type + "."
	case len(d.Fields) > 0:
		return "an object with " + w.some(d.Fields) + "."
	}
	w.nothing = true
	return ""
}

// raisedBy are the functions of the file that raise the exception.
func (w *describer) raisedBy() string {
	var names []string
	for _, d := range w.Syntax.(documenter).Documentable(w.f) {
		if d.Body == nil || d.Kind == "class" {
			continue
		}
		d.Body.Walk(func(n *kit.Node) bool {
			if n.Is(kit.Leave) {
				if o, ok := (&describer{Job: w.Job, d: &d, f: w.f, form: w.form}).raised(n); ok && o.what == w.d.Name &&
					!slices.Contains(names, w.code(d.Name)) {
					names = append(names, w.code(d.Name))
				}
			}
			return true
		})
	}
	if len(names) == 0 || len(names) > 4 {
		return ""
	}
	return " It is raised by " + enumerated(names, "and") + "."
}

// valueSays is about a constant or a variable: its value, and who uses it.
func (w *describer) valueSays() string {
	d := w.d
	is := "is "
	if w.form != kit.GoDoc {
		is = ""
	}
	if msg := w.errorText(); msg != "" {
		return "is the error " + msg + "." + w.usedBy("It is returned by ", true)
	}
	value := ""
	if d.Value != nil {
		value = w.quoted(w.f.Text(d.Value))
		if d.Value.Is(kit.Func) {
			w.nothing = true
			return ""
		}
		if len(value) > 50 || strings.Contains(value, "iota") {
			value = ""
		}
	}
	ws := words.Of(d.Name)
	if len(ws) == 0 {
		return ""
	}
	by := w.usedBy("", false)
	if is != "" {
		return w.goValue(value, by)
	}
	if by == "" {
		w.nothing = true
		return ""
	}
	used := ", used by " + by + "."
	text := w.f.Text(d.Value)
	switch {
	case value != "" && d.Kind == "const" && !strings.HasPrefix(text, "new "):
		return "the value " + value + used
	case strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//"):
		return "a regular expression" + used
	case d.Type != "" && w.quoted(d.Type) != "":
		return aOrAn(w.quoted(d.Type)) + used
	case value != "":
		return "the value " + value + used
	}
	w.nothing = true
	return ""
}

// goValue is what is said of a constant or a variable of Go: who uses it, which the line itself does
// not say.
func (w *describer) goValue(value, by string) string {
	d := w.d
	switch {
	case by == "":
	case value != "":
		return "is " + value + "." + w.also(by)
	case d.Type != "":
		return "is " + aOrAn(d.Type) + "." + w.also(by)
	default:
		return "is used by " + by + "."
	}
	w.nothing = true
	return ""
}

func (w *describer) also(by string) string {
	if by == "" {
		return ""
	}
	return " It is used by " + by + "."
}

// errorText is the message of errors.New("message").
func (w *describer) errorText() string {
	if w.form != kit.GoDoc || !w.d.Value.Is(kit.Call) {
		return ""
	}
	name, on := w.method(w.d.Value)
	args := w.d.Value.Args()
	if on+"."+name != "errors.New" || len(args) != 1 || !args[0].Is(kit.String) {
		return ""
	}
	return w.f.Text(args[0])
}

// usedBy are the functions of the file that mention the name.
func (w *describer) usedBy(before string, returned bool) string {
	var names []string
	for _, d := range w.Syntax.(documenter).Documentable(w.f) {
		if d.Body == nil || d.Kind == "class" || len(names) > 3 {
			continue
		}
		uses := false
		d.Body.Walk(func(n *kit.Node) bool {
			if n.Is(kit.Name) && w.f.Text(n) == w.d.Name && n.Field != "property" && n.Field != "attribute" &&
				n.Field != "key" &&
				n.Field != "left" && n.Field != "name" {
				if !returned || n.Parent.Is(kit.Return) {
					uses = true
				}
			}
			return !uses
		})
		if name := w.code(d.Name); uses && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 || len(names) > 3 {
		return ""
	}
	if before == "" {
		return enumerated(names, "and")
	}
	return " " + before + enumerated(names, "and") + "."
}
