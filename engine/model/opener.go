package model

// Opener opens models by a name with a prefix, such as script:FILE.
type Opener struct {
	Prefix string // with its colon or slash
	Rest   string // placeholder for the rest of the name, for help texts: FILE
	Help   string
	Open   func(rest string) (Model, error)
}
