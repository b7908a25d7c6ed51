package spark

import (
	"regexp"
	"slices"
	"strings"
)

// Values are scanned as operands joined by operators: enough of Go, Python and
// TypeScript to say where an expression ends, not a parser of any of them.

// scanValue finds an expression. A lower-case English word is not one unless
// it is quoted: "set Mode to production" may mean a name or a text.
func scanValue(m *matcher, pos int) []found {
	return keep(m.expressions(pos), func(f found) bool {
		return identifier(f.val) != f.val || codeLike(f.val) || literalWords[f.val] || m.isCodeSpan(pos)
	})
}

// scanLiteral finds a value that cannot be the name of something: after
// "change X to", a name would as well be a new name for X.
func scanLiteral(m *matcher, pos int) []found {
	return keep(m.expressions(pos), func(f found) bool {
		return dotted(f.val) != f.val || literalWords[f.val]
	})
}

// scanExpr finds an expression that stands in the code; a name by itself is
// more likely to say where to look, so it must be quoted.
func scanExpr(m *matcher, pos int) []found {
	return keep(m.expressions(pos), func(f found) bool {
		return identifier(f.val) != f.val || literalWords[f.val] || m.isCodeSpan(pos)
	})
}

func (m *matcher) isCodeSpan(pos int) bool { return pos < len(m.src) && m.src[pos] == '`' }

func (m *matcher) expressions(pos int) []found {
	if m.isCodeSpan(pos) {
		if inner, end, ok := codeSpan(m.src, pos); ok {
			return []found{{strings.TrimSpace(inner), end}}
		}
		return nil
	}
	return m.codeEnds(pos, exprEnds(m.src, pos))
}

var binaryOps = []string{"<<", ">>", "&&", "||", "==", "!=", "<=", ">=", "??", "&^", "**", "//", "+", "-", "*", "/",
	"%", "&", "|", "^", "<", ">"}

// exprEnds gives the places at which an expression that begins at pos can end, ascending.
func exprEnds(src string, pos int) []int {
	var all []int
	for terms := 0; terms < 64; terms++ {
		ends := operandEnds(src, pos)
		all = append(all, ends...)
		if len(ends) == 0 {
			break
		}
		next, ok := afterOperator(src, ends[len(ends)-1])
		if !ok {
			break
		}
		pos = next
	}
	return sortedUnique(all)
}

// afterOperator steps over a binary operator. A dash with an English word
// behind it is punctuation.
func afterOperator(src string, pos int) (int, bool) {
	p := skipSpace(src, pos)
	for _, op := range binaryOps {
		if !strings.HasPrefix(src[p:], op) {
			continue
		}
		q := skipSpace(src, p+len(op))
		if (p > pos) != (q > p+len(op)) {
			return 0, false // "x -1" may be two things
		}
		if op == "-" && p > pos {
			w := wordAt(src, q)
			if w == "" || w[0] > '9' && !codeLike(w) && !strings.HasPrefix(src[q+len(w):], "(") {
				return 0, false
			}
		}
		return q, true
	}
	return 0, false
}

var number = regexp.MustCompile(
	`^(0[xXbBoO][0-9a-fA-F_]+|[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9]+)?|\.[0-9]+)[nij]?`)

// operandEnds scans one operand, with the selectors, calls, indexes and braces behind it.
func operandEnds(src string, pos int) []int {
	for pos < len(src) && strings.IndexByte("-+!~&*^", src[pos]) >= 0 {
		pos++
	}
	for _, word := range []string{"await ", "new "} {
		if strings.HasPrefix(src[pos:], word) {
			pos = skipSpace(src, pos+len(word))
		}
	}
	if pos >= len(src) {
		return nil
	}
	if n := len(number.FindString(src[pos:])); n > 0 {
		return []int{pos + n}
	}
	switch src[pos] {
	case '"', '\'':
		if end, ok := stringEnd(src, pos); ok {
			return trailerEnds(src, end)
		}
		return nil
	case '(', '{':
		if end, ok := balanced(src, pos); ok {
			return trailerEnds(src, end)
		}
		return nil
	case '[':
		return append(bracketOperand(src, pos), typeLiteral(src, pos)...)
	}
	return wordOperand(src, pos)
}

// bracketOperand is a list as Python and JavaScript write it.
func bracketOperand(src string, pos int) []int {
	if end, ok := balanced(src, pos); ok && (end == len(src) || identifier(src[end:]) == "") {
		return trailerEnds(src, end)
	}
	return nil
}

// typeLiteral is T{...} or T(...) for a type that does not begin with a name.
func typeLiteral(src string, pos int) []int {
	var all []int
	for _, e := range typeEnds(src, pos) {
		if e < len(src) && (src[e] == '{' || src[e] == '(') {
			if end, ok := balanced(src, e); ok {
				all = append(all, trailerEnds(src, end)...)
			}
		}
	}
	return sortedUnique(all)
}

func wordOperand(src string, pos int) []int {
	id := identifier(src[pos:])
	switch id {
	case "":
		return nil
	case "map", "func", "struct":
		if lit := typeLiteral(src, pos); len(lit) > 0 {
			return lit
		}
	}
	end := pos + len(id)
	if end < len(src) && (src[end] == '"' || src[end] == '\'') && len(id) <= 2 && strings.Trim(id, "rRbBfFuU") == "" {
		if e, ok := literalAfterPrefix(src, end); ok {
			return []int{e}
		}
		return nil
	}
	if reserved(id) && !literalWords[id] && !goesOnAsCode(src, end) {
		return nil
	}
	return trailerEnds(src, end)
}

// goesOnAsCode reports whether what follows a word of the language can only
// follow an operand: other / 2, line.Len().
func goesOnAsCode(src string, pos int) bool {
	if strings.HasPrefix(src[pos:], ".") {
		return !endsName(src, pos)
	}
	_, ok := afterOperator(src, pos)
	return ok
}

// literalAfterPrefix scans the "..." of Python's f"...".
func literalAfterPrefix(src string, pos int) (int, bool) {
	end, ok := stringEnd(src[pos:], 0)
	return pos + end, ok
}

// trailerEnds follows .name, (...), [...] and {...} directly behind an operand.
func trailerEnds(src string, pos int) []int {
	for pos < len(src) {
		switch src[pos] {
		case '.':
			id := identifier(src[pos+1:])
			if id == "" {
				return []int{pos}
			}
			pos += 1 + len(id)
		case '(', '[', '{':
			end, ok := balanced(src, pos)
			if !ok {
				return nil
			}
			pos = end
		default:
			return []int{pos}
		}
	}
	return []int{pos}
}

func sortedUnique(ends []int) []int {
	slices.Sort(ends)
	return slices.Compact(ends)
}
