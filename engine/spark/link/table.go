package link

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// Symbol is a declaration of the project that a request may mention.
type Symbol struct {
	Name    string
	Kind    Kind   // Func, Method, Type, Field, Var, Const or Param
	Owner   string // the type, class or function that declares it: Type, outer.inner; "" at the top
	File    string
	Line    int      // of the name, from 1
	EndLine int      // the last line of the declaration
	Params  []string // the names of a function's or method's parameters, in order
	Local   bool     // it is a local variable: of Kind Var, its function is the owner
}

// Qualified is the name with its owner in front.
func (s Symbol) Qualified() string {
	if s.Owner == "" {
		return s.Name
	}
	return s.Owner + "." + s.Name
}

// Table is what requests are linked to: the symbols and the files of a project. It is not
// changed once it is made, and several goroutines may use it.
type Table struct {
	symbols []Symbol
	byKey   map[string][]int // squeezed name -> symbols
	plus    map[string][]int // the same, of those that Plus added
	byLen   map[int][]string // length of a key -> keys, to find what is one edit away
	files   map[string][]string
	folders map[string][]string
	it      string // what "it" is, behind a first clause
}

// NewTable indexes symbols, their parameters and files.
func NewTable(symbols []Symbol, files []string) *Table {
	t := &Table{byKey: map[string][]int{}, byLen: map[int][]string{}, files: map[string][]string{},
		folders: map[string][]string{}}
	for _, s := range symbols {
		t.add(s)
		for _, p := range s.Params {
			t.add(Symbol{Name: p, Kind: Param, Owner: s.Qualified(), File: s.File, Line: s.Line, EndLine: s.EndLine})
		}
	}
	for key := range t.byKey {
		t.byLen[len(key)] = append(t.byLen[len(key)], key)
	}
	for _, keys := range t.byLen {
		slices.Sort(keys)
	}
	for _, f := range files {
		for _, name := range fileNames(f) {
			t.files[name] = append(t.files[name], f)
		}
		if dir := path.Base(path.Dir(f)); dir != "." {
			t.folders[strings.ToLower(dir)] = append(t.folders[strings.ToLower(dir)], f)
		}
	}
	return t
}

func (t *Table) add(s Symbol) {
	key := squeeze(s.Name)
	if key == "" {
		return
	}
	t.byKey[key] = append(t.byKey[key], len(t.symbols))
	t.symbols = append(t.symbols, s)
}

// Plus returns the table with more symbols, which are not looked for among misspelled names.
func (t *Table) Plus(symbols []Symbol) *Table {
	if len(symbols) == 0 {
		return t
	}
	u := *t
	u.symbols, u.plus = append(slices.Clip(t.symbols), symbols...), map[string][]int{}
	for i, s := range symbols {
		key := squeeze(s.Name)
		u.plus[key] = append(u.plus[key], len(t.symbols)+i)
	}
	return &u
}

// keyed returns the symbols whose squeezed name is key. Callers may not change the slice.
func (t *Table) keyed(key string) []int {
	if more := t.plus[key]; len(more) > 0 {
		return append(slices.Clip(t.byKey[key]), more...)
	}
	return t.byKey[key]
}

// Folder reports whether a folder of that path, or whose path ends in it, holds files.
func (t *Table) Folder(name string) bool {
	for _, f := range t.folders[strings.ToLower(path.Base(name))] {
		if dir := path.Dir(f); strings.EqualFold(dir, name) || hasSuffixFold(dir, "/"+name) {
			return true
		}
	}
	return false
}

// Len returns the number of symbols, parameters included.
func (t *Table) Len() int { return len(t.symbols) }

// Symbol returns the symbol with that number.
func (t *Table) Symbol(n int) Symbol { return t.symbols[n] }

// Named returns the symbols whose name is name, with or without an owner in front.
func (t *Table) Named(name string) []int {
	owner, last := cutOwner(name)
	return slices.DeleteFunc(slices.Clone(t.keyed(squeeze(last))), func(n int) bool {
		s := t.symbols[n]
		return s.Name != last || owner != "" && !ownedBy(s, owner)
	})
}

// Types returns how many types a file declares outside of any other.
func (t *Table) Types(file string) int {
	n := 0
	for _, s := range t.symbols {
		if s.Kind == Type && s.Owner == "" && s.File == file {
			n++
		}
	}
	return n
}

// HasPart reports whether a word, in lower case, is a part of any symbol's name: "size" of batchSize and
// BATCH_SIZE.
func (t *Table) HasPart(word string) bool {
	return slices.ContainsFunc(t.symbols, func(s Symbol) bool {
		for at, name := 0, strings.ToLower(s.Name); len(name) == len(s.Name); {
			i := strings.Index(name[at:], word)
			if i < 0 {
				return false
			}
			from, to := at+i, at+i+len(word)
			if begins(s.Name, from) && (to == len(name) || begins(s.Name, to)) {
				return true
			}
			at = from + 1
		}
		return false
	})
}

// begins reports whether a part of a name begins at byte i, or the one before ends there.
func begins(name string, i int) bool {
	if i == 0 {
		return true
	}
	letter := func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }
	upper := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	return letter(name[i-1]) != letter(name[i]) || upper(name[i]) && !upper(name[i-1])
}

// Spelled returns the symbols whose name is name but for case, underscores and spaces.
func (t *Table) Spelled(name string) []int { return t.keyed(squeeze(name)) }

// With returns the table for a clause in which "it" is name.
func (t *Table) With(name string) *Table {
	u := *t
	u.it = name
	return &u
}

// It is what "it" is, or "".
func (t *Table) It() string { return t.it }

// Around returns the innermost declaration of one of the kinds around a line of a file, and
// whether there is one. Without kinds, all count; a local variable counts where a parameter does.
func (t *Table) Around(file string, line int, kinds []Kind) (Symbol, bool) {
	best, found := Symbol{}, false
	for _, s := range t.symbols {
		if s.File != file || line < s.Line || line > s.EndLine || s.Kind == Param ||
			len(kinds) > 0 && (!slices.Contains(kinds, s.Kind) || s.Local && !slices.Contains(kinds, Param)) {
			continue
		}
		if !found || s.EndLine-s.Line <= best.EndLine-best.Line {
			best, found = s, true
		}
	}
	return best, found
}

// ownedBy reports whether the symbol's owner is, or ends in, owner; a package's name in
// front of a top-level symbol counts as one.
func ownedBy(s Symbol, owner string) bool {
	if strings.EqualFold(s.Owner, owner) || hasSuffixFold(s.Owner, "."+owner) ||
		hasSuffixFold(owner, "."+s.Owner) && s.Owner != "" {
		return true
	}
	dir := path.Base(path.Dir(s.File))
	stem := strings.TrimSuffix(path.Base(s.File), path.Ext(s.File))
	return s.Owner == "" && (strings.EqualFold(dir, owner) || strings.EqualFold(stem, owner))
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

// cutOwner cuts Type.Method in two at the last dot, # or ::.
func cutOwner(name string) (owner, last string) {
	for _, sep := range []string{"::", "#", "."} {
		if i := strings.LastIndex(name, sep); i > 0 && i+len(sep) < len(name) {
			return strings.Trim(name[:i], "(*)"), name[i+len(sep):]
		}
	}
	return "", name
}

// squeeze is what is left of a name in lower case without anything but letters and digits:
// the same for batchSize, BATCH_SIZE and "batch size".
func squeeze(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// fileNames are the ways to name a file: its path, the ends of it, and each without its
// extension where that is still a word with a letter.
func fileNames(f string) []string {
	var out []string
	lower := strings.ToLower(f)
	for rest := lower; ; {
		out = append(out, rest)
		if stem := strings.TrimSuffix(rest, path.Ext(rest)); stem != rest && len(stem) > 1 {
			out = append(out, stem)
		}
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			return out
		}
		rest = rest[i+1:]
	}
}

// hasExtension reports whether a word names a file with its extension.
func hasExtension(word string) bool {
	ext := path.Ext(word)
	return len(ext) > 1 && len(ext) <= 6 && ext != word && unicode.IsLetter(rune(ext[1]))
}
