package propose

import (
	"slices"
	"strconv"
	"strings"

	"waferpair/engine/spark/link"
)

// sort is what may fill a slot.
type sort uint8

const (
	existing sort = iota // a symbol of the project
	newName              // a name that is yet to be
	typeExpr
	source // a value or an expression, as written
	prose
	file
	named // a package, a function outside the project, a logger: as written
	level // private, public, protected
	fixed // one of a few words, or a number
)

// slot is one slot of an operation.
type slot struct {
	name     string
	sort     sort
	required bool
	kinds    []link.Kind // of an existing symbol
}

var (
	callable   = []link.Kind{link.Func, link.Method}
	types      = []link.Kind{link.Type}
	params     = []link.Kind{link.Param}
	constants  = []link.Kind{link.Const, link.Var, link.Field}
	fields     = []link.Kind{link.Field}
	top        = []link.Kind{link.Func, link.Method, link.Type, link.Const, link.Var}
	documented = []link.Kind{link.Func, link.Method, link.Type, link.Field, link.Const, link.Var}
	valued     = []link.Kind{link.Func, link.Method, link.Field, link.Const, link.Var, link.Param}
	anything   = []link.Kind{link.Func, link.Method, link.Type, link.Field, link.Const, link.Var, link.Param}
)

func need(name string, s sort, kinds ...link.Kind) slot { return slot{name, s, true, kinds} }
func may(name string, s sort, kinds ...link.Kind) slot  { return slot{name, s, false, kinds} }

// operations are the slots of each operation.
var operations = map[string][]slot{
	"rename": {need("symbol", existing, anything...), need("to", newName)},
	"doc":    {may("symbol", existing, documented...), may("text", prose)},
	"add-param": {need("func", existing, callable...), need("name", newName), may("type", typeExpr),
		may("value", source), may("position", fixed)},
	"remove-param": {need("func", existing, callable...), need("name", existing, params...)},
	"reorder-params": {need("func", existing, callable...), need("name", existing, params...), may("position", fixed),
		may("after", existing, params...), may("before", existing, params...)},
	"add-field": {need("type", existing, types...), need("name", newName), may("fieldtype", typeExpr),
		may("value", source)},
	"add-import":          {need("path", named), may("names", named), may("alias", named)},
	"remove-imports":      {may("path", named)},
	"sort-imports":        {},
	"set-constant":        {need("name", existing, constants...), need("value", source)},
	"handle-error":        {may("func", existing, callable...), may("call", named)},
	"extract-variable":    {need("name", newName), need("expr", source), may("func", existing, callable...)},
	"extract-constant":    {need("name", newName), need("expr", source), may("func", existing, callable...)},
	"extract-function":    {need("name", newName), may("func", existing, callable...), may("lines", fixed)},
	"inline":              {need("symbol", existing, anything...)},
	"move":                {need("symbol", existing, top...), need("to", file)},
	"add-test":            {need("func", existing, callable...)},
	"json-tags":           {need("type", existing, types...), may("style", fixed)},
	"log-entry":           {need("func", existing, callable...), may("logger", named)},
	"remove-debug-prints": {may("func", existing, callable...)},
	"use-logger":          {may("func", existing, callable...), may("call", named), may("logger", named)},
	"replace-call":        {need("from", named), need("to", named)},
	"comment-out":         {may("symbol", existing, documented...), may("lines", fixed)},
	"todo":                {may("symbol", existing, anything...), need("text", prose)},
	"delete-unused":       {need("symbol", existing, documented...)},
	"implement":           {need("type", existing, types...), need("interface", named)},
	"string-style":        {may("func", existing, callable...), need("style", fixed)},
	"add-flag": {need("name", newName), may("type", typeExpr), may("value", source), may("text", prose),
		may("func", existing, callable...)},
	"visibility":   {need("symbol", existing, documented...), need("to", level)},
	"add-case":     {need("type", existing, types...), need("name", newName), may("value", source)},
	"early-return": {need("func", existing, callable...)},
	"async":        {need("func", existing, callable...)},
	"change-type":  {need("symbol", existing, valued...), need("type", typeExpr)},
	"accessors":    {need("type", existing, types...), may("name", existing, fields...), may("which", fixed)},
}

// Slots are the names of an operation's slots.
func Slots(op string) []string {
	var out []string
	for _, s := range operations[op] {
		out = append(out, s.name)
	}
	return out
}

func slotOf(op, name string) (slot, bool) {
	for _, s := range operations[op] {
		if s.name == name {
			return s, true
		}
	}
	return slot{}, false
}

// levels are the words for visibility.
var levels = map[string]string{"private": "private", "public": "public", "protected": "protected", "exported": "public",
	"unexported": "private", "internal": "private", "export": "public", "unexport": "private", "privat": "private",
	"öffentlich": "public"}

var ordinals = map[string]string{"first": "first", "second": "2", "third": "3", "fourth": "4", "fifth": "5",
	"last": "last", "end": "last", "front": "first", "beginning": "first", "start": "first", "1st": "1",
	"2nd": "2", "3rd": "3", "erste": "first", "ersten": "first", "erster": "first", "zweite": "2", "zweiten": "2",
	"letzte": "last", "letzten": "last", "letzter": "last"}

var stringStyles = map[string]string{"f-string": "fstring", "fstring": "fstring", "f": "fstring",
	"template": "template", "template literal": "template", "backtick": "template", "sprintf": "format",
	"fmt.sprintf": "format", "format": "format", "format call": "format", "string.format": "format", "formatted": "format",
	"concatenation": "concat"}

var tagStyles = map[string]string{"snake": "snake", "snakecase": "snake", "camel": "camel", "camelcase": "camel"}

// numbers are numbers in words.
var numbers = map[string]string{}

func init() {
	for i, w := range strings.Fields("zero one two three four five six seven eight nine ten eleven twelve") {
		numbers[w] = strconv.Itoa(i)
	}
	for i, w := range strings.Fields("null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf") {
		if w != "null" {
			numbers[w] = strconv.Itoa(i)
		}
	}
}

// fits reports whether a kind of symbol may fill a slot.
func (s slot) fits(k link.Kind) bool { return len(s.kinds) == 0 || slices.Contains(s.kinds, k) }

// plain is text without backticks, quotes, () and the punctuation at its end.
func plain(text string) string {
	text = strings.TrimSpace(text)
	if n := len(text); n > 2 && text[0] == '`' && text[n-1] == '`' && !strings.Contains(text[1:n-1], "`") {
		return text[1 : n-1]
	}
	return strings.TrimRight(text, " ,;:!?.")
}
