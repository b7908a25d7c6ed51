package disk

import (
	"context"

	"waferpair/app/spare"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/ignore"
)

// Core is what of a project this package works on, and whom it tells.
type Core struct {
	Folder *workspace.Folder
	Store  *history.Store
	Ignore *ignore.Matcher
	Spares spare.Place

	Excluded func(path string) string // why the history does not keep a file; "" when it does
	Append   func(context.Context, history.Op) (history.Receipt, error)
	Notice   func(says string)
	Progress func(what string, done, total int)
	Another  func() // another folder is at the project's path

	// TakeAnother takes the folder for the project although another one than
	// before is at its path; see OtherFolderError.
	TakeAnother bool
}
