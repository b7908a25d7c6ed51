package ops

import "waferpair/engine/refactor/kit"

// signer knows the parameters of a function and everything that is passed for them.
type signer interface {
	// Signature finds the function that an argument of the request names. It declines when a
	// place that passes arguments to it cannot be seen: the function is handed on as a value,
	// belongs to an interface, or is called with arguments that are not written one by one.
	Signature(arg string) (*Signature, error)
}

// Signature is a function: its declarations (several only where builds choose among them) and
// its calls.
type Signature struct {
	Title string
	Lists []ParamList
	Calls []Passed
}

// ParamList are the parameters of one declaration, without the receiver.
type ParamList struct {
	File   *kit.File
	Params []Parameter
}

// Parameter is one of them.
type Parameter struct {
	Name      string   // as written, where it is a pattern
	From, To  int      // its own text: the name alone where it shares its type, as in a, b int
	End       int      // behind the type that it shares, else To
	Type      string   // as written, where parameters can share one
	Fixed     string   // why nothing can be moved to its place, or ""
	Optional  bool     // those behind it must be optional too
	NameOnly  bool     // passed by name only
	PlaceOnly bool     // passed by place only
	Uses      []string // what its default value mentions
}

// Passed is what one call passes.
type Passed struct {
	File *kit.File
	At   int
	Args []Argument // those that are for parameters
}

// Argument is one argument, by place unless it has a name.
type Argument struct {
	Name     string
	From, To int
	Runs     bool // evaluating it may do something
}
