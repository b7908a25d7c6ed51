package kit

import "waferpair/engine/refactor"

// Syntax is one language's view of a project during one operation. Languages implement it;
// operations see nothing else of them. What a language can prove beyond it, it says with
// hooks: small interfaces, declared beside the operation that asks for them, which a Syntax
// may implement and which Operation.Needs demands.
type Syntax interface {
	// Dialect says how the language is written.
	Dialect() Dialect
	// File parses a file of the language once. It is Declined when it cannot be read.
	File(path string) (*File, error)
	// Subject finds the one symbol that an argument names, narrowed by the target. It has
	// several declarations only where builds choose among them. It declines when there is none
	// (with the nearest names) or more than one (with what tells them apart).
	Subject(arg string) ([]*Decl, error)
	// Lines are the bytes of the whole lines of a declaration with its comments and decorators,
	// without the last line break; it declines when something else is on those lines.
	Lines(d *Decl) (from, to int, err error)
	// Unused declines, with the places, when code outside [from, to) needs what is declared
	// inside: d, or whatever it is when d is nil.
	Unused(f *File, from, to int, d *Decl) error
	// Settle checks the job's edits as its promise says, and completes them: formatting, imports
	// that only removed code used. Each file still parses and, where the language has types,
	// checks as it did; it declines with the reason otherwise.
	Settle(j *Job) ([]refactor.FileEdit, error)
}

// Promise is what an operation says about its edits, so that a language can check no more than
// it must, and no less.
type Promise struct {
	Comments bool     // comments and nothing else: every token stays as it is
	Removes  bool     // code goes away, and imports that only it used go with it
	Names    []string // names that come or go: whatever else bears them keeps its meaning
	Users    []*Decl  // the users of these are checked too
	Types    bool     // what depends on their types is checked, and all that does not fit is named
}

// Dialect is how a language is written: facts without code.
type Dialect struct {
	Name     string
	Line     string // what a comment to the end of the line begins with: "//", "#"
	DocLines bool   // such comments above a declaration document it, in paragraphs
	Empty    string // the statement that stands for none where a block must hold one: "pass"
	Keyword  string // between the name and the value of an argument that is passed by name: "="
	Self     bool   // methods declare their receiver as the first parameter
	Let      string // what declares a name that keeps its value: "const"; "" for assigning it
	Indent   string // one level of it, in a file that shows none

	Open    string // what opens a block behind a condition, and } closes: " {"; "" where indentation says it
	Parens  bool   // conditions stand in parentheses
	End     string // what ends a statement, in files that write it
	Not     string // before a condition, with the space it needs
	And, Or string
	Nothing string // the value that a function returns at its end
	// Redeclares is Go's way with names: a := b declares only what its block lacks.
	Redeclares bool
	// AnyOrder: within an expression only calls have an order; when variables are read is not laid
	// down, and assigning copies what a variable holds.
	AnyOrder bool
	Hints    bool // types of variables are notes for the reader
}

// File is one parsed file. It never changes; one goroutine uses it.
type File struct {
	Path string
	Src  []byte
	Root func() *Node // made on the first call
	Raw  any          // the language's own

	byRaw map[any]*Node
}

// Decl is one declaration of a name.
type Decl struct {
	Name  string
	Title string // as messages name it: Type.Method, function.local
	Kind  string // func, method, type, field, var, const, param, local
	File  *File
	At    int      // of the name
	Impl  int      // of the name before the body, behind overloads that have none; else 0
	Head  int      // of the statement that declares it, with its decorators and keywords
	Doc   *Comment // directly above Head, or nil
	Raw   any      // the language's own
}

// Place is where the declaration is, as messages say it: "app/config.py:12".
func (d *Decl) Place() string { return d.File.Place(d.At) }

// Comment is a run of comments on adjacent lines, each alone on its lines.
type Comment struct {
	From, To int  // To is behind the last line, before its line break
	Block    bool // it begins with /*
}
