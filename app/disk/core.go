package disk

import (
	"context"

	"waferpair/app/spare"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/ignore"
)

// Core is the part of a project that this package needs.
type Core struct {
	Folder *workspace.Folder
	Store  *history.Store
	Ignore *ignore.Matcher
	Spares spare.Place

	Excluded func(path string) string // why the history excludes a file; "" when it does not
	Append   func(context.Context, history.Op) (history.Receipt, error)
	Notice   func(says string)
	Progress func(what string, done, total int)
	Another  func() // called when another folder is at the project's path

	// TakeAnother accepts the folder although it is not the one that was at this path
	// before; see OtherFolderError.
	TakeAnother bool
}
