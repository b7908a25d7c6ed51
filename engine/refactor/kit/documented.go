package kit

// Documented is a declaration that takes a doc comment, as its language knows it.
type Documented struct {
	File     *File
	Name     string
	Owner    string // the type that it is a member of
	Kind     string // func, method, constructor, class, interface, enum, type, field, const, var
	At       int    // of the name
	Exported bool
	Has      bool // a doc comment
	Inherits bool // it overrides what has the doc comment
	Body     *Node
	Self     string // what the body calls the receiver: self, this
	Fixed    bool   // a class's own: static

	Params    []Parameter
	Results   []string // types, as written
	Outs      []string // the names of the results, when they have some
	Async     bool
	Generator bool
	Untyped   bool     // the language has types, and the file none
	Throws    []string // exceptions that the header declares

	Bases   []string // of a class
	Fields  []string // of a type, those that others may see
	Methods []string
	Values  []string // of an enum; the alternatives of a union
	Type    string   // what a type stands for, or the type of a constant
	Value   *Node    // of a constant or a variable

	Line   int    // offset of the line before which the comment goes
	Indent string // what it is indented with
	Under  string // what follows the comment at once: Go's empty comment before directives
	Blank  bool   // an empty line follows it
	Cannot string // why there is no place for a comment
}

// Parameter is a parameter of a function, without its receiver.
type Parameter struct {
	Name  string // "" where it has none of its own: a pattern
	Type  string // as written
	Value *Node  // its default
	Rest  bool   // it takes what is left
}

// DocForm is how a language writes doc comments.
type DocForm string

// The forms of doc comments.
const (
	GoDoc     DocForm = "godoc"
	Docstring DocForm = "docstring"
	JSDoc     DocForm = "jsdoc"
	Javadoc   DocForm = "javadoc"
)
