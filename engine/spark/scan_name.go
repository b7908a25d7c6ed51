package spark

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// found is one way in which a slot can be filled: the value and where it ends.
type found struct {
	val string
	end int
}

// A scanner offers the ways in which a slot can be filled from pos on.
type scanner func(m *matcher, pos int) []found

// slots are the kinds of things that patterns can ask for. It is filled in
// init, because scanning a text looks at joiners, which are patterns themselves.
var slots map[string]scanner

// noArticle lists the kinds before which an article would be part of the thing.
var noArticle = map[string]bool{"type": true, "value": true, "literal": true, "expr": true, "text": true,
	"quoted": true, "number": true}

func init() {
	slots = map[string]scanner{
		"sym":       scanSymbol,                // name, Type.Method, pkg.Name
		"newsym":    scanSymbol,                // a new name; the operation checks it
		"oldsym":    scanSubject,               // the name that it replaces
		"subj":      scanSubject,               // name, "this function", "it"
		"owner":     scanOwner,                 // the same, behind "in"
		"thing":     scanThing,                 // name, "this function"
		"funcptr":   scanPointedFunc,           // "this function", "this method"
		"codesym":   looksLikeCode(scanSymbol), // one that cannot be an English word
		"dotted":    dottedOnly(scanSymbol),    // pkg.Name or name()
		"name":      scanName,                  // a single identifier
		"param":     scanNewParam,              // one for a parameter, where its type may stand instead
		"field":     scanNewField,              // one for a field, where its type may stand instead
		"flag":      scanFlag,                  // a flag: verbose, --dry-run
		"dashed":    scanDashed,                // one with its dashes
		"names":     scanNames,                 // several, comma-separated
		"type":      scanType,                  // a type, explicitly announced
		"plaintype": scanPlainType,             // a type where one may be left out
		"value":     scanValue,                 // an expression to use as a value
		"literal":   scanLiteral,               // a value that is not just a name
		"expr":      scanExpr,                  // an expression to look for
		"text":      scanText,                  // prose, to the end or in quotes
		"quoted":    scanQuoted,                // prose in quotes
		"path":      scanImportPath,
		"qpath":     scanQuotedPath,
		"file":      scanFile,
		"number":    scanNumber,
	}
}

func isNameRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// identifier is the identifier at the beginning of s.
func identifier(s string) string {
	r, _ := utf8.DecodeRuneInString(s)
	if !isNameRune(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) {
		return ""
	}
	for i, r := range s {
		if !isNameRune(r) {
			return s[:i]
		}
	}
	return s
}

// dotted is the run of identifiers joined by dots at the beginning of s.
func dotted(s string) string {
	end := len(identifier(s))
	for end > 0 && end < len(s) && s[end] == '.' {
		id := identifier(s[end+1:])
		if id == "" {
			break
		}
		end += 1 + len(id)
	}
	return s[:end]
}

// quotedAt is the inside of the `code span` or "quoted" or 'quoted' thing at pos.
func quotedAt(src string, pos int) (inner string, end int, ok bool) {
	if pos >= len(src) {
		return "", 0, false
	}
	if src[pos] == '`' {
		return codeSpan(src, pos)
	}
	end, ok = stringEnd(src, pos)
	if !ok || !endsWord(src, end) && src[end] != '\'' {
		return "", 0, false
	}
	return src[pos+1 : end-1], end, true
}

// codeSpan reads Markdown's code span: closed by as many backticks as opened it.
func codeSpan(src string, pos int) (inner string, end int, ok bool) {
	n := 0
	for pos+n < len(src) && src[pos+n] == '`' {
		n++
	}
	fence := src[pos : pos+n]
	for i := pos + n; i < len(src); {
		j := strings.Index(src[i:], fence)
		if j < 0 {
			return "", 0, false
		}
		i += j
		run := i
		for run < len(src) && src[run] == '`' {
			run++
		}
		if run-i == n {
			inner := src[pos+n : i]
			if n > 1 {
				inner = strings.TrimSpace(inner)
			}
			return inner, run, strings.TrimSpace(inner) != "" && endsWord(src, run)
		}
		i = run
	}
	return "", 0, false
}

// stringEnd is the end of the string literal at pos. An apostrophe opens one
// only where a word can begin.
func stringEnd(src string, pos int) (int, bool) {
	if pos >= len(src) {
		return 0, false
	}
	q := src[pos]
	if q != '"' && q != '\'' {
		return 0, false
	}
	if before, _ := utf8.DecodeLastRuneInString(src[:pos]); q == '\'' && pos > 0 && isNameRune(before) {
		return 0, false
	}
	for i := pos + 1; i < len(src) && src[i] != '\n'; i++ {
		switch src[i] {
		case '\\':
			i++
		case q:
			return i + 1, true
		}
	}
	return 0, false
}

// scanSymbol finds a name with optional qualifiers; a pair of parentheses
// after it, as in parseConfig(), says only that it is a function.
func scanSymbol(m *matcher, pos int) []found {
	if inner, end, ok := quotedAt(m.src, pos); ok {
		if s, ok := symbolOf(inner); ok && !m.files.claims(s) {
			return []found{{s, end}}
		}
		return nil
	}
	s, n := symbolPrefix(m.src[pos:])
	if s == "" || !m.plainName(s, pos, pos+n) || m.files.claims(s) {
		return nil
	}
	return []found{{s, pos + n}}
}

func symbolOf(s string) (string, bool) {
	s = strings.TrimSpace(s)
	sym, n := symbolPrefix(s)
	return sym, sym != "" && n == len(s)
}

// symbolPrefix reads name, a.b, (*T).m or name() and gives the symbol it names.
func symbolPrefix(s string) (sym string, n int) {
	if strings.HasPrefix(s, "(*") || strings.HasPrefix(s, "(") {
		open := len(s) - len(strings.TrimLeft(s, "(*"))
		typ := identifier(s[open:])
		rest := s[open+len(typ):]
		member := ""
		if typ != "" && strings.HasPrefix(rest, ").") && open <= 2 {
			member = identifier(rest[2:])
		}
		if member == "" {
			return "", 0
		}
		sym, n = typ+"."+member, open+len(typ)+2+len(member)
	} else {
		sym = dotted(s)
		n = len(sym)
	}
	if strings.HasPrefix(s[n:], "()") {
		n += 2
	}
	return sym, n
}

// plainName reports whether an unquoted word can be a name: it ends like a
// word, holds the language together nowhere, and "a" is not an article.
func (m *matcher) plainName(s string, pos, end int) bool {
	if !endsName(m.src, end) || reserved(s) && !m.nameInTitleCase(s, pos, end) {
		return false
	}
	if vague[s] && nouns[strings.ToLower(wordAt(m.src, skipSpace(m.src, end)))] {
		return false
	}
	next := strings.ToLower(wordAt(m.src, skipSpace(m.src, end)))
	switch {
	case s == "a" || s == "an": // before a preposition and at the end no article can stand
		rest := strings.TrimLeft(m.src[end:], " \t\n")
		return rest == "" || prepositions[next] || strings.ContainsAny(rest[:1], ":=-→")
	case s == "A" || s == "I":
		return next != "" && !nouns[next] || end == len(m.src)
	}
	return true
}

// endsName is endsWord, but a possessive may follow.
func endsName(src string, end int) bool {
	if _, ok := possessive(src, end); ok {
		return true
	}
	return endsWord(src, end)
}

func scanName(m *matcher, pos int) []found {
	return keep(scanSymbol(m, pos), func(f found) bool { return !strings.Contains(f.val, ".") })
}

// scanNewField finds the name of something new where its type may follow, or may
// stand instead: "take a Config" and "an optional string field" say no name. In
// backticks and before a colon any word is one.
func scanNewField(m *matcher, pos int) []found {
	return keep(scanName(m, pos), func(f found) bool {
		if m.clearName(pos, f) {
			return true
		}
		w := strings.ToLower(f.val)
		return !articles[w] && !describing[w] && !builtinTypes[f.val]
	})
}

// scanNewParam: no parameter begins with a capital letter, and types do.
func scanNewParam(m *matcher, pos int) []found {
	return keep(scanNewField(m, pos), func(f found) bool {
		first, _ := utf8.DecodeRuneInString(f.val)
		return !unicode.IsUpper(first) || m.clearName(pos, f)
	})
}

// clearName reports whether what was found is in quotes, or before a colon.
func (m *matcher) clearName(pos int, f found) bool {
	return strings.IndexByte("`\"'", m.src[pos]) >= 0 || strings.HasPrefix(m.src[f.end:], ":")
}

// looksLikeCode keeps the names that no English word looks like: with an upper
// case letter, a digit, an underscore or a dot in them, or in quotes.
func looksLikeCode(s scanner) scanner {
	return func(m *matcher, pos int) []found {
		return keep(s(m, pos), func(f found) bool {
			return codeLike(f.val) || m.src[pos:f.end] != f.val
		})
	}
}

func codeLike(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsUpper(r) || unicode.IsDigit(r) || strings.ContainsRune("_.$", r)
	})
}

// dottedOnly keeps pkg.Name and what is written as a call: name().
func dottedOnly(s scanner) scanner {
	return func(m *matcher, pos int) []found {
		return keep(s(m, pos), func(f found) bool {
			return strings.Contains(f.val, ".") || strings.Contains(m.src[pos:f.end], "()")
		})
	}
}

func keep(fs []found, ok func(found) bool) []found {
	var kept []found
	for _, f := range fs {
		if ok(f) {
			kept = append(kept, f)
		}
	}
	return kept
}

// scanNames finds "a", "a, b", "a and b", "{a, b}"; the value is "a,b".
func scanNames(m *matcher, pos int) []found {
	if strings.HasPrefix(m.src[pos:], "{") {
		end, ok := balanced(m.src, pos)
		if !ok {
			return nil
		}
		return namesInBraces(m.src[pos+1:end-1], end)
	}
	var all []found
	list := ""
	for {
		one := scanName(m, pos)
		if len(one) == 0 {
			return all
		}
		list = strings.TrimPrefix(list+","+one[0].val, ",")
		all = append(all, found{list, one[0].end})
		next, ok := listSeparator(m.src, one[0].end)
		if !ok {
			return all
		}
		pos = next
	}
}

func namesInBraces(inner string, end int) []found {
	var names []string
	for _, n := range strings.Split(inner, ",") {
		n = strings.TrimSpace(n)
		if identifier(n) != n || n == "" {
			return nil
		}
		names = append(names, n)
	}
	return []found{{strings.Join(names, ","), end}}
}

// listSeparator steps over "," or "and" or ", and" between the items of a list.
func listSeparator(src string, pos int) (int, bool) {
	p := skipSpace(src, pos)
	comma := strings.HasPrefix(src[p:], ",")
	if comma {
		p = skipSpace(src, p+1)
	}
	if end, ok := literalEnd(src, p, "and"); ok {
		return skipSpace(src, end), true
	}
	return p, comma
}

func scanNumber(m *matcher, pos int) []found {
	end := pos
	for end < len(m.src) && m.src[end] >= '0' && m.src[end] <= '9' {
		end++
	}
	if end == pos || end-pos > 9 || end < len(m.src) && isNameRune(rune(m.src[end])) {
		return nil
	}
	return []found{{m.src[pos:end], end}}
}

// scanImportPath finds os, os.path, golang.org/x/net/html, ./util, @scope/name, node:fs.
func scanImportPath(m *matcher, pos int) []found {
	if fs := scanQuotedPath(m, pos); fs != nil {
		return fs
	}
	end := runEnd(m.src, pos)
	p := m.src[pos:end]
	if !validImportPath(p) || reserved(p) {
		return nil
	}
	return []found{{p, end}}
}

func scanQuotedPath(m *matcher, pos int) []found {
	inner, end, ok := quotedAt(m.src, pos)
	if !ok {
		return nil
	}
	if unquoted, _, ok := quotedAt(inner, 0); ok { // `"os"`
		inner = unquoted
	}
	if !validImportPath(inner) {
		return nil
	}
	return []found{{inner, end}}
}

func validImportPath(p string) bool {
	if p == "" || strings.Trim(p, "./-:") == "" {
		return false
	}
	for _, r := range p {
		if !isNameRune(r) && !strings.ContainsRune("./-:@~+#", r) {
			return false
		}
	}
	return true
}

// runEnd is the end of the run of non-space bytes at pos, without the
// punctuation and the possessive that close it.
func runEnd(src string, pos int) int {
	end := pos
	for end < len(src) && !isSpace(src[end]) {
		end++
	}
	run := strings.TrimRight(src[pos:end], ".,;:!?")
	run = strings.TrimSuffix(run, "'s")
	return pos + len(run)
}

// scanFile finds the path of a file: one of the project's, or what looks like one.
func scanFile(m *matcher, pos int) []found {
	name, end, quoted := quotedAt(m.src, pos)
	if !quoted {
		end = runEnd(m.src, pos)
		name = m.src[pos:end]
	}
	if name == "" || reserved(name) || !validImportPath(name) {
		return nil
	}
	if !m.files.isFile(name) && !strings.Contains(name, "/") {
		return nil
	}
	return []found{{name, end}}
}

// hasSourceExt reports whether the name ends like a source file's.
func hasSourceExt(name string) bool {
	ext := path.Ext(name)
	return len(ext) > 1 && sourceExts[ext[1:]]
}
