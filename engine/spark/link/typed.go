package link

import (
	"strings"

	"waferpair/engine/refactor/words"
)

// builtinTypes are the types that languages have without a declaration, by how they are
// written.
var builtinTypes = words.Set(`string int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 byte rune
	float32 float64 bool error any str float bytes dict list tuple number boolean unknown never void
	String Integer Long Double Boolean Object List Map Set Optional double long short char Date Promise
	Array Record Partial Callable Iterable Path datetime timedelta`)

// typeEnd is the end of the type expression at a position, or the position itself: a builtin
// type, a qualified name such as time.Duration, or anything with brackets, *, ? or |.
func typeEnd(src string, at int) int {
	end, marked := typeTerm(src, at)
	if end == at {
		return at
	}
	for { // a union: string | null
		i := skipBlank(src, end)
		if i >= len(src) || src[i] != '|' {
			break
		}
		j, _ := typeTerm(src, skipBlank(src, i+1))
		if j <= i+1 {
			break
		}
		end, marked = j, true
	}
	if !marked {
		return at
	}
	return end
}

// typeTerm reads one member of a union. marked reports that it can only be a type.
func typeTerm(src string, at int) (end int, marked bool) {
	i := at
	for {
		n := 0
		switch {
		case strings.HasPrefix(src[i:], "[]"):
			n = 2
		case strings.HasPrefix(src[i:], "...") && startsName(src[i+3:]):
			n = 3
		case strings.HasPrefix(src[i:], "*") && startsName(src[i+1:]):
			n = 1
		}
		if n == 0 {
			break
		}
		i, marked = i+n, true
	}
	name := i
	for i < len(src) && (isNameByte(src[i]) || src[i] == '.' && i > name && startsName(src[i+1:])) {
		i++
	}
	if i == name {
		return at, false
	}
	text := src[name:i]
	base, rest, dotted := strings.Cut(text, ".")
	if builtinTypes[text] || dotted && isQualifiedType(base, rest) {
		marked = true
	}
	for i < len(src) && (src[i] == '[' || src[i] == '<') {
		j := closing(src, i)
		if j < 0 || src[i] == '<' && !startsName(src[i+1:]) {
			break
		}
		i, marked = j, true
		if text == "map" { // map[K]V
			if j, _ := typeTerm(src, i); j > i {
				i = j
			}
		}
	}
	if i < len(src) && src[i] == '?' && marked {
		i++
	}
	return i, marked
}

// isQualifiedType reports whether pkg.Name looks like a type of another package:
// time.Duration, not config.load.
func isQualifiedType(pkg, name string) bool {
	return name != "" && pkg != "" && name[0] >= 'A' && name[0] <= 'Z' && pkg[0] >= 'a' && pkg[0] <= 'z' &&
		!strings.Contains(name, ".")
}

// closing is the position behind the bracket that closes the one at i, or -1.
func closing(src string, i int) int {
	open, shut := src[i], byte(']')
	if open == '<' {
		shut = '>'
	}
	depth := 0
	for j := i; j < len(src); j++ {
		switch src[j] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return j + 1
			}
		case '\n':
			return -1
		}
	}
	return -1
}

func isNameByte(b byte) bool {
	return b == '_' || b == '$' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

func skipBlank(src string, i int) int {
	for i < len(src) && src[i] == ' ' {
		i++
	}
	return i
}

// IsBuiltinType reports whether a word is the name of a type that languages have built in,
// though it may be an ordinary word: error, list, number.
func IsBuiltinType(word string) bool { return builtinTypes[word] }
