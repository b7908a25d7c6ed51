package golang

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"unicode"
)

// sentence says of a declaration what its name and its signature say, and
// nothing that they do not.
func sentence(d *decl) string {
	name := d.name.Name
	switch n := d.node.(type) {
	case *ast.FuncDecl:
		return funcSentence(d.file, name, n.Type)
	case *ast.TypeSpec:
		return typeSentence(d.file, name, n.Type, n.Assign.IsValid())
	case *ast.ValueSpec:
		return valueSentence(d, name, n)
	case *ast.Field:
		if ft, ok := n.Type.(*ast.FuncType); ok {
			return funcSentence(d.file, name, ft)
		}
		return name + " is the " + phrase(words(name)) + "."
	}
	return name + " is the " + phrase(words(name)) + "."
}

// givenText is the user's sentence in Go's form: it begins with the name.
func givenText(d *decl, text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		l = strings.TrimSpace(l)
		lines[i] = strings.TrimSpace(strings.TrimPrefix(l, "//"))
	}
	text = strings.Join(lines, "\n")
	name := d.name.Name
	if !strings.HasPrefix(text, name) && text != "" && unicode.IsLower([]rune(text)[0]) {
		text = name + " " + text
	}
	if !strings.ContainsRune(".!?:", rune(text[len(text)-1])) {
		text += "."
	}
	return text
}

// words splits an identifier: parseHTTPRequest -> parse HTTP request.
func words(name string) []string {
	var out []string
	rs := []rune(name)
	start := 0
	flush := func(end int) {
		if end > start {
			w := string(rs[start:end])
			if strings.ToUpper(w) != w || len(w) == 1 {
				w = strings.ToLower(w)
			}
			out = append(out, w)
		}
		start = end
	}
	for i, r := range rs {
		switch {
		case r == '_':
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && (!unicode.IsUpper(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1])):
			flush(i)
		}
	}
	flush(len(rs))
	return out
}

func phrase(ws []string) string { return strings.Join(ws, " ") }

// verbs are the words that begin function names as commands; the value is a
// preposition that fits between what is done and the first parameter.
var verbs = map[string]string{
	"load": "from", "read": "from", "parse": "from", "open": "", "fetch": "from", "decode": "from", "get": "for", "find": "for",
	"write": "to", "save": "to", "send": "to", "encode": "to", "store": "to", "print": "to", "append": "to", "add": "to",
	"make": "from", "build": "from", "create": "from", "compute": "from", "calculate": "from", "convert": "from", "format": "from",
	"close": "", "start": "", "stop": "", "run": "", "handle": "", "process": "", "remove": "from", "delete": "", "update": "", "set": "",
	"check": "", "validate": "", "verify": "", "apply": "to", "render": "from", "register": "", "init": "", "initialize": "", "reset": "",
	"sort": "", "merge": "", "split": "", "join": "", "copy": "", "move": "", "rename": "", "list": "", "count": "", "scan": "from",
	"wait": "", "lock": "", "unlock": "", "connect": "to", "listen": "", "serve": "", "log": "", "report": "", "generate": "from",
	"clean": "", "flush": "", "insert": "", "push": "", "pop": "", "walk": "", "visit": "", "resolve": "", "replace": "", "trim": "",
	"filter": "", "map": "", "reduce": "", "execute": "", "call": "", "dial": "", "accept": "", "emit": "", "notify": "", "configure": "",
	"download": "from", "upload": "to", "install": "", "select": "", "sum": "", "show": "", "draw": "", "index": "", "clone": "",
	"compare": "", "match": "", "extract": "from", "collect": "from", "group": "", "import": "from", "export": "to", "marshal": "to",
	"unmarshal": "from", "skip": "", "retry": "", "cancel": "", "restore": "", "revert": "", "commit": "", "normalize": "", "escape": "", "unescape": "",
}

func third(verb string) string {
	switch {
	case strings.HasSuffix(verb, "y") && len(verb) > 1 && !strings.ContainsRune("aeiou", rune(verb[len(verb)-2])):
		return verb[:len(verb)-1] + "ies"
	case strings.HasSuffix(verb, "s"), strings.HasSuffix(verb, "x"), strings.HasSuffix(verb, "ch"), strings.HasSuffix(verb, "sh"), strings.HasSuffix(verb, "z"):
		return verb + "es"
	}
	return verb + "s"
}

func funcSentence(g *goFile, name string, t *ast.FuncType) string {
	ws := words(name)
	results := resultTypes(g, t)
	onlyBool := len(results) == 1 && results[0] == "bool"
	switch prep, isVerb := verbs[ws[0]]; {
	case onlyBool && (ws[0] == "is" || ws[0] == "has" || ws[0] == "can" || ws[0] == "should" || ws[0] == "needs"):
		return name + " reports whether it " + phrase(ws) + given(t) + "."
	case ws[0] == "new" && len(results) > 0:
		return name + " returns a new " + strings.TrimPrefix(results[0], "*") + given(t) + orError(results) + "."
	case (ws[0] == "get" || !isVerb) && len(results) > 0 && results[0] != "error" && ws[0] != "must":
		what := ws
		if ws[0] == "get" {
			what = ws[1:]
		}
		if len(what) == 0 {
			return name + " returns " + listTypes(results) + given(t) + "."
		}
		return name + " returns the " + phrase(what) + given(t) + orError(results) + "."
	case isVerb:
		return name + " " + strings.TrimSpace(third(ws[0])+" "+phrase(ws[1:])) + with(t, prep) + andReturns(results) + "."
	}
	return name + " performs " + phrase(ws) + given(t) + andReturns(results) + "."
}

// params are the names of the parameters worth mentioning.
func params(t *ast.FuncType) []string {
	var out []string
	for _, f := range t.Params.List {
		for _, n := range f.Names {
			if n.Name != "_" && n.Name != "ctx" && n.Name != "t" && n.Name != "b" {
				out = append(out, n.Name)
			}
		}
	}
	return out
}

func given(t *ast.FuncType) string {
	ps := params(t)
	if len(ps) == 0 || len(ps) > 3 {
		return ""
	}
	return " for " + list(ps, "and")
}

func with(t *ast.FuncType, prep string) string {
	ps := params(t)
	if len(ps) == 0 || len(ps) > 3 {
		return ""
	}
	if len(ps) > 1 || prep == "" {
		return ", given " + list(ps, "and") + commaIf(t)
	}
	return " " + prep + " " + ps[0]
}

func commaIf(t *ast.FuncType) string {
	if t.Results != nil && len(t.Results.List) > 0 {
		return ","
	}
	return ""
}

func list(xs []string, last string) string {
	switch len(xs) {
	case 0:
		return ""
	case 1:
		return xs[0]
	}
	return strings.Join(xs[:len(xs)-1], ", ") + " " + last + " " + xs[len(xs)-1]
}

func resultTypes(g *goFile, t *ast.FuncType) []string {
	var out []string
	if t.Results == nil {
		return nil
	}
	for _, f := range t.Results.List {
		for range max(1, len(f.Names)) {
			out = append(out, oneLine(g.text(f.Type)))
		}
	}
	return out
}

// oneLine shortens a type to what fits in a sentence.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 40 {
		if i := strings.IndexAny(s, "{("); i > 0 {
			return s[:i]
		}
	}
	return s
}

func orError(results []string) string {
	if len(results) > 1 && results[len(results)-1] == "error" {
		return ", or an error"
	}
	return ""
}

func andReturns(results []string) string {
	switch {
	case len(results) == 0:
		return ""
	case len(results) == 1 && results[0] == "error":
		return " and returns an error if that fails"
	}
	return " and returns " + listTypes(results)
}

func listTypes(results []string) string {
	var out []string
	last := "and"
	for i, r := range results {
		if r == "error" && i == len(results)-1 && i > 0 {
			last = "or"
			out = append(out, "an error")
			continue
		}
		out = append(out, article(r)+r)
	}
	return list(out, last)
}

func article(typ string) string {
	c := typ[0]
	switch {
	case c == '*' || 'A' <= c && c <= 'Z' || strings.Contains(typ, "."):
		return "the "
	case strings.ContainsRune("aeio", rune(c)):
		return "an "
	}
	return "a "
}

func typeSentence(g *goFile, name string, t ast.Expr, alias bool) string {
	if alias {
		return name + " is another name for " + oneLine(g.text(t)) + "."
	}
	switch t := t.(type) {
	case *ast.StructType:
		if fs := memberNames(t.Fields); len(fs) > 0 && len(fs) <= 4 {
			return name + " holds " + list(fs, "and") + "."
		} else if len(fs) > 4 {
			return name + " holds " + strings.Join(fs[:3], ", ") + " and " + strconv.Itoa(len(fs)-3) + " more fields."
		}
		return name + " is a struct without fields."
	case *ast.InterfaceType:
		if ms := memberNames(t.Methods); len(ms) > 0 && len(ms) <= 4 {
			return name + " is implemented by types with " + list(ms, "and") + "."
		}
		return name + " is an interface."
	case *ast.FuncType:
		return name + " is a function type."
	}
	typ := oneLine(g.text(t))
	return name + " is " + strings.Replace(article(typ), "the ", "a ", 1) + typ + "."
}

func memberNames(l *ast.FieldList) []string {
	var out []string
	for _, f := range l.List {
		for _, n := range f.Names {
			out = append(out, n.Name)
		}
		if len(f.Names) == 0 {
			if n := embeddedName(f.Type); n != "" {
				out = append(out, n)
			}
		}
	}
	return out
}

func valueSentence(d *decl, name string, n *ast.ValueSpec) string {
	ws := words(name)
	if ws[0] == "err" && len(ws) > 1 && d.kind == "var" {
		if msg := errorText(n); msg != "" {
			return name + " is the error " + strconv.Quote(msg) + "."
		}
		return name + " is the error for " + phrase(ws[1:]) + "."
	}
	return name + " is the " + phrase(ws) + "."
}

// errorText is the message of errors.New("message").
func errorText(n *ast.ValueSpec) string {
	if len(n.Values) != 1 {
		return ""
	}
	call, ok := n.Values[0].(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return ""
	}
	lit, ok := call.Args[0].(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	s, _ := strconv.Unquote(lit.Value)
	return s
}
