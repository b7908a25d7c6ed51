package link

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/words"
)

// Kind is what a unit of a request is, or mentions.
type Kind string

// The kinds of units. Func to Param are declarations; New is a name in code's spelling that
// nothing has; Code is code in backticks that is no name.
const (
	Word    Kind = "word"
	Sign    Kind = "sign"
	Func    Kind = "func"
	Method  Kind = "method"
	Type    Kind = "type"
	Field   Kind = "field"
	Var     Kind = "var"
	Const   Kind = "const"
	Param   Kind = "param"
	File    Kind = "file"
	New     Kind = "new"
	Literal Kind = "literal"
	Text    Kind = "text"
	Code    Kind = "code"
	Typed   Kind = "typed" // a type expression
	Lines   Kind = "lines"
	Pointer Kind = "pointer" // this function, it, here
)

// Match says how a unit was matched with the symbols that it mentions.
type Match uint8

// The matches, best first.
const (
	NoMatch Match = iota
	Exact         // letter for letter
	Folded        // in other case, or in words: "batch size" for BATCH_SIZE
	Near          // one edit away
	Perhaps       // letter for letter, and a word of requests, too: "run", "name"
)

// Unit is a part of a request: a word, a sign or a mention.
type Unit struct {
	From, To int    // bytes of the request
	Text     string // as it is written, without quotes, backticks or (); of a Spoken unit what it means
	Kind     Kind
	Match    Match
	Symbols  []int    // that it mentions, as numbers of the table
	Files    []string // that it mentions
	Noun     string   // the noun within it: "this function", "lines"
	Spoken   bool     // it is said in words, and Text is what they mean: a number, a file's name
	A, B     int      // of Lines: the first and the last; of a File: the line that a message is about
}

// Linker finds what requests mention. Vocabulary are the words that requests are made of; a
// symbol that is spelled like one of them is mentioned only if something announces it.
type Linker struct{ Vocabulary map[string]bool }

// Link cuts a request into units.
func (l Linker) Link(request string, t *Table) []Unit {
	p := pass{Linker: l, table: t, src: request, toks: tokens(request)}
	for i := 0; i < len(p.toks); {
		u, n := p.unit(i)
		p.out = append(p.out, u)
		i += n
	}
	return p.out
}

// pass is the work on one request.
type pass struct {
	Linker
	table *Table
	src   string
	toks  []token
	out   []Unit
	tried int // words that were compared with every name of their length
}

// mostNear is how many words of a request are looked for among misspelled names.
const mostNear = 24

// longestName is the most words that a spoken name has.
const longestName = 5

// unit finds the longest unit that begins at token i, and how many tokens it takes.
func (p *pass) unit(i int) (Unit, int) {
	for _, find := range []func(int) (Unit, int){p.lines, p.pointer, p.scope, p.number, p.fileName, p.expression, p.callOf,
		p.symbol, p.typed} {
		if u, n := find(i); n > 0 {
			return u, n
		}
	}
	t := p.toks[i]
	u := Unit{From: t.from, To: t.to, Text: t.text}
	switch t.kind {
	case number:
		u.Kind = Literal
	case quoted:
		u.Kind = Text
		if numberAt.FindString(t.text) == t.text { // '13' is a magic number
			u.Kind = Literal
		}
	case code:
		u.Kind = codeKind(t.text)
	case pathTo:
		u.Kind, u.Files = File, p.table.files[strings.ToLower(strings.TrimPrefix(t.text, "./"))]
		if m := placeAt.FindStringSubmatch(p.src[t.to:]); m != nil {
			n := p.upTo(i, t.to+len(m[0]))
			u.To, u.A = p.toks[i+n-1].to, atoi(m[1]+m[2])
			u.B = u.A
			return u, n
		}
	case sign:
		u.Kind = Sign
	case word:
		u.Kind = Word
		if spelledAsCode(t.text) {
			u.Kind = New
		}
		if n := p.call(i); n > 0 {
			u.Kind, u.To = New, p.toks[i+n].to
			return u, n + 1
		}
	}
	return u, 1
}

var identifier = regexp.MustCompile(`^[\pL_$][\pL\pN_$]*(\(\))?$`)

func codeKind(text string) Kind {
	if identifier.MatchString(text) {
		return New
	}
	return Code
}

// placeAt is how compilers and linters put a line, and mostly a column, behind a file's name: `:38:14`, `(2,10)`.
var placeAt = regexp.MustCompile(`^(?::(\d+)(?::\d+)?|\((\d+)(?:,\s?\d+)?\))`)

// spelledAsCode reports whether a word cannot be prose: it has a capital inside, an
// underscore, a digit, a dollar sign, or a dot.
func spelledAsCode(w string) bool {
	if strings.ContainsAny(w, "_$#.:") {
		return true
	}
	upper, lower, digit := 0, 0, 0
	for i, r := range w {
		switch {
		case unicode.IsUpper(r) && i > 0:
			upper++
		case unicode.IsLower(r):
			lower++
		case unicode.IsDigit(r):
			digit++
		}
	}
	return upper > 0 && lower > 0 || digit > 0 && upper+lower > 0
}

// call returns the number of tokens of "()" that follow token i without a space.
func (p *pass) call(i int) int {
	if i+2 < len(p.toks) && p.toks[i+1].text == "(" && p.toks[i+2].text == ")" && p.toks[i+1].from == p.toks[i].to {
		return 2
	}
	return 0
}

// scope finds the folder or file in front of a commit's title: "store: ...", "fix(store): ...".
func (p *pass) scope(i int) (Unit, int) {
	if p.toks[i].kind != word || i > 2 || i+1 >= len(p.toks) {
		return Unit{}, 0
	}
	if behind := p.toks[i+1].text; behind != ":" && (behind != ")" || i+2 >= len(p.toks) || p.toks[i+2].text != ":") {
		return Unit{}, 0
	}
	name := strings.ToLower(p.toks[i].text)
	files := p.table.folders[name]
	if len(files) == 0 {
		files = p.table.files[name]
	}
	if len(files) == 0 {
		return Unit{}, 0
	}
	return Unit{From: p.toks[i].from, To: p.toks[i].to, Text: p.toks[i].text, Kind: File, Files: files}, 1
}

// expression finds operands joined by operators: a.Price * b, n >= most && ok.
func (p *pass) expression(i int) (Unit, int) {
	if k := p.toks[i].kind; k != word && k != number {
		return Unit{}, 0
	}
	m := expressionAt.FindString(p.src[p.toks[i].from:])
	if m == "" {
		return Unit{}, 0
	}
	for _, operand := range operandsIn.FindAllString(m, -1) {
		if p.Vocabulary[strings.ToLower(operand)] {
			return Unit{}, 0
		}
	}
	n := p.upTo(i, p.toks[i].from+len(m))
	end := p.toks[i+n-1].to
	return Unit{From: p.toks[i].from, To: end, Text: p.src[p.toks[i].from:end], Kind: Code}, n
}

const operand = `[\pL\pN_$][\pL\pN_$.]*(?:\([\pL\pN_$.,]*\)|\[[\pL\pN_$.]*\])*`

var (
	expressionAt = regexp.MustCompile(`^` + operand +
		`(?:(?:\s+(?:[*/%+<>-]|[<>=!]==?|&&|\|\|)\s+|[*%]|[<>=!]==?|&&|\|\|)(?:` +
		operand + `|"[^"]*"))+`)
	operandsIn = regexp.MustCompile(`[\pL_$][\pL\pN_$.]*`)
)

// callOf finds a call as it is written in code: time.Since(b.last).
func (p *pass) callOf(i int) (Unit, int) {
	if p.toks[i].kind != word || i+2 >= len(p.toks) || p.toks[i+1].text != "(" || p.toks[i+1].from != p.toks[i].to ||
		p.toks[i+2].text == ")" && !strings.Contains(p.toks[i].text, ".") {
		return Unit{}, 0
	}
	depth := 0
	for n := 1; i+n < len(p.toks); n++ {
		switch p.toks[i+n].text {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				from, to := p.toks[i].from, p.toks[i+n].to
				if i == 0 && strings.HasPrefix(p.src[to:], ":") {
					return Unit{}, 0 // refactor(pricing): ... is a commit's title
				}
				if p.toks[i+2].text == ")" && len(p.folded(p.toks[i].text)) > 0 {
					return Unit{}, 0 // Server.Close() is a method's name
				}
				return Unit{From: from, To: to, Text: p.src[from:to], Kind: Code}, n + 1
			}
		}
	}
	return Unit{}, 0
}

// symbol finds a symbol's name: the longest run of words that spell one.
func (p *pass) symbol(i int) (Unit, int) {
	if k := p.toks[i].kind; k == code {
		text := strings.TrimSuffix(p.toks[i].text, "()")
		if found := p.exactly(text); found != nil {
			return p.mention(i, 1, text, Exact, found), 1
		}
		return Unit{}, 0
	} else if k == quoted {
		return p.quotedName(i)
	} else if k == pathTo && !strings.Contains(p.toks[i].text, "/") &&
		len(p.table.files[strings.ToLower(p.toks[i].text)]) == 0 {
		if found := p.exactly(p.toks[i].text); found != nil { // a variable with a method that is named like a language
			return p.mention(i, 1, p.toks[i].text, Exact, found), 1
		}
		return Unit{}, 0
	} else if k != word {
		return Unit{}, 0
	}
	for n := min(longestName, len(p.toks)-i); n > 1; n-- {
		if u, ok := p.spoken(i, n); ok {
			return u, n
		}
	}
	return p.single(i)
}

// quotedName finds a symbol's name in quotes, as linters write it: 'heatIndex' is never used. A
// word that is no name in code's spelling may be a text, unless a noun announces it.
func (p *pass) quotedName(i int) (Unit, int) {
	text := strings.TrimSuffix(p.toks[i].text, "()")
	if !identifier.MatchString(text) {
		return Unit{}, 0
	}
	found := p.exactly(text)
	if found == nil || !spelledAsCode(text) && !p.announced(i, 1, found) {
		return Unit{}, 0
	}
	return p.mention(i, 1, text, Exact, found), 1
}

// exactly returns the symbols of that name, with its owner if it has one.
func (p *pass) exactly(name string) []int {
	if found := p.table.Named(name); len(found) > 0 {
		return found
	}
	return nil
}

// folded returns the symbols whose name is the same but for case and underscores.
func (p *pass) folded(name string) []int {
	owner, last := cutOwner(name)
	return slices.DeleteFunc(slices.Clone(p.table.keyed(squeeze(last))), func(n int) bool {
		return owner != "" && !ownedBy(p.table.symbols[n], owner)
	})
}

// spoken finds a name in n words, such as "batch size" for batchSize. It needs a word that
// requests do not have, or a noun beside it: in "add field" addField is not meant.
func (p *pass) spoken(i, n int) (Unit, bool) {
	var key strings.Builder
	unusual := false
	for k := i; k < i+n; k++ {
		t := p.toks[k]
		if t.kind != word && (t.kind != number || k == i) || k > i && t.from != p.toks[k-1].to+1 || spelledAsCode(t.text) {
			return Unit{}, false
		}
		key.WriteString(squeeze(t.text))
		unusual = unusual || len(t.text) > 2 && !p.Vocabulary[strings.ToLower(t.text)]
	}
	found := p.table.keyed(key.String())
	if len(found) == 0 || !unusual && !p.announced(i, n, found) {
		return Unit{}, false
	}
	return p.mention(i, n, p.src[p.toks[i].from:p.toks[i+n-1].to], Folded, found), true
}

// single finds a name in one word.
func (p *pass) single(i int) (Unit, int) {
	t := p.toks[i]
	call := p.call(i)
	usual := p.Vocabulary[strings.ToLower(t.text)] && !spelledAsCode(t.text) && call == 0
	if found := p.exactly(t.text); found != nil {
		if usual && !p.announced(i, 1, found) {
			u := p.mention(i, 1, t.text, Perhaps, found)
			u.Kind = Word
			return u, 1
		}
		return p.mention(i, 1+call, t.text, Exact, found), 1 + call
	}
	found := p.folded(t.text)
	if len(found) > 0 && (!usual || p.announced(i, 1, found)) {
		return p.mention(i, 1+call, t.text, Folded, found), 1 + call
	}
	if len(found) > 0 {
		u := p.mention(i, 1, t.text, Perhaps, found)
		u.Kind = Word
		return u, 1
	}
	if usual {
		return Unit{}, 0
	}
	if near := p.near(t.text); len(near) > 0 {
		u := p.mention(i, 1+call, t.text, Near, near)
		if p.newName(i) {
			u.Kind = New
		}
		return u, 1 + call
	}
	return Unit{}, 0
}

// newName reports whether the word before token i may announce a name that is yet to be, and
// that is only like an old one.
func (p *pass) newName(i int) bool {
	return i > 0 && newNames[strings.ToLower(p.toks[i-1].text)]
}

var newNames = words.Set("to into as called named -> => → nach zu in")

// near returns the symbols whose names are one edit away.
func (p *pass) near(name string) []int {
	owner, last := cutOwner(name)
	key := squeeze(last)
	if p.tried++; len(key) < 5 || p.tried > mostNear {
		return nil
	}
	var out []int
	for n := len(key) - 1; n <= len(key)+1; n++ {
		for _, k := range p.table.byLen[n] {
			if refactor.Distance(key, k, 1) == 1 {
				out = append(out, p.table.byKey[k]...)
			}
		}
	}
	return slices.DeleteFunc(out, func(n int) bool { return owner != "" && !ownedBy(p.table.symbols[n], owner) })
}

// mention makes the unit of n tokens that mention symbols.
func (p *pass) mention(i, n int, text string, m Match, found []int) Unit {
	u := Unit{From: p.toks[i].from, To: p.toks[i+n-1].to, Text: text, Match: m, Symbols: p.preferred(i, n, found)}
	u.Kind = p.table.symbols[u.Symbols[0]].Kind
	return u
}

// preferred puts the symbols of the kind that a noun beside the mention says in front; and
// parameters, which many functions have, behind everything else.
func (p *pass) preferred(i, n int, found []int) []int {
	kinds := p.nounKinds(i, n)
	rank := func(s int) int {
		switch k := p.table.symbols[s].Kind; {
		case slices.Contains(kinds, k):
			return 0
		case k == Param:
			return 2
		}
		return 1
	}
	out := slices.Clone(found)
	slices.SortStableFunc(out, func(a, b int) int { return rank(a) - rank(b) })
	return out
}

// announced reports whether a noun beside the words, or the word before, says that they are
// a name: of a symbol of that kind.
func (p *pass) announced(i, n int, found []int) bool {
	for _, k := range p.nounKinds(i, n) {
		for _, s := range found {
			if p.table.symbols[s].Kind == k {
				return true
			}
		}
	}
	return false
}

// nounKinds are the kinds that a noun before or after the words names.
func (p *pass) nounKinds(i, n int) []Kind {
	var out []Kind
	if i > 0 {
		out = append(out, nounKinds[strings.ToLower(p.toks[i-1].text)]...)
	}
	if i+n < len(p.toks) {
		out = append(out, nounKinds[strings.ToLower(p.toks[i+n].text)]...)
	}
	return out
}

var nounKinds = map[string][]Kind{}

func init() {
	for nouns, kinds := range map[string][]Kind{
		"function func fn funktion helper routine":                            {Func, Method},
		"method methode constructor ctor":                                     {Method, Func},
		"type struct class klasse interface enum typ record":                  {Type},
		"field property attribute prop attr member feld attribut":             {Field, Method},
		"variable var global":                                                 {Var, Const, Param},
		"constant const konstante":                                            {Const, Var, Field},
		"param parameter arg argument argumente option params args arguments": {Param, Field},
	} {
		for noun := range strings.FieldsSeq(nouns) {
			nounKinds[noun] = kinds
		}
	}
}

// lines finds line numbers: "lines 10-20", "line 7", "L10-L20".
func (p *pass) lines(i int) (Unit, int) {
	rest := p.src[p.toks[i].from:]
	m := linesAt.FindStringSubmatch(rest)
	if m == nil {
		return Unit{}, 0
	}
	n := p.upTo(i, p.toks[i].from+len(m[0]))
	u := Unit{From: p.toks[i].from, To: p.toks[i+n-1].to, Text: m[0], Kind: Lines, Noun: "lines",
		A: atoi(m[1]), B: atoi(m[1])}
	if m[2] != "" {
		u.B = atoi(m[2])
	}
	return u, n
}

// upTo counts the tokens from i on that begin before a byte.
func (p *pass) upTo(i, end int) int {
	n := 0
	for i+n < len(p.toks) && p.toks[i+n].from < end {
		n++
	}
	return n
}

var linesAt = regexp.MustCompile(
	`^(?i:lines?|zeilen?|ll?\.?)\s*(\d+)(?:\s*(?:-|–|to|through|till|until|bis|and|und|\.\.)\s*(?i:l|line\s+)?(\d+))?\b`)

func atoi(s string) int {
	n := 0
	for _, r := range s {
		n = min(n*10+int(r-'0'), 1<<30)
	}
	return n
}

// pointer finds words that point at the selection: "this function", "it", "here".
func (p *pass) pointer(i int) (Unit, int) {
	m := pointerAt.FindStringSubmatch(p.src[p.toks[i].from:])
	if m == nil || p.toks[i].kind != word {
		return Unit{}, 0
	}
	n := p.upTo(i, p.toks[i].from+len(m[1]))
	return Unit{From: p.toks[i].from, To: p.toks[i+n-1].to, Text: m[1], Kind: Pointer,
		Noun: strings.ToLower(m[2] + m[3] + m[4])}, n
}

const pointedNouns = `function|func|fn|method|helper|routine|class|struct|type|interface|enum|variable|var|constant|const|field|property|block|code|lines?|expression|literal|value|number|string|call|error|statement|file|declaration|definition|symbol|name|one|thing|part|section|snippet|param|parameter|import|imports|loop|condition|` +
	`funktion|methode|klasse|typ|konstante|feld|zeilen?|ausdruck|stelle|datei|zahl|wert`

var pointerAt = regexp.MustCompile(`^((?i:(?:this|that|these|those|dies|diese[rnms]?|das hier|jene[rnms]?)(?: selected| highlighted| whole| current| entire)?(?:[ -](` + pointedNouns + `))?|` +
	`the (?:selected|highlighted|current|enclosing|marked)(?: (` + pointedNouns +
	`))?|(?:die|der|das|den) (?:markierte[nrs]?|ausgewählte[nrs]?|aktuelle[nrs]?)(?: (` + pointedNouns + `))?|` +
	`the selection|selection|it|them|here|the code under (?:the|my) cursor|(?:under|at) (?:the|my) cursor|what (?:i|i've|i have) (?:selected|highlighted|marked)|hier|es|sie|die auswahl|auswahl))(?:[^\pL\pN_]|$)`)

// typed finds a type expression that is no plain name: []string, map[string]int, int | None.
func (p *pass) typed(i int) (Unit, int) {
	start := p.toks[i].from
	if i > 0 && p.toks[i-1].to == start && p.toks[i-1].kind != sign {
		return Unit{}, 0
	}
	end := typeEnd(p.src, start)
	if end == start || p.Vocabulary[strings.ToLower(p.src[start:end])] {
		return Unit{}, 0
	}
	n := p.upTo(i, end)
	if p.toks[i+n-1].to != end {
		return Unit{}, 0
	}
	return Unit{From: start, To: end, Text: p.src[start:end], Kind: Typed}, n
}
