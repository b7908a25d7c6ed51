package refactor

import (
	"slices"
	"strings"
	"unicode"
)

// usualNames are how values of a type are called where the type does not say.
var usualNames = map[string]string{"context": "ctx", "string": "text", "str": "text", "int": "count", "number": "count",
	"int64": "count", "uint": "count", "float": "amount", "float64": "amount", "bool": "enabled", "boolean": "enabled",
	"error": "err", "byte": "data", "bytes": "data", "dict": "options", "list": "items", "tuple": "items", "func": "fn",
	"callable": "fn", "request": "req", "object": "value", "any": "value", "unknown": "value", "map": "entries",
	"type": "value", "interface": "value", "array": "items", "record": "entries", "set": "items"}

// NameFor is a name for a value of a type, written in the style of the name like:
// what is offered when a request names a type and no name.
func NameFor(typ, like string) string {
	base := strings.TrimLeft(typ, "*&[]().0123456789")
	base, _, _ = strings.Cut(base, "|")
	if i := strings.IndexAny(base, "<[ ({"); i >= 0 {
		base = base[:i]
	}
	base = strings.TrimRightFunc(base[strings.LastIndexByte(base, '.')+1:], func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	words := camelWords(base)
	if len(words) == 0 {
		return "value"
	}
	name := usualNames[strings.ToLower(base)]
	switch {
	case name != "":
	case strings.Contains(like, "_"):
		name = strings.ToLower(strings.Join(words, "_"))
	default:
		words[0] = strings.ToLower(words[0])
		name = strings.Join(words, "")
	}
	if strings.Contains(typ, "[]") && !strings.HasSuffix(name, "s") && name != "data" {
		name += "s"
	}
	return name
}

// camelWords cuts HTTPClient into HTTP and Client.
func camelWords(s string) []string {
	runes := []rune(s)
	var words []string
	from := 0
	for i := 1; i < len(runes); i++ {
		ends := unicode.IsUpper(runes[i]) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if ends || runes[i] == '_' {
			words = append(words, string(runes[from:i]))
			from = i
		}
	}
	words = append(words, string(runes[from:]))
	for i, w := range words {
		words[i] = strings.Trim(w, "_")
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}
