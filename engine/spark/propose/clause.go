package propose

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/words"
	"waferpair/engine/spark/linear"
	"waferpair/engine/spark/link"
)

// clause is one operation with its labelled units, on the way to a program.
type clause struct {
	reader
	op     string
	units  []link.Unit
	labels []string
	filled []string // labels, with those of other clauses of the request
	args   map[string]string
	target refactor.Target
	place  refactor.Target // the line that a linter's message is about
	owner  string          // "of Server"
	lacks  []string        // labels of parts that mean nothing in this project: leaving them out would widen the program
}

// run is a run of units with one label.
type run struct {
	label string
	units []link.Unit
}

func (c clause) runs() []run {
	var out []run
	for i, l := range c.labels {
		if l == linear.None {
			continue
		}
		if i > 0 && c.labels[i-1] == l {
			last := &out[len(out)-1]
			last.units = append(last.units, c.units[i])
		} else {
			out = append(out, run{l, []link.Unit{c.units[i]}})
		}
	}
	return out
}

// text is the run as it is written, or as what is said in words means.
func (c clause) text(r run) string {
	if len(r.units) == 1 && r.units[0].Spoken {
		return r.units[0].Text
	}
	return c.request[r.units[0].From:r.units[len(r.units)-1].To]
}

// fill makes proposals of the labels: more than one where a name is that of several symbols.
func (c clause) fill(fixedArgs map[string]string) []Proposal {
	if c.filled == nil {
		c.filled = c.labels
	}
	for k, v := range fixedArgs {
		if s, ok := slotOf(c.op, k); ok && s.sort != existing || k == "which" || k == "all" || k == "kind" {
			c.args[k] = v
		}
	}
	c.spokenStyle()
	alternatives := map[string][]string{}
	var pointers []string // slots whose pointer points at nothing here
	trust := 1.0
	for _, part := range []struct {
		label string
		take  func(run)
	}{{"file", c.file}, {"owner", c.takeOwner}, {"lines", c.lines}} { // lines are those of the file
		for _, r := range c.runs() {
			if r.label == part.label {
				part.take(r)
			}
		}
	}
	for _, r := range c.runs() {
		s, ok := slotOf(c.op, r.label)
		if !ok || s.name == "lines" || c.meansLines(s, r) || c.isSelection(s, r) || c.namesNothing(s, r) {
			continue
		}
		values := c.value(s, r)
		if len(values) == 0 && (s.name == "logger" || s.name == "call") {
			continue
		}
		if len(values) == 0 {
			if r.units[0].Kind == link.Pointer {
				pointers = append(pointers, s.name) // what it points at may follow from the rest
			} else {
				c.lacks = append(c.lacks, s.name)
			}
			continue
		}
		alternatives[s.name] = values
		trust *= c.trust(s, r)
	}
	if c.constrained() {
		c.lacks = append(c.lacks, "constraint")
	}
	if c.op == "todo" && !reminds.MatchString(c.request) { // any sentence could be one's text
		c.lacks = append(c.lacks, "text")
	}
	c.asConstant(alternatives)
	c.inFileOf(alternatives)
	if c.op == "extract-constant" && len(alternatives["func"]) == 0 && severalTimes.MatchString(c.request) {
		c.args["all"] = "true"
	}
	c.position(alternatives)
	c.complete(alternatives)
	for _, name := range pointers {
		if len(alternatives[name]) == 0 {
			c.lacks = append(c.lacks, name)
		}
	}
	if !c.narrowed(alternatives) {
		c.lacks = append(c.lacks, "scope")
	}
	invented := c.invent(alternatives)
	if text := alternatives["text"]; c.op == "doc" && len(text) > 0 && !c.dictated() {
		invented = true
	}
	c.ofType(alternatives)
	out := c.combine(alternatives)
	for i := range out {
		if invented { // so it is asked about
			out[i].Ways = max(out[i].Ways, 2)
		}
		out[i].Probability *= trust
		out[i].Lacks = append(out[i].Lacks, c.lacks...)
	}
	return out
}

// severalTimes finds words for all occurrences of a value: "60000 four times".
var severalTimes = regexp.MustCompile(
	`(?i)\b(twice|thrice|(two|three|four|five|six|several|many|\d+) (times|places)|both|everywhere|` +
		`all over|every|each|repeated|duplicated?|(zwei|drei|vier|mehr)mals?|überall)\b`)

// inFileOf narrows imports "in Main" to the file of the class, which is no package of that name.
func (c *clause) inFileOf(alternatives map[string][]string) {
	if c.op != "remove-imports" && c.op != "sort-imports" || len(alternatives["path"]) != 1 {
		return
	}
	if sym, one := c.only(alternatives["path"][0]); one && sym.Kind == link.Type {
		delete(alternatives, "path")
		if sym.File != c.target.File {
			c.target = refactor.Target{File: sym.File}
		}
	}
}

// dictates finds what announces the text of a comment.
var dictates = regexp.MustCompile(`(?i)["'` + "`" + `:]|\b(say|says|saying|sagt|lautet|text)\b`)

// dictated reports whether the request gives the text of a comment, in quotes or behind what announces it.
func (c clause) dictated() bool { return dictates.MatchString(c.request) }

// ofType makes "the public methods of Contact" those of its file, if it has no other type.
func (c *clause) ofType(alternatives map[string][]string) {
	if c.op != "doc" || c.args["which"] == "" || len(alternatives["symbol"]) != 1 {
		return
	}
	t, one := c.only(alternatives["symbol"][0])
	if !one || t.Kind != link.Type {
		return
	}
	if c.table.Types(t.File) > 1 {
		c.lacks = append(c.lacks, "scope")
		return
	}
	delete(alternatives, "symbol")
	if t.File != c.target.File {
		c.target = refactor.Target{File: t.File}
	}
}

// usualName is what a function is called that was extracted and not named.
const usualName = "extracted"

// invent gives a new function a name where the request gives none: "pull this out".
func (c *clause) invent(alternatives map[string][]string) bool {
	if c.op != "extract-function" || len(alternatives["name"]) > 0 || c.at().From == 0 ||
		len(c.table.Named(usualName)) > 0 {
		return false
	}
	alternatives["name"] = []string{usualName}
	c.lacks = slices.DeleteFunc(c.lacks, func(l string) bool { return l == "name" })
	return true
}

// alone reports whether no other clause fills a slot.
func (c clause) alone() bool { return slices.Equal(c.filled, c.labels) }

// meansLines reports whether a part points at the selected lines rather than at the
// declaration around them: "comment this out".
func (c clause) meansLines(s slot, r run) bool {
	u := r.units[0]
	return u.Kind == link.Pointer && s.name == "symbol" && (c.op == "todo" || c.op == "comment-out") &&
		c.target.From > 0 && !declarations[u.Noun] && !c.onDeclaration(s, u)
}

// isSelection reports whether an expression is the selected one: "give this number a name".
func (c clause) isSelection(s slot, r run) bool {
	return s.name == "expr" && len(r.units) == 1 && r.units[0].Kind == link.Pointer && c.target.From > 0
}

// namesNothing reports whether words that a voice took for the subject are usual ones of such
// requests, and the selection has a subject: "too much nesting, early returns please".
func (c clause) namesNothing(s slot, r run) bool {
	for _, u := range r.units {
		word := strings.ToLower(u.Text)
		if s.sort != existing || u.Kind != link.Word || len(u.Symbols) > 0 || !c.vocabulary[word] ||
			!c.explained(word, []string{c.op}) {
			return false
		}
	}
	_, ok := c.around(s)
	return ok
}

// onDeclaration reports whether "it" or "this" is a declaration, because the cursor is where it
// begins: a selection of lines is more than that, and "here" is a place.
func (c clause) onDeclaration(s slot, u link.Unit) bool {
	sym, ok := c.around(s)
	at := strings.ToLower(u.Text)
	return ok && sym.Line == c.target.From && c.target.From == c.target.To && at != "here" && at != "hier"
}

// declarations are the nouns of what can be declared.
var declarations = words.Set(`function func fn method helper routine class struct type interface enum variable var constant
	const field property declaration definition symbol funktion methode klasse typ konstante feld`)

// constraints are words that restrict what is asked, which no operation follows.
var constraints = words.Set("only except unless but nur außer aber")

// constrained reports whether a word outside the slots restricts the request.
func (c clause) constrained() bool {
	for i, u := range c.units {
		if i >= len(c.filled) || u.Kind != link.Word || !constraints[strings.ToLower(u.Text)] || c.explains(i) {
			continue
		}
		switch c.filled[i] {
		case linear.None, "file", "owner", "lines": // "except in FILE" is no place to do it
			return true
		}
	}
	return false
}

// explains reports whether a word that may restrict the request only says why: "used only once",
// "declared but its value is never read".
func (c clause) explains(i int) bool {
	var behind []string
	for _, u := range c.units[i+1 : min(len(c.units), i+5)] {
		behind = append(behind, strings.ToLower(u.Text))
	}
	switch strings.ToLower(c.units[i].Text) {
	case "only":
		return len(behind) > 0 && (behind[0] == "once" || behind[0] == "used")
	case "but":
		return slices.Contains(behind, "never") || slices.Contains(behind, "unused")
	}
	return false
}

// trust is lower where a run names no symbol that may fill a slot for one.
func (c clause) trust(s slot, r run) float64 {
	if s.sort != existing || r.units[0].Kind == link.Pointer {
		return 1
	}
	best := 0.1 // nothing of that name
	for _, u := range r.units {
		for _, n := range u.Symbols {
			switch fits := s.fits(c.table.Symbol(n).Kind); {
			case fits && u.Match == link.Perhaps:
				best = max(best, 0.4)
			case fits:
				best = max(best, 1)
			}
		}
	}
	if best < 1 {
		for _, n := range c.table.Spelled(plain(c.text(r))) {
			if s.fits(c.table.Symbol(n).Kind) {
				best = max(best, 0.7)
			}
		}
	}
	return best
}

// position takes the place of a parameter from the last word for one, if no slot holds it.
func (c clause) position(alternatives map[string][]string) {
	if s, ok := slotOf(c.op, "position"); !ok || len(alternatives[s.name]) > 0 ||
		len(alternatives["after"])+len(alternatives["before"]) > 0 {
		return
	}
	for i, u := range c.units {
		if i < len(c.filled) && c.filled[i] == linear.None && u.Kind == link.Word {
			if o := ordinals[strings.ToLower(u.Text)]; o != "" {
				c.args["position"] = o
			}
		}
	}
}

// spokenStyle takes the style of strings from the words for it.
func (c clause) spokenStyle() {
	if c.op != "string-style" || c.args["style"] != "" {
		return
	}
	for _, u := range c.units {
		if style := stringStyles[strings.ToLower(strings.TrimRight(u.Text, "s"))]; style != "" {
			c.args["style"] = style
		}
	}
}

// combine makes a proposal of each combination of alternatives, the first ones being likelier.
func (c clause) combine(alternatives map[string][]string) []Proposal {
	out := []Proposal{{Program: refactor.Program{{Name: c.op, Args: c.args}}, Target: c.target, Probability: 1}}
	for _, s := range operations[c.op] {
		values := alternatives[s.name]
		if len(values) == 0 {
			if s.required && c.args[s.name] == "" {
				for i := range out {
					out[i].Lacks = append(out[i].Lacks, s.name)
				}
			}
			continue
		}
		var next []Proposal
		for _, p := range out {
			for i, v := range values[:min(len(values), 3)] {
				q := p
				q.Program = refactor.Program{{Name: c.op, Args: with(p.Program[0].Args, s.name, v)}}
				q.Probability *= 1 / (1 + 0.7*float64(i)) / float64(min(len(values), 3))
				q.More += max(0, len(values)-3)
				q.Ways = max(q.Ways, len(values))
				next = append(next, q)
			}
		}
		out = next
	}
	for i := range out {
		if len(out[i].Lacks) > 0 {
			out[i].Probability *= 0.3
		}
	}
	return out[:min(len(out), 9)]
}

func with(m map[string]string, k, v string) map[string]string {
	out := map[string]string{k: v}
	for a, b := range m {
		if a != k {
			out[a] = b
		}
	}
	return out
}

// value are the values that a run may mean for a slot.
func (c clause) value(s slot, r run) []string {
	text := plain(c.text(r))
	switch s.sort {
	case existing:
		return c.existing(s, r)
	case newName:
		if len(r.units) > 1 {
			for _, u := range r.units {
				if u.Kind == link.New { // what is spelled as code is all of the name
					text = u.Text
				}
			}
		}
		if len(r.units) == 1 && r.units[0].Kind == link.Word && (noNames[strings.ToLower(text)] ||
			c.op == "rename" && (c.described(r.units[0]) || !c.given(r.units[0]))) {
			return nil
		}
		name := strings.TrimSuffix(strings.Trim(text, "\"'`"), "()")
		if c.op == "add-flag" {
			name = strings.Join(strings.Fields(strings.TrimLeft(name, "-")), "-")
		}
		if i := strings.LastIndexByte(name, '.'); i > 0 && c.op == "rename" {
			name = name[i+1:]
		}
		if name = c.identifierOf(name, c.likeName()); !nameAt.MatchString(name) {
			return nil
		}
		return []string{name}
	case prose:
		if i := r.units[0].From; c.alone() && strings.HasSuffix(strings.TrimSpace(c.request[:i]), ":") &&
			r.units[0].Kind != link.Text {
			return nonEmpty(strings.Trim(strings.TrimSpace(c.request[i:c.units[len(c.units)-1].To]), "\"'`"))
		}
		said := strings.Trim(strings.TrimSpace(c.text(r)), "\"'`")
		if c.op == "todo" && r.units[0].Kind == link.Word {
			said = strings.TrimPrefix(said, "that ") // "a note that this leaks"
		}
		return []string{said}
	case file:
		if f := filesOf(r); len(f) > 0 {
			return f
		}
		if path.Ext(text) == "" && strings.Contains(text, "/") && !c.table.Folder(path.Dir(text)) {
			return nil // Europe/Berlin
		}
	case named:
		if s.name == "interface" {
			if found := c.typeNamed(text); found != "" {
				return []string{found}
			}
		}
		for _, u := range r.units {
			if len(u.Symbols) > 0 && u.Match != link.Exact && u.Match != link.Perhaps {
				return c.existing(slot{}, r)
			}
		}
		if s.name == "logger" && noLogger(r.units[0]) {
			return nil // "put a log into run" names none
		}
		if s.name == "call" && noCalls[strings.ToLower(text)] {
			return nil
		}
		name := strings.TrimSuffix(strings.Trim(text, "\"'`"), "()")
		if c.op == "replace-call" && (strings.ContainsAny(name, "() ,") || r.units[0].Kind == link.Text ||
			r.units[0].Kind == link.Pointer) {
			return nil // other arguments, too, or no function at all
		}
		return []string{name}
	case level:
		return nonEmpty(levels[strings.ToLower(text)])
	case source:
		if n := numbers[strings.ToLower(text)]; n != "" {
			return []string{n}
		}
		if u := r.units[0]; len(r.units) == 1 && u.Kind == link.Literal && s.name == "expr" {
			return []string{u.Text} // a linter's quotes around a number are not the code's
		}
		if !balanced(text) || r.units[0].Kind == link.Word && len(r.units) == 1 && noNames[strings.ToLower(text)] {
			return nil // "zero by default" has no value by
		}
	case typeExpr:
		return nonEmpty(c.spokenType(text))
	case fixed:
		if s.name == "style" && c.op == "string-style" {
			return nonEmpty(stringStyles[strings.ToLower(strings.TrimRight(text, "s"))])
		}
		if s.name == "style" {
			return nonEmpty(tagStyles[strings.ToLower(strings.Join(strings.FieldsFunc(text,
				func(r rune) bool { return r == '_' || r == ' ' }), ""))])
		}
		if s.name == "position" {
			if o := ordinals[strings.ToLower(text)]; o != "" {
				return []string{o}
			}
		}
	}
	return nonEmpty(text)
}

// reminds finds the words with which people ask for a TODO.
var reminds = regexp.MustCompile(
	`(?i)\b(to-?dos?|to do|fix ?me|xxx|hack|remind|remember|forget|note|notiz|comment|kommentar|` +
		`merk|erinner|vergess)`)

// balanced reports whether each bracket of a text is closed.
func balanced(text string) bool {
	var open []rune
	for _, r := range text {
		if i := strings.IndexRune("([{", r); i >= 0 {
			open = append(open, rune(")]}"[i]))
		} else if strings.ContainsRune(")]}", r) {
			if len(open) == 0 || open[len(open)-1] != r {
				return false
			}
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}

// described reports whether a word is said of a name, and is none: "fallback is a silly name".
func (c clause) described(u link.Unit) bool {
	i := slices.IndexFunc(c.units, func(v link.Unit) bool { return v.From == u.From })
	return i > 0 && describing[strings.ToLower(c.units[i-1].Text)]
}

// given reports whether a word is the name that the request gives, and no other word of it: one that
// requests do not have, or one with a word beside it that announces a name. "The name is terrible"
// gives none.
func (c clause) given(u link.Unit) bool {
	i := slices.IndexFunc(c.units, func(v link.Unit) bool { return v.From == u.From })
	return !c.vocabulary[strings.ToLower(u.Text)] || i > 0 && announces[strings.ToLower(c.units[i-1].Text)] ||
		i >= 0 && i+1 < len(c.units) && prefers[strings.ToLower(c.units[i+1].Text)]
}

var (
	announces = words.Set(
		"to into as called named name call it be become -> => → ⇒ : = with by zu in nach auf als nenne heißen heisst heißt")
	prefers = words.Set("would instead tells describes sounds is better works fits says reads nennen heißen umbenennen")
)

var describing = words.Set(`a an the so too very such pretty quite really rather bit not more less ein eine kein so zu sehr ziemlich
	total etwas`)

// noLogger reports whether what a voice took for a logger is prose, or a function or a type.
func noLogger(u link.Unit) bool {
	switch u.Kind {
	case link.Pointer, link.Type, link.Func, link.Method:
		return true
	case link.Word:
		return len(u.Symbols) == 0
	}
	return false
}

// noCalls are words for what goes wrong, which is no function.
var noCalls = words.Set(`error errors err log logs logging failure failures exception exceptions it this that here there result
	return value values everything anything something nothing fehler`)

// noNames are words that name nothing new, unless they are in backticks.
var noNames = words.Set(`a an the this that it its one own new some any my our your another second third fourth last next other
	same whole bit part thing things here there to in of for with from by as at on be is are do so pls please thanks thank too
	also and or not no who what which when where why how we you they i me us them he she method function class variable
	constant const field parameter param argument ein eine einen einem der die das den dem des neu neue neuen und oder nicht
	bitte auch mal hier es sie lower upper lowercase uppercase case camelcase snakecase pascalcase snake_case kebab-case
	private public protected exported unexported internal optional nullable required mandatory extra additional further
	boolean integer numeric descriptive better shorter longer clearer something else anything`)

// nameAt is what may be a new name; flags have dashes, too.
var nameAt = regexp.MustCompile(`^[\pL_$][\pL\pN_$-]*$`)

// typeNamed is the only type that is spelled like the text but for case.
func (c clause) typeNamed(text string) string {
	found := ""
	for _, n := range c.table.Spelled(text) {
		if sym := c.table.Symbol(n); sym.Kind == link.Type {
			if found != "" && found != sym.Name {
				return ""
			}
			found = sym.Name
		}
	}
	return found
}

// spokenTypes are the words for types, by how a language writes them.
var spokenTypes = map[string]map[string]string{
	".go":   {"boolean": "bool", "integer": "int", "str": "string"},
	".py":   {"boolean": "bool", "integer": "int", "string": "str", "dictionary": "dict"},
	".java": {"bool": "boolean", "integer": "int", "string": "String", "str": "String"},
	".ts":   {"bool": "boolean", "int": "number", "integer": "number", "float": "number", "str": "string"},
}

// spokenType is a type as the language of the request's subject writes it.
func (c clause) spokenType(text string) string {
	file := c.target.File
	for _, r := range c.runs() {
		if (r.label == "func" || r.label == "type" && c.op != "add-param") && len(r.units[0].Symbols) > 0 {
			file = c.table.Symbol(r.units[0].Symbols[0]).File
		}
	}
	ext := path.Ext(file)
	if ext == ".tsx" || ext == ".mts" || ext == ".cts" {
		ext = ".ts"
	}
	if t := spokenTypes[ext][text]; t != "" {
		return t
	}
	return text
}

// constantLiteral is a literal as it is written.
var constantLiteral = regexp.MustCompile(`^([-+]?[0-9][0-9A-Za-z_.]*|"[^"]*"|'[^']*'|` + "`[^`]*`" + `)$`)

// asConstant makes a literal that gets a constant's name one: MAX_ROWS for 48.
func (c *clause) asConstant(alternatives map[string][]string) {
	names, exprs := alternatives["name"], alternatives["expr"]
	if c.op == "extract-variable" && len(names) > 0 && len(exprs) > 0 && constantLiteral.MatchString(exprs[0]) &&
		len(names[0]) > 1 && strings.ToUpper(names[0]) == names[0] {
		c.op = "extract-constant"
	}
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// likeName is the symbol that a new name follows in its spelling.
func (c clause) likeName() string {
	for _, r := range c.runs() {
		if r.label == "type" && c.op == "add-field" && len(r.units[0].Symbols) > 0 {
			return c.fieldOf(c.table.Symbol(r.units[0].Symbols[0]))
		}
		if r.label == "symbol" && len(r.units[0].Symbols) > 0 {
			return c.table.Symbol(r.units[0].Symbols[0]).Name
		}
	}
	return ""
}

// fieldOf is a field that a type has; "" if it has none.
func (c clause) fieldOf(t link.Symbol) string {
	for n := range c.table.Len() {
		if s := c.table.Symbol(n); s.Kind == link.Field && s.Owner == t.Name && s.File == t.File {
			return s.Name
		}
	}
	return ""
}

// existing are the names, with owners, of the symbols that a run mentions and that fit.
func (c clause) existing(s slot, r run) []string {
	if c.compared(r.units[0]) {
		return nil // "tags like Pick has them"
	}
	var out []string
	for _, u := range r.units {
		if u.Kind == link.Pointer {
			return c.pointed(s, u)
		}
		out = append(out, c.fitting(s, u)...)
	}
	if len(out) > 0 {
		return out
	}
	name := strings.TrimSuffix(plain(c.text(r)), "()")
	if found := c.table.Spelled(name); len(found) > 0 {
		return c.fitting(s, link.Unit{Symbols: found})
	}
	return nonEmpty(strings.Join(strings.Fields(name), ""))
}

// compared reports whether the request only likens its subject to what a unit mentions.
func (c clause) compared(u link.Unit) bool {
	i := slices.IndexFunc(c.units, func(v link.Unit) bool { return v.From == u.From })
	return i > 0 && likens[strings.ToLower(c.units[i-1].Text)] && c.at().From > 0
}

var likens = words.Set("like wie unlike")

// fitting are the names of a unit's symbols that fit a slot, those in the open file and of
// the named owner first.
func (c clause) fitting(s slot, u link.Unit) []string {
	type candidate struct {
		name, owner string // owner only if the request names it
		rank        int
	}
	var found []candidate
	also := c.folded(s, u)
	for i, n := range append(slices.Clone(u.Symbols[:min(len(u.Symbols), mostSame)]), also...) {
		sym := c.table.Symbol(n)
		if slices.Contains(s.kinds, link.Type) {
			sym = c.constructed(sym)
		}
		rank := 0
		if i >= len(u.Symbols) { // in other case: only where the request names its owner, or a type is meant
			if rank = 1; sym.Owner != "" && !c.names(sym.Owner) {
				continue
			}
		}
		if !s.fits(sym.Kind) || sym.Local && !s.fits(link.Param) {
			rank += 12
		}
		if c.owner != "" && !owned(sym, c.owner) {
			rank += 6
		}
		owner := ""
		if sym.Owner != "" && c.names(sym.Owner) {
			owner = sym.Owner
		} else if sym.Owner != "" {
			rank += 3
		}
		if c.target.File != "" && sym.File != c.target.File {
			rank += 2
		}
		if at := c.at(); sym.File == at.File && at.From > 0 && (at.From < sym.Line || at.From > sym.EndLine) {
			rank++
		}
		found = append(found, candidate{c.nameOf(sym), owner, rank})
	}
	slices.SortStableFunc(found, func(a, b candidate) int { // the longer owner is the more exact one
		return cmp.Or(a.rank-b.rank, len(b.owner)-len(a.owner))
	})
	var out []string
	for _, f := range found {
		if f.rank/3 == found[0].rank/3 && !slices.Contains(out, f.name) {
			out = append(out, f.name)
		}
	}
	return out
}

// constructed is the class of a constructor that has its name; any other symbol is itself.
func (r reader) constructed(s link.Symbol) link.Symbol {
	if s.Kind != link.Method || s.Name != lastOf(s.Owner) {
		return s
	}
	for _, n := range r.table.Named(s.Owner) {
		if class := r.table.Symbol(n); class.Kind == link.Type && class.File == s.File {
			return class
		}
	}
	return s
}

// folded are the symbols that a word in lower case may mean, too: in "the client's token" the
// field Token of Client, where some function has a parameter token.
func (c clause) folded(s slot, u link.Unit) []int {
	if u.Match != link.Exact && u.Match != link.Perhaps || len(u.Symbols) > mostSame ||
		u.Text != strings.ToLower(u.Text) {
		return nil
	}
	found := c.table.Spelled(u.Text)
	return slices.DeleteFunc(slices.Clone(found[:min(len(found), mostSame)]), func(n int) bool {
		sym := c.table.Symbol(n)
		return slices.Contains(u.Symbols, n) || sym.Owner == "" && (sym.Kind != link.Type || len(s.kinds) != 1)
	})
}

// names reports whether the request has the name of an owner in it, as a word or in several.
func (c clause) names(owner string) bool {
	want := letters(owner[strings.LastIndexByte(owner, '.')+1:])
	for i, u := range c.units {
		if i := strings.LastIndexByte(u.Text, '.'); i > 0 && strings.HasSuffix(letters(u.Text[:i]), want) {
			return true
		}
		got := ""
		for _, v := range c.units[i:min(len(c.units), i+4)] {
			if got += letters(v.Text); got == want {
				return true
			}
		}
	}
	return false
}

// letters are the letters and digits of a text, in lower case.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// nameOf is the name of a symbol in a program: with its owner, but for parameters that the
// operation has a function for.
func (c clause) nameOf(sym link.Symbol) string {
	if sym.Kind == link.Param && slices.ContainsFunc(operations[c.op], func(s slot) bool { return s.name == "func" }) {
		return sym.Name
	}
	if sym.Kind == link.Field && c.op == "accessors" {
		return sym.Name
	}
	return sym.Qualified()
}

func owned(sym link.Symbol, owner string) bool {
	return strings.EqualFold(sym.Owner, owner) || strings.HasSuffix(strings.ToLower(sym.Owner), "."+strings.ToLower(owner))
}

// pointed is the declaration around the selection, if it is of a kind that fits.
func (c clause) pointed(s slot, u link.Unit) []string {
	if name := c.table.It(); name != "" && (strings.HasPrefix(strings.ToLower(u.Text), "it") || c.target.From == 0) {
		return []string{name}
	}
	if sym, ok := c.around(s); ok {
		return []string{c.nameOf(sym)}
	}
	return nil
}

// at is the selection, or the line that a linter's message is about.
func (c clause) at() refactor.Target {
	if c.target.From == 0 && c.place.From > 0 {
		return c.place
	}
	return c.target
}

// around is the innermost declaration around the selection that fits a slot.
func (c clause) around(s slot) (link.Symbol, bool) {
	at := c.at()
	if at.From == 0 {
		return link.Symbol{}, false
	}
	return c.table.Around(at.File, at.From, s.kinds)
}

// complete fills slots that the request leaves out and only one symbol can fill: the owner of
// a parameter, the declaration around the selection.
func (c *clause) complete(alternatives map[string][]string) {
	if c.op == "remove-param" || c.op == "reorder-params" {
		if len(alternatives["func"]) == 0 {
			alternatives["func"] = c.ownersOfParam(alternatives["name"])
		}
	}
	for _, s := range operations[c.op] {
		of := c.place.From > 0 && s.name == "func" // a linter's message is about one function
		if s.sort != existing || len(alternatives[s.name]) > 0 || c.args[s.name] != "" || !s.required && !of {
			continue
		}
		if sym, ok := c.around(s); ok {
			alternatives[s.name] = []string{c.nameOf(sym)}
		}
	}
}

// ownersOfParam are the functions that have a parameter of that name.
func (c clause) ownersOfParam(names []string) []string {
	var out []string
	for _, r := range c.runs() {
		if r.label != "name" {
			continue
		}
		for _, u := range r.units {
			for _, n := range u.Symbols {
				if sym := c.table.Symbol(n); sym.Kind == link.Param && slices.Contains(names, sym.Name) {
					out = append(out, sym.Owner)
				}
			}
		}
	}
	if sym, ok := c.around(slot{kinds: callable}); ok && slices.Contains(out, sym.Qualified()) {
		return []string{sym.Qualified()}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// file narrows the target to a file. A name that none has, or several, or that is a folder's,
// narrows it to nothing that can be said; but for the folder in front of a commit's title.
func (c *clause) file(r run) {
	f := filesOf(r)
	behind := strings.TrimLeft(c.request[r.units[len(r.units)-1].To:], " )")
	for _, u := range r.units {
		if u.A > 0 && len(f) == 1 {
			c.place = refactor.Target{File: f[0], From: u.A, To: u.A}
		}
	}
	switch {
	case slices.Contains(f, c.target.File):
	case len(f) == 1:
		c.target = refactor.Target{File: f[0]}
	case len(f) > 1 && strings.HasPrefix(behind, ":"):
	default:
		c.lacks = append(c.lacks, "file")
	}
}

func filesOf(r run) []string {
	for _, u := range r.units {
		if len(u.Files) > 0 {
			return u.Files
		}
	}
	return nil
}

// wholeFile are the operations that are about a file, or all of them, if they name no symbol.
var wholeFile = words.Set("remove-imports sort-imports remove-debug-prints doc")

// narrowed narrows an operation on whole files to the file of the type that the request mentions
// besides: "unused imports in ReportPrinter". It returns false if that is none, or of several files:
// leaving it out would widen the request.
func (c *clause) narrowed(alternatives map[string][]string) bool {
	if !wholeFile[c.op] || len(alternatives) > 0 || c.target.File != "" && c.target.File != c.reader.target.File {
		return true
	}
	for i, u := range c.units {
		if i >= len(c.filled) || c.filled[i] != linear.None || !slices.Contains(mentions, u.Kind) ||
			jargon(c.units, i, c.op) {
			continue
		}
		var files []string
		for _, n := range u.Symbols {
			if sym := c.table.Symbol(n); sym.Kind == link.Type && !slices.Contains(files, sym.File) {
				files = append(files, sym.File)
			}
		}
		if len(files) != 1 {
			return false
		}
		if files[0] != c.target.File {
			c.target = refactor.Target{File: files[0]}
		}
	}
	return true
}

// takeOwner takes what the request names as the owner of its subject.
func (c *clause) takeOwner(r run) {
	c.owner = plain(c.text(r))
	for _, u := range r.units {
		if len(u.Symbols) > 0 {
			c.owner = c.table.Symbol(u.Symbols[0]).Name
			return
		}
	}
}

func (c *clause) lines(r run) {
	for _, u := range r.units {
		if u.Kind == link.Lines {
			c.target.From, c.target.To = u.A, u.B
		}
	}
}
