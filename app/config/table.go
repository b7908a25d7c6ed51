package config

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// reader reads a decoded file, and knows where its keys are.
type reader struct {
	file    string
	at      map[string]place // by path
	unknown []Problem
}

type place struct{ Line, Col int }

func key(path []string) string { return strings.Join(path, "\x00") }

func (r *reader) place(path []string, name string) place {
	return r.at[key(slices.Concat(path, []string{name}))]
}

// table is a table of the file. A value of the wrong type is a problem, and reads as missing.
type table struct {
	r        *reader
	path     []string
	of       map[string]any
	read     map[string]bool
	problems *[]Problem
}

func (r *reader) table(path []string, of map[string]any, problems *[]Problem) *table {
	return &table{r: r, path: path, of: of, read: map[string]bool{}, problems: problems}
}

// refuse adds a problem of a key, or of the table itself.
func (t *table) refuse(name, what, next string) {
	*t.problems = append(*t.problems, t.problem(name, what, next))
}

func (t *table) problem(name, what, next string) Problem {
	path := t.path
	if name != "" {
		path = slices.Concat(t.path, []string{name})
	}
	at, is := t.r.at[key(path)]
	if !is { // a missing key is a problem of its table
		at = t.r.at[key(t.path)]
	}
	return Problem{File: t.r.file, Line: at.Line, Col: at.Col, Key: dotted(path),
		What: dotted(path) + ": " + what, Next: next}
}

// dotted is a path as the file has it.
func dotted(path []string) string {
	out := make([]string, len(path))
	for i, p := range path {
		out[i] = bare(p)
	}
	return strings.Join(out, ".")
}

func (t *table) has(name string) bool { _, ok := t.of[name]; return ok }

// skip says that a key is known.
func (t *table) skip(name string) { t.read[name] = true }

// as returns a value of a type.
func as[T any](t *table, name, what string) (v T, ok bool) {
	t.skip(name)
	any, there := t.of[name]
	if !there {
		return v, false
	}
	if v, ok = any.(T); !ok {
		t.refuse(name, "it must be "+what, "correct this line")
	}
	return v, ok
}

func (t *table) text(name string) string {
	s, _ := as[string](t, name, `text in quotes, such as "x"`)
	return s
}

func (t *table) flag(name string) bool {
	b, _ := as[bool](t, name, "true or false")
	return b
}

// number returns a whole number in bounds; nil when there is none.
func (t *table) number(name string, least, most int64) *int {
	n, ok := as[int64](t, name, "a whole number")
	if !ok {
		return nil
	}
	if n < least || n > most {
		t.refuse(name, fmt.Sprintf("it must be %d to %d", least, most), "correct this line")
		return nil
	}
	i := int(n)
	return &i
}

// amount returns an amount of money.
func (t *table) amount(name string) float64 {
	t.skip(name)
	v := -1.0
	switch n := t.of[name].(type) {
	case int64:
		v = float64(n)
	case float64:
		v = n
	case nil:
		v = 0
	}
	if !(v >= 0 && v < math.Inf(1)) {
		t.refuse(name, "it must be dollars for a million tokens, such as 1.25", "correct this line")
		return 0
	}
	return v
}

// texts returns a table of texts.
func (t *table) texts(name string) map[string]string {
	sub := t.table(name)
	if len(sub.of) == 0 {
		return nil
	}
	out := map[string]string{}
	for k := range sub.of {
		out[k] = sub.text(k)
	}
	return out
}

// words returns an array of texts.
func (t *table) words(name string) (out []string) {
	all, _ := as[[]any](t, name, "a list of names")
	for _, v := range all {
		s, ok := v.(string)
		if !ok {
			t.refuse(name, "it must be a list of names in quotes", "correct this line")
			return nil
		}
		out = append(out, s)
	}
	return out
}

// table returns a table in this one; an empty one when there is none.
func (t *table) table(name string) *table {
	of, _ := as[map[string]any](t, name, "a table")
	return t.r.table(slices.Concat(t.path, []string{name}), of, t.problems)
}

// rest names the keys that nothing has read.
func (t *table) rest() {
	for _, name := range t.r.order(t) {
		if !t.read[name] {
			t.r.unknown = append(t.r.unknown, t.problem(name, "nothing here reads this key; it is kept", ""))
		}
	}
}
