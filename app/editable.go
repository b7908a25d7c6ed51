package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"waferpair/workspace"
)

// The kinds of files as pages show them.
const (
	kindText    = "text"
	kindBinary  = "binary"
	kindLarge   = "large"
	kindOther   = "other"   // not a regular file
	kindMissing = "missing" // typing in it creates it
)

// notEditable says why a file is shown but cannot be edited.
type notEditable struct {
	path, why string
	kind      string // of File
	excluded  string // why history excludes it; "" when it does not
	size      int64
}

func (e *notEditable) Error() string { return e.path + ": " + e.why + "; it was not edited" }

// notText returns why a file is not text; nil if it is.
func notText(f workspace.File) *notEditable {
	no := &notEditable{path: f.Path, size: f.Entry.Size}
	switch f.Class {
	case workspace.Binary:
		no.kind, no.why = kindBinary, "it is a binary file"
	case workspace.TooLarge:
		no.kind, no.why = kindLarge, fmt.Sprintf("it is too large (%d MB) to edit", f.Entry.Size>>20)
	case workspace.Other:
		no.kind, no.why = kindOther, "it is not a regular file"
	default:
		return nil
	}
	return no
}

// readOnlyReason returns why a file must not be written; "" when it may.
func (p *core) readOnlyReason(ctx context.Context, e workspace.Entry) string {
	if why := readOnly(e.Mode); why != "" {
		return why
	}
	err := p.folder.Linked(ctx, e)
	var full *workspace.Error
	switch {
	case errors.As(err, &full):
		return full.Err.Error() + "; " + full.Hint
	case err != nil:
		return err.Error()
	}
	return ""
}

func readOnly(mode fs.FileMode) string {
	if mode.Perm()&0o200 == 0 {
		return "it is read-only (chmod u+w allows editing)"
	}
	return ""
}
