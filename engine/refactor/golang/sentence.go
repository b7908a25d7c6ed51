package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
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
		return functionOf(d, name, n.Type).sentence()
	case *ast.TypeSpec:
		return typeSentence(d.file, name, n.Type, n.Assign.IsValid())
	case *ast.ValueSpec:
		return valueSentence(d, name, n)
	case *ast.Field:
		if ft, ok := n.Type.(*ast.FuncType); ok {
			return functionOf(d, name, ft).sentence()
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

// verbs are the words that begin function names as commands.
var verbs = wordSet(`hijack adjust redirect abort advance explode accept add allocate announce append apply assert assign attach await bind block break broadcast build bump calculate call cancel
	check choose claim clean clear clip clone close collapse collect commit compact compare compile compress compute concat configure
	confirm connect consume continue convert copy count create cut debug decide declare decode decrement decrypt defer define delay
	delete deliver deny depend derive describe destroy detach detect determine dial digest disable discard disconnect dispatch display
	divide download drain draw drop dump duplicate echo edit eject embed emit enable encode encrypt enqueue ensure enter enumerate
	equip erase escape eval evaluate evict examine exchange execute exit explode expand expect expire explain export expose extend extract
	fail fetch fill filter finalize find finish fire fit fix flatten flush fold follow force forget fork format fprint free freeze
	gather generate get grab group grow guess halt handle hash hide hold ignore import increment indent infer init initialize inject
	inline insert inspect install instantiate intern intersect invalidate invert invoke iterate join keep kill launch leave lex lift
	link list listen load lock log lookup make map mark marshal mask match measure merge migrate minimize mkdir modify monitor mount
	move multiply mutate negate nest normalize notify observe obtain open pack pad parse partition pass patch pause peek perform
	permute persist pick pin pipe place plan play poll pop populate predict prefetch prepare prepend preserve print probe process
	produce promote propagate prove prune publish pull purge push put query queue quit quote raise rank read rebuild receive record
	recover redirect reduce refresh refuse register reject release reload remember remove rename render reopen repair repeat replace
	replay reply report request require reserve reset resize resolve restore resume retrieve retry return reuse reverse revert rewind
	rewrite roll rotate route run sanitize save scan schedule seal search seed seek seize select send serialize serve set shift show
	shrink shuffle shut sign signal simplify simulate skip sleep sort spawn spin split sprint squash stage stamp start stash step stop
	store strip submit subscribe substitute subtract suggest sum supply suspend swap switch sync synchronize tag take tear terminate
	throw tick toggle touch track transfer transform translate transmit traverse trigger trim truncate try tweak unescape unify
	uninstall unite unlink unload unlock unmarshal unmount unpack unpin unquote unregister unset unsubscribe unwind unwrap update
	upload use validate verify visit wait wake walk warn watch wipe wrap write yield zip`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

func third(verb string) string {
	switch {
	case strings.HasSuffix(verb, "y") && len(verb) > 1 && !strings.ContainsRune("aeiou", rune(verb[len(verb)-2])):
		return verb[:len(verb)-1] + "ies"
	case strings.HasSuffix(verb, "s"), strings.HasSuffix(verb, "x"), strings.HasSuffix(verb, "ch"),
		strings.HasSuffix(verb, "sh"), strings.HasSuffix(verb, "z"):
		return verb + "es"
	}
	return verb + "s"
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

func listTypes(results []string) string {
	var out []string
	for _, r := range results {
		out = append(out, article(r)+r)
	}
	return list(out, "and")
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
		fs := slices.DeleteFunc(memberNames(t.Fields), func(f string) bool {
			return f == "_" || exported(name) && !exported(f)
		})
		if len(fs) == 0 && len(t.Fields.List) > 0 {
			return name + " has no exported fields."
		}
		if len(fs) > 0 && len(fs) <= 4 {
			return name + " holds " + list(fs, "and") + "."
		} else if len(fs) > 4 {
			return name + " holds " + strings.Join(fs[:3], ", ") + " and more."
		}
		return name + " is a struct without fields."
	case *ast.InterfaceType:
		if ms := memberNames(t.Methods); len(ms) > 0 && len(ms) <= 4 && methodsOnly(t) {
			return name + " is implemented by types with " + list(ms, "and") + "."
		}
		return name + " is an interface."
	case *ast.FuncType:
		return name + " is a function type."
	}
	typ := oneLine(g.text(t))
	return name + " is " + strings.Replace(article(typ), "the ", "a ", 1) + typ + "."
}

// methodsOnly: an interface may also embed others and list types.
func methodsOnly(t *ast.InterfaceType) bool {
	for _, f := range t.Methods.List {
		if len(f.Names) == 0 {
			return false
		}
	}
	return true
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
	return name + " " + valueWords(d, n, ws) + "."
}

// valueWords says of a constant or a variable what it is called; a type of its
// own says more than the name of one of its values.
func valueWords(d *decl, n *ast.ValueSpec, ws []string) string {
	for i, w := range ws {
		ws[i] = map[string]string{"max": "maximum", "min": "minimum"}[w]
		if ws[i] == "" {
			ws[i] = w
		}
	}
	if typ := n.Type; typ != nil && d.kind == "const" {
		if id, ok := typ.(*ast.Ident); ok && !isBasic(id.Name) {
			return "is " + indefinite(id.Name)
		}
	}
	text := "is " + definite(ws)
	if last := ws[len(ws)-1]; len(ws) > 1 && (ws[0] == "maximum" || ws[0] == "minimum") && strings.HasSuffix(last, "s") &&
		!strings.HasSuffix(last, "ss") {
		text = "is the " + ws[0] + " number of " + phrase(ws[1:])
	}
	if len(n.Values) != 1 {
		return text
	}
	switch v := n.Values[0].(type) {
	case *ast.Ident:
		if (v.Name == "true" || v.Name == "false") && ws[len(ws)-1] != "flag" {
			return text + " flag"
		}
	case *ast.FuncLit:
		return text + " function"
	case *ast.CompositeLit:
		switch v.Type.(type) {
		case *ast.ArrayType, *ast.MapType:
			return "holds " + definite(ws)
		}
	}
	return text
}

func isBasic(name string) bool {
	obj := types.Universe.Lookup(name)
	return obj != nil
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
