package refactor

import "context"

// Language carries operations out for the files of one language.
type Language interface {
	Name() string
	// Handles reports whether the file is one of the language's.
	Handles(path string) bool
	// Has reports whether the language can do the operation.
	Has(op string) bool
	// Declares reports how many declarations the operation's subject (the
	// symbol, func, type or name argument) has in the files of the language,
	// and the nearest names there are when it has none. Operations without a
	// subject (sort-imports) count as declared when target.File is the language's.
	Declares(ctx context.Context, src Source, target Target, op Op) (count int, nearest []string, err error)
	// Run carries the operation out. An error is *Declined, or something broke.
	// Every returned file still parses, and (Go) still type-checks if it did before.
	Run(ctx context.Context, src Source, target Target, op Op) (Result, error)
}

// Compiler is a Language whose own compiler, where it is installed, judges files after an edit.
// It finds what a grammar lets pass: a return outside functions, a name that is declared global
// after its use.
type Compiler interface {
	// Compiles says what the compiler rejects in a file that it accepted before, as PATH:LINE:
	// MESSAGE; "" if there is nothing, or no compiler that answers in time.
	Compiles(ctx context.Context, edited []Edited) string
}

// TypeChecker is a Language whose type checker, where the project has one, judges an edit that was
// made. It may take seconds, so that nobody waits for it before the edit.
type TypeChecker interface {
	// Types says which type errors the edit brings that were not there before.
	Types(ctx context.Context, root string, edited []Edited) Types
}

// Types is what a type checker says about an edit.
type Types struct {
	By      string   // the checker with its version; "" if there is none for these files
	Files   int      // that it checked
	Errors  []string // new ones, as PATH:LINE: MESSAGE
	Unused  []string // new ones that only say that something is not used
	Skipped string   // why it has not checked all that the edit may affect
}

// Edited is a file before and after an edit.
type Edited struct {
	Path          string
	Before, After []byte // nil: it is not there
}
