package spark

import "waferpair/engine/refactor"

// A sentence that a function should take a certain type names no parameter: "make
// fetch take a Config". It is asked back, with names that the type suggests.

var unnamedMacros = []macro{
	{"sometype", `[a|an|the] [(one|an|another|additional|extra|optional|new|single|required|keyword) [(optional|extra|additional)]] <type:plaintype>
		[(value|object|instance|as well|too)]`},
	{"sometypes",
		"([@param|@field] (of type|of|with type) <type:type> | @sometype [@param|@field] | (@param|@field) @sometype)"},
	{"an", "(a|an)"},
}

// unnamedHints recognize such sentences. Where an article stands for the name, and
// a noun announces one, the name may be meant as well.
var unnamedHints = []hint{
	{pattern: "(make|let|have) @owner-func @takes [in] @sometypes @ptail", why: whichName, near: unnamedParam},
	{pattern: "@owner-func @must (@takes|be given|be passed) [in] @sometypes @ptail", why: whichName, near: unnamedEither},
	{pattern: "@owner-func (needs|wants|takes|accepts|gets) [to (take|accept|get|receive|have)] @sometypes @ptail",
		why: whichName, near: unnamedEither},
	{pattern: "(change|update|modify|extend) [signature of] @owner-func [to [(take|accept|receive|have|include)]|with] [in] @sometypes @ptail",
		why: whichName, near: unnamedParam},
	{pattern: "@add @sometypes (to|in|into|on) [(signature|parameters|parameter list) of] @owner-func @ptail",
		why: whichName, near: unnamedEither},
	{pattern: "(give|extend|pass) [to] @owner-func [with] @sometypes @ptail", why: whichName, near: unnamedEither},
	{pattern: "@add @param [@called] <name=a> @an <type:plaintype> to @owner-func", why: whichName, near: unnamedParam},
	{pattern: "@add @field [@called] <name=a> @an <type:plaintype> (to|in|on) @owner-func", why: whichName,
		near: unnamedField},
	{pattern: "(make|let|have) @owner-func @takes [in] @param [@called] <name=a> @an <type:plaintype>", why: whichName,
		near: unnamedParam},
}

const whichName = "what is it called? The request says only its type"

// unnamedParam are the requests for a parameter of the type, under names that it suggests.
func unnamedParam(a args) []string {
	return a.named("add parameter", a.position(), a.code("with default", "value"))
}

func unnamedField(a args) []string { return a.named("add field", a.code("with value", "value")) }

func (a args) named(what string, tail ...string) []string {
	var out []string
	for _, t := range spelledTypes(a["type"]) {
		names := []string{refactor.NameFor(t, a["func"])}
		if a["name"] != "" {
			names = append(names, a["name"])
		}
		for _, n := range names {
			b := args{"name": n, "type": t, "func": a["func"]}
			out = append(out, join(append([]string{what, b.name("name"), b.code("of type", "type"), "to", b.name("func")},
				tail...)...))
		}
	}
	return out
}

// unnamedEither may be about a function or about a type.
func unnamedEither(a args) []string {
	if a["position"] != "" {
		return unnamedParam(a)
	}
	return append(unnamedParam(a), unnamedField(a)...)
}

// usual are types of Go's standard library that people name without their package.
var usual = map[string]string{"Context": "context.Context", "Duration": "time.Duration", "Time": "time.Time",
	"Reader": "io.Reader", "Writer": "io.Writer", "Mutex": "sync.Mutex", "RWMutex": "sync.RWMutex",
	"Logger": "*slog.Logger", "Request": "*http.Request", "ResponseWriter": "http.ResponseWriter",
	"Client": "*http.Client"}

// spelledTypes are the type as it was written, and with the package that it usually comes from.
func spelledTypes(t string) []string {
	if full := usual[t]; full != "" {
		return []string{t, full}
	}
	return []string{t}
}
