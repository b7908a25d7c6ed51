package refactor

import (
	"fmt"
	"sort"
	"strings"
)

// Sort is what may fill a parameter of an operation.
type Sort int

// The sorts.
const (
	Word     Sort = iota // one of a few words, or a number
	Symbol               // a declaration of the project, of one of the parameter's kinds
	NewName              // a name that is yet to be
	TypeExpr             // a type, as written
	Expr                 // a value or an expression, as written
	Prose                // text
	Path                 // a file of the project
	Outside              // a package, or a function of anybody's: as written
)

// Param is one named argument of an operation.
type Param struct {
	Name     string
	Optional bool
	Sort     Sort
	Kinds    string // of a symbol or a new name, what it may be; of a Word, which; space-separated, "" for anything
	Help     string
}

func need(name string, s Sort, kinds, help string) Param { return Param{name, false, s, kinds, help} }
func may(name string, s Sort, kinds, help string) Param  { return Param{name, true, s, kinds, help} }

// Scope is what an operation is about when its subject is not named.
type Scope int

// The scopes.
const (
	Named   Scope = iota // nothing: the subject has to be named, or pointed at
	Lines                // the selected lines
	OneFile              // the target's file, or its selected lines
	Project              // the whole project, unless a file is the target
)

// Spec says all that there is to say about an operation before it runs: to parsers, to
// `models show spark`, to help, and to the languages that carry it out.
type Spec struct {
	Name    string
	Help    string
	Example string // a request that asks for it
	Params  []Param
	Scope   Scope
	Ask     Ask
	// Forms are whole requests, the first the shortest: "inline <symbol>", with a part in []
	// that is said where its parameters are given; <to=public> is said by the words around it.
	// An operation with forms needs no phrases in the request parser.
	Forms []string
	// Lacks says by language why it does not have the operation, and never will.
	Lacks map[string]string
}

// Ask are requests that ask for an operation with no more than a name, or a file, at their end.
type Ask struct{ Symbol, File string }

// Pointable reports whether a Pointer may stand for the argument: what it names can be a
// declaration of the project.
func (p Param) Pointable() bool { return p.Sort == Symbol || p.Sort == Outside && p.Kinds != "" }

// Subject is the parameter that says what the operation is about; ok is false where none does.
func (s Spec) Subject() (p Param, ok bool) {
	for _, p := range s.Params {
		if p.Pointable() {
			return p, true
		}
	}
	return Param{}, false
}

// Param is the parameter of that name.
func (s Spec) Param(name string) (Param, bool) {
	for _, p := range s.Params {
		if p.Name == name {
			return p, true
		}
	}
	return Param{}, false
}

// Lookup returns the operation of that name.
func Lookup(name string) (Spec, bool) {
	for _, s := range Ops {
		if s.Name == name {
			return s, true
		}
	}
	return Spec{}, false
}

// String is the operation in words, as the user is told what was understood:
// `rename symbol=parseConfig to=loadConfig`.
func (o Op) String() string {
	keys := make([]string, 0, len(o.Args))
	if s, ok := Lookup(o.Name); ok {
		for _, p := range s.Params {
			if _, ok := o.Args[p.Name]; ok {
				keys = append(keys, p.Name)
			}
		}
	} else {
		for k := range o.Args {
			keys = append(keys, k)
		}
		sort.Strings(keys)
	}
	var b strings.Builder
	b.WriteString(o.Name)
	for _, k := range keys {
		fmt.Fprintf(&b, " %s=%s", k, o.Args[k])
	}
	return b.String()
}
