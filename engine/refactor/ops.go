package refactor

import (
	"context"
	"fmt"
	"sort"
	"strings"
)

// Param is one named argument of an operation.
type Param struct {
	Name     string `json:"name"`
	Optional bool   `json:"optional,omitempty"`
	Help     string `json:"help"`
}

// Spec describes an operation to parsers, to `models show spark` and to the help text.
type Spec struct {
	Name    string  `json:"name"`
	Help    string  `json:"help"`
	Example string  `json:"example"` // a request that asks for it
	Params  []Param `json:"params,omitempty"`
}

// Ops lists every operation, in the order in which help shows them. Adding an
// operation is one entry here and one function in each language that has it.
var Ops = []Spec{
	{"rename", "rename a symbol wherever it is used, in every file, leaving strings and comments alone",
		"rename parseConfig to loadConfig everywhere",
		[]Param{{"symbol", false, "the old name; Type.Method and pkg.Name narrow it"}, {"to", false, "the new name"},
			{"kind", true, "func|method|type|field|var|const|param|local"},
			{"all", true, `"true": every declaration of that name, when there are several`}}},
	{"doc", "add doc comments to declarations that lack one", "add doc comments to exported functions in server.go",
		[]Param{{"symbol", true, "one declaration; without it, every exported one of the file"},
			{"text", true, "the comment's text, when the user gave it"}, {"which", true, "exported (default)|all"},
			{"kind", true, "func|type|method|class"}}},
	{"add-param", "add a parameter to a function and the argument to its calls",
		"add a parameter timeout time.Duration to fetch with default 5*time.Second",
		[]Param{{"func", false, "the function"}, {"name", false, "the parameter's name"},
			{"type", true, "its type, where the language has types"},
			{"value", true, "what existing calls pass; without it the zero value or, in Python and JavaScript, a default"},
			{"position", true, "first|last (default)|a number from 1"}}},
	{"remove-param", "remove a parameter that the body does not use, and the argument from its calls",
		"remove the parameter verbose from run", []Param{{"func", false, "the function"}, {"name", false, "the parameter"}}},
	{"add-field", "add a field to a struct, class or interface", "add a field Timeout time.Duration to Config",
		[]Param{{"type", false, "the struct, class or interface"}, {"name", false, "the field"},
			{"fieldtype", true, "its type"}, {"value", true, "its initial value, in a class"}}},
	{"add-import", "import a package or names from it", "add import os to main.py",
		[]Param{{"path", false, "package path or module"}, {"names", true, "names to import from it, comma-separated"},
			{"alias", true, "local name"}}},
	{"remove-imports", "remove imports that nothing uses, or one named import that nothing uses", "remove unused imports",
		[]Param{{"path", true, "one package; without it, every unused one"}}},
	{"sort-imports", "sort and group imports", "sort the imports in app.ts", nil},
	{"set-constant", "change the value of a named constant", "set MaxRetries to 5",
		[]Param{{"name", false, "the constant or top-level variable"}, {"value", false, "the new value, as source text"}}},
	{"handle-error", "handle an error that is ignored: return it, wrapped, from the enclosing function",
		"handle the ignored error in saveFile", []Param{{"func", true, "the function; or the selection"},
			{"call", true, "the call whose error it is; without it every ignored one"},
			{"mode", true, "wrap|wrap-all|return: an error that is returned as it is; without it, one that is ignored"}}},
	{"extract-variable", "give an expression a name, before the statement that holds it",
		"extract variable total from a.Price*a.Count in invoice.go", []Param{{"name", false, "the new name"},
			{"expr", true, "the expression as written; or the selection"},
			{"func", true, "the function it is in"}}},
	{"extract-constant", "give a literal a name at the top of the file and use it",
		"extract constant maxRetries from 5 in client.go", []Param{{"name", false, "the new name"},
			{"expr", true, "the literal as written; or the selection"}, {"func", true, "the function it is in"}}},
	{"add-test", "add a test skeleton for a function", "add a test for parseConfig",
		[]Param{{"func", false, "the function"}}},
	{"json-tags", "add JSON tags to a struct's exported fields", "add json tags to Config",
		[]Param{{"type", false, "the struct"}, {"style", true, "snake (default)|camel"}}},
	{"log-entry", "log at the entry of a function, with its parameters", "log at entry of handleRequest",
		[]Param{{"func", false, "the function"}}},
	{"remove-debug-prints", "remove debugging prints (fmt.Println, print, console.log)",
		"remove debug prints from server.go", []Param{{"func", true, "only in this function"},
			{"which", true, "all: every print; console.log: every call of it; else those that are evidently for debugging"}}},
	{"replace-call", "replace calls of one function by another with the same arguments",
		"replace calls to ioutil.ReadFile with os.ReadFile", []Param{{"from", false, "the function called now"},
			{"to", false, "the function to call"}}},
	{"comment-out", "comment a declaration or the selected lines out", "comment out debugHandler",
		[]Param{{"symbol", true, "the declaration; or the selection"}}},
	{"todo", "put a TODO comment above a declaration or the selection", "add a TODO to loadConfig: check the version",
		[]Param{{"symbol", true, "the declaration; or the selection"}, {"text", false, "what is to be done"}}},
	{"delete-unused", "delete a function that nothing uses", "delete the unused function oldHelper",
		[]Param{{"func", false, "the function"}}},
}

// Lookup returns the operation of that name.
func Lookup(name string) (Spec, bool) {
	for _, s := range Ops {
		if s.Name == name {
			return s, true
		}
	}
	return Spec{}, false
}

// String is the operation in words, as the user is told what was understood:
// `rename symbol=parseConfig to=loadConfig`.
func (o Op) String() string {
	keys := make([]string, 0, len(o.Args))
	if s, ok := Lookup(o.Name); ok {
		for _, p := range s.Params {
			if _, ok := o.Args[p.Name]; ok {
				keys = append(keys, p.Name)
			}
		}
	} else {
		for k := range o.Args {
			keys = append(keys, k)
		}
		sort.Strings(keys)
	}
	var b strings.Builder
	b.WriteString(o.Name)
	for _, k := range keys {
		fmt.Fprintf(&b, " %s=%s", k, o.Args[k])
	}
	return b.String()
}

// Language carries operations out for the files of one language.
type Language interface {
	Name() string
	// Handles reports whether the file is one of the language's.
	Handles(path string) bool
	// Has reports whether the language can do the operation.
	Has(op string) bool
	// Declares reports how many declarations the operation's subject (the
	// symbol, func, type or name argument) has in the files of the language,
	// and the nearest names there are when it has none. Operations without a
	// subject (sort-imports) count as declared when target.File is the language's.
	Declares(ctx context.Context, src Source, target Target, op Op) (count int, nearest []string, err error)
	// Run carries the operation out. An error is *Declined, or something broke.
	// Every returned file still parses, and (Go) still type-checks if it did before.
	Run(ctx context.Context, src Source, target Target, op Op) (Result, error)
}
