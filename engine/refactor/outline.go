package refactor

// Declaration is one thing that a file declares.
type Declaration struct {
	Name      string
	Kind      string   // func, method, type, field, var, const
	Container string   // the type, class or function around it: Type, outer.inner
	Line      int      // of the name, from 1
	EndLine   int      // the last line of the declaration
	Params    []string // of a func or method: the names of its parameters, without a receiver
}

// Outliner is what a Language implements so that its files have an outline. A
// file that does not parse has an outline of what could be read of it.
type Outliner interface {
	Outline(path string, src []byte) ([]Declaration, error)
}
