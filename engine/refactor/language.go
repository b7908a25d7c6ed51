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
