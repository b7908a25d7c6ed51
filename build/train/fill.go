package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"waferpair/engine/spark/link"
)

// project is a small symbol table of real files, to fill slots from.
type project struct {
	lang     string
	table    *link.Table
	symbols  []link.Symbol
	files    []string
	foreign  []string // names of another project: what is yet to be
	comments []string // lines of its comments
}

// span is where a slot is in the text that a seed became.
type span struct {
	from, to int
	slot     string // as the seed has it: to, to2, 1.to
}

// name is the slot of a span without the number of its clause.
func (s span) name() string { return slotName(s.slot) }

func slotName(slot string) string {
	return strings.TrimSuffix(slot[strings.IndexByte(slot, '.')+1:], "2")
}

// filler makes a request of a seed and a project.
type filler struct {
	rng  *rand.Rand
	p    *project
	b    strings.Builder
	at   []span
	subj *link.Symbol      // what the request is about, once a slot has said it
	said map[string]string // what fills the slots so far
}

// fill renders the seed. It returns false if the project has nothing that fits.
func (f *filler) fill(s seed) (string, []span, bool) {
	f.b.Reset()
	f.at, f.subj, f.said = nil, nil, map[string]string{}
	for i, p := range s.parts {
		if p.slot == "" {
			f.b.WriteString(f.noisy(p.text))
			continue
		}
		if again, ok := f.said[p.slot]; ok { // the same thing by the same name; the first one fills the slot
			f.b.WriteString(again)
			continue
		}
		quotedBefore := i > 0 && strings.ContainsAny(lastOf(s.parts[i-1].text), "\"'`")
		text, ok := f.value(s.clauseOf(p.slot), p.slot[strings.IndexByte(p.slot, '.')+1:], quotedBefore)
		if !ok {
			return "", nil, false
		}
		from := f.b.Len()
		f.b.WriteString(text)
		f.said[p.slot] = text
		f.at = append(f.at, span{from, f.b.Len(), p.slot})
	}
	return f.b.String(), f.at, true
}

// clauseOf is a seed with the operation that a slot of a compound belongs to.
func (s seed) clauseOf(slot string) seed {
	if n := int(slot[0] - '1'); len(s.ops) > 0 && strings.Contains(slot, ".") && n >= 0 && n < len(s.ops) {
		s.class, s.fixed = s.ops[n].op, s.ops[n].fixed
	}
	return s
}

func lastOf(s string) string {
	if s == "" {
		return ""
	}
	return s[len(s)-1:]
}

func (f *filler) pick(options ...string) string { return options[f.rng.IntN(len(options))] }

// chance is true in so many of a hundred cases.
func (f *filler) chance(percent int) bool { return f.rng.IntN(100) < percent }

// symbol picks one of the project's symbols of the kinds.
func (f *filler) symbol(kinds ...link.Kind) (link.Symbol, bool) {
	n := f.p.table.Len()
	for range 60 {
		if s := f.p.table.Symbol(f.rng.IntN(n)); slices.Contains(kinds, s.Kind) {
			return s, true
		}
	}
	for i := range n { // a kind that few have
		if s := f.p.table.Symbol(i); slices.Contains(kinds, s.Kind) {
			return s, true
		}
	}
	return link.Symbol{}, false
}

var anySymbol = []link.Kind{link.Func, link.Func, link.Method, link.Type, link.Var, link.Const, link.Field, link.Param}

// subjectKinds are what an operation's symbol may be.
var subjectKinds = map[string][]link.Kind{
	"doc": {link.Func, link.Method, link.Type}, "inline": {link.Func, link.Var, link.Method},
	"move": {link.Func, link.Type, link.Const, link.Var}, "comment-out": {link.Func, link.Method, link.Type, link.Var},
	"todo": {link.Func, link.Method, link.Type, link.Const}, "delete-unused": {link.Func, link.Method, link.Type,
		link.Var, link.Const},
	"visibility": {link.Func, link.Method, link.Type, link.Field},
}

// value writes what fills a slot.
func (f *filler) value(s seed, slot string, inQuotes bool) (string, bool) {
	op := s.class
	old := func(kinds ...link.Kind) (string, bool) {
		sym, ok := f.symbol(kinds...)
		if !ok {
			return "", false
		}
		f.subj = &sym
		return f.mention(s, sym, inQuotes), true
	}
	switch slot {
	case "symbol", "symbol2":
		if k := s.fixed["kind"]; k != "" && k != "@" {
			return old(kindOf(k)...)
		}
		if k := subjectKinds[op]; k != nil {
			return old(k...)
		}
		return old(anySymbol...)
	case "func", "func2", "call":
		return old(link.Func, link.Func, link.Method)
	case "owner":
		return f.owner(s)
	case "interface":
		if f.chance(40) {
			return f.pick("io.Reader", "io.Closer", "fmt.Stringer", "Comparable", "Iterable", "error", "Runnable",
				"Serializable", "http.Handler", "sort.Interface"), true
		}
		return old(link.Type)
	case "name", "name2":
		switch op {
		case "remove-param", "reorder-params":
			return old(link.Param)
		case "set-constant":
			return old(link.Const, link.Const, link.Var)
		case "accessors":
			return old(link.Field)
		case "decline":
			return old(link.Param, link.Field, link.Var)
		case "add-flag":
			n := f.newName(s, inQuotes)
			return f.pick("--", "--", "-", "") + strings.ReplaceAll(n, "_", "-"), true
		}
		return f.newName(s, inQuotes), true
	case "after", "before":
		return old(link.Param)
	case "to", "to2", "type", "type2", "from":
		return f.byOperation(s, slot, inQuotes, old)
	case "fieldtype":
		return f.typeExpr(), true
	case "value":
		return f.literal(), true
	case "expr":
		return f.expression(op, inQuotes), true
	case "text":
		return f.prose(inQuotes), true
	case "path":
		return f.importPath(), true
	case "names":
		return f.pick("join", "Path", "useState", "readFile", "Optional", "dataclass", "List", "partial", "cn", "Depends"),
			true
	case "alias":
		return f.pick("np", "pd", "log", "fs", "cfg", "tt", "m", "utils"), true
	case "lines":
		a := 1 + f.rng.IntN(300)
		b := a + 1 + f.rng.IntN(40)
		if before := strings.ToLower(f.b.String()); strings.HasSuffix(before, "lines ") ||
			strings.HasSuffix(before, "zeilen ") || strings.HasSuffix(before, "line ") {
			return fmt.Sprintf(f.pick("%d-%d", "%d to %d", "%d–%d"), a, b), true
		}
		return fmt.Sprintf(f.pick("lines %d-%d", "lines %d to %d", "lines %d-%d", "L%d-L%d", "line %d-%d"), a, b), true
	case "file":
		return f.file(), true
	case "style":
		return f.pick("snake_case", "camelCase", "snake", "camel", "f-strings", "template literals", "fmt.Sprintf"), true
	case "position":
		return f.pick("first", "second", "last", "third", "1", "2", "3"), true
	case "logger":
		return f.pick("log.Printf", "logger.debug", "slog.Info", "logger", "console.debug", "log.debug",
			"logging", "LOG", "zap"), true
	case "kind":
		return f.pick("function", "method", "type", "variable"), true
	case "which":
		return f.pick("getter", "setter", "both"), true
	}
	return "", false
}

func (f *filler) byOperation(s seed, slot string, inQuotes bool, old func(...link.Kind) (string, bool)) (string, bool) {
	switch s.class + "." + strings.TrimSuffix(slot, "2") {
	case "add-param.type", "add-flag.type":
		return f.typeExpr(), true
	case "move.to":
		return f.file(), true
	case "visibility.to":
		return f.pick("private", "public", "protected", "exported", "unexported", "internal"), true
	case "replace-call.from", "replace-call.to":
		if f.chance(40) {
			return f.pick("ioutil.ReadFile", "os.ReadFile", "print", "logger.info", "console.log", "logger.debug", "fmt.Println",
				"strings.Title", "os.path.join", "JSON.parse", "assertEquals", "datetime.utcnow") +
				f.pick("", "", "", "()"), true
		}
		if strings.HasPrefix(slot, "to") && f.chance(40) {
			return f.newName(s, inQuotes), true
		}
		return old(link.Func, link.Method)
	}
	if strings.HasPrefix(slot, "type") {
		return old(link.Type)
	}
	return f.newName(s, inQuotes), true
}

func kindOf(k string) []link.Kind {
	switch k {
	case "func":
		return []link.Kind{link.Func}
	case "method":
		return []link.Kind{link.Method}
	case "type", "class":
		return []link.Kind{link.Type}
	case "field":
		return []link.Kind{link.Field}
	case "var", "local":
		return []link.Kind{link.Var, link.Param}
	case "const":
		return []link.Kind{link.Const}
	case "param":
		return []link.Kind{link.Param}
	}
	return anySymbol
}

// owner names what declares the subject; if the subject comes later, any type or function.
func (f *filler) owner(s seed) (string, bool) {
	if f.subj != nil && f.subj.Owner != "" {
		name := f.subj.Owner[strings.LastIndexByte(f.subj.Owner, '.')+1:]
		return f.spell(s, name, false), true
	}
	sym, ok := f.symbol(link.Type, link.Func)
	return f.spell(s, sym.Name, false), ok
}

// mention spells the name of a symbol as people do.
func (f *filler) mention(s seed, sym link.Symbol, inQuotes bool) string {
	name := sym.Name
	if sym.Owner != "" && sym.Kind != link.Param && f.chance(12) {
		return sym.Owner[strings.LastIndexByte(sym.Owner, '.')+1:] + "." + name
	}
	if (sym.Kind == link.Func || sym.Kind == link.Method) && !inQuotes && f.chance(8) {
		return name + "()"
	}
	return f.spell(s, name, inQuotes)
}

// spell writes a name exactly, in backticks, in lower case, in words, or with a letter wrong.
func (f *filler) spell(s seed, name string, inQuotes bool) string {
	if inQuotes {
		return name
	}
	spoken := 7
	if s.aloud() {
		spoken = 60
	}
	switch n := f.rng.IntN(100); {
	case n < spoken:
		return spokenName(name)
	case n < spoken+10:
		return "`" + name + "`"
	case n < spoken+16:
		return strings.ToLower(name)
	case n < spoken+19 && len(name) > 5:
		return f.typo(name)
	}
	return name
}

// spokenName is "batch size" for batchSize.
func spokenName(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case r == '_' || r == '$':
			b.WriteByte(' ')
			lower = false
			continue
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	return strings.TrimSpace(b.String())
}

// newName is a name that the project does not have.
func (f *filler) newName(s seed, inQuotes bool) string {
	name := f.p.foreign[f.rng.IntN(len(f.p.foreign))]
	if f.chance(15) {
		name = f.pick("timeout", "limit", "verbose", "retries", "n", "ctx", "count", "buffer", "strict", "dry_run", "maxSize",
			"callback", "x", "index", "total", "result", "width", "parser", "id")
	}
	if inQuotes {
		return name
	}
	if s.aloud() && f.chance(60) || f.chance(5) {
		return spokenName(name)
	}
	if f.chance(10) {
		return "`" + name + "`"
	}
	return name
}

var typeExprs = map[string][]string{
	"go": {"int", "string", "bool", "time.Duration", "[]byte", "[]string", "map[string]int", "context.Context",
		"error", "float64", "*Config", "io.Reader", "func() error", "int64", "uint32", "any", "sync.Mutex", "http.Handler"},
	"python": {"int", "str", "bool", "float", "list[str]", "dict", "Optional[int]", "str | None", "bytes", "Path",
		"dict[str, int]", "list", "datetime", "Callable", "set[str]"},
	"ts": {"string", "number", "boolean", "string[]", "Date", "Record<string, number>", "string | null", "unknown",
		"() => void", "Map<string, string>", "Promise<void>", "Options", "number | undefined", "readonly string[]"},
	"java": {"int", "String", "boolean", "long", "List<String>", "Map<String, Integer>", "Duration", "double",
		"Optional<User>", "Integer", "byte[]"},
}

func (f *filler) typeExpr() string {
	t := typeExprs[f.p.lang]
	text := t[f.rng.IntN(len(t))]
	if f.chance(10) {
		return "`" + text + "`"
	}
	return text
}

func (f *filler) literal() string {
	switch f.rng.IntN(8) {
	case 0:
		return f.pick("true", "false", "nil", "None", "null", "True", "False")
	case 1:
		return f.pick(`"utf-8"`, `"localhost"`, `""`, `"info"`, `'json'`, `"/tmp/cache"`, `"GET"`)
	case 2:
		return fmt.Sprint(f.rng.IntN(100)) + f.pick("s", "ms", "m", "%", "kb")
	case 3:
		return f.pick("5*time.Second", "time.Minute", "[]", "{}", "0.5", "1.25", "-1", "0xff", "1 << 20", "1e-6",
			"10_000", "os.Stdout")
	}
	return fmt.Sprint(f.rng.IntN(10000) >> f.rng.IntN(12))
}

func (f *filler) expression(op string, inQuotes bool) string {
	var text string
	if op == "extract-constant" {
		text = f.literal()
	} else {
		a, b := f.p.foreign[f.rng.IntN(len(f.p.foreign))], f.p.foreign[f.rng.IntN(len(f.p.foreign))]
		if sym, ok := f.symbol(link.Func, link.Param, link.Field); ok {
			b = sym.Name
		}
		text = f.pick(a+"."+b, b+"("+a+")", a+" * "+b, "len("+a+") - 1", a+"."+b+"()", "x + "+a,
			a+"["+f.pick("0", "i", "key")+"]", a+" == "+b, a+"/2")
	}
	if !inQuotes && f.chance(45) {
		return "`" + text + "`"
	}
	return text
}

func (f *filler) prose(inQuotes bool) string {
	text := f.pick("make this faster", "check the version", "handle empty input", "remove once the old client is gone",
		"this is quadratic", "parses the header of a frame", "returns the first match or nil", "not safe for concurrent use",
		"use a pool", "cover the error path", "drop after 2.0", "the limit is a guess", "validate the input",
		"number of workers", "log level", "where the cache is kept", "print more", "skip the network", "seconds to wait",
		"needs a lock", "find out why this is needed", "replace with a real queue", "split into two",
		"Loads the configuration from disk", "Holds what a session needs",
		"ask ops about the timeout", "cache this", "should return an error")
	if n := len(f.p.comments); n > 0 && f.chance(65) {
		text = f.p.comments[f.rng.IntN(n)]
		if f.chance(60) {
			text = strings.ToLower(text[:1]) + text[1:]
		}
	}
	if !inQuotes && f.chance(40) {
		return `"` + text + `"`
	}
	return text
}

var importPaths = map[string][]string{
	"go": {"os", "fmt", "strings", "net/http", "github.com/spf13/cobra", "encoding/json", "path/filepath", "log/slog",
		"errors", "golang.org/x/sync/errgroup"},
	"python": {"os", "sys", "json", "numpy", "dataclasses", "os.path", "typing", "logging", "collections",
		"functools", "asyncio"},
	"ts":   {"react", "fs", "path", "./util", "../types", "lodash", "node:fs", "@/lib/cn", "zod", "vitest"},
	"java": {"java.util.List", "java.time.Duration", "java.util.Map", "org.slf4j.Logger", "java.io.IOException"},
}

func (f *filler) importPath() string {
	p := importPaths[f.p.lang]
	return p[f.rng.IntN(len(p))]
}

func (f *filler) file() string {
	if len(f.p.files) == 0 {
		return "main.go"
	}
	name := f.p.files[f.rng.IntN(len(f.p.files))]
	if f.chance(60) {
		name = name[strings.LastIndexByte(name, '/')+1:]
	}
	return name
}

// typo swaps, drops or doubles a letter.
func (f *filler) typo(w string) string {
	if len(w) < 4 {
		return w
	}
	i := 1 + f.rng.IntN(len(w)-2)
	if w[i] >= 0x80 || w[i+1] >= 0x80 {
		return w
	}
	switch f.rng.IntN(3) {
	case 0:
		return w[:i] + string(w[i+1]) + string(w[i]) + w[i+2:]
	case 1:
		return w[:i] + w[i+1:]
	}
	return w[:i] + w[i:i+1] + w[i:]
}

// noisy misspells a word of the text now and then.
func (f *filler) noisy(text string) string {
	if !f.chance(6) {
		return text
	}
	words := strings.Split(text, " ")
	i := f.rng.IntN(len(words))
	words[i] = f.typo(words[i])
	return strings.Join(words, " ")
}
