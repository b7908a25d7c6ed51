package spark

import (
	"strings"
	"unicode/utf8"
)

// Types are scanned by what they have in common in Go, Python and TypeScript:
// prefixes, a name, brackets, a few keywords, unions. A type can often end at
// several places (string | null), so every scanner here gives all of them.

// scanType finds a type that the request announces ("of type T", ": T").
func scanType(m *matcher, pos int) []found {
	if inner, end, ok := quotedAt(m.src, pos); ok && quotesType(m.src[pos], inner) {
		return []found{{strings.TrimSpace(inner), end}}
	}
	return m.codeEnds(pos, typeEnds(m.src, pos))
}

// scanPlainType finds a type where the request may as well have none ("add a
// parameter x T to f"), so a lower-case word must be a known type to be one.
func scanPlainType(m *matcher, pos int) []found {
	return keep(scanType(m, pos), func(f found) bool {
		quoted := m.src[pos:f.end] != f.val
		return quoted || identifier(f.val) != f.val || builtinTypes[f.val] || codeLike(f.val)
	})
}

// quotesType tells a quoted type from a literal type: "string" is the first,
// "fast" may be either, and is therefore neither.
func quotesType(quote byte, inner string) bool {
	inner = strings.TrimSpace(inner)
	if quote == '`' {
		return inner != ""
	}
	if identifier(inner) == inner {
		return builtinTypes[inner] || inner != "" && inner[0] >= 'A' && inner[0] <= 'Z'
	}
	ends := typeEnds(inner, 0)
	return len(ends) > 0 && ends[len(ends)-1] == len(inner)
}

// codeEnds keeps the ends at which unquoted code may stop, and refuses code
// with a meaningful word in it: the word was probably not meant as code.
func (m *matcher) codeEnds(pos int, ends []int) []found {
	var fs []found
	for _, e := range ends {
		v := m.src[pos:e]
		if endsCode(m.src, e) && !holdsMeaningful(v) && !strings.Contains(v, "\n") {
			fs = append(fs, found{v, e})
		}
	}
	return fs
}

func endsCode(src string, pos int) bool {
	r, n := utf8.DecodeRuneInString(src[pos:])
	if n == 0 || r == ' ' || r == '\n' || r == '\t' || r == '\r' {
		return true
	}
	if strings.ContainsRune(".,;:!?)", r) {
		after := pos + n
		return after == len(src) || isSpace(src[after]) || strings.IndexByte(".,;!?)", src[after]) >= 0
	}
	return false
}

// holdsMeaningful looks at the words of code outside its string literals.
func holdsMeaningful(code string) bool {
	for i := 0; i < len(code); {
		if end, ok := stringEnd(code, i); ok {
			i = end
			continue
		}
		w := wordAt(code, i)
		if w != "" && meaningful[strings.ToLower(w)] {
			return true
		}
		_, n := utf8.DecodeRuneInString(code[i:])
		i += max(len(w), n)
	}
	return false
}

const maxTypeDepth = 12

// typeEnds gives the places at which a type that begins at pos can end, ascending.
func typeEnds(src string, pos int) []int { return typeEndsDepth(src, pos, 0) }

func typeEndsDepth(src string, pos, depth int) []int {
	if depth > maxTypeDepth {
		return nil
	}
	var all []int
	for _, e := range simpleTypeEnds(src, pos, depth) {
		all = append(all, e)
		p := skipSpace(src, e)
		if p+1 < len(src) && (src[p] == '|' || src[p] == '&') && src[p+1] != src[p] && src[p+1] != '^' {
			all = append(all, typeEndsDepth(src, skipSpace(src, p+1), depth+1)...)
		}
	}
	return sortedUnique(all)
}

// simpleTypeEnds scans a type without union operators.
func simpleTypeEnds(src string, pos, depth int) []int {
	for _, prefix := range []string{"...", "*", "[]", "<-"} {
		if strings.HasPrefix(src[pos:], prefix) {
			return typeEndsPrefixed(src, pos+len(prefix), depth)
		}
	}
	if pos >= len(src) {
		return nil
	}
	switch src[pos] {
	case '(':
		return parenthesisedType(src, pos, depth)
	case '[':
		return bracketType(src, pos, depth)
	case '{':
		return suffixed(src, endOf(balanced(src, pos)))
	case '"', '\'':
		return endOf(stringEnd(src, pos))
	}
	return namedType(src, pos, depth)
}

func typeEndsPrefixed(src string, pos, depth int) []int {
	if depth > maxTypeDepth {
		return nil
	}
	return simpleTypeEnds(src, pos, depth+1)
}

// parenthesisedType is (A | B)[] or (a: A) => B.
func parenthesisedType(src string, pos, depth int) []int {
	end, ok := balanced(src, pos)
	if !ok {
		return nil
	}
	p := skipSpace(src, end)
	if strings.HasPrefix(src[p:], "=>") {
		return typeEndsDepth(src, skipSpace(src, p+2), depth+1)
	}
	return suffixed(src, []int{end})
}

// bracketType is Go's [4]T or TypeScript's [A, B].
func bracketType(src string, pos, depth int) []int {
	end, ok := balanced(src, pos)
	if !ok {
		return nil
	}
	if elem := typeEndsPrefixed(src, end, depth); len(elem) > 0 && end < len(src) && !isSpace(src[end]) {
		return elem
	}
	return suffixed(src, []int{end})
}

// namedType begins with a word: a keyword of a type, or a name with type arguments.
func namedType(src string, pos, depth int) []int {
	id := identifier(src[pos:])
	after := pos + len(id)
	switch id {
	case "":
		return nil
	case "chan":
		if strings.HasPrefix(src[after:], "<-") {
			after += 2
		}
		return afterSpace(src, after, depth)
	case "readonly", "keyof", "typeof", "unique":
		return afterSpace(src, after, depth)
	case "map":
		if end, ok := balanced(src, after); ok && src[after] == '[' {
			return typeEndsPrefixed(src, end, depth)
		}
	case "func":
		if after < len(src) && src[after] == '(' {
			return funcType(src, after, depth)
		}
		return nil
	case "struct", "interface":
		if p := skipSpace(src, after); p < len(src) && src[p] == '{' {
			return endOf(balanced(src, p))
		}
		return nil
	}
	return genericName(src, pos)
}

// afterSpace scans the type behind a keyword such as chan.
func afterSpace(src string, pos, depth int) []int {
	p := skipSpace(src, pos)
	if p == pos {
		return nil
	}
	return typeEndsPrefixed(src, p, depth)
}

func funcType(src string, pos, depth int) []int {
	end, ok := balanced(src, pos)
	if !ok {
		return nil
	}
	all := []int{end}
	p := skipSpace(src, end)
	if p > end && p < len(src) {
		if src[p] == '(' {
			all = append(all, endOf(balanced(src, p))...)
		} else {
			all = append(all, resultEnds(src, p, depth)...)
		}
	}
	return sortedUnique(all)
}

// resultEnds scans the result type behind func(...); a lower-case English word
// there is more likely to go on with the request.
func resultEnds(src string, pos, depth int) []int {
	id := identifier(src[pos:])
	ends := typeEndsPrefixed(src, pos, depth)
	if len(ends) == 1 && ends[0] == pos+len(id) && !builtinTypes[id] && !codeLike(id) {
		return nil
	}
	return ends
}

func genericName(src string, pos int) []int {
	name := dotted(src[pos:])
	if reserved(name) {
		return nil
	}
	end := pos + len(name)
	if end < len(src) && (src[end] == '<' || src[end] == '[') {
		if e, ok := balanced(src, end); ok {
			return suffixed(src, []int{e})
		}
		return nil
	}
	return []int{end}
}

// suffixed steps over the [] of T[][].
func suffixed(src string, ends []int) []int {
	var all []int
	for _, e := range ends {
		for strings.HasPrefix(src[e:], "[]") {
			e += 2
		}
		all = append(all, e)
	}
	return all
}

func endOf(end int, ok bool) []int {
	if !ok {
		return nil
	}
	return []int{end}
}

// balanced is the end of the bracketed thing at pos: ( [ { or <. String
// literals inside are skipped; brackets must nest.
func balanced(src string, pos int) (int, bool) {
	if pos >= len(src) {
		return 0, false
	}
	angle := src[pos] == '<'
	var open []byte
	for i := pos; i < len(src); i++ {
		switch c := src[i]; {
		case c == '"' || c == '\'':
			if end, ok := stringEnd(src, i); ok {
				i = end - 1
			}
		case c == '(' || c == '[' || c == '{' || c == '<' && angle:
			open = append(open, c)
		case c == '>' && angle && i > 0 && src[i-1] == '=': // the arrow of a function type
		case c == ')' || c == ']' || c == '}' || c == '>' && angle:
			if len(open) == 0 || open[len(open)-1] != opener(c) {
				return 0, false
			}
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return i + 1, i > pos
		}
	}
	return 0, false
}

func opener(c byte) byte {
	switch c {
	case ')':
		return '('
	case ']':
		return '['
	case '}':
		return '{'
	}
	return '<'
}
