package kit

import (
	"cmp"
	"slices"
)

// What names stand for: two hooks that many operations need.

// Binder is the hook of a language that resolves the names of a file.
type Binder interface {
	// Names are the variables, functions and types that the names of a file stand for. A name
	// that is not in it (a member behind a dot, a keyword argument, what is not known) has none.
	Names(f *File) (Names, error)
}

// Names tells for each Name of a file what it stands for.
type Names map[*Node]*Var

// Var is one thing with a name, as one file sees it.
type Var struct {
	Name  string
	Kind  string  // as Decl.Kind; "outside" for what the file does not declare
	Scope *Node   // the smallest node that holds the declaration and all that can see it
	Decls []*Node // the Names that declare it, none for "outside"
	Refs  []*Node // every Name that stands for it, in the order of the source
	// Writes are those of Refs where it gets a value or may: declared with one, assigned, counted
	// up, bound by a loop, its address taken. Parameters are written by their calls.
	Writes []*Node
}

// Local reports whether it is declared inside a function.
func (v *Var) Local() bool {
	return v.Scope != nil && (v.Scope.Kind == Func || v.Scope.Up(Func) != nil)
}

// In are those of some nodes that lie in [from, to).
func In(nodes []*Node, from, to int) []*Node {
	return slices.DeleteFunc(slices.Clone(nodes), func(n *Node) bool { return n.From < from || n.To > to })
}

// Vars are the variables that are named in [from, to), in the order of their first name there.
func (ns Names) Vars(from, to int) []*Var {
	var out []*Var
	for _, v := range ns {
		if !slices.Contains(out, v) && len(In(v.Refs, from, to)) > 0 {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b *Var) int { return In(a.Refs, from, to)[0].From - In(b.Refs, from, to)[0].From })
	return out
}

// Finder is the hook of a language that finds a symbol's uses in the whole project.
type Finder interface {
	// Uses lists them without the declarations themselves, sorted by place. It declines when a
	// mention of the name is not certain.
	Uses(ds []*Decl) ([]Use, error)
}

// Use is one place where a symbol is used.
type Use struct {
	File *File
	Node *Node // the Name
	Call *Node // the call whose function it is; nil when it is handed on as a value
}

// Place is where the use is, as messages say it.
func (u Use) Place() string { return u.File.Place(u.Node.From) }

// SortUses sorts uses by place.
func SortUses(us []Use) {
	slices.SortFunc(us, func(a, b Use) int {
		return cmp.Or(cmp.Compare(a.File.Path, b.File.Path), cmp.Compare(a.Node.From, b.Node.From))
	})
}
