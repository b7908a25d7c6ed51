// Package languages lists the languages that the built-in model edits. It is the one place
// that names them all.
package languages

import (
	"waferpair/engine/refactor"
	"waferpair/engine/refactor/golang"
	"waferpair/engine/refactor/treesitter"
)

// All returns each language, with nothing kept yet.
func All() []refactor.Language {
	return []refactor.Language{golang.New(), treesitter.Python(), treesitter.TypeScript(), treesitter.Java()}
}
